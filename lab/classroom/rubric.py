"""What a part is worth: the instructor's to say, and no part is settled by saying nothing."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lab import plain
from lab.classroom.verdicts import REVIEW, UNDECIDED, Part, Result
from lab.errors import InputError
from lab.lessons.unit import TASKS

EVIDENCE = ("manifest", "diary", "table", "report")
"""What is looked at beside the tasks: worth nothing until a rubric says otherwise."""
HEAVIEST = 1_000_000.0


class Points(NamedTuple):
    """Points earned, points if all that is undecided is decided in favour, and out of how many."""

    earned: float
    at_most: float
    of: float


@dataclass(frozen=True)
class Rubric:
    """Weights by part; and, by unit, of what a person reads."""

    weights: Mapping[str, float] = field(default_factory=dict)
    read: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def worth(self, unit: str) -> dict[str, float]:
        """Return what each part of a unit is worth: a task one, all else nothing, or as told."""
        mine: dict[str, float] = dict.fromkeys((task.name for task in TASKS[unit]), 1)
        mine |= dict.fromkeys(EVIDENCE, 0)
        return {name: self.weights.get(name, one) for name, one in mine.items()} | dict(
            self.read.get(unit, {})
        )

    def points(self, results: Iterable[Result]) -> Points:
        """Add up what was handed in; what could not be read is in no sum."""
        worth = [
            (weight, overall(result, part))
            for result in results
            if result.unit is not None
            for part, weight in self.worth(result.unit).items()
        ]
        earned = sum(weight for weight, verdict in worth if verdict == "PASS")
        open_yet = sum(weight for weight, verdict in worth if verdict in UNDECIDED)
        return Points(earned, earned + open_yet, sum(weight for weight, _ in worth))


def kind(part: str) -> str:
    """Return what a part is called in a rubric: each report has a name of its own."""
    return "report" if part.endswith(".json") else part


def overall(result: Result, part: str) -> str:
    """Return the verdict on a part; of several reports the one that is not PASS."""
    verdicts = [each.verdict for name, each in result.parts.items() if kind(name) == part]
    return next((each for each in verdicts if each != "PASS"), "PASS" if verdicts else "NOT_TRIED")


def with_read(result: Result, rubric: Rubric) -> Result:
    """Return a result in which what a person reads for points is a part that they decide on."""
    names = rubric.read.get(result.unit or "", {})
    said = {each["name"] for each in result.human}
    read = {
        name: Part(REVIEW, "a person reads it")
        if name in said
        else Part("NOT_TRIED", "nothing was written")
        for name in names
    }
    return result.but(parts=result.parts | read)


def load_rubric(path: str | Path | None) -> Rubric:
    """Read a rubric from TOML: `[weights]`, and `[read.unit_a]` for what a person reads.

    InputError names the file and the entry that is no part or no weight.
    """
    if path is None:
        return Rubric()
    try:
        told = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: no rubric: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: no rubric in TOML: {plain.reason(error)}") from None
    if other := [name for name in told if name not in ("weights", "read")]:
        raise InputError(f"{path}: {other[0]}: a rubric has [weights] and [read.UNIT]")
    parts = [task.name for tasks in TASKS.values() for task in tasks]
    weights = _weights(f"{path}: weights", told.get("weights", {}), [*parts, *EVIDENCE])
    units = told.get("read", {})
    if not isinstance(units, dict) or not set(units) <= set(TASKS):
        raise InputError(f"{path}: read: is by unit: {', '.join(f'[read.{u}]' for u in TASKS)}")
    read = {unit: _weights(f"{path}: read.{unit}", names, None) for unit, names in units.items()}
    for name in [name for names in read.values() for name in names]:
        if name in parts or kind(name) in EVIDENCE or name == "submission":
            raise InputError(f"{path}: read: {name}: is a part, which stands under [weights]")
    return Rubric(weights, read)


def _weights(where: str, told: object, parts: list[str] | None) -> dict[str, float]:
    if not isinstance(told, dict):
        raise InputError(f"{where}: is no table of parts and weights")
    for name, weight in told.items():
        if parts is not None and name not in parts:
            raise InputError(f"{where}: {name}: no part; parts are {', '.join(parts)}")
        if type(weight) not in (int, float) or not 0 <= weight <= HEAVIEST:
            raise InputError(f"{where}: {name} = {weight!r}: no weight from 0 to {HEAVIEST:g}")
    return told
