"""A small class: who handed in what, and what it came to."""

import csv
import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lab.classroom.books import feedback_html, feedback_markdown, gradebook, load_rubric
from lab.classroom.collect import Unreadable, collect
from lab.classroom.desk import check_all, found_in, write_books
from lab.classroom.holdouts import load_holdouts, new_holdouts, save_holdouts
from lab.errors import InputError
from lab.lessons.unit import Unit

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def hand_in(folder: Path, name: str, old: str = "", new: str = "") -> Path:
    """Hand in Unit A's solution, with something replaced in its notebook."""
    unit = Unit("unit_a", folder / f"work-{name}")
    unit.predict("counts", [16, 8])
    unit.note("recall", "<script>alert(1)</script>")
    unit.check("artefact", "case")
    notebook = folder / f"{name}.ipynb"
    text = (NOTEBOOKS / "solutions" / "unit_a.ipynb").read_text("utf-8")
    assert old in text
    notebook.write_text(text.replace(old, new), "utf-8")
    target = folder / "class" / name
    target.parent.mkdir(exist_ok=True)
    unit.submit(notebook).rename(target)
    return target


@needs_sandbox
def test_a_class_and_its_books(tmp_path: Path) -> None:
    hand_in(tmp_path, "=ann")
    hand_in(tmp_path, "bob", "if missing > 0:", "while True:")
    hand_in(tmp_path, "cleo", "if missing > 0:", "if missing >= 0:")
    hand_in(
        tmp_path,
        "dora",
        "threshold - (on_hand - reserved)",
        "threshold - max(0, on_hand - reserved)",
    )
    (tmp_path / "class" / "zed.zip").write_bytes(b"no zip")
    save_holdouts(tmp_path / "hidden.json", 3)
    hidden = load_holdouts(tmp_path / "hidden.json")
    results = check_all(found_in([tmp_path / "class"]), hidden)
    found = {each.name: each.parts for each in results}
    assert {
        name: parts.get("baseline") and parts["baseline"].verdict for name, parts in found.items()
    } == {
        "=ann": "PASS",
        "bob": "MEMORY_LIMIT",
        "cleo": "NEEDS_WORK",
        "dora": "NEEDS_WORK",
        "zed": None,
    }
    assert found["zed"]["submission"].verdict == "UNREADABLE"
    assert found["=ann"]["deficits"].verdict == "PASS"
    write_books(tmp_path / "books", results, load_rubric(None), tmp_path / "hidden.json")
    rows = list(
        csv.reader(io.StringIO((tmp_path / "books" / "gradebook.csv").read_text("utf-8-sig")))
    )
    assert [row[0] for row in rows] == ["learner", "'=ann", "bob", "cleo", "dora", "zed"]
    told = json.loads((tmp_path / "books" / "results.json").read_text())
    assert told["isolation"].startswith("bubblewrap")
    overview = (tmp_path / "books" / "overview.html").read_text()
    assert "<script>" not in overview and "&lt;script&gt;" in overview
    secrets = {row[0] for trial in hidden["baseline"] for row in trial.given["case"]["stock"]}
    for page in (tmp_path / "books" / "feedback").iterdir():
        assert not secrets & set(page.read_text().replace("'", " ").split())
    with pytest.raises(InputError, match="is there already and is kept"):
        write_books(tmp_path / "books", results, load_rubric(None), None)
    again = check_all(found_in([tmp_path / "class"]), hidden)
    assert [each.as_data() for each in again] == [each.as_data() for each in results]


@needs_sandbox
def test_a_changed_file_is_told(tmp_path: Path) -> None:
    folder = hand_in(tmp_path, "ann")
    (folder / "answers.json").write_text("{}")
    [result] = check_all([folder])
    assert result.parts["manifest"].verdict == "TAMPERED"
    diary = folder / "diary.jsonl"
    diary.write_text("".join(diary.read_text().splitlines(keepends=True)[:-1]))
    [result] = check_all([folder])
    assert result.parts["diary"].verdict == "TAMPERED"
    assert gradebook([result], load_rubric(None)).splitlines()[1].startswith("ann,unit_a,PASS")
    assert "TAMPERED" in feedback_markdown(result) and "TAMPERED" in feedback_html(result)


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, data in members.items():
            whole.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({}, "there is no manifest.json"),
        ({"../manifest.json": b"{}"}, "leads out of its folder"),
        ({"/etc/passwd": b"{}"}, "leads out of its folder"),
        ({"a/m.json": b"{}", "b/m.json": b"{}"}, "lie in 2 folders"),
        ({"bomb.bin": b"0" * (20 * 1024 * 1024 + 1)}, "20971520 bytes in one"),
        ({f"{n}.txt": b"" for n in range(41)}, "more than 40 files"),
        (
            {"manifest.json": "{}".encode("utf-16"), "notebook.ipynb": b"", "answers.json": b""},
            "manifest.json is no JSON in UTF-8",
        ),
        (
            {"manifest.json": b"[]", "notebook.ipynb": b"", "answers.json": b""},
            "manifest.json is no JSON object",
        ),
    ],
)
def test_what_is_no_submission_is_told(
    members: dict[str, bytes], told: str, tmp_path: Path
) -> None:
    with pytest.raises(Unreadable, match=told):
        collect(packed(tmp_path / "a.zip", members))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").symlink_to("/etc/passwd")
    with pytest.raises(Unreadable, match="is a link"):
        collect(tmp_path / "a")


def test_holdouts_are_the_same_for_a_seed_and_right_by_hand() -> None:
    assert new_holdouts(3) == new_holdouts(3)
    assert new_holdouts(3) != new_holdouts(4)
    for trial in new_holdouts(5)["deficits"]:
        by_hand: list[Any] = []
        for row in trial["given"]:
            missing = row["wanted"] + row["promised"] - row["on_shelf"]
            by_hand += [[row["code"], missing]] if missing > 0 else []
        assert trial["expected"] == by_hand


def test_bad_holdouts_and_rubrics_are_named(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_text('{"none": []}')
    with pytest.raises(InputError, match="'none' is no task"):
        load_holdouts(tmp_path / "h.json")
    (tmp_path / "r.toml").write_text("[weights]\nbaseline = -1\n")
    with pytest.raises(InputError, match="baseline = -1: no part, or no weight"):
        load_rubric(tmp_path / "r.toml")
    with pytest.raises(InputError, match="there is nothing there"):
        found_in([tmp_path / "none"])
