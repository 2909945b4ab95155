"""What two reports were configured with that is not the same on both sides."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lab import plain
from lab.comparison.sides import Row, is_requests
from lab.evidence import Report

LONGEST = 36
"""Characters of a value that are shown; the reports have all of it."""

BEFORE = 12
"""Characters shown before the place where two long values part."""

ABSENT = "(none)"


@dataclass(frozen=True)
class Difference:
    """A field of the configuration with its two values, long ones cut to where they part."""

    field: str
    first: str
    second: str


def differences(
    first: tuple[Report, str | None, Sequence[Row]],
    second: tuple[Report, str | None, Sequence[Row]],
) -> tuple[Difference, ...]:
    """Return the fields that differ between two (report, candidate's name, its attempts).

    Those are settings, skills, model, criteria and provenance, all but the time at which a report
    was made, which is always another.
    """
    mine, other = dict(_configured(*first)), dict(_configured(*second))
    return tuple(
        Difference(field, *around(mine.get(field, ABSENT), other.get(field, ABSENT)))
        for field in {**mine, **other}
        if mine.get(field, ABSENT) != other.get(field, ABSENT)
    )


def around(first: str, second: str) -> tuple[str, str]:
    """Return two texts, cut where they are long to what lies about the first difference."""
    if max(len(first), len(second)) <= LONGEST:
        return first, second
    pairs = enumerate(zip(first, second, strict=False))
    parted = next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))
    start = max(0, parted - BEFORE)
    return _cut(first, start), _cut(second, start)


def _cut(text: str, start: int) -> str:
    return plain.shorten(f"{'...' if start else ''}{text[start:]}", LONGEST)


def _configured(
    report: Report, candidate: str | None, rows: Sequence[Row]
) -> Iterator[tuple[str, str]]:
    """Yield each field of a side's configuration by its place in the report."""
    yield from _leaves("settings", report["settings"])
    if is_requests(report):
        yield "candidate", str(candidate)
        yield from _leaves("candidate", report["candidates"][candidate])
    else:
        yield from _leaves("candidate", report["candidate"])
        for skill in report["skills"]:
            told = {name: each for name, each in skill.items() if name != "name"}
            yield from _leaves(f"skills.{skill['name']}", told)
        yield from _of_attempts(rows)
        yield from _leaves("criteria", (report["criteria"] or {}).get("declared"))
    provenance = report["provenance"].items()
    yield from _leaves("provenance", {name: each for name, each in provenance if name != "created"})


def _of_attempts(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Yield the models and tools of all attempts, every value that one of them had.

    An attempt whose model was never made had neither.
    """
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["model"]["adapter"] is not None:
            for name in ("model", "allowed"):
                for field, value in _leaves(name, row[name]):
                    found.setdefault(field, {})[value] = None
    yield from ((field, " | ".join(values)) for field, values in found.items())


def _leaves(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(f"{place}.{name}", each)
    elif value is not None:
        yield place, value if isinstance(value, str) else plain.dumps(value)
