"""The request experiment as a person reads it in a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rich.console import Console
from rich.table import Table

from lab import rates
from lab.comparison import compare
from lab.counts import by_case
from lab.evidence import Report
from lab.interpretation.published import PUBLISHED
from lab.statistics import Paired, smallest_finding
from lab.tables import fractions, show_spent
from lab.terminal import console, mark, printable

Row = dict[str, Any]


def show_requests(report: Report) -> None:
    """Print an experiment: attempts by candidate, counts, failures, who differs from whom."""
    out = console()
    out.print(attempts_table(report))
    out.print()
    found = rates.report_rates(report)
    out.print(counts_table(report, found))
    cases = len({row["case"] for row in report["cases"]})
    out.print(f"{cases} distinct cases; {rates.MEANING}; wider: than if they were", soft_wrap=True)
    for name, each in found.items():
        out.print(printable(f"{name}: {fractions(each['by_split'])}"), soft_wrap=True)
    show_spent(out, report["cases"])
    out.print()
    _show_failures(out, report["cases"])
    out.print()
    _show_pairs(out, report["cases"])
    out.print()
    out.print(f"Published {PUBLISHED['date']} of {PUBLISHED['model']}, figures without attempts:")
    out.print(published_table())
    out.print(PUBLISHED["said"], soft_wrap=True)
    for caveat in report["caveats"]:
        out.print(caveat, soft_wrap=True)


def attempts_table(report: Report) -> Table:
    """One line a case and repetition, one column a candidate: ok, or what failed it."""
    names = list(report["counts"])
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("case", "split", "n", *names):
        table.add_column(printable(heading), overflow="fold")
    cells = {(row["case"], row["repetition"], row["candidate"]): row for row in report["cases"]}
    for case, repetition in dict.fromkeys((row[0], row[1]) for row in cells):
        rows = [cells[case, repetition, name] for name in names]
        shown = [mark(True) if row["passed"] else printable(row["mechanism"]) for row in rows]
        table.add_row(printable(case), printable(rows[0]["split"]), str(repetition), *shown)
    return table


def counts_table(report: Report, found: Mapping[str, Any]) -> Table:
    """One line a candidate: its rates with their intervals, seconds of all attempts, tokens."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("candidate", overflow="fold", max_width=24)
    for heading in COUNTED[1:5]:
        table.add_column(heading, no_wrap=True)
    for heading in COUNTED[5:]:
        table.add_column(heading, justify="right")
    for name, *told in counted(report, found):
        table.add_row(printable(name), *told)
    return table


COUNTED = (
    "candidate",
    "passed",
    "wider",
    "errors",
    "unrequested drafts",
    "median s",
    "max s",
    "output tokens",
)


def counted(report: Report, found: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield what each candidate came to, in the order of `COUNTED`."""
    for name, rows in by_candidate(report["cases"]).items():
        count = report["counts"][name]
        unknown = count["unknown_usage_attempts"]
        yield [
            name,
            rates.text(found[name]["passed"]),
            f"{found[name]['passed']['times_wider']:.2f} x",
            rates.text(rates.rate(by_case(rows, _is_error))),
            rates.text(rates.rate(by_case(rows, _is_unrequested_draft))),
            *(_seconds(count["seconds"][which]) for which in ("median", "max")),
            f"{count['output_tokens']}{f' + {unknown} unknown' if unknown else ''}",
        ]


def _is_error(row: Row) -> bool:
    return row["error"] is not None


def _is_unrequested_draft(row: Row) -> bool:
    return not row["checks"]["no_unrequested_draft"]


def published_table() -> Table:
    """The published figures, under their own names."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    headings = ("candidate", "passed", "by split", "errors", "unrequested drafts")
    for heading in (*headings, "median s", "max s"):
        table.add_column(heading)
    for name, each in PUBLISHED["candidates"].items():
        split = ", ".join(f"{part} {p}/{n}" for part, (p, n) in each["by_split"].items())
        attempts = each["attempts"]
        table.add_row(
            name,
            f"{each['passed']}/{attempts}",
            split,
            f"{each['errors']}/{attempts}",
            f"{each['unrequested_drafts']}/{attempts}",
            *(_seconds(each["seconds"][which]) for which in ("median", "max")),
        )
    return table


def show_effort(found: Mapping[str, Any]) -> None:
    """Print a summary of effort: seconds of human time beside how often the decision was right."""
    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("way", "right", "least s", "median s", "most s", "corrections", "given up"):
        table.add_column(heading)
    for way, each in found["ways"].items():
        seconds = [f"{each['seconds'][which]:.1f}" for which in ("least", "median", "most")]
        right = rates.text(each["right"])
        given_up = f"{each['given_up']}/{each['observations']}"
        table.add_row(way, right, *seconds, str(each["corrections"]), given_up)
    if found["ways"]:
        out.print(table)
        out.print(rates.MEANING)
    out.print(found["enough"], soft_wrap=True)


def _show_failures(out: Console, rows: Sequence[Row]) -> None:
    for name, each in by_candidate(rows).items():
        kinds = fractions(rates.by_value(each, "mechanism"))
        out.print(printable(f"{name} failed: {kinds or 'never'}"), soft_wrap=True)


def by_candidate(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return each candidate's attempts."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["candidate"], []).append(row)
    return found


def _show_pairs(out: Console, rows: Sequence[Row]) -> None:
    """Compare every two candidates on the same cases; a case is won by passing every repetition."""
    found = list(pairs(rows))
    if not found:
        return
    out.print(pairs_mean(rows), soft_wrap=True)
    for first, second, pair in found:
        told = f"{first} or {second}: p = {pair.p_value:.4f}"
        told += f"; only {first}: {', '.join(pair.only_first) or 'none'}"
        told += f"; only {second}: {', '.join(pair.only_second) or 'none'}"
        out.print(printable(told), soft_wrap=True)


def pairs(rows: Sequence[Row]) -> Iterator[tuple[str, str, Paired]]:
    """Yield every two candidates with their paired comparison."""
    each = by_candidate(rows)
    for first, second in combinations(each, 2):
        yield first, second, compare(each[first], each[second], names=(first, second))


def pairs_mean(rows: Sequence[Row]) -> str:
    """Say what the comparisons count, and what they could find on so few cases."""
    cases = len({row["case"] for row in rows})
    needed = smallest_finding(cases)
    return (
        f"Paired, exact McNemar, a case counting when every repetition passed. With {cases} cases"
        f" {'no p is' if needed is None else f'it takes {needed} won and none lost for p to be'}"
        " at most 0.05. Each p is of its pair alone: of twenty pairs of equals one gets there."
    )


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6f}"
