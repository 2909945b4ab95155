"""A class at the instructor's desk: who is new is checked, all is kept, the books are written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lab
from lab import plain
from lab.classroom.books import write_books
from lab.classroom.check import Holdouts, check_submission
from lab.classroom.collect import fingerprint
from lab.classroom.falsified import refuse_a_grader_that_passes_everything
from lab.classroom.kept import Kept, everybody, history, keep
from lab.classroom.sandbox import ISOLATION, refuse_without
from lab.classroom.verdicts import Part, Result
from lab.errors import InputError, LabError
from lab.execution import carry
from lab.ledger import Ledger
from lab.lessons.feedback import Trial
from lab.lessons.probe import as_told
from lab.provenance import lab_digest

OURS = {"kept", "feedback", "gradebook.csv", "results.json", "overview.html", ".lock"}
MOST_JOBS = 32
Progress = Callable[[int, int, str], None]
"""Called with (submissions done, submissions to do, the name of the one just finished)."""


@dataclass(frozen=True)
class HiddenCase:
    """A hidden trial, as a ledger knows it: by what is given."""

    name: str
    given: Any
    split: str = "held-out"


@dataclass(frozen=True)
class _Task:
    name: str
    path: Path
    holdouts: Holdouts
    slot: int


def check_class(
    desk: Path,
    submissions: Mapping[str, Path],
    weights: Mapping[str, float],
    holdouts: Holdouts | None = None,
    *,
    ledger: Ledger | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Check the submissions that are not checked yet, and write the books on everybody at a desk.

    `desk` is a folder: a new one, or one of an earlier run, which is gone on with. A submission
    whose bytes, hidden trials and lab are as they were is not checked again; one that was handed
    in again is, and its earlier result stays. `ledger` remembers which hidden trials this class
    has seen. UnavailableError, before anything is read, where there is no sandbox; LabError where
    the judge itself passes what is wrong.
    """
    refuse_without()
    hidden = holdouts or {}
    with _at(desk):
        told = {
            "isolation": ISOLATION,
            "judge": refuse_a_grader_that_passes_everything(),
            "holdouts": plain.digest(_as_data(hidden)) if hidden else None,
            "lab_version": lab.__version__,
        }
        prints = {name: fingerprint(path) for name, path in submissions.items()}
        told["held_out"] = _held_out(hidden, prints, ledger)
        base = plain.digest([told["isolation"], told["holdouts"], lab_digest()])
        stamps = {name: plain.digest([base, each]) for name, each in prints.items()}
        tasks = {
            slot: _Task(name, path, hidden, slot)
            for slot, (name, path) in enumerate(submissions.items())
            if [kept.stamp for kept in history(desk, name)[-1:]] != [stamps[name]]
        }
        for done, result in enumerate(_results(tasks, executor), start=1):
            keep(desk, Kept(stamps[result.name], result))
            if progress is not None:
                progress(done, len(tasks), result.name)
        found = everybody(desk)
        write_books(desk, found, weights, told)
    return [kept[-1].result for kept in found]


def pool(jobs: int) -> ThreadPoolExecutor:
    """Return an executor for `jobs` submissions at a time: the work is done in sandboxes."""
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"jobs: {jobs!r} is not an integer from 1 to {MOST_JOBS}")
    return ThreadPoolExecutor(jobs)


def _results(tasks: Mapping[int, _Task], executor: Executor | None) -> Iterator[Result]:
    left = dict(tasks)
    for event, slot, what in carry(_check, tasks, executor):
        if event == "finished":
            yield Result.from_data(what)
        elif event == "lost":
            why = "the lab's own process ended on it, which is no fault of yours"
            yield Result(left[slot].name, parts={"submission": Part("UNREADABLE", why, str(what))})
        if event in ("finished", "lost"):
            del left[slot]
    if left:
        raise LabError(
            f"{len(left)} submissions were not checked: the executor carries no more; what was"
            " checked is kept, and the same command goes on from there"
        )


def _check(task: _Task) -> dict[str, Any]:
    return check_submission(task.name, task.path, task.holdouts, task.slot).as_data()


@contextmanager
def _at(desk: Path) -> Iterator[None]:
    """Keep everybody else away from a desk meanwhile. InputError where it is another folder."""
    from filelock import FileLock, Timeout

    lock = FileLock(desk / ".lock", timeout=0, mode=0o600)
    try:
        desk.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = [each.name for each in desk.iterdir() if each.name not in OURS]
        if foreign:
            raise InputError(
                f"{desk}: holds {foreign[0]}, which is not of an earlier check: name a new folder"
            )
        lock.acquire()
    except Timeout:
        raise InputError(f"{desk}: another check is at work there; wait for it") from None
    except OSError as error:
        raise InputError(f"{desk}: cannot be used: {error.strerror}; name another folder") from None
    try:
        yield
    finally:
        lock.release()


def _held_out(hidden: Holdouts, prints: Mapping[str, str], ledger: Ledger | None) -> str:
    """Say how many hidden trials this class is the first to see, and note that it has seen them."""
    cases = [
        HiddenCase(f"{task} {number}", [task, as_told(trial.given)])
        for task, trials in hidden.items()
        for number, trial in enumerate(trials)
    ]
    if not cases:
        return "no hidden trials"
    if ledger is None:
        return f"{len(cases)} hidden trials; no ledger was kept, so nobody knows who has seen them"
    known = ledger.freeze({"kind": "class", "submissions": dict(prints)}, name="class")
    found = ledger.begin(known, cases).values()
    fresh = sum(each.held_out is True for each in found)
    why = {each.why for each in found if not each.held_out}
    told = f"{fresh} of {len(cases)} hidden trials are held out"
    return f"{told}; of the others: {'; '.join(sorted(why))}" if why else told


def _as_data(hidden: Mapping[str, Sequence[Trial]]) -> dict[str, Any]:
    return {
        task: [[as_told(trial.given), trial.expected, trial.shows] for trial in trials]
        for task, trials in hidden.items()
    }
