"""Two saved reports on the same cases, beside each other: what was observed, and no ranking."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from lab.comparison.differences import Difference, differences
from lab.comparison.pairs import compare
from lab.comparison.refusals import refuse_unlike
from lab.comparison.sides import Row, Side, attempts, chosen, is_requests, side
from lab.comparison.warnings import warnings
from lab.errors import InputError
from lab.evidence import Report
from lab.shapes import check_report
from lab.statistics import Paired


@dataclass(frozen=True)
class PairedSeconds:
    """Seconds on the cases that both passed; a failed run that ended sooner was not faster.

    A case's seconds are the median of its repetitions. All are None where there is no such case.
    """

    cases: int
    """The cases that both passed and whose seconds are known on both sides."""
    first: float | None
    """The median of the cases' seconds."""
    second: float | None
    difference: float | None
    """The median over cases of second less first."""
    first_shorter: int
    second_shorter: int


@dataclass(frozen=True)
class Compared:
    """Two candidates on the same cases, as far as their reports show it. It ranks nobody."""

    first: Side
    second: Side
    repetitions: int
    """Attempts at each case; a case is passed by passing all of them."""
    paired: Paired
    """The names of the cases that both passed, only one, or neither, and McNemar's exact p."""
    seconds: PairedSeconds
    differences: tuple[Difference, ...]
    """What the two were configured with that is not the same."""
    ungraded: tuple[str, ...]
    """What no check of either report looked at."""
    warnings: tuple[str, ...]

    @property
    def cases(self) -> int:
        """How many cases both were tried on."""
        pair = self.paired
        return len(pair.both) + len(pair.neither) + pair.discordant


def compare_reports(
    first: Report,
    second: Report,
    *,
    candidates: tuple[str, str] | None = None,
    sources: tuple[str, str] = ("first", "second"),
) -> Compared:
    """Put two reports of one kind, on the same cases, beside each other.

    Of reports on requests, `candidates` names one of each; both may come from one report. Without
    it the only candidate is meant, or the only one of a name that both reports have. `sources` is
    what the reports are called in messages.

    Raises InputError, with both values and what to do, where kinds, cases, checks, measurement
    boundaries or repetitions differ, where it is not clear which candidates are meant, or where a
    report contradicts itself.
    """
    reports = first, second
    for report, source in zip(reports, sources, strict=True):
        _check(report, source)
    refuse_unlike(reports, sources)
    names = chosen(reports, sources, candidates)
    rows = attempts(first, names[0]), attempts(second, names[1])
    pair = compare(*rows, names=sources)
    return Compared(
        first=side(first, sources[0], names[0], rows[0]),
        second=side(second, sources[1], names[1], rows[1]),
        repetitions=first["settings"]["repeats"],
        paired=pair,
        seconds=_seconds(pair.both, *rows),
        differences=differences((first, names[0], rows[0]), (second, names[1], rows[1])),
        ungraded=tuple(dict.fromkeys(_ungraded(first) + _ungraded(second))),
        warnings=warnings(reports, names, rows),
    )


def _check(report: Report, source: str) -> None:
    try:
        check_report(report)
    except ValueError as error:
        raise InputError(f"{source}: {error}") from None


def _ungraded(report: Report) -> list[str]:
    return [] if is_requests(report) else list(report["acceptance"]["ungraded"])


def _seconds(both: Sequence[str], first: Sequence[Row], second: Sequence[Row]) -> PairedSeconds:
    mine, other = _by_case(first), _by_case(second)
    pairs = [(mine[case], other[case]) for case in both if case in mine and case in other]
    if not pairs:
        return PairedSeconds(0, None, None, None, 0, 0)
    return PairedSeconds(
        cases=len(pairs),
        first=median(a for a, _ in pairs),
        second=median(b for _, b in pairs),
        difference=median(b - a for a, b in pairs),
        first_shorter=sum(a < b for a, b in pairs),
        second_shorter=sum(b < a for a, b in pairs),
    )


def _by_case(rows: Sequence[Row]) -> dict[str, float]:
    """Return the median seconds of each case whose attempts all know theirs."""
    found: dict[str, list[float | None]] = {}
    for row in rows:
        found.setdefault(row["case"], []).append(row["seconds"])
    known = {case: [s for s in all_ if s is not None] for case, all_ in found.items()}
    return {case: median(s) for case, s in known.items() if len(s) == len(found[case])}
