"""The process in which a learner's function runs: functions and inputs in, outcomes out.

It reads one cloudpickled (function, inputs) from standard input, and writes READY and then one JSON
line an input. Nothing expected is sent here.
"""

import json
import os
import sys

from lab.lessons.trying import try_out

READY = "ready"


def main() -> None:
    """Say that it is up, then try a function out on each input in turn."""
    import cloudpickle

    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is written goes nowhere
    function, inputs = cloudpickle.loads(sys.stdin.buffer.read())
    with out:
        print(READY, file=out, flush=True)
        for told_input in inputs:
            print(json.dumps(try_out(function, told_input)), file=out, flush=True)


if __name__ == "__main__":
    main()
