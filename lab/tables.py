"""A report as a person reads it in a terminal: tables and sentences, readable without colour."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from lab import rates
from lab.evidence import Report
from lab.grading import Row
from lab.ledger import HELD_OUT, NO_LEDGER
from lab.report import notes
from lab.review import state_in_words, unreviewed
from lab.terminal import console, mark, printable
from lab.timing import STAGES, fair_timing

MOST_LINES = 200


def show_report(report: Report, review: Mapping[str, Any] | None = None) -> None:
    """Print a report: attempts by check, counts, the verdict beside what it leaves open.

    `review` is the state of its review (`Review.state`); without it nobody has begun one.
    """
    out = console()
    rows = report["cases"]
    shown = rows
    if len(rows) > MOST_LINES:
        failed = [row for row in rows if not row["passed"]]
        shown = failed[:MOST_LINES]
        out.print(f"{len(failed)} of {len(rows)} attempts failed; {len(shown)} of those are shown:")
    out.print(attempts_table(shown, report["counts"]["by_check"]))
    out.print()
    found = rates.rates(rows)
    out.print(checks_table(found["by_check"]))
    out.print()
    show_timing(out, fair_timing(report))
    out.print()
    out.print("candidate         ", printable(candidate(report)))
    for caveat in notes(rows, bool(report["skills"])):
        out.print(f"                   {caveat}", soft_wrap=True)
    out.print(f"attempts passed    {rates.in_words(found['passed'])}", soft_wrap=True)
    out.print("by split          ", printable(fractions(found["by_split"])))
    out.print(f"                   {rates.MEANING}", soft_wrap=True)
    show_spent(out, rows)
    ended = fractions(rates.by_value(rows, "loop_status"))
    out.print("ended             ", printable(ended), soft_wrap=True)
    scripts = [row["baseline"] for row in rows]
    out.print(f"agent              {spent(report['totals'], rows)}", soft_wrap=True)
    out.print(f"baseline           {spent(report['baseline_totals'], scripts)}", soft_wrap=True)
    _show_errors(out, rows)
    _show_criteria(out, report["criteria"])
    verdict = report["acceptance"]
    out.print()
    out.print(f"passed             {report['passed']}", style="bold")
    out.print(f"acceptance         {verdict['status']}", style="bold")
    out.print(f"not graded         {', '.join(verdict['ungraded'])}")
    out.print(f"                   {verdict['meaning']}", soft_wrap=True)
    told = state_in_words(unreviewed(report) if review is None else review)
    out.print("reviewed          ", printable(told), soft_wrap=True)


def attempts_table(rows: Sequence[Row], checks: Collection[str]) -> Table:
    """One line an attempt, one column a check, by the numbers of `checks_table`."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))  # eight checks fit 80 columns
    table.add_column("case", overflow="fold")
    for heading in ("split", "n", "ended"):
        table.add_column(heading, no_wrap=True)
    for number in range(1, len(checks) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for row in rows:
        marks = [mark(judgement) for judgement in row["checks"].values()]
        named = [printable(row[name]) for name in ("case", "split", "repetition", "loop_status")]
        table.add_row(*named, *marks)
    return table


def checks_table(by_check: Mapping[str, rates.Rate]) -> Table:
    """The checks by number, with passed/attempts and the interval of that rate."""
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("check")
    table.add_column("passed", justify="right")
    for number, (name, found) in enumerate(by_check.items(), start=1):
        table.add_row(str(number), printable(name), rates.text(found))
    return table


def show_timing(
    out: Console, timing: Mapping[str, Any], spread: Sequence[str] = ("median",)
) -> None:
    """Print both paths over the same three stages, beside the two original fields.

    `spread` is which of least, median and most to show.
    """
    out.print(
        f"seconds of {timing['timed']}/{timing['attempts']} attempts, {timing['failed']} of them"
        " failed; one that failed sooner was not faster",
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False)
    for heading in ("", *STAGES, "whole", "original field"):
        table.add_column(heading, justify="right" if heading else "left")
    for who, field in (("script", "baseline.seconds"), ("agent", "seconds")):
        for which in spread:
            stages = [_seconds(timing[who][stage][which]) for stage in (*STAGES, "whole")]
            original = _seconds(timing["original"][field][which])
            table.add_row(f"{who}, {which}", *stages, f"{field} {original}")
    out.print(table)


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6f}"


def candidate(report: Report) -> str:
    """Who was evaluated: the adapter and model, and the procedure it worked by."""
    made = [row["model"] for row in report["cases"] if row["model"]["adapter"] is not None]
    models = {f"{model['name'] or 'without a name'} ({model['adapter']})" for model in made}
    known = sorted(models) or ["a model that was never made"]
    skill = report["candidate"]
    worked_by = f"{skill['name']} version {skill['version']}" if skill else "no candidate skill"
    return f"{', '.join(known)}, {worked_by}"


