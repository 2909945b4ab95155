"""What a comparison is carried out in spite of, and must not be read without."""

from collections.abc import Iterator, Sequence

from lab.comparison.sides import Row, is_requests
from lab.evidence import Report
from lab.ledger import NO_LEDGER
from lab.report import notes

SIDES = ("first", "second")


def warnings(
    reports: tuple[Report, Report],
    names: tuple[str | None, str | None],
    rows: tuple[Sequence[Row], Sequence[Row]],
) -> tuple[str, ...]:
    """Return a sentence for each thing that limits what two sides can show."""
    sides: dict[str, list[str]] = {}
    for which, report, name, mine in zip(SIDES, reports, names, rows, strict=True):
        for told in _of_side(report, name, mine):
            sides.setdefault(told, []).append(which)
    return (
        *_of_sameness(reports, names),
        *(f"{' and '.join(which)}: {told}" for told, which in sides.items()),
        *_of_runs(reports),
    )


def _of_sameness(
    reports: tuple[Report, Report], names: tuple[str | None, str | None]
) -> Iterator[str]:
    if names[0] == names[1] and reports[0] == reports[1]:
        yield "Both sides are the same report, so there is nothing to compare."


def _of_side(report: Report, name: str | None, rows: Sequence[Row]) -> Iterator[str]:
    if is_requests(report):
        model = report["candidates"][name]["model"]
        yield from notes([{"model": model}] if model else [], has_skills=False)
    else:
        yield from notes(rows, bool(report["skills"]))
    unrun = sum(
        row.get("loop_status", row.get("mechanism")) in {"NOT_RUN", "not run"} for row in rows
    )
    if unrun:
        yield f"{unrun} of {len(rows)} attempts did not run, and count as failed."
    unjudged = sum(bool(row.get("check_errors")) for row in rows)
    if unjudged:
        yield f"a check broke in {unjudged} of {len(rows)} attempts, which counts as failed."
    yield from _not_held_out(rows)


def _not_held_out(rows: Sequence[Row]) -> Iterator[str]:
    known = {row["case"]: row.get("independence") or {} for row in rows}
    why: dict[str, int] = {}
    for answer in known.values():
        if answer.get("held_out") is not True:
            reason = answer.get("why", NO_LEDGER)
            why[reason] = why.get(reason, 0) + 1
    if why:
        told = "; ".join(f"{count}: {reason}" for reason, count in why.items())
        yield (
            f"{sum(why.values())} of {len(known)} cases are not known to be held out ({told}), so"
            " the candidate may have been made with them in view."
        )


def _of_runs(reports: tuple[Report, Report]) -> Iterator[str]:
    """Say where the two runs may have been made, graded or timed in different ways."""
    if not _is_same_lab(reports):
        yield (
            "Each report was made by another version of the lab, or nobody can tell: it may have"
            " run or graded them otherwise. `lab regrade` grades either again with this one."
        )
    concurrency = [report["settings"].get("concurrency", 1) for report in reports]
    if concurrency[0] != concurrency[1]:
        yield (
            f"first ran {concurrency[0]} attempts at a time and second {concurrency[1]}: attempts"
            " that share a machine take longer, so their seconds are not comparable."
        )


def _is_same_lab(reports: tuple[Report, Report]) -> bool:
    """Say whether the source of the lab is known to be the same; a version alone does not say."""
    first, second = (report["provenance"].get("lab_sha256") for report in reports)
    if first is None or second is None:
        first, second = (report["provenance"].get("git_commit") for report in reports)
        return first is not None and first == second and not first.endswith("-dirty")
    return bool(first == second)
