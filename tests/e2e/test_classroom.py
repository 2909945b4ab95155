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
    made = desk("holdouts", "new", "--seed", 7, "--output", "hidden.json", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert "read them before you use them" in made.stdout
    assert stat.S_IMODE((tmp_path / "hidden.json").stat().st_mode) == 0o600
    again = desk("holdouts", "new", "--seed", 7, "--output", "hidden.json", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "name a new file" in again.stderr

    assert desk("samples", "--output", "all", cwd=tmp_path).returncode == 0
    for name in ("good-unit_a", "good-unit_b", "wrong-digest"):
        shutil.move(tmp_path / "all" / name, tmp_path / "class" / name)
    check = ("check", "class", "--holdouts", "hidden.json", "--output", "books")
    for ledger in ((), ("--ledger", "ledger.jsonl")):
        ran = desk(*check, *ledger, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        assert "wrong-digest: manifest TAMPERED" in ran.stdout
        assert "3 submissions; the books are in books" in ran.stdout
    assert "23 of 23 hidden trials are held out" in (tmp_path / "books/overview.html").read_text()
    with (tmp_path / "books" / "gradebook.csv").open(encoding="utf-8-sig") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert rows["good-unit_a"]["points"] == rows["good-unit_a"]["of"] == "6"
    assert rows["good-unit_a"]["checks"] == "1"
    assert rows["wrong-digest"]["undecided"] == "manifest diary"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("check", "nowhere", "--output", "books"), "there is nothing there"),
        (("check", ".", "--output", "books", "--rubric", "bad.toml"), "no part, or no weight"),
        (("check", ".", "--output", "books", "--holdouts", "bad.toml"), "no holdouts"),
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
