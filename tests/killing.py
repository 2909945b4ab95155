"""Kills a process again and again in the middle of its work; run as a script by the tests.

    python -m tests.killing save FOLDER KILLS [hidden]
    python -m tests.killing journal FOLDER KILLS

`save` kills a child that saves one report after another. `journal` kills a child in the middle of
a journalled run and lets another go on, until the run is complete; then it takes the next one,
until there were as many kills as asked for.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lab.attacks import Script
from lab.cases import CASES, Case
from lab.evaluation import evaluate
from lab.evidence import save_report
from lab.journal import Journal
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ModelTurn

ATTEMPTS = 200
MOST_BYTES_A_SITTING = 15_000
CASES_OF_THE_RUN = [
    Case(f"case {n}", "development", CASES[0].stock, CASES[0].expected) for n in range(ATTEMPTS)
]
with tempfile.TemporaryDirectory() as first:  # all is imported and digested before a fork
    REPORT = evaluate(OfflineShopModel, cases=CASES[:1], journal=Path(first) / "j.jsonl")
CHANCE = random.Random(3)


def quick() -> Script:
    return Script(ModelTurn("All is well."))


def kill_while(work: Callable[[], None], is_time: Callable[[], bool]) -> bool:
    """Fork, let the child work, kill it when it is time; say whether that was before its end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if is_time():
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            return os.WIFSIGNALED(status)
        time.sleep(0.0005)
    return False


def after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def grown(path: Path) -> Callable[[], bool]:
    """It is time when a file has grown by so many bytes, anywhere in an entry."""
    end = size(path) + CHANCE.randrange(MOST_BYTES_A_SITTING)
    return lambda: size(path) > end


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def kill_savers(folder: Path, kills: int) -> None:
    def work() -> None:
        while True:
            save_report(folder, REPORT)

    for _ in range(kills):
        assert kill_while(work, after(CHANCE.uniform(0.002, 0.03)))


def kill_runs(folder: Path, kills: int) -> None:
    """Each run leaves its journal, and beside it its rows and the bytes of every sitting's end."""
    done = run = 0
    while done < kills:
        done += kill_run(folder / f"{run}.jsonl")
        run += 1


def kill_run(path: Path) -> int:
    def work() -> None:
        report = evaluate(quick, cases=CASES_OF_THE_RUN, journal=Journal.resume(path))
        path.with_suffix(".rows").write_text(json.dumps(report["cases"]))

    sizes = list[int]()
    before = b""
    while kill_while(work, grown(path)):
        now = path.read_bytes()
        assert now.startswith(before), "a byte that was written has changed"
        before = now
        sizes.append(len(now))
    assert path.read_bytes().startswith(before), "a byte that was written has changed"
    path.with_suffix(".sizes").write_text(json.dumps(sizes))
    return len(sizes)


def main(what: str, folder: str, kills: str, *options: str) -> None:
    if "hidden" in options and hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE
    {"save": kill_savers, "journal": kill_runs}[what](Path(folder), int(kills))


if __name__ == "__main__":
    main(*sys.argv[1:])
