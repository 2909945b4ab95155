"""What an instructor gets: a gradebook, results, an overview, and a page a learner.

No page of a learner names a hidden input or an answer.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import plain
from lab.cells import cell
from lab.classroom import pages
from lab.classroom.decisions import (
    Decision,
    left_to_decide,
    why_without_effect,
    without_effect,
)
from lab.classroom.kept import Kept, Learner, put
from lab.classroom.rows import Row, rows
from lab.classroom.rubric import EVIDENCE, Rubric, overall
from lab.lessons.unit import TASKS

SUMS = ("points", "at_most", "of")
BESIDE = ("undecided", "submission", "checks", "given", "feedback")


def columns(rubric: Rubric) -> list[str]:
    """Return a gradebook's columns, the same whoever is in it: those of each unit together."""
    by_unit = [
        name
        for unit, tasks in TASKS.items()
        for name in (
            *(task.name for task in tasks),
            *rubric.read.get(unit, {}),
            *(f"{unit} {beside}" for beside in EVIDENCE),
            f"{unit} hidden trials",
        )
    ]
    return ["learner", "units", *by_unit, *SUMS, *BESIDE]


def gradebook(found: Iterable[Row], rubric: Rubric) -> str:
    """Return one CSV line a learner, in which nothing is a formula."""
    out = io.StringIO()
    names = columns(rubric)
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_cell(name) for name in names])
    for row in found:
        told = _told(row)
        writer.writerow([_cell(told.get(name, "")) for name in names])
    return out.getvalue()


def _told(row: Row) -> dict[str, str]:
    units = [result.unit for result in row.results if result.unit is not None]
    told = {
        "learner": row.name,
        "units": " ".join(units),
        "undecided": ", ".join(row.undecided()),
        "checks": str(row.checks),
        "given": "yes" if row.is_given else "no",
        "feedback": row.page,
    }
    if units:
        told |= dict(zip(SUMS, (f"{value:g}" for value in row.points), strict=True))
    for kept, result in zip(row.kept, row.results, strict=True):
        told |= {name: part.verdict for name, part in result.parts.items()}
        told |= {f"{result.unit} {name}": overall(result, name) for name in EVIDENCE}
        told[f"{result.unit} hidden trials"] = kept.hidden
    return told


def _cell(text: str) -> str:
    """Return a cell of one line that no spreadsheet reckons with."""
    return cell("".join(c for c in text if c.isprintable()))


def results_json(
    everybody: Iterable[Learner], found: Sequence[Row], told: Mapping[str, Any]
) -> str:
    """Return everything, hidden evidence and earlier results too, for the instructor alone."""
    learners = [
        {
            "learner": row.name,
            "submissions": [
                {**_as_data(kept), **result.as_data()}
                for kept, result in zip(row.kept, row.results, strict=True)
            ],
            "earlier": [
                {**_as_data(kept), **kept.result.as_data()}
                for kept in learner.kept
                if kept not in row.kept
            ],
        }
        for learner, row in zip(everybody, found, strict=True)
    ]
    return json.dumps({**told, "learners": learners}, indent=1) + "\n"


def held_before(desk: Path) -> int:
    """Return how many decisions had an effect when the books of a desk were written last."""
    try:
        told = plain.loads((desk / "results.json").read_text("utf-8"))
        return int(told["decisions"]) - len(told["without_effect"])
    except (OSError, ValueError, TypeError, KeyError):  # no books yet, or not ours to judge
        return 0


def _as_data(kept: Kept) -> dict[str, str]:
    return {"stamp": kept.stamp, "submission": kept.submission, "hidden_trials": kept.hidden}


def write_books(
    desk: Path,
    everybody: Sequence[Learner],
    given: Iterable[str],
    rubric: Rubric,
    decisions: Sequence[Decision],
    told: Mapping[str, Any],
) -> list[Row]:
    """Write the books on everybody, each whole, in the place of earlier ones; return their rows."""
    found = rows(everybody, rubric, decisions, given)
    idle = [
        {**each._asdict(), "why": why_without_effect(each)}
        for each in without_effect(decisions, everybody, rubric)
    ]
    told = {**told, "decisions": len(decisions), "without_effect": idle}
    put(desk / "gradebook.csv", gradebook(found, rubric), "utf-8-sig")
    put(desk / "results.json", results_json(everybody, found, told))
    current = [pair for row in found for pair in zip(row.kept, row.results, strict=True)]
    put(desk / "undecided.toml", left_to_decide(current, rubric))
    put(desk / "overview.html", pages.overview(found, told))
    for row in found:
        page = desk / row.page
        put(page, pages.feedback(row, told))
        put(page.with_suffix(".md"), pages.feedback_markdown(row, told))
    return found
