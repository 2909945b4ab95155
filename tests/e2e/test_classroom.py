"""`lab classroom`, as an instructor types it."""

import csv
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.classroom.handing_in import needs_sandbox


def desk(*arguments: Any, cwd: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lab", "classroom", *map(str, arguments)]
    env = {**os.environ, "PATH": path or os.environ["PATH"]}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env)


@needs_sandbox
def test_a_class_from_hidden_trials_to_the_books(tmp_path: Path) -> None:
    new = ("holdouts", "new", "--output", "hidden.json")
    made = desk(*new, cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.splitlines() == [
        "hidden.json: read them before you use them, and show them to nobody",
        "a row of stock is: sku, tubs on hand, reserved, threshold, unit price in pence",
    ]
    assert stat.S_IMODE((tmp_path / "hidden.json").stat().st_mode) == 0o600
    again = desk(*new, "--seed", 7, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "name a new file" in again.stderr

    assert desk("samples", "--output", "all", cwd=tmp_path).returncode == 0
    for name, learner in (("good-unit_a", "ann"), ("good-unit_b", "ann"), ("wrong-digest", "bob")):
        shutil.move(tmp_path / "all" / name, tmp_path / "class" / learner / name)
    check = ("check", "class", "--holdouts", "hidden.json", "--output", "books")
    ran = desk(*check, "--ledger", "ledger.jsonl", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "bob: unit_a manifest TAMPERED, unit_a diary TAMPERED, reservation TAMPERED,"
        " artefact TAMPERED, attempted TAMPERED, establishes TAMPERED",
        "2 learners; 1 with parts that are left to you to decide",
        "the books are in books; begin with books/overview.html",
    ]
    assert "23 of 23" in (tmp_path / "books" / "overview.html").read_text()
    ann, bob = gradebook(tmp_path)
    assert (ann["units"], ann["points"], ann["of"]) == ("unit_a unit_b", "11", "11")
    assert (bob["points"], bob["at_most"], bob["of"], bob["checks"]) == ("2", "6", "6", "1")

    decide(tmp_path / "books" / "undecided.toml", tmp_path / "mine.toml")
    (tmp_path / "rubric.toml").write_text("[read.unit_a]\nrecall = 2\n")
    more = ("--decisions", "mine.toml", "--rubric", "rubric.toml")
    ran = desk(*check, *more, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "ann: recall HUMAN_REVIEW_REQUIRED\n1" not in ran.stdout
    ann, bob = gradebook(tmp_path)
    assert (ann["recall"], ann["at_most"], ann["of"]) == ("HUMAN_REVIEW_REQUIRED", "13", "13")
    assert (bob["points"], bob["of"], bob["artefact"]) == ("6", "8", "PASS")
    forgotten = "6 decisions held last time and were not given now: what they were on is undecided"
    assert forgotten in desk(*check, cwd=tmp_path).stdout.splitlines()[0]
    assert forgotten not in desk(*check, cwd=tmp_path).stdout


def gradebook(folder: Path) -> list[dict[str, str]]:
    with (folder / "books" / "gradebook.csv").open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def decide(form: Path, target: Path) -> None:
    """Fill in a form as a person would who lets everything pass."""
    told = form.read_text("utf-8").replace('verdict = ""', 'verdict = "PASS"')
    told = told.replace('by = ""', 'by = "Lucy"').replace('reason = ""', 'reason = "I asked them"')
    target.write_text(told, "utf-8")


@needs_sandbox
def test_without_hidden_trials_it_says_what_pass_means(tmp_path: Path) -> None:
    assert desk("samples", "--output", "all", cwd=tmp_path).returncode == 0
    (tmp_path / "class").mkdir()
    (tmp_path / "all" / "good-unit_a").rename(tmp_path / "class" / "ann")
    (tmp_path / "all" / "no-zip.zip").rename(tmp_path / "class" / ".bob.zip")
    one = 'learner = "bob"\npart = "a"\nsubmission = "b"\nverdict = "PASS"\nby = "c"\nreason = "d"'
    (tmp_path / "mine.toml").write_text(f"[[decision]]\n{one}\n")
    check = ("check", "class", "--output", "books", "--decisions", "mine.toml")
    ran = desk(*check, cwd=tmp_path)
    assert ran.stdout.splitlines()[:3] == [
        "class/.bob.zip is passed over, since a dot begins its name; rename what is a submission",
        "decisions without effect: 1; the overview says which, and why",
        "1 learners; 0 with parts that are left to you to decide",
    ]
    assert "PASS says that the public ones pass, and no more" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("check", "nowhere", "--output", "books"), "there is nothing there"),
        (("check", ".", "--output", "books", "--rubric", "bad.toml"), "nobody: no part; parts are"),
        (("check", ".", "--output", "books", "--holdouts", "bad.toml"), "no holdouts"),
        (("check", ".", "--output", "books", "--decisions", "bad.toml"), "[[decision]]"),
        (("check", ".", "--output", "books", "--ledger", "l.jsonl"), "give them, with --holdouts"),
        (("check", ".", "--output", "books", "--jobs", "0"), "integer from 1 to 32"),
        (("check", ".", "--output", "."), "name a new folder"),
        (("samples", "--output", "."), "is there already"),
        (("holdouts", "new", "--seed", "x", "--output", "hidden.json"), "--seed"),
        ((), "ACTION"),
    ],
)
@needs_sandbox
def test_what_cannot_be_done_is_said_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    (tmp_path / "bad.toml").write_text("[weights]\nnobody = 1\n")
    ran = desk(*arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert why in ran.stderr and "Traceback" not in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


def test_without_a_sandbox_it_refuses_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.zip").write_bytes(b"no zip")
    (tmp_path / "nothing").mkdir()
    ran = desk("check", "class", "--output", "books", cwd=tmp_path, path=str(tmp_path / "nothing"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "apt-get install bubblewrap" in ran.stderr
    assert not (tmp_path / "books").exists()
