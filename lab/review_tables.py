"""Reviews, calibrations and ledgers as a person reads them in a terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from lab import rates
from lab.calibration import LABELS
from lab.chain import Entry, Head
from lab.evidence import Report
from lab.review import state_in_words
from lab.terminal import console, printable

MOST_NAMES = 20


def show_state(report: Report, state: Mapping[str, Any], path: Path) -> None:
    """Print how far a review is, objections and disagreements by name."""
    out = console()
    for found in state["objections"]:
        told = "objection          {case} {repetition}: {question}, {reviewer}: {note}"
        out.print(printable(told.format(**found)), soft_wrap=True)
    for found in state["disagreements"]:
        said = ", ".join(f"{who} {word}" for who, word in found["said"].items())
        told = "disagreement       {case} {repetition}: {question}".format(**found)
        out.print(printable(f"{told}: {said}"), soft_wrap=True)
    for found in state["ambiguous"]:
        told = "ambiguous          {case} {repetition}: {wording} ({reviewer})"
        out.print(printable(told.format(**found)), soft_wrap=True)
    left = ", ".join(f"{case} {repetition}" for case, repetition in state["unreviewed"])
    out.print("not reviewed      ", printable(left or "nothing"), soft_wrap=True)
    out.print("reviewed          ", printable(state_in_words(state)), soft_wrap=True)
    out.print(f"acceptance         {report['acceptance']['status']}, which no review changes")
    kept = path if path.exists() else "nothing was judged, so nothing was kept"
    out.print("kept in           ", printable(kept), soft_wrap=True)


def show_calibration(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Print for each reviewer what it said of what, and what that comes to."""
    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("reviewer", "label", *LABELS, "no reply"):
        table.add_column(heading, justify="left" if heading in ("reviewer", "label") else "right")
    for name, each in found.items():
        for label, replies in each["confusion"].items():
            table.add_row(printable(name), label, *(str(count) for count in replies.values()))
    out.print(table)
    for name, each in found.items():
        kappa = "undefined" if each["kappa"] is None else f"{each['kappa']:.2f}"
        told = f"{name}: finds {rates.text(each['sensitivity'])} of what is wrong,"
        told += f" leaves {rates.text(each['specificity'])} of what is good alone, kappa {kappa}"
        out.print(printable(told), soft_wrap=True)
    for name, each in found.items():
        differing = [row["name"] for row in each["disagreements"]]
        told = ", ".join(differing[:MOST_NAMES]) or "nothing"
        more = f" and {len(differing) - MOST_NAMES} more" if differing[MOST_NAMES:] else ""
        out.print(printable(f"{name} differs on: {told}{more}"), soft_wrap=True)
    out.print(next(iter(found.values()))["cannot_show"], soft_wrap=True)


def show_ledger(entries: Sequence[Entry], head: Head) -> None:
    """Print what a ledger holds, a line each, and what it is known by."""
    out = console()
    for entry in entries:
        out.print(printable(f"{entry['at']}  {_in_words(entry)}"), soft_wrap=True)
    out.print(f"{head.entries} entries, unbroken; head {head.sha256}", soft_wrap=True)


def _in_words(entry: Entry) -> str:
    match entry["kind"]:
        case "freeze":
            made = f", made from {entry['parent'][:12]}" if entry["parent"] else ""
            return f"freeze   {entry['candidate'][:12]} {entry['name']}{made}"
        case "observe":
            names = ", ".join(case["name"] for case in entry["cases"])
            return f"observe  {entry['candidate'][:12]} sees {names}"
        case "report":
            return f"report   {entry['report'][:12]} of {len(entry['cases'])} cases"
        case "move":
            return f"move     {entry['case']['name']} to {entry['to']}: {entry['reason']}"
        case other:
            return str(other)
