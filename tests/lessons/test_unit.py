"""Predictions that cannot be taken back, progress that adds up, submissions whole or not at all."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from lab import lessons
from lab.errors import InputError, LabError
from lab.lessons import TODO
from lab.lessons.diary import Diary
from lab.lessons.live import constrained_requests
from lab.lessons.unit import Unit
from lab.shop import local


def test_a_prediction_comes_before_its_result(tmp_path: Path) -> None:
    unit = Unit("unit_a", tmp_path)
    assert unit.predict("counts", (16, 8)) == "Kept: your prediction of counts."
    assert unit.predict("counts", (16, 16)) == "Kept: your prediction of counts."
    assert unit.shown("counts") == [16, 16]
    told = unit.predict("counts", (1, 1))
    assert told == "Kept, beside your first: a prediction of counts after its result was shown."
    assert unit.shown("counts") == [16, 16]
    kept = [(e["value"], e["after_result"]) for e in unit.diary.entries if e["kind"] == "predicted"]
    assert kept == [([16, 8], False), ([16, 16], False), ([1, 1], True)]
    assert all(e["at"].endswith("Z") for e in unit.diary.entries)


def test_a_first_prediction_after_the_result_is_no_prediction(tmp_path: Path) -> None:
    unit = Unit("unit_a", tmp_path)
    assert unit.shown("counts") is None
    unit.predict("counts", 3)
    assert unit.shown("counts") is None


def test_running_a_notebook_again_adds_nothing_to_what_was_said(tmp_path: Path) -> None:
    for _ in range(2):
        unit = Unit("unit_a", tmp_path)
        unit.predict("counts", 16)
        unit.shown("counts")
        unit.note("why", "because")
    kinds = [entry["kind"] for entry in Diary(tmp_path / "unit_a" / "diary.jsonl").entries]
    assert kinds == ["predicted", "shown", "noted"]


@pytest.mark.parametrize(
    "alter",
    [
        lambda lines: [lines[0].replace("16", "17"), *lines[1:]],
        lambda lines: lines[1:],
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: ["not json", *lines],
        lambda lines: ["[]", *lines],
        lambda lines: lines[:2],
    ],
)
def test_a_diary_that_was_changed_says_where(alter: Any, tmp_path: Path) -> None:
    path = tmp_path / "diary.jsonl"
    diary = Diary(path)
    for value in (16, 8, 4):
        diary.add("predicted", name="counts", value=value, after_result=False)
    path.write_text("\n".join(alter(path.read_text().splitlines())) + "\n")
    with pytest.raises(InputError, match="this diary was changed: "):
        Diary(path)


def test_progress_says_all_three(tmp_path: Path) -> None:
    lessons.begin("unit_a", tmp_path)
    lessons.check("artefact", "case")
    lessons.check("establishes", "a")
    assert lessons.progress() == (
        "1 of 6 PASS: baseline NOT_TRIED, reservation NOT_TRIED, artefact PASS,"
        " attempted NOT_TRIED, establishes NEEDS_WORK, deficits NOT_TRIED"
    )
    assert lessons.predict("counts", TODO).startswith("NOT_TRIED")
    assert lessons.note("why", TODO) == "NOT_TRIED  why"
    assert lessons.note("why", "so") == "Kept: why. HUMAN_REVIEW_REQUIRED"
    kept = Diary(tmp_path / "unit_a" / "diary.jsonl").entries
    assert not [entry for entry in kept if TODO in str(entry)]
    again = lessons.begin("unit_a", tmp_path)
    assert "artefact PASS, attempted NOT_TRIED, establishes NEEDS_WORK" in again


def test_what_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'unit_c' is not one of unit_a, unit_b"):
        lessons.begin("unit_c", tmp_path)
    lessons.begin("unit_b", tmp_path)
    with pytest.raises(InputError, match="'baseline' is not one of labels, events"):
        lessons.check("baseline", 3)


def mine(case: Any) -> list[Any]:
    return []


def test_a_submission_has_everything_with_its_digest(tmp_path: Path) -> None:
    unit = Unit("unit_a", tmp_path)
    unit.predict("counts", 16)
    unit.check("baseline", mine)
    unit.check("artefact", "case")
    notebook, report = tmp_path / "my copy.ipynb", tmp_path / "report-1.json"
    notebook.write_text("{}")
    report.write_text("{}")
    target = unit.submit(notebook, [report])
    manifest = json.loads((target / "manifest.json").read_text())
    assert manifest["unit"] == "unit_a"
    assert manifest["explanations"] == "HUMAN_REVIEW_REQUIRED"
    assert sorted(manifest["files"]) == [
        "answers.json",
        "diary.jsonl",
        "diary.jsonl.head",
        "notebook.ipynb",
        "report-1.json",
    ]
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest
    answers = json.loads((target / "answers.json").read_text())
    assert answers["artefact"]["status"] == "PASS"
    assert answers["baseline"]["status"] == "NEEDS_WORK"
    assert "def mine(case: Any)" in answers["baseline"]["answer"]
    assert unit.submit(notebook) != target


def test_a_submission_is_whole_or_not_there(tmp_path: Path) -> None:
    unit = Unit("unit_a", tmp_path)
    notebook = tmp_path / "a.ipynb"
    notebook.write_text("{}")
    with pytest.raises(LabError, match="nothing was submitted"):
        unit.submit(tmp_path / "missing.ipynb")
    with pytest.raises(LabError, match="nothing was submitted"):
        unit.submit(notebook, [tmp_path / "missing.json"])
    taken = tmp_path / "manifest.json"
    taken.write_text("{}")
    with pytest.raises(LabError, match="another file of that name is handed in"):
        unit.submit(notebook, [taken])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ipynb", "manifest.json"]


def test_a_unit_hands_over_how_far_it_came(tmp_path: Path) -> None:
    unit = Unit("unit_a", tmp_path)
    unit.check("artefact", "case")
    handed = json.loads(unit.hand_over().read_text())
    assert handed["tasks"] == {"artefact": "PASS"}
    assert handed["diary"]["entries"] == 1


def test_the_next_unit_is_told(tmp_path: Path) -> None:
    first = Unit("unit_a", tmp_path)
    first.check("artefact", "case")
    first.hand_over()
    first.note("later", "more")
    told = repr(lessons.begin("unit_b", tmp_path))
    assert told.splitlines() == [
        "unit_a handed over: 1 of 6 PASS",
        "0 of 5 PASS: labels NOT_TRIED, events NOT_TRIED, recount NOT_TRIED,"
        " quotation NOT_TRIED, needed NOT_TRIED",
    ]
    for path in (tmp_path / "unit_a").iterdir():
        path.unlink()
    assert "its diary is not the one that was handed over" in lessons.begin("unit_b", tmp_path)


def test_without_the_model_in_the_box_the_recorded_rows_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LAB_LIVE", raising=False)
    monkeypatch.setattr(local, "installed", lambda: None)
    report, where = constrained_requests()
    assert "not installed" in where
    assert report["counts"]["constrained"]["passed"] == 8


@pytest.mark.skipif(local.installed() is None, reason="needs `lab model install`")
def test_with_the_model_in_the_box_it_reads_them_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_LIVE", raising=False)
    report, where = constrained_requests()
    assert where == "The model in the box has just read them, once each."
    counts = report["counts"]["constrained"]
    assert counts["attempts"] == 14
    # On a busy machine one or another may be late, and is kept as a failed attempt.
    assert counts["by_mechanism"].get("transport", 0) < 7
    assert counts["output_tokens"] > 50


def test_a_handover_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "handoff-unit_a.json").write_text('{"tasks": {}}')
    with pytest.raises(InputError, match=r"handoff-unit_a.json: is no hand-over .*'diary'"):
        lessons.begin("unit_b", tmp_path)


def test_two_kernels_write_one_diary(tmp_path: Path) -> None:
    one, other = Unit("unit_a", tmp_path), Unit("unit_a", tmp_path)
    one.predict("counts", 16)
    other.shown("counts")
    one.note("why", "because")
    assert [entry["kind"] for entry in Unit("unit_a", tmp_path).diary.entries] == [
        "predicted",
        "shown",
        "noted",
    ]
