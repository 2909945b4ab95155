"""What a submission can make the lab itself do, which is bounded, and what it can make it say."""

import hashlib
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from lab import plain
from lab.chain import START
from lab.classroom.alike import digests
from lab.classroom.check import check_submission
from lab.classroom.collect import Submission
from lab.classroom.outcomes import broken, read_outcomes
from lab.classroom.retained import (
    check_diary,
    check_reports,
    for_a_person,
    is_foreign,
    known_by,
)
from lab.classroom.verdicts import Part
from lab.lessons.trying import reason
from lab.shapes import check_report
from tests.classroom.handing_in import folder, whole

GOOD = Path(__file__).parents[2] / "fixtures" / "submissions" / "good-unit_a"
TOLD = '"printed":"","mutated":false,"looked_at_expected":false}'


@contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 2**20
    finally:
        tracemalloc.stop()


def test_a_report_that_plans_a_million_repetitions_is_refused_without_counting_to_them() -> None:
    [path] = GOOD.glob("report-*.json")
    report = json.loads(path.read_text())
    report["settings"]["repeats"] = 10**6
    with at_most(10), pytest.raises(ValueError, match="attempt opening 3 is not there once"):
        check_report(report)


def test_of_many_reports_the_first_are_looked_at() -> None:
    files = {f"{name}.json": b"{}" for name in "abcdefghijklm"}
    parts, _ = check_reports(Submission("unit_a", "", {**files, "answers.json": b"{}"}))
    assert list(parts) == [f"{name}.json" for name in "abcdefghijk"]
    assert parts["j.json"].verdict == "TAMPERED"
    assert parts["k.json"] == Part("UNREADABLE", "more than 10 reports were handed in")


def test_a_source_that_nobody_writes_is_not_looked_into() -> None:
    assert len(digests("def f(x): return x", "f")) == 2
    with at_most(10):
        assert digests("def f(x): return [" + "0," * 250_000 + "]", "f") == []


def diary_of(entries: int, answers: int) -> tuple[Submission, dict[str, Any]]:
    """Return a diary of things shown, and answers that are not in it."""
    lines, before = [], START
    for number in range(entries):
        told = {"kind": "shown", "name": f"n{number}", "at": "2026-01-01T00:00:00Z"}
        line = plain.dumps({**told, "before": before}).encode()
        before = hashlib.sha256(line).hexdigest()
        lines.append(line + b"\n")
    head = plain.dumps({"entries": entries, "sha256": before}).encode()
    files = {"diary.jsonl": b"".join(lines), "diary.jsonl.head": head}
    return Submission("unit_a", "", files), {f"a{n}": {"n": n} for n in range(answers)}


def test_each_answer_is_looked_up_and_not_compared_with_every_entry() -> None:
    submission, answers = diary_of(20_000, 20_000)
    begun = process_time()
    part, entries = check_diary(submission, answers)
    assert process_time() - begun < 10
    assert (part.verdict, len(entries)) == ("TAMPERED", 20_000)
    assert part.evidence.startswith("answers.json has what the diary does not know of: a0, a1, ")
    assert part.evidence.endswith("...") and len(part.evidence) == 2000


def test_an_answer_is_known_by_what_it_is_in_whatever_order() -> None:
    known = known_by([{"a": 1, "b": [True]}])
    assert not is_foreign({"b": [True], "a": 1}, known)
    assert is_foreign({"a": 1, "b": [1]}, known)
    assert is_foreign(json.loads("[" * 900 + "]" * 900), known)


def test_what_a_person_reads_is_bounded() -> None:
    told = [{"kind": "noted", "name": "n" * 200, "value": "v" * 5000}] * 250
    read = for_a_person(told)
    assert len(read) == 200
    assert read[0]["name"] == "n" * 97 + "..."
    assert read[0]["said"] == "v" * 3997 + "..."


def test_what_a_submission_says_is_cut_with_a_mark() -> None:
    assert Part("CRASHED", "x" * 3000).evidence == "x" * 1997 + "..."
    assert reason(ValueError("x" * 400)) == "ValueError: " + "x" * 285 + "..."


@pytest.mark.parametrize(
    "line",
    [
        '{"returned":1}',
        '{"returned":{"dict":5},"raised":null,' + TOLD,
        '{"returned":{"dict":[[1]]},"raised":null,' + TOLD,
        '{"returned":{"set":5},"raised":null,' + TOLD,
        '{"returned":[{"other":5}],"raised":null,' + TOLD,
        '{"returned":{},"raised":null,' + TOLD,
        '{"returned":1,"raised":["ModuleNotFoundError"],' + TOLD,
        '{"returned":1,"raised":"' + "A" * 301 + '",' + TOLD,
        '{"returned":1,"raised":null,"ended":0,' + TOLD,
        '{"returned":1,"raised":null,' + TOLD.replace('""', "5"),
        '{"returned":1,"raised":null,' + TOLD.replace("false", "0"),
        "[]",
        '{"returned":NaN,"raised":null,' + TOLD,
    ],
)
def test_what_the_worker_does_not_write_is_no_outcome(line: str) -> None:
    with pytest.raises(ValueError):
        read_outcomes([line.encode()])


def test_what_the_worker_writes_is_an_outcome() -> None:
    value = '{"dict":[["a",{"set":[1]}],["b",[{"other":"nan"}]]]}'
    [outcome] = read_outcomes([f'{{"returned":{value},"raised":null,{TOLD}'.encode()])
    assert outcome.returned == {"dict": [["a", {"set": [1]}], ["b", [{"other": "nan"}]]]}
    assert broken(b'{"broken":"KeyError"}') == "KeyError"
    with pytest.raises(ValueError, match="what came out was not what the worker writes"):
        broken(b'{"broken":"' + b"B" * 301 + b'"}')


Files = dict[str, bytes]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"notebook.ipynb": b'{"cells":[{"id":"a-run","outputs":null}]}'},
            {"table": ("UNREADABLE", "the cell a-run has no list of outputs")},
        ),
        (
            {"notebook.ipynb": b'{"cells":null}'},
            {
                "table": ("UNREADABLE", "notebook.ipynb has no list of cells"),
                "baseline": ("UNREADABLE", "notebook.ipynb has no list of cells"),
            },
        ),
        (
            {
                "notebook.ipynb": b'{"cells":[{"id":"a-run","outputs":[{"data":{"text/plain":"['
                + b"0," * 5000
                + b']"}}]}]}'
            },
            {"table": ("UNREADABLE", "a-run shows more than 10000 characters")},
        ),
        (
            {"answers.json": b"null"},
            {
                "reservation": ("UNREADABLE", "answers.json is no JSON object"),
                "baseline": (
                    "TAMPERED",
                    "notebook.ipynb is not what the manifest was written for; as it is now:"
                    " NOT_TRIED, there is no my_baseline in the notebook",
                ),
            },
        ),
    ],
)
def test_what_cannot_be_read_of_a_submission_hides_nothing_else_of_it(
    tmp_path: Path, change: Files, expected: dict[str, tuple[str, str]]
) -> None:
    files = {**whole(), "notebook.ipynb": b'{"cells":[]}', **change}
    result = check_submission("ann", folder(tmp_path / "ann", files), {})
    assert result.parts["manifest"].verdict == "TAMPERED"
    found = {name: (result.parts[name].verdict, result.parts[name].evidence) for name in expected}
    assert found == expected
