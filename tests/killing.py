"""Kills a process again and again in the middle of its work; run as a script by the tests.

    python -m tests.killing save FOLDER ROUNDS [hidden]
    python -m tests.killing journal FILE ROUNDS

Each round forks a child that saves reports, or goes on with a journalled run, and kills it a few
milliseconds later. For `journal`, a last child is left to finish.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lab.cases import CASES, Case
from lab.evaluation import evaluate
from lab.evidence import save_report
from lab.journal import Journal
from lab.shop.fixtures import OfflineShopModel

ATTEMPTS = 400
CASES_OF_THE_RUN = [
    Case(f"case {n}", "development", CASES[0].stock, CASES[0].expected) for n in range(ATTEMPTS)
]
REPORT = evaluate(OfflineShopModel, cases=CASES[:1])  # everything is imported before a fork


def kill_while(work: Callable[[], None], seconds: float) -> None:
    """Fork, let the child work, kill it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def save_for_ever(folder: str) -> None:
    while True:
        save_report(folder, REPORT)


def go_on(path: str) -> None:
    """Go on with the journalled run, and put its rows beside it when it is done."""
    report = evaluate(OfflineShopModel, cases=CASES_OF_THE_RUN, journal=Journal.resume(path))
    Path(f"{path}.rows").write_text(json.dumps(report["cases"]))


def main(what: str, where: str, rounds: str, *options: str) -> None:
    chance = random.Random(3)
    if "hidden" in options and hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE
    work = {"save": save_for_ever, "journal": go_on}[what]
    for _ in range(int(rounds)):
        kill_while(lambda: work(where), chance.uniform(0.002, 0.03))
    if what == "journal":
        go_on(where)


if __name__ == "__main__":
    main(*sys.argv[1:])
