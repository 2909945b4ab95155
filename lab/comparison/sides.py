"""One of the two sides: which report, whose attempts, and what those took."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from lab import frames, plain
from lab.counts import by_case
from lab.errors import InputError
from lab.evidence import Report, report_digest
from lab.rates import Rate, rate

Row = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """A number over some attempts: from those that know theirs, beside how many do not.

    `value` is None where no attempt knows it, which is not zero.
    """

    value: float | None
    unknown: int


@dataclass(frozen=True)
class Spent:
    """What some attempts took: the median of their seconds, and sums of all else."""

    attempts: int
    median_seconds: Figure
    model_calls: Figure
    prompt_tokens: Figure
    output_tokens: Figure
    estimated_cost_pence: Figure


@dataclass(frozen=True)
class Side:
    """A candidate of a report, as it stands beside another."""

    source: str
    """What the report is called by whoever asked: a file, or its place."""
    sha256: str
    """The digest of the report as the lab saves it."""
    created: str
    candidate: str
    rate: Rate
    """Attempts passed, with the interval over cases; see `lab.rates`."""
    passed: Spent
    failed: Spent


def is_requests(report: Report) -> bool:
    """Say whether a report is an experiment with requests, or else an evaluation."""
    return report.get("kind") == "requests"


def chosen(
    reports: tuple[Report, Report],
    sources: tuple[str, str],
    candidates: tuple[str, str] | None,
) -> tuple[str | None, str | None]:
    """Return which candidate of each report is meant; an evaluation has one, which needs no name.

    Without `candidates` it is the only one of each report, or the only name that both have.
    InputError, with the names there are, for another name or where more than one could be meant.
    """
    if not is_requests(reports[0]):
        if candidates is not None:
            raise InputError("candidates: an evaluation has one; leave --candidates out")
        return None, None
    known = [list(report["candidates"]) for report in reports]
    if candidates is not None:
        for name, names, source in zip(candidates, known, sources, strict=True):
            if name not in names:
                raise InputError(
                    f"candidates: {plain.show(name)} is none of {source}'s: {listed(names)}"
                )
        return candidates
    shared = [name for name in known[0] if name in known[1]]
    if len(shared) == 1:
        return shared[0], shared[0]
    if [len(names) for names in known] == [1, 1]:
        return known[0][0], known[1][0]
    raise InputError(
        f"candidates: {sources[0]} has {listed(known[0])} and {sources[1]} has {listed(known[1])};"
        " say which two, with --candidates FIRST SECOND"
    )


def listed(names: Iterable[str]) -> str:
    """Return names as a message shows them."""
    return plain.shorten(", ".join(map(plain.show, names)), 200) or "none"


def attempts(report: Report, candidate: str | None) -> list[Row]:
    """Return the attempts of one candidate; of an evaluation, all of them."""
    rows = report["cases"]
    return [row for row in rows if candidate is None or row["candidate"] == candidate]


def side(report: Report, source: str, candidate: str | None, rows: Sequence[Row]) -> Side:
    """Sum up one side. An evaluation's candidate is told by the first attempt that made it."""
    if candidate is None:
        made = [row for row in rows if row["model"]["adapter"] is not None]
        candidate = frames.candidate([*made, *rows][0], report)
    return Side(
        source=source,
        sha256=report_digest(report),
        created=str(report["provenance"].get("created", "at an unknown time")),
        candidate=plain.shorten(candidate),
        rate=rate(by_case(rows)),
        passed=spent([row for row in rows if row["passed"]]),
        failed=spent([row for row in rows if not row["passed"]]),
    )


def spent(rows: Sequence[Row]) -> Spent:
    """Return what some attempts took. A kind of report that has no such field knows none of it."""
    seconds = _known(rows, "seconds")
    return Spent(
        attempts=len(rows),
        median_seconds=Figure(median(seconds) if seconds else None, len(rows) - len(seconds)),
        model_calls=_sum(rows, "model_calls"),
        prompt_tokens=_sum(rows, "prompt_tokens"),
        output_tokens=_sum(rows, "output_tokens"),
        estimated_cost_pence=_sum(rows, "estimated_cost_pence"),
    )


def _sum(rows: Sequence[Row], name: str) -> Figure:
    known = _known(rows, name)
    return Figure(sum(known) if known else None, len(rows) - len(known))


def _known(rows: Sequence[Row], name: str) -> list[float]:
    return [row[name] for row in rows if row.get(name) is not None]
