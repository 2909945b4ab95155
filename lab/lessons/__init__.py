"""What a notebook calls: predictions, checks, progress, and the folder that is handed in.

A notebook begins a unit; everything after is about that one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.errors import InputError
from lab.lessons.feedback import TODO, Feedback, Said
from lab.lessons.live import constrained_requests
from lab.lessons.unit import TASKS, Unit, work_folder

__all__ = [
    "TODO",
    "begin",
    "check",
    "constrained_requests",
    "hand_over",
    "note",
    "predict",
    "progress",
    "shown",
    "submit",
    "work_folder",
]

_current: list[Unit] = []


def begin(name: str, folder: str | Path | None = None) -> Said:
    """Begin, or go on with, a unit; its work is kept in `folder`, `lab-work` unless told so."""
    if name not in TASKS:
        raise InputError(f"lessons: {name!r} is not one of {', '.join(TASKS)}")
    _current[:] = [Unit(name, Path(folder) if folder else work_folder())]
    return Said("\n".join([*_unit().handed_over(), progress()]))


def predict(name: str, value: Any) -> Said:
    """Keep a prediction, made before its result is shown. See `Unit.predict`."""
    if value == TODO:
        return Said(f"NOT_TRIED  predict {name} before you run the next cell")
    return Said(_unit().predict(name, value))


def shown(name: str) -> Any:
    """Note that a result is shown now; return what was predicted, None if nothing was."""
    return _unit().shown(name)


def note(name: str, value: Any) -> Said:
    """Keep an observation or explanation. A person reads it; nothing here judges it."""
    if value == TODO:
        return Said(f"NOT_TRIED  {name}")
    _unit().note(name, value)
    return Said(f"Kept: {name}. HUMAN_REVIEW_REQUIRED")


def check(name: str, answer: Any) -> Feedback:
    """Say of an answer PASS, NEEDS_WORK (and what to look at) or NOT_TRIED."""
    return _unit().check(name, answer)


def progress() -> Said:
    """Say how far the current unit is."""
    return Said(_unit().progress())


def submit(notebook: str | Path, reports: Sequence[str | Path] = ()) -> Path:
    """Write the submission folder of the current unit and return it."""
    return _unit().submit(notebook, reports)


def hand_over() -> Path:
    """Write what the next unit begins with."""
    return _unit().hand_over()


def _unit() -> Unit:
    if not _current:
        raise InputError("lessons: begin a unit first: lessons.begin('unit_a')")
    return _current[0]
