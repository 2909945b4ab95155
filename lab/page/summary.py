"""What a decision needs, before any single attempt: the verdict first, and what it leaves open.

Either kind of report becomes the same few things: a verdict, warnings, facts, tables and reach.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab import rates
from lab.evidence import Report, report_digest
from lab.grading import CHECKS
from lab.page.attempts import Line
from lab.page.render import as_text, seconds
from lab.plan import checks_digest
from lab.report import notes
from lab.request_tables import COUNTED, counted, pairs, pairs_mean
from lab.review import state_in_words
from lab.tables import (
    FIXTURES,
    candidate,
    checkpoint_lines,
    criteria_in_words,
    fractions,
    not_held_out,
    spent,
)
from lab.timing import STAGES, fair_timing

MOST_CASES = 20
OTHERS = "What each asks is not told here: they are other ones than this version's."
UNKNOWN_REVIEW = "a review stands beside the saved report, and is not known here"
WIDER = "wider: than if every repeat were another case"
OPEN = "Whether the agent may be used is not decided here: a person decides."
NO_PRAISE = (
    "To pass is no praise: a check that found nothing to object to passes too, also of an attempt"
    " that gave no answer."
)

Facts = list[tuple[str, list[str]]]


@dataclass(frozen=True)
class Table:
    """A table of words, with what has to be said beneath it."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Summary:
    """The top of a page; `tone` is a class of the style sheet."""

    title: str
    verdict: str
    tone: str
    meaning: Sequence[str]
    ungraded: Sequence[str]
    warnings: Sequence[str]
    facts: Facts
    tables: Sequence[Table]
    reach: Facts


def summary(
    report: Report,
    lines: Sequence[Line],
    digest: str | None = None,
    review: Mapping[str, Any] | None = None,
) -> Summary:
    """Return the top of a report's page; `lines` are its attempts as the table shows them.

    `digest` is that of the saved file, where it may differ from that of the report as the lab saves
    it, `review` the state of its review; without one nobody can say here who has read it.
    """
    made = _requests if report.get("kind") == "requests" else _evaluation
    return made(report, lines, digest or report_digest(report), review)


def _evaluation(
    report: Report, lines: Sequence[Line], digest: str, review: Mapping[str, Any] | None
) -> Summary:
    rows = report["cases"]
    found = rates.rates(rows)
    verdict = report["acceptance"]
    asks = _asks(report)
    return Summary(
        title="Evaluation of Lucy's agent",
        verdict=verdict["status"],
        tone="work" if report["passed"] else "open",
        meaning=[_so(lines, review), verdict["meaning"], OPEN],
        ungraded=verdict["ungraded"],
        warnings=[*notes(rows, bool(report["skills"])), *_not_as_written(report)],
        facts=[
            ("attempts passed", [rates.in_words(found["passed"]), rates.MEANING]),
            ("by split", [fractions(found["by_split"])]),
            ("failed", list(_failed(lines)) or ["nothing that a check looked at"]),
            *_given("not held out", not_held_out(rows)),
            ("reviewed", [UNKNOWN_REVIEW if review is None else state_in_words(review)]),
            ("to look at", [_findings(lines)]),
            ("candidate", [candidate(report), *map(_skill, report["skills"])]),
            ("ended", [fractions(rates.by_value(rows, "loop_status"))]),
            ("criteria", list(criteria_in_words(report["criteria"])) or ["none were declared"]),
            ("seconds", list(_timing(report))),
            ("agent", [spent(report["totals"], rows), _cost(report["totals"])]),
            ("baseline", [spent(report["baseline_totals"], [row["baseline"] for row in rows])]),
            *_made(report, digest),
        ],
        tables=[
            Table(
                "Checks",
                ("check", "attempts passed", *(["what it asks"] if asks else [])),
                [
                    (name, rates.text(each), *([asks[name]] if asks else []))
                    for name, each in found["by_check"].items()
                ],
                NO_PRAISE if asks else f"{NO_PRAISE} {OTHERS}",
            ),
            *_checkpoint(report),
        ],
        reach=_reach(report),
    )


def _requests(
    report: Report, lines: Sequence[Line], digest: str, _: Mapping[str, Any] | None
) -> Summary:
    rows = report["cases"]
    found = rates.report_rates(report)
    compared = [
        (first, second, f"{pair.p_value:.4f}", *map(_listed, (pair.only_first, pair.only_second)))
        for first, second, pair in pairs(rows)
    ]
    headings = ("first", "second", "p", "only the first passed", "only the second passed")
    return Summary(
        title="Interpreting requests",
        verdict="COMPARED",
        tone="work",
        meaning=report["caveats"][:1],
        ungraded=(),
        warnings=(),
        facts=[
            ("distinct cases", [str(len({row["case"] for row in rows})), rates.MEANING]),
            ("by split", [f"{name}: {fractions(f['by_split'])}" for name, f in found.items()]),
            ("failed", list(_failed(lines)) or ["nothing that a check looked at"]),
            *_given("not held out", not_held_out(rows)),
            ("reviewed", ["no answers in words, so there is nothing to review"]),
            *_made(report, digest),
            *((name, _described(told)) for name, told in report["candidates"].items()),
        ],
        tables=[
            Table("Candidates", COUNTED, list(counted(report, found)), WIDER),
            *([Table("Pairs", headings, compared, pairs_mean(rows))] if compared else []),
        ],
        reach=[*_reach(report), ("ways to fail", _pairs(report["mechanisms"]))],
    )


