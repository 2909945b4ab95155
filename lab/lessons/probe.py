"""Trying a learner's function out where it can do no harm: elsewhere, and not for ever."""

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lab import plain
from lab.cases import Case
from lab.lessons.worker import READY

SECONDS = 5.0
"""What a function may take for all of its inputs together, the start of its process aside."""
START_SECONDS = 20.0


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input. `returned` is plain data; runs of things are lists."""

    returned: Any = None
    raised: str | None = None
    printed: str = ""
    mutated: bool = False
    looked_at_expected: bool = False
    ended: bool = True


def probe(
    function: Callable[..., Any], inputs: Sequence[Any], *, seconds: float = SECONDS
) -> list[Outcome]:
    """Run a function on each input, in a process of its own, and return what it did.

    The inputs are all that the process is sent. The input on which the time runs out, or on which
    the process dies, has an outcome that did not end, and is the last one.
    """
    import cloudpickle

    try:
        packed = cloudpickle.dumps((function, [as_told(each) for each in inputs]))
    except Exception as error:  # noqa: BLE001  (a function may carry anything with it)
        return [Outcome(raised=f"cannot be sent to a process of its own: {plain.reason(error)}")]
    command = [sys.executable, "-m", "lab.lessons.worker"]
    with subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        late = threading.Timer(START_SECONDS, process.kill)
        late.start()
        try:
            _send(process, packed)
            assert process.stdout is not None
            if process.stdout.readline().strip() != READY.encode():
                return [Outcome(raised="its process did not come up; is everything it needs here?")]
            late.cancel()
            late = threading.Timer(seconds, process.kill)
            late.start()
            found = [Outcome(**json.loads(line)) for line in process.stdout if line.endswith(b"\n")]
        finally:
            late.cancel()
            process.kill()
    return found if len(found) == len(inputs) else [*found, Outcome(ended=False)]


def as_told(given: Any) -> Any:
    """Return an input as `trying.given` reads it: plain data, a case without its answer."""
    if not isinstance(given, Case):
        return given
    stock = [list(row) for row in given.stock]
    told = {"name": given.name, "split": given.split, "stock": stock, "prompt": given.prompt}
    return {"case": told}


def _send(process: "subprocess.Popen[bytes]", packed: bytes) -> None:
    assert process.stdin is not None
    # If it died before it had read everything, its outcomes say so.
    with contextlib.suppress(BrokenPipeError), process.stdin:
        process.stdin.write(packed)
