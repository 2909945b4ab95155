"""What a learner kept: a diary, reports, tables. Each has to be what its own parts add up to."""

import ast
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import interpretation, plain
from lab.chain import Entry
from lab.classroom.collect import Submission, Unreadable
from lab.classroom.extract import cells_of
from lab.classroom.verdicts import REVIEW, Part
from lab.errors import LabError
from lab.evaluation import regrade
from lab.evidence import Report, load_report
from lab.lessons.diary import diary_chain
from lab.lessons.unit import WRITTEN
from lab.provenance import lab_digest

TABLES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "unit_a": ("a-run", ("attempts", "distinct_cases")),
    "unit_b": ("b-keywords", ("attempts", "passed")),
}
"""The cell of each unit that shows counts of a report which is handed in, and which counts."""
PREDICTED_BY_NAME = "keywords"
READ = {"predicted": "prediction", "noted": "explanation"}
"""What a person reads, by the kind of a diary's entry."""
LONGEST_NAME, LONGEST_SAID, MOST_SAID = 100, 4000, 200
"""Of what a person reads: characters of its name and of itself, and how many there are."""
MOST_REPORTS = 10
LONGEST_OUTPUT, MOST_OUTPUTS = 10_000, 20
"""Characters of what a cell shows, and outputs of it, that are looked into."""


def check_diary(submission: Submission, answers: Mapping[str, Any]) -> tuple[Part, list[Entry]]:
    """Return what the diary comes to, and its entries; which predictions came late is told."""
    if "diary.jsonl" not in submission.files:
        return Part("NOT_TRIED", "there is no diary"), []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("diary.jsonl", "diary.jsonl.head"):
            if name in submission.files:
                (Path(folder) / name).write_bytes(submission.files[name])
        try:
            entries = diary_chain(Path(folder) / "diary.jsonl").entries()
        except LabError as error:
            why = str(error).partition("this diary ")[2].partition(";")[0]
            return Part("TAMPERED", f"the diary {why}"), []
    known = known_by(entries)
    foreign = [name for name, answer in answers.items() if is_foreign(answer, known)]
    if foreign:
        told = f"answers.json has what the diary does not know of: {', '.join(foreign)}"
        return Part("TAMPERED", told), entries
    shown = list(dict.fromkeys(e["name"] for e in entries if e["kind"] == "shown"))
    early = {e["name"] for e in entries if e["kind"] == "predicted" and not e["after_result"]}
    late = [name for name in shown if name not in early]
    told = f"; without a prediction before its result: {', '.join(late)}" if late else ""
    return Part("PASS", f"{len(entries)} entries, none changed{told}"), entries


def known_by(entries: Sequence[Entry]) -> frozenset[str]:
    """Return what the entries of a diary are known by."""
    return frozenset(map(plain.digest, entries))


def is_foreign(answer: Any, known: frozenset[str]) -> bool:
    """Say whether an answer is none of the entries that are `known`."""
    try:
        return plain.digest(answer) not in known
    except RecursionError:  # nested deeper than anything that a diary holds
        return True


def for_a_person(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return predictions and explanations, each for a person to read; at most MOST_SAID."""
    said = [entry for entry in entries if entry["kind"] in READ]
    return [
        {
            "kind": READ[entry["kind"]],
            "name": plain.shorten(entry["name"], LONGEST_NAME),
            "said": plain.shorten(_words(entry["value"]), LONGEST_SAID),
            "after_result": bool(entry.get("after_result")),
            "status": REVIEW,
        }
        for entry in said[:MOST_SAID]
    ]


def check_reports(submission: Submission) -> tuple[dict[str, Part], list[Report]]:
    """Return what each report that was handed in comes to, and those that hold together."""
    parts, reports = dict[str, Part](), list[Report]()
    handed_in = [name for name in sorted(submission.files) if name.endswith(".json")]
    for name in [name for name in handed_in if name not in WRITTEN]:
        if len(parts) == MOST_REPORTS:
            parts[name] = Part("UNREADABLE", f"more than {MOST_REPORTS} reports were handed in")
            break
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            path.write_bytes(submission.files[name])
            try:
                report = load_report(path)
            except LabError as error:
                parts[name] = Part("TAMPERED", str(error).replace(f"{path}: ", ""))
                continue
        parts[name] = _graded_again(report)
        reports.append(report)
    return parts, reports


def check_table(unit: str, notebook: Mapping[str, Any], reports: Sequence[Report]) -> Part:
    """Compare the counts that a notebook shows with the rows of the reports beside it."""
    identity, names = TABLES[unit]
    shown = next(_shown(notebook, identity), None)
    counted = [found for each in reports if (found := _counts(unit, each)) is not None]
    if shown is None or not counted:
        return Part("NOT_TRIED", f"there is no output of {identity}, or no report, to compare")
    for name in names:
        if shown.get(name) not in [each[name] for each in counted]:
            told = f"{identity} shows {name} {plain.show(shown.get(name))}"
            return Part("NEEDS_WORK", f"{told}; the rows come to {counted[-1][name]}")
    return Part("PASS", f"what {identity} shows is what the retained rows come to")


def _graded_again(report: Report) -> Part:
    is_ours = report["provenance"].get("lab_sha256") == lab_digest()
    try:
        if report.get("kind") == "requests":
            differences = interpretation.regrade(report["cases"])
        else:
            differences = regrade(report)
    except Exception as error:  # noqa: BLE001  (rows of another version may be anything)
        return Part("NEEDS_WORK", f"its rows cannot be graded again: {plain.reason(error)}")
    if differences:
        first = differences[0]
        told = f"{len(differences)} judgements come out otherwise from its own rows, first"
        told = f"{told} {first['check']} of {first['case']} {first['repetition']}"
        if is_ours:
            return Part("TAMPERED", told)
        return Part("NEEDS_WORK", f"{told}; it was made with another version of the lab")
    return Part("PASS", "its verdict, counts and totals are what its attempts come to")


def _shown(notebook: Mapping[str, Any], identity: str) -> Iterator[dict[str, Any]]:
    """Yield what a cell's outputs show where that is a dict. Unreadable for no outputs, or huge."""
    cells = [cell for cell in cells_of(notebook) if cell.get("id") == identity]
    outputs = [cell.get("outputs", []) for cell in cells]
    if not all(isinstance(each, list) for each in outputs):
        raise Unreadable(f"the cell {identity} has no list of outputs")
    for output in [one for some in outputs for one in some][:MOST_OUTPUTS]:
        try:
            text = "".join(output["data"]["text/plain"])
            if len(text) > LONGEST_OUTPUT:
                raise Unreadable(f"{identity} shows more than {LONGEST_OUTPUT} characters")
            value = ast.literal_eval(text)
        except (KeyError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _counts(unit: str, report: Report) -> Mapping[str, Any] | None:
    """Return the counts that the unit's table shows of a report; None of another kind of report."""
    is_requests = report.get("kind") == "requests"
    if unit == "unit_a":
        return None if is_requests else report["counts"]
    return report["counts"].get(PREDICTED_BY_NAME) if is_requests else None


def _words(value: object) -> str:
    return value if isinstance(value, str) else plain.dumps(value)
