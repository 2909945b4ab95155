"""`lab attack`, `review`, `calibrate` and `ledger`, as they are typed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lab.evidence import load_report


def lab(*arguments: Any, cwd: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lab", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, input=typed)


def test_attack_one_and_all_of_a_kind(tmp_path: Path) -> None:
    ran = lab("attack", "--only", "wrong amount", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "wrong amount blind spot COMPLETED ok ok ok ok ok ok ok ok" in " ".join(
        ran.stdout.split()
    )
    assert "as written         True" in ran.stdout
    ran = lab("attack", "--kind", "false alarm", "--json", cwd=tmp_path)
    assert [entry["name"] for entry in json.loads(ran.stdout)] == [
        "product with a currency in its name",
        "quotes the euros to decline them",
        "falsified answer",
        "broken baseline",
    ]
    ran = lab("attack", "--only", "nothing", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "'nothing' is not in the catalogue" in ran.stderr


def test_attack_with_worse_checks(tmp_path: Path) -> None:
    ran = lab("attack", "--mutate", cwd=tmp_path)
    assert ran.returncode == 0
    assert "not noticed        0 of 24" in ran.stdout


def test_evaluate_with_a_ledger_and_review_it(tmp_path: Path) -> None:
    ran = lab("evaluate", "--split", "held-out", "--ledger", "seen.jsonl", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "reviewed           0 of 2 answers reviewed" in ran.stdout
    [path] = (tmp_path / "lab-reports").glob("report-*.json")
    shown = lab("ledger", "seen.jsonl", "--report", path, cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "sees zero_threshold, larger_reservation" in shown.stdout
    assert "3 entries, unbroken" in shown.stdout

    answers = "y\ny\ny\nn\n\ntoo short\nq\n"
    ran = lab("review", path, "--reviewer", "ann", cwd=tmp_path, typed=answers)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "objection          zero_threshold 1: useful, ann: too short" in ran.stdout
    assert "not reviewed       larger_reservation 1" in ran.stdout
    state = json.loads(lab("review", path, "--json", cwd=tmp_path).stdout)
    assert (state["reviewed"], state["reviewers"]) == (1, {"ann": 1})
    assert "1 of 2 answers reviewed; by ann 1" in lab("verify", path, cwd=tmp_path).stdout
    assert load_report(path)["acceptance"]["status"] == "REVIEW_REQUIRED"


def test_a_ledger_that_was_edited_or_is_another(tmp_path: Path) -> None:
    lab("evaluate", "--split", "held-out", "--ledger", "seen.jsonl", cwd=tmp_path)
    [path] = (tmp_path / "lab-reports").glob("report-*.json")
    moved = lab(
        "ledger", "other.jsonl", "--move", "opening", "--to", "regression", "--reason", "it failed",
        cwd=tmp_path,
    )  # fmt: skip
    assert "opening to regression: it failed" in moved.stdout
    another = lab("ledger", "other.jsonl", "--report", path, cwd=tmp_path)
    assert another.returncode == 2
    assert "is not the ledger that" in another.stderr
    kept = tmp_path / "seen.jsonl"
    kept.write_text(kept.read_text().replace("zero_threshold", "zero_thresh0ld"))
    ran = lab("evaluate", "--split", "held-out", "--ledger", "seen.jsonl", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "this ledger was changed: line 2 is not" in ran.stderr or "line 3" in ran.stderr
    assert lab("ledger", "none.jsonl", cwd=tmp_path).returncode == 2


def test_calibrate_says_what_it_cannot_show(tmp_path: Path) -> None:
    ran = lab("calibrate", "--output", "kept.json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    said = " ".join(ran.stdout.split())
    assert "aids: finds 16/24 [0.47, 0.82] of what is wrong" in said
    assert "always_good: finds 0/24 [0.00, 0.14]" in said
    assert "How often faults occur is not in it" in said
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert len(kept["reviewers"]["aids"]["rows"]) == 45
    again = lab("calibrate", "--output", "kept.json", cwd=tmp_path)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_calibrate_a_person(tmp_path: Path) -> None:
    ran = lab("calibrate", "--person", "ann", cwd=tmp_path, typed="g\n" * 45)
    assert ran.returncode == 0, ran.stderr
    assert "ann: finds 0/24" in ran.stdout
