"""Trying a function out on one input, and saying what it did as plain data.

Nothing of the lab is imported here: the same file is read inside the sandbox, which sees no lab.
"""

import contextlib
import copy
import io
import math
from collections.abc import Callable, Iterable
from typing import Any

MOST_PRINTED = 200
LONGEST_LIST = 1000
LONGEST_REASON = 300


class GivenCase:
    """A case as a learner's function gets it: no answer, and it notices who looks for one."""

    def __init__(self, name: str, split: str, stock: Iterable[Iterable[Any]], prompt: str) -> None:
        self.name, self.split, self.prompt = name, split, prompt
        self.stock = tuple(map(tuple, stock))
        self.looked = False

    @property
    def expected(self) -> tuple[()]:
        """Nothing: it is empty while a learner's function runs."""
        self.looked = True
        return ()


def given(told_input: Any) -> Any:
    """Return an input as a function gets it: a copy, or the case that `{"case": {...}}` tells."""
    if isinstance(told_input, dict) and set(told_input) == {"case"}:
        return GivenCase(**told_input["case"])
    return copy.deepcopy(told_input)


def try_out(function: Callable[..., Any], told_input: Any) -> dict[str, Any]:
    """Run a function on one input and return what it did."""
    printed = io.StringIO()
    handed = given(told_input)
    outcome: dict[str, Any] = {"raised": None, "returned": None}
    with contextlib.redirect_stdout(printed):
        try:
            outcome["returned"] = told(function(handed))
        except BaseException as error:  # noqa: BLE001  (a learner's code may do anything)
            outcome["raised"] = reason(error)
    is_case = isinstance(handed, GivenCase)
    return {
        **outcome,
        "printed": printed.getvalue()[:MOST_PRINTED],
        "mutated": _changed(handed, told_input),
        "looked_at_expected": is_case and handed.looked,
    }


def _changed(handed: Any, told_input: Any) -> bool:
    if not isinstance(handed, GivenCase):
        return bool(told(handed) != told(told_input))  # as data: an object may lie when asked
    return handed.stock != tuple(map(tuple, told_input["case"]["stock"]))


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


def reason(error: BaseException) -> str:
    """Return a bounded `Type: message`, even of an exception that cannot print itself."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001
        message = "(its message could not be read)"
    name = type(error).__name__
    told = f"{name}: {message}" if message else name
    return told if len(told) <= LONGEST_REASON else f"{told[: LONGEST_REASON - 3]}..."
