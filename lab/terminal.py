"""What a person sees in a terminal: tables and sentences, readable without colour."""

import contextlib
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lab.evidence import Report
from lab.grading import Row
from lab.report import BLINDFOLD_CAVEAT, FIXTURE_CAVEAT

PROGRESS_SECONDS = 2.0
MOST_LINES = 200


def printable(value: object) -> Text:
    """Return text in which a control character, or markup, from elsewhere does nothing."""
    return Text("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(value)))


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to `unheard`: Rich would exit 1, which here would read as a verdict."""
        raise BrokenPipeError


def console() -> Console:
    """Return standard output, wide enough for the table where nobody says how wide it is."""
    return _Console(width=None if sys.stdout.isatty() else 120, highlight=False)


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Go on where nobody reads standard output any more, as after `| head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ProgressLine:
    """Says on standard error how far a long run is, every few seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, planned: int, row: Row) -> None:
        if time.monotonic() - self._last >= PROGRESS_SECONDS:
            self._last = time.monotonic()
            note = f"{done}/{planned} attempts done, last: {row['case']} {row['loop_status']}"
            print(printable(note), file=sys.stderr, flush=True)


def show_report(report: Report) -> None:
    """Print a report: attempts by check, counts, the verdict beside what it leaves open."""
    out = console()
    rows = report["cases"]
    shown = rows
    if len(rows) > MOST_LINES:
        shown = [row for row in rows if not row["passed"]][:MOST_LINES]
        out.print(f"{len(shown)} of the {len(rows)} attempts, none of which passed:")
    out.print(attempts_table(shown, report["counts"]["by_check"]))
    out.print()
    out.print(checks_table(report["counts"]["by_check"]))
    out.print()
    counts = report["counts"]
    out.print("candidate         ", printable(candidate(report)))
    for caveat in (FIXTURE_CAVEAT, BLINDFOLD_CAVEAT):
        if caveat in report["caveats"]:
            out.print(f"                   {caveat}", soft_wrap=True)
    out.print(
        f"attempts passed    {counts['passed']}/{counts['attempts']},"
        f" of {counts['distinct_cases']} distinct cases"
    )
    out.print("by split          ", printable(_fractions(counts["by_split"])))
    out.print(
        "ended             ",
        printable(", ".join(f"{k} {v}" for k, v in counts["by_status"].items())),
    )
    out.print(f"agent              {spent(report['totals'])}", soft_wrap=True)
    out.print(f"baseline           {spent(report['baseline_totals'])}", soft_wrap=True)
    _show_errors(out, rows)
    _show_criteria(out, report["criteria"])
    verdict = report["acceptance"]
    out.print()
    out.print(f"passed             {report['passed']}", style="bold")
    out.print(f"acceptance         {verdict['status']}", style="bold")
    out.print(f"not graded         {', '.join(verdict['ungraded'])}")
    out.print(f"                   {verdict['meaning']}", soft_wrap=True)


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


def checks_table(by_check: Mapping[str, Mapping[str, int]]) -> Table:
    """The checks by number, with passed/attempts."""
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("check")
    table.add_column("passed", justify="right")
    for number, (name, count) in enumerate(by_check.items(), start=1):
        table.add_row(str(number), printable(name), f"{count['passed']}/{count['attempts']}")
    return table


def mark(judgement: bool) -> Text:
    """A judgement as a word."""
    return Text("ok", "green") if judgement else Text("NO", "bold red")


def candidate(report: Report) -> str:
    """Who was evaluated: the adapter and model, and the procedure it worked by."""
    models = {f"{row['model']['name']} ({row['model']['adapter']})" for row in report["cases"]}
    known = sorted(models - {"None (None)"}) or ["a model that was never made"]
    skill = report["candidate"]
    worked_by = f"{skill['name']} version {skill['version']}" if skill else "no candidate skill"
    return f"{', '.join(known)}, {worked_by}"


def spent(totals: Mapping[str, Any]) -> str:
    """What a path took, in words."""
    words = [f"{totals['seconds']:.6f} s"]
    calls = totals["model_calls"]
    words.append("unknown model calls" if calls is None else f"{calls} model calls")
    if "tool_calls" in totals:
        words.append(f"{totals['tool_calls']} tool calls")
        words.append(f"{totals['output_tokens']} output tokens")
        words.append(f"{totals['unknown_usage_attempts']} attempts of unknown usage")
    return ", ".join(words)


def show_saved(path: Path, digest: str) -> None:
    """Say where a report is and what its bytes are known by."""
    out = console()
    out.print("report            ", printable(path), soft_wrap=True)
    out.print(f"sha256             {digest}", soft_wrap=True)


def show_checkpoint(report: Report) -> None:
    """Print the cumulative check: each fixture, what it must come to, whether it did."""
    out = console()
    counts, found = report["counts"], report["checkpoint"]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("fixture", "case", "must fail", "acceptance", "as written"):
        table.add_column(heading, overflow="fold")
    table.add_row(
        "correct fixture",
        f"all {counts['distinct_cases']}, {counts['passed']}/{counts['attempts']}",
        "nothing",
        report["acceptance"]["status"],
        "yes" if report["passed"] else "NO",
    )
    for attack in found["attacks"]:
        table.add_row(
            attack["name"],
            attack["case"],
            "\n".join(attack["must_fail"]) or "nothing: a blind spot",
            attack["acceptance"],
            "; ".join(["NO", *attack["deviations"]]) if attack["deviations"] else "yes",
        )
    out.print(table)
    if found["live"] is not None:
        out.print()
        out.print("The configured model with the opening procedure, beside it:", style="bold")
        show_report(found["live"])
    out.print()
    out.print(f"as written         {found['as_written']}", style="bold")


def _fractions(groups: Mapping[str, Mapping[str, int]]) -> str:
    return ", ".join(f"{name} {c['passed']}/{c['attempts']}" for name, c in groups.items())


def _show_errors(out: Console, rows: Sequence[Row]) -> None:
    told = [
        f"{row['case']} {row['repetition']}: {reason}"
        for row in rows
        for reason in (row["error"], row["baseline"]["error"], *row["check_errors"].values())
        if reason
    ]
    for each in told[:MOST_LINES]:
        out.print("why               ", printable(each), soft_wrap=True)
    if len(told) > MOST_LINES:
        out.print(f"why                and {len(told) - MOST_LINES} more, in the report")


def _show_criteria(out: Console, criteria: Mapping[str, Any] | None) -> None:
    if criteria is None:
        return
    for name in ("required_checks", "max_seconds", "max_cost_pence", "explanation"):
        answers = [answer[name] for answer in criteria["answers"] if name in answer]
        if answers:
            told = ", ".join(f"{a} {answers.count(a)}/{len(answers)}" for a in sorted(set(answers)))
            out.print(f"criterion          {name}: {told} of the passing attempts")