def spent(totals: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """What a path took, in words; `rows` are what was added up, and may know nothing of it."""

    def told(name: str, unit: str) -> str:
        if totals[name] is None or all(row.get(name) is None for row in rows):
            return f"unknown {unit}"
        return f"{totals[name]:.6f} {unit}" if name == "seconds" else f"{totals[name]} {unit}"

    words = [told("seconds", "s"), told("model_calls", "model calls")]
    if "tool_calls" in totals:
        words += [told("tool_calls", "tool calls"), told("output_tokens", "output tokens")]
        words.append(f"{totals['unknown_usage_attempts']} attempts of unknown usage")
    return ", ".join(words)


def show_checkpoint(report: Report) -> None:
    """Print the cumulative check: each fixture, what it must come to, whether it did."""
    out = console()
    found = report["checkpoint"]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in FIXTURES:
        table.add_column(heading, overflow="fold")
    for line in checkpoint_lines(report):
        table.add_row(*map(printable, line))
    out.print(table)
    if found["live"] is not None:
        out.print()
        out.print("The configured model with the opening procedure, beside it:", style="bold")
        show_report(found["live"])
    out.print()
    out.print(f"as written         {found['as_written']}", style="bold")


FIXTURES = ("fixture", "case", "must fail", "acceptance", "as written")


def checkpoint_lines(report: Report) -> Iterator[list[str]]:
    """Yield each fixture of a checkpoint, the correct one first, in the order of `FIXTURES`."""
    passed = rates.rates(report["cases"])["passed"]
    yield [
        "correct fixture",
        f"all {report['counts']['distinct_cases']}, {rates.text(passed)}",
        "nothing",
        report["acceptance"]["status"],
        "yes" if report["passed"] else "NO",
    ]
    for attack in report["checkpoint"]["attacks"]:
        yield [
            attack["name"],
            attack["case"],
            ", ".join(must_fail(attack)) or "nothing: a blind spot",
            attack["acceptance"],
            "; ".join(["NO", *attack["deviations"]]) if attack["deviations"] else "yes",
        ]


def must_fail(attack: Mapping[str, Any]) -> list[str]:
    """Return the checks that an attack of a matrix must fail."""
    return [name for name, judgement in attack["expected"].items() if not judgement]


def show_spent(out: Console, rows: Sequence[Row]) -> None:
    """Say of each case that calls itself held out, and is not, why that is."""
    for told in not_held_out(rows):
        out.print(printable(f"not held out       {told}"), soft_wrap=True)


def not_held_out(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the cases that call themselves held out and are not, with the reason they share."""
    why: dict[str, list[str]] = {}
    for case, row in {row["case"]: row for row in rows if row["split"] == HELD_OUT}.items():
        found = row.get("independence") or {"held_out": None, "why": NO_LEDGER}
        if found["held_out"] is not True:
            why.setdefault(found["why"], []).append(case)
    yield from (f"{', '.join(cases)}: {reason}" for reason, cases in why.items())


def fractions(groups: Mapping[str, rates.Rate]) -> str:
    """Return named rates in one line."""
    return ", ".join(f"{name} {rates.text(found)}" for name, found in groups.items())


def _errors(row: Row) -> Iterator[tuple[str, str]]:
    """Yield who failed in an attempt, and why."""
    yield from (
        (who, reason)
        for who, reason in (
            ("the agent", row["error"]),
            ("the baseline", row["baseline"]["error"]),
            *((f"check {name}", reason) for name, reason in row["check_errors"].items()),
        )
        if reason
    )


def _show_errors(out: Console, rows: Sequence[Row]) -> None:
    told = [
        f"{row['case']} {row['repetition']}: {who}: {reason}"
        for row in rows
        for who, reason in _errors(row)
    ]
    for each in told[:MOST_LINES]:
        out.print("why               ", printable(each), soft_wrap=True)
    if len(told) > MOST_LINES:
        out.print(f"why                and {len(told) - MOST_LINES} more, in the report")


def _show_criteria(out: Console, criteria: Mapping[str, Any] | None) -> None:
    for told in criteria_in_words(criteria):
        out.print(f"criterion          {told}")


def criteria_in_words(criteria: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield how the passing attempts answer each declared criterion; none yields nothing."""
    if criteria is None:
        return
    for name in ("required_checks", "max_seconds", "max_cost_pence", "explanation"):
        answers = [answer for answer in criteria["answers"] if name in answer]
        if answers:
            told = fractions(rates.by_value(answers, name))
            yield f"{name}: {told} of the passing attempts"
    if not criteria["answers"]:
        declared = ", ".join(name for name, value in criteria["declared"].items() if value)
        yield f"{declared}: no attempt passed, so there is none to answer for"
