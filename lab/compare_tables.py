"""Two reports beside each other, as a person reads them in a terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from lab.comparison import Compared, words
from lab.comparison.sides import Side
from lab.terminal import console, printable


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
    rows, told = words.configured(compared)
    out.print(_table(words.CONFIGURED, rows) if rows else told)
    if rows and told:
        out.print(told)
    out.print()
    _show_reach(out, compared)


def _show_side(out: Console, which: str, side: Side) -> None:
    for name, told in (
        (which, side.candidate),
        ("report", side.source),
        ("made", side.created),
        ("sha256", side.sha256),
        ("attempts passed", words.passed(side)),
    ):
        out.print(f"{name:18}", printable(told), soft_wrap=True)


def cases_table(compared: Compared) -> Table:
    """One line a cell of the paired table, with the names of its cases."""
    rows = [(told, str(len(n)), ", ".join(n)) for told, n in words.outcomes(compared)]
    return _table(("outcome", "cases", "names"), rows, counts=("cases",))


def spent_table(compared: Compared) -> Table:
    """One line a side and outcome: how many attempts, and what they took."""
    return _table(words.SPENT, words.spent(compared), counts=words.SPENT[1:])


def _table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], counts: Sequence[str] = ()
) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", justify="right" if heading in counts else "left")
    for row in rows:
        table.add_row(*map(printable, row))
    return table


def _show_reach(out: Console, compared: Compared) -> None:
    told = Table.grid(padding=(0, 1, 0, 0))
    if compared.ungraded:
        told.add_row("not graded        ", printable(", ".join(compared.ungraded)))
    for warning in compared.warnings:
        told.add_row("warning           ", printable(warning))
    out.print(told)
    _say(out, [words.MEANING])


def _say(out: Console, sentences: Iterable[str]) -> None:
    for each in sentences:
        out.print(printable(each))