def _so(lines: Sequence[Line], review: Mapping[str, Any] | None) -> str:
    """Say what the verdict comes from, in numbers."""
    failed = sum(not each["passed"] for each in lines)
    if failed or not lines:
        return f"{failed} of {len(lines)} attempts failed at least one check."
    told = f"All {len(lines)} attempts passed every check"
    if review is None:
        return f"{told}."
    return f"{told}; {review['reviewed']} of {review['attempts']} answers were read by a person."


def _not_as_written(report: Report) -> Iterator[str]:
    if "checkpoint" in report and not report["checkpoint"]["as_written"]:
        yield "The checkpoint did not come out as written: the instrument missed what it must see."


def _checkpoint(report: Report) -> Iterator[Table]:
    if "checkpoint" in report:
        yield Table("Checkpoint", FIXTURES, list(checkpoint_lines(report)))


def _asks(report: Report) -> dict[str, str]:
    """Return what each check asks; nothing where they may be other ones than this lab's."""
    if report["provenance"].get("digests", {}).get("checks") != checks_digest(CHECKS):
        return {}
    return {name: str(check.__doc__).partition("\n")[0] for name, check in CHECKS.items()}


def _failed(lines: Sequence[Line]) -> Iterator[str]:
    """Yield each case that an attempt failed, the ones that every attempt failed first."""
    attempts = Counter(_whose(each) for each in lines)
    failed = Counter(_whose(each) for each in lines if not each["passed"])
    checks: dict[tuple[Any, str], Counter[str]] = {}
    for each in lines:
        checks.setdefault(_whose(each), Counter()).update(each["failed"])
    order = sorted(failed, key=lambda who: -failed[who] / attempts[who])
    for who in order[:MOST_CASES]:
        name, case = who
        told = f"{case} failed {failed[who]} of {attempts[who]}"
        told = told if name is None else f"{name}: {told}"
        yield f"{told}: {', '.join(checks[who]) or 'no check judged it'}"
    if len(order) > MOST_CASES:
        yield f"and {len(order) - MOST_CASES} more, in the table"


def _whose(each: Line) -> tuple[Any, str]:
    return each["candidate"], each["case"]


def _findings(lines: Sequence[Line]) -> str:
    kinds = Counter(kind for each in lines for kind in each["findings"])
    if not kinds:
        return "the review aids marked nothing, which is no verdict"
    answers = sum(bool(each["findings"]) for each in lines)
    told = ", ".join(f"{kind} {number}" for kind, number in kinds.items())
    return f"{kinds.total()} marks in {answers} answers ({told}), to be read and no verdict"


def _timing(report: Report) -> Iterator[str]:
    found = fair_timing(report)
    for who in ("agent", "script"):
        stages = ", ".join(f"{name} {seconds(found[who][name]['median'])}" for name in STAGES)
        yield f"{who}, median {seconds(found[who]['whole']['median'])}: {stages}"
    yield (
        f"of {found['timed']} of {found['attempts']} attempts, {found['failed']} of them failed;"
        " one that failed sooner was not faster"
    )


def _cost(totals: Mapping[str, Any]) -> str:
    unknown = totals["unknown_usage_attempts"]
    told = f"estimated cost {totals['estimated_cost_pence']} pence"
    return f"{told}, without {unknown} attempts of unknown usage" if unknown else told


def _skill(skill: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {as_text(value)}" for name, value in skill.items())


def _described(candidate: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {as_text(value)}" for name, value in candidate.items() if value not in (None, "")
    ]


def _made(report: Report, digest: str) -> Facts:
    kept = report["provenance"]
    where = ("created", "lab_version", "python", "platform", "git_commit")
    return [
        ("settings", [", ".join(_pairs(report["settings"]))]),
        ("made", [", ".join(f"{name} {as_text(kept.get(name))}" for name in where)]),
        ("sha256", [digest]),
    ]


def _reach(report: Report) -> Facts:
    return [
        ("scope", [report["scope"]]),
        ("measured", _pairs(report.get("boundaries", {}), ": ")),
        ("limits", report["limits"]),
        ("caveats", report["caveats"]),
        ("digests", _pairs(report["provenance"].get("digests", {}))),
    ]


def _pairs(told: Mapping[str, Any], between: str = " ") -> list[str]:
    return [f"{name}{between}{as_text(value)}" for name, value in told.items()]


def _given(name: str, told: Iterator[str]) -> Facts:
    lines = list(told)
    return [(name, lines)] if lines else []


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
