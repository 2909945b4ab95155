"""What an instructor gets: a gradebook, results, an overview, and a page a learner.

No page of a learner names a hidden input or an answer.
"""

import csv
import io
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import plain
from lab.classroom import pages
from lab.classroom.kept import Kept, put, slug
from lab.classroom.verdicts import UNDECIDED, Result
from lab.errors import InputError
from lab.lessons.unit import TASKS

PARTS = tuple(task.name for tasks in TASKS.values() for task in tasks)
BESIDE = ("manifest", "diary", "table")
SUMS = ("points", "at_most", "of")
COLUMNS = ("learner", "unit", *PARTS, *BESIDE, *SUMS, "undecided", "checks")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def load_rubric(path: str | Path | None) -> dict[str, float]:
    """Return the weight of each part: one each, or as `[weights]` of a TOML file says.

    InputError names the file and the entry that is no part or no weight.
    """
    weights: dict[str, float] = dict.fromkeys(PARTS, 1)
    if path is None:
        return weights
    try:
        told = tomllib.loads(Path(path).read_text("utf-8"))["weights"].items()
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: no rubric with [weights]: {plain.reason(error)}") from None
    for name, weight in told:
        if name not in weights or type(weight) not in (int, float) or not 0 <= weight < 1e6:
            raise InputError(f"{path}: weights: {name} = {weight!r}: no part, or no weight from 0")
        weights[name] = weight
    return weights


def points(result: Result, weights: Mapping[str, float]) -> tuple[float, float, float] | None:
    """Return points earned, the most they can come to, and of how many.

    The most is where all that is undecided is decided in favour. None for what could not be read.
    """
    if result.unit is None:
        return None
    mine = [(weights[task.name], result.parts[task.name].verdict) for task in TASKS[result.unit]]
    earned = sum(weight for weight, verdict in mine if verdict == "PASS")
    open_yet = sum(weight for weight, verdict in mine if verdict in UNDECIDED)
    return earned, earned + open_yet, sum(weight for weight, _ in mine)


def undecided(result: Result) -> list[str]:
    """Return the parts that a person has to decide on."""
    return [name for name, part in result.parts.items() if part.verdict in UNDECIDED]


def gradebook(everybody: Iterable[Sequence[Kept]], weights: Mapping[str, float]) -> str:
    """Return one CSV line a learner, in which nothing is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for kept in everybody:
        result = kept[-1].result
        sums = points(result, weights) or ()
        row: dict[str, Any] = {
            **{name: part.verdict for name, part in result.parts.items()},
            "learner": result.name,
            "unit": result.unit or "UNREADABLE",
            **{name: f"{value:g}" for name, value in zip(SUMS, sums, strict=False)},
            "undecided": " ".join(undecided(result)),
            "checks": len(kept),
        }
        writer.writerow([_cell(str(row.get(name, ""))) for name in COLUMNS])
    return out.getvalue()


def _cell(text: str) -> str:
    """Return text that no spreadsheet reckons with."""
    plainly = "".join(c for c in text if c.isprintable())
    return f"'{plainly}" if text.lstrip().startswith(FORMULA) else plainly


def results_json(everybody: Iterable[Sequence[Kept]], told: Mapping[str, Any]) -> str:
    """Return everything, hidden evidence and earlier results too, for the instructor alone."""
    submissions = [
        {
            **kept[-1].result.as_data(),
            "stamp": kept[-1].stamp,
            "earlier": [{"stamp": k.stamp, **k.result.as_data()} for k in kept[:-1]],
        }
        for kept in everybody
    ]
    return json.dumps({**told, "submissions": submissions}, indent=1) + "\n"


def feedback_markdown(result: Result) -> str:
    """Return a learner's page: what each part came to, what to look at, what a person will read."""
    lines = [f"# {_plain(result.name)}", ""]
    lines += [
        f"- **{_plain(name)}**: {part.verdict}. {_plain(part.evidence)}"
        for name, part in result.parts.items()
    ]
    lines += [f"- {_plain(note)}" for note in result.notes]
    if read := pages.for_a_person(result):
        lines += ["", f"Read by a person, and not scored here: {_plain(', '.join(read))}."]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Return text in which no Markdown and no control character does anything."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|!&" else c for c in shown)


def write_books(
    desk: Path,
    everybody: Sequence[Sequence[Kept]],
    weights: Mapping[str, float],
    told: Mapping[str, Any],
) -> None:
    """Write the books on everybody, each whole, in the place of earlier ones."""
    results = [kept[-1].result for kept in everybody]
    put(desk / "gradebook.csv", gradebook(everybody, weights), "utf-8-sig")
    put(desk / "results.json", results_json(everybody, told))
    files = {result.name: f"feedback/{slug(result.name)}.html" for result in results}
    put(desk / "overview.html", pages.overview(results, told, files))
    for result in results:
        page = desk / files[result.name]
        put(page, pages.feedback(result))
        put(page.with_suffix(".md"), feedback_markdown(result))
