"""The attack matrix, and the mutants of the grader, as a person reads them in a terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from lab.terminal import console, mark, printable

Entry = Mapping[str, Any]


def show_attacks(matrix: Sequence[Entry]) -> None:
    """Print attack by check, what each attack is, and what came out otherwise than written."""
    out = console()
    checks = list(matrix[0]["expected"])
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("attack", "kind", "ended"):
        table.add_column(heading, overflow="fold")
    for number in range(1, len(checks) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("findings", overflow="fold")
    for entry in matrix:
        marks = [mark(judgement) for judgement in entry["checks"].values()]
        named = [entry["name"], entry["kind"], entry["loop_status"]]
        table.add_row(*map(printable, named), *marks, ", ".join(entry["findings"]))
    out.print(table)
    out.print(
        "  ".join(f"{number} {name}" for number, name in enumerate(checks, 1)), soft_wrap=True
    )
    out.print()
    for entry in matrix:
        if entry["kind"] != "caught":
            told = f"{entry['kind']}: {entry['name']}: {entry['says']} {entry['declared'] or ''}"
            out.print(printable(told), soft_wrap=True)
    out.print()
    counted = Counter(entry["kind"] for entry in matrix)
    told = ", ".join(f"{kind} {count}/{len(matrix)}" for kind, count in counted.items())
    out.print(f"{told}. Written beforehand, by whoever wrote the attacks: no rate of anything.")
    show_deviations(matrix)


def show_deviations(matrix: Sequence[Entry]) -> None:
    """Print whether everything came out as written, and what did not."""
    out = console()
    differing = [entry for entry in matrix if entry["deviations"]]
    for entry in differing:
        told = f"OTHERWISE {entry['name']}: {'; '.join(entry['deviations'])}"
        out.print(printable(told), style="bold", soft_wrap=True)
    out.print(f"as written         {not differing}", style="bold")


def show_mutants(mutants: Sequence[Entry]) -> None:
    """Print which attacks notice each worse check."""
    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("worse check", "noticed by"):
        table.add_column(heading, overflow="fold")
    for mutant in mutants:
        by = mutant["noticed_by"]
        table.add_row(mutant["mutant"], f"{len(by)}: {', '.join(by[:2])}" if by else "NOBODY")
    out.print(table)
    unseen = sum(not mutant["noticed_by"] for mutant in mutants)
    out.print(f"not noticed        {unseen} of {len(mutants)}", style="bold")
