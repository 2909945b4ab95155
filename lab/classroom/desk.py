"""A class at the instructor's desk: what is new is checked, all is kept, the books are written."""

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
from lab.classroom.controls import (
    refuse_a_judge_that_passes_everything,
    refuse_trials_that_no_good_answer_passes,
)
from lab.classroom.decisions import Decision
from lab.classroom.found import Found
from lab.classroom.kept import Kept, everybody, keep, learner
from lab.classroom.rows import Row
from lab.classroom.rubric import Rubric
from lab.classroom.sandbox import ISOLATION, refuse_without
from lab.classroom.verdicts import Part, Result
from lab.errors import InputError, LabError
from lab.execution import carry
from lab.ledger import Ledger
from lab.lessons.feedback import Trial
from lab.lessons.probe import as_told
from lab.provenance import lab_digest

OURS = {
    *("kept", "feedback", "gradebook.csv", "results.json", "overview.html", "undecided.toml"),
    ".lock",
}
NO_HIDDEN = "no hidden trials"
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
    found: Found
    holdouts: Holdouts
    slot: int


def check_class(
    desk: Path,
    submissions: Sequence[Found],
    rubric: Rubric,
    holdouts: Holdouts | None = None,
    *,
    decisions: Sequence[Decision] = (),
    ledger: Ledger | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Check the submissions that are not checked yet, and write the books on everybody at a desk.

    `desk` is a folder: a new one, or one of an earlier run, which is gone on with. A submission
    whose bytes, hidden trials and lab are as they were is not checked again; one that was handed
    in again is, and its earlier result stays. `ledger` remembers which hidden trials this class
    has seen. UnavailableError, before anything is read, where there is no sandbox; LabError where
    the judge itself passes what is wrong; InputError where hidden trials are wrong themselves, or
    were given at this desk before and are not given now.
    """
    refuse_without()
    hidden = holdouts or {}
    with _at(desk):
        if not hidden:
            _refuse_less_than_before(desk)
        controls = [
            refuse_a_judge_that_passes_everything(),
            refuse_trials_that_no_good_answer_passes(hidden),
        ]
        told: dict[str, Any] = {
            "isolation": ISOLATION,
            "judge": "; ".join(filter(None, controls)),
            "holdouts": plain.digest(_as_data(hidden)) if hidden else None,
            "lab_version": lab.__version__,
        }
        prints = {found: fingerprint(found.path) for found in submissions}
        told["hidden_trials"] = _seen_by(hidden, prints, ledger)
        base = plain.digest([told["isolation"], told["holdouts"], lab_digest()])
        stamps = {found: plain.digest([base, each, found.notes]) for found, each in prints.items()}
        tasks = {
            slot: _Task(found, hidden, slot)
            for slot, found in enumerate(submissions)
            if stamps[found] not in _read_before(desk, found.learner)
        }
        unread = []
        for done, (found, result) in enumerate(_results(tasks, executor), start=1):
            kept = Kept(stamps[found], prints[found], told["hidden_trials"], result)
            if result.unit is None:
                unread.append(kept)  # kept last: what is read sets aside what was not, before it
            else:
                keep(desk, kept)
            if progress is not None:
                progress(done, len(tasks), found.learner)
        for kept in unread:
            current = learner(desk, kept.result.name).current()
            if kept.stamp not in [each.stamp for each in current]:
                keep(desk, kept)
        names = [found.learner for found in submissions]
        return write_books(desk, everybody(desk), names, rubric, decisions, told)


def _read_before(desk: Path, name: str) -> list[str]:
    return [kept.stamp for kept in learner(desk, name).current() if kept.result.unit is not None]


def _refuse_less_than_before(desk: Path) -> None:
    """InputError where somebody was checked with hidden trials: without them marks would rise."""
    for each in everybody(desk):
        if any(kept.result.unit and kept.hidden != NO_HIDDEN for kept in each.current()):
            raise InputError(
                f"{desk}: {each.name} was checked with hidden trials here; give --holdouts again,"
                " or a new folder where nobody is to be checked with them"
            )


def pool(jobs: int) -> ThreadPoolExecutor:
    """Return an executor for `jobs` submissions at a time: the work is done in sandboxes."""
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"jobs: {jobs!r} is not an integer from 1 to {MOST_JOBS}")
    return ThreadPoolExecutor(jobs)


def _results(
    tasks: Mapping[int, _Task], executor: Executor | None
) -> Iterator[tuple[Found, Result]]:
    left = dict(tasks)
    for event, slot, what in carry(_check, tasks, executor):
        if event == "finished":
            yield left.pop(slot).found, Result.from_data(what)
        elif event == "lost":
            found = left.pop(slot).found
            why = "the lab's own process ended on it, which is no fault of yours"
            parts = {"submission": Part("UNREADABLE", why, str(what))}
            yield found, Result(found.learner, parts=parts)
    if left:
        raise LabError(
            f"{len(left)} submissions were not checked: the executor carries no more; what was"
            " checked is kept, and the same command goes on from there"
        )


def _check(task: _Task) -> dict[str, Any]:
    name, path, notes = task.found
    return check_submission(name, path, task.holdouts, task.slot, notes).as_data()


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


def _seen_by(hidden: Holdouts, prints: Mapping[Found, str], ledger: Ledger | None) -> str:
    """Say which hidden trials there are, and for how many these submissions are the first to see.

    That they have seen them is noted in the ledger.
    """
    cases = [
        HiddenCase(f"{task} {number}", [task, as_told(trial.given)])
        for task, trials in hidden.items()
        for number, trial in enumerate(trials)
    ]
    if not cases:
        return NO_HIDDEN
    known_by = plain.digest(_as_data(hidden))[:12]
    if ledger is None:
        return f"{len(cases)} ({known_by}); no ledger was kept, so nobody knows who has seen them"
    given = {"/".join([found.learner, found.path.name]): each for found, each in prints.items()}
    known = ledger.freeze({"kind": "class", "submissions": given}, name="class")
    independence = ledger.begin(known, cases).values()
    fresh = sum(each.held_out is True for each in independence)
    why = {each.why for each in independence if not each.held_out}
    told = f"{fresh} of {len(cases)} ({known_by}) held out"
    return f"{told}; of the others: {'; '.join(sorted(why))}" if why else told


def _as_data(hidden: Mapping[str, Sequence[Trial]]) -> dict[str, Any]:
    return {
        task: [[as_told(trial.given), trial.expected, trial.shows] for trial in trials]
        for task, trials in hidden.items()
    }
