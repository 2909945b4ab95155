"""Two reports beside each other, as a person reads them in a terminal."""

from rich.console import Console
from rich.table import Table

from lab.comparison import Compared, words
from lab.comparison.sides import Side, Spent
from lab.terminal import console, printable

MOST_FIELDS = 40


def show_comparison(compared: Compared) -> None:
    """Print a comparison: whose, by case, what it took, what else differs, how far it reaches."""
    out = console()
    for which, side in (("first", compared.first), ("second", compared.second)):
        _show_side(out, which, side)
    out.print()
    out.print(cases_table(compared))
    _say(out, words.paired(compared))
    out.print()
    out.print(spent_table(compared))
    _say(out, [words.COST, *words.seconds(compared)])
    out.print()
    _show_differences(out, compared)
    out.print()
    warnings = Table.grid(padding=(0, 1, 0, 0))
    for warning in compared.warnings:
        warnings.add_row("warning           ", printable(warning))
    out.print(warnings)
    _say(out, [words.MEANING])


def _show_side(out: Console, which: str, side: Side) -> None:
    out.print(f"{which:19}", printable(side.candidate), sep="", soft_wrap=True)
    out.print("report            ", printable(side.source), soft_wrap=True)
    out.print("made              ", printable(side.created), soft_wrap=True)
    out.print(f"sha256             {side.sha256}", soft_wrap=True)
    out.print(f"attempts passed    {words.passed(side)}", soft_wrap=True)


def cases_table(compared: Compared) -> Table:
    """One line a cell of the paired table, with the names of its cases."""
    table = Table(box=None, pad_edge=False)
    table.add_column("outcome", no_wrap=True)
    table.add_column("cases", justify="right", no_wrap=True)
    table.add_column("names", overflow="fold")
    for outcome, names in words.outcomes(compared):
        table.add_row(outcome, str(len(names)), printable(", ".join(names)))
    return table


def spent_table(compared: Compared) -> Table:
    """One line a side and outcome: how many attempts, and what they took."""
    table = Table(box=None, pad_edge=False)
    table.add_column("attempts", no_wrap=True)
    for heading in ("n", "median s", "model calls", "tokens in", "tokens out", "pence"):
        table.add_column(heading, justify="right")
    for which, side in (("first", compared.first), ("second", compared.second)):
        table.add_row(f"{which}, passed", *_cells(side.passed))
        table.add_row(f"{which}, failed", *_cells(side.failed))
    return table


def _cells(spent: Spent) -> list[str]:
    sums = (spent.model_calls, spent.prompt_tokens, spent.output_tokens, spent.estimated_cost_pence)
    return [
        str(spent.attempts),
        words.figure(spent.median_seconds, digits=6),
        *map(words.figure, sums),
    ]


def _show_differences(out: Console, compared: Compared) -> None:
    found = compared.differences
    if not found:
        out.print("Configured alike, as far as the reports say.")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("configured", "first", "second"):
        table.add_column(heading, overflow="fold")
    for each in found[:MOST_FIELDS]:
        table.add_row(*map(printable, (each.field, each.first, each.second)))
    out.print(table)
    if len(found) > MOST_FIELDS:
        out.print(f"and {len(found) - MOST_FIELDS} more, in the reports")


def _say(out: Console, sentences: list[str]) -> None:
    for each in sentences:
        out.print(printable(each))
