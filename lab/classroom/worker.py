"""Inside the sandbox: a submission's source and inputs in, one line of JSON for each input out.

This file and `trying.py` are all that is there of the lab. It is started once for one function.
"""

import json
import os
import resource
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  (no site here)

from trying import reason, try_out  # type: ignore[import-not-found]

READY = "ready"


def limit(limits: dict[str, int]) -> None:
    """Bound this process and its children; nobody without privileges can raise it again."""
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def main() -> None:
    """Read the task, say that it was read, run the source, try its function out on each input."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    task = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    os.dup2(0, 2)
    limit(task["limits"])
    print(READY, file=out, flush=True)
    space: dict[str, Any] = {"__name__": "submission"}
    try:
        exec(compile(task["source"], "submission", "exec"), space)  # noqa: S102  (what it is for)
        function = space[task["name"]]
    except BaseException as error:  # noqa: BLE001  (a submission may do anything)
        print(json.dumps({"broken": reason(error)}), file=out, flush=True)
        return
    for told_input in task["inputs"]:
        print(json.dumps(try_out(function, told_input)), file=out, flush=True)


if __name__ == "__main__":
    main()
