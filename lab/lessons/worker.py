"""The process in which a learner's function runs: functions and inputs in, outcomes out.

It reads one cloudpickled (function, inputs) from standard input, and writes READY and then one JSON
line an input. Nothing expected is sent here.
"""

import contextlib
import copy
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from lab import plain
from lab.cases import Case

READY = "ready"
MOST_PRINTED = 200
LONGEST_LIST = 1000


class WatchedCase(Case):
    """A case without its answer, that notices when somebody looks for one."""

    looked = False

    def __getattribute__(self, name: str) -> Any:
        if name == "expected":
            type(self).looked = True
        return super().__getattribute__(name)


def watched(given: Any) -> Any:
    """Return an input as a learner's function gets it."""
    if not isinstance(given, Case):
        return copy.deepcopy(given)
    return WatchedCase(given.name, given.split, given.stock, (), given.prompt)


def try_out(function: Callable[..., Any], given: Any) -> dict[str, Any]:
    """Run a function on one input and say what it did, as plain data."""
    printed = io.StringIO()
    handed = watched(given)
    WatchedCase.looked = False
    outcome: dict[str, Any] = {"raised": None, "returned": None}
    with contextlib.redirect_stdout(printed):
        try:
            outcome["returned"] = told(function(handed))
        except BaseException as error:  # noqa: BLE001  (a learner's code may do anything)
            outcome["raised"] = plain.reason(error)
    looked = WatchedCase.looked
    is_same = isinstance(given, Case) or handed == given
    return {
        **outcome,
        "printed": printed.getvalue()[:MOST_PRINTED],
        "mutated": not is_same,
        "looked_at_expected": looked,
    }


def told(value: Any) -> Any:
    """Return a value as JSON can keep it: a run of things is a list, what it cannot say a note."""
    if type(value) is float and not math.isfinite(value):
        return {"other": repr(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, dict):
        return {"dict": [[told(key), told(each)] for key, each in value.items()]}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        items = [told(each) for each, _ in zip(value, range(LONGEST_LIST), strict=False)]
        return {"set": items} if isinstance(value, set | frozenset) else items
    return {"other": type(value).__name__}


def main() -> None:
    """Say that it is up, then try a function out on each input in turn."""
    import cloudpickle

    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is written goes nowhere
    function, inputs = cloudpickle.loads(sys.stdin.buffer.read())
    with out:
        print(READY, file=out, flush=True)
        for given in inputs:
            print(json.dumps(try_out(function, given)), file=out, flush=True)


if __name__ == "__main__":
    main()
