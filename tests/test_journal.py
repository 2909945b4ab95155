"""Nothing that was finished is lost, nothing that was cut off is hidden."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lab.attacks import Script
from lab.baselines import baseline
from lab.cases import CASES, Case
from lab.errors import InputError, LabError
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.grading import CHECKS, Criteria
from lab.journal import Journal, is_complete, latest_unfinished, new_path
from lab.shop import OPENING_PROCEDURE, Limits, ModelTurn, OfflineShopModel
from tests.killing import ATTEMPTS

FOUR = CASES[:4]


class StopsAt(OfflineShopModel):
    """Interrupts the run at the attempt whose number is set."""

    made = 0
    at = 0

    def __init__(self) -> None:
        type(self).made += 1
        if type(self).made == type(self).at:
            raise KeyboardInterrupt


def run(journal: Journal | Path, stop_at: int = 0, **options: Any) -> Report:
    StopsAt.made, StopsAt.at = 0, stop_at
    return evaluate(StopsAt, **{"cases": FOUR, "journal": journal, **options})


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def kinds(path: Path) -> list[str]:
    return [entry["kind"] for entry in entries(path)]


def test_every_start_and_every_finish_is_written_down(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "j.jsonl"
    report = run(path)
    assert kinds(path) == ["began", *["started", "finished"] * 4, "ended"]
    assert [entry["row"] for entry in entries(path) if "row" in entry] == report["cases"]
    assert entries(path)[-1]["complete"] is True
    assert is_complete(path)
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_an_entry_is_on_paper_before_the_attempt_it_names_is_made(tmp_path: Path) -> None:
    path, seen = tmp_path / "j.jsonl", list[int]()

    class Looks(OfflineShopModel):
        def __init__(self) -> None:
            seen.append(path.read_text().count('"kind":"started"'))

    evaluate(Looks, cases=FOUR, journal=path)
    assert seen == [1, 2, 3, 4]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    first = run(path, stop_at=3)
    assert first["counts"]["by_status"] == {"COMPLETED": 2, "NOT_RUN": 2}
    assert not is_complete(path)
    second = run(Journal.resume(path))
    assert StopsAt.made == 2  # the two that were missing, and no other
    assert second["counts"]["by_status"] == {"COMPLETED": 4}
    assert [row["resumed"] for row in second["cases"]] == [True, True, False, False]
    assert [row | {"resumed": False} for row in second["cases"][:2]] == first["cases"][:2]
    assert [len(row["interruptions"]) for row in second["cases"]] == [0, 0, 1, 0]
    cut = second["cases"][2]["interruptions"][0]
    assert cut["started"] <= cut["noticed"] <= second["cases"][2]["started"]
    assert kinds(path)[-6:] == ["interrupted", *["started", "finished"] * 2, "ended"]
    # Gone on with once more, there is nothing left to do.
    assert run(Journal.resume(path))["cases"] == [
        row | {"resumed": True} for row in second["cases"]
    ]
    assert StopsAt.made == 0


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        ({"cases": CASES[:3]}, "cases"),
        ({"cases": [*CASES[:3], Case("empty_catalog", "held-out", (), ())]}, "cases"),
        ({"repeats": 2}, "repeats"),
        ({"limits": Limits(seconds=61)}, "limits"),
        ({"skill": OPENING_PROCEDURE}, "candidate, skills"),
        ({"checks": {**CHECKS, "completed": lambda seen: True}}, "checks"),
        ({"criteria": Criteria(max_seconds=1)}, "criteria"),
        ({"baseline": lambda case: baseline(case)}, "baseline"),
    ],
)
def test_the_journal_of_another_run_is_refused_and_left_alone(
    tmp_path: Path, options: dict[str, Any], differs: str
) -> None:
    path = tmp_path / "j.jsonl"
    run(path, stop_at=2)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"another run: {differs} differ"):
        run(Journal.resume(path), **options)
    assert path.read_bytes() == before


def test_the_journal_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    run(path, stop_at=2)
    with pytest.raises(InputError, match="another run: model differ"):
        evaluate(OfflineShopModel, cases=FOUR, journal=Journal.resume(path))


def test_a_new_run_never_writes_into_an_old_journal(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    run(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="a journal is there already"):
        run(path)
    assert path.read_bytes() == before


def test_what_is_no_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    for content in (b"hello\nworld\n", b'{"kind":"started"}\n', b'{"a":1}\n', b"[]\n", b"1\n2\n"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="journal"):
            run(Journal.resume(path))
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"quantities":true', '"quantities":false'),
        ('"passed":true', '"passed":false'),
        ('"expected":[["V",6],["S",4]]', '"expected":[["V",6]]'),
        ('"case":"opening"', '"case":"at_threshold"'),
        ('"allowed":[', '"allowance":['),
        ('"answer":"V: 6', '"response":"V: 6'),
    ],
)
def test_a_row_that_was_altered_is_refused_and_everything_stays(
    tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "j.jsonl"
    run(path, stop_at=3)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match="row of attempt 0 does not grade again as it did"):
        run(Journal.resume(path))
    assert path.read_text().startswith(text.replace(old, new, 1))
    assert StopsAt.made == 0


def test_cut_at_any_byte_a_journal_can_be_gone_on_with(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    two: dict[str, Any] = {"cases": CASES[1:3]}
    run(whole, **two)
    data = whole.read_bytes()
    lines = data.splitlines(keepends=True)
    near_ends = {len(b"".join(lines[:n])) + d for n in range(len(lines)) for d in (-2, -1, 0, 1, 9)}
    for end in sorted({*range(0, len(data), 97), *near_ends} - {-2, -1}):
        path = tmp_path / f"cut-{end}.jsonl"
        path.write_bytes(data[:end])
        report = run(Journal.resume(path), **two)
        assert report["passed"] is True
        assert path.read_bytes().startswith(data[:end])
        # What was whole before the cut was kept, and it can be gone on with again.
        finished = sum(b'"kind":"finished"' in line for line in lines if line in data[:end])
        assert [row["resumed"] for row in report["cases"]].count(True) >= finished
        assert all(row["resumed"] for row in run(Journal.resume(path), **two)["cases"])


@pytest.mark.skipif(os.name != "posix", reason="forks and kills")
def test_a_run_killed_hundreds_of_times_loses_no_finished_row(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    command = [sys.executable, "-m", "tests.killing", "journal", str(path), "150"]
    subprocess.run(command, check=True, timeout=180)
    readable = []
    for line in path.read_text().splitlines():
        try:
            readable.append(json.loads(line))
        except ValueError:
            readable.append({"kind": "half a line"})
    finished = {entry["attempt"]: entry["row"] for entry in readable if entry["kind"] == "finished"}
    assert len(finished) == ATTEMPTS
    assert sum(entry["kind"] == "finished" for entry in readable) == ATTEMPTS
    # A half line is always followed by an entry that says so.
    for entry, after in pairwise(readable):
        assert entry["kind"] != "half a line" or after["kind"] in ("torn", "half a line")
    rows = json.loads((tmp_path / "j.jsonl.rows").read_text())
    assert [row["case"] for row in rows] == [f"case {n}" for n in range(ATTEMPTS)]
    for attempt, row in enumerate(rows):
        assert row | {"resumed": False} == finished[attempt]
    starts = sum(entry["kind"] == "started" for entry in readable)
    cuts = sum(entry["kind"] == "interrupted" for entry in readable)
    assert starts == ATTEMPTS + cuts
    assert cuts == sum(len(row["interruptions"]) for row in rows) > 0


def test_two_runs_cannot_write_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    script = (
        "import sys, time\n"
        "from lab.journal import Journal\n"
        "Journal.create(sys.argv[1]).begin({}, 1)\n"
        "print('begun', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        with pytest.raises(InputError, match="another run is writing this journal"):
            run(Journal.resume(path))
        other.kill()


def test_it_reaches_the_disk_while_the_run_goes_on_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, real = list[int](), os.fsync

    def noted(descriptor: int) -> None:
        real(descriptor)
        synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", noted)
    path = tmp_path / "j.jsonl"

    class Slow(OfflineShopModel):
        def __init__(self) -> None:
            time.sleep(0.3)

    evaluate(Slow, cases=CASES[:2], journal=path)
    assert len(synced) >= 3
    assert synced[-1] == path.stat().st_size


def test_a_journal_that_cannot_be_written_stops_the_run_and_keeps_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "j.jsonl", os.write

    def full(descriptor: int, data: bytes) -> int:
        if b'"attempt":2' in data:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(LabError, match="No space left on device") as refusal:
        run(path)
    assert "--resume" in str(refusal.value)
    monkeypatch.undo()
    report = run(Journal.resume(path))
    assert [row["resumed"] for row in report["cases"]] == [True, True, False, False]
    assert threading.active_count() < 20


def test_a_half_written_entry_is_closed_off_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "j.jsonl", os.write

    def half(descriptor: int, data: bytes) -> int:
        if b'"kind":"started","attempt":2' in data:
            real(descriptor, data[:10])
            raise OSError(errno.EIO, "Input/output error")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(LabError):
        run(path)
    monkeypatch.undo()
    report = run(Journal.resume(path))
    assert [row["resumed"] for row in report["cases"]] == [True, True, False, False]


def test_the_newest_unfinished_journal_is_found(tmp_path: Path) -> None:
    assert latest_unfinished(tmp_path / "nowhere") is None
    done, old, new = (tmp_path / f"journal-{n}.jsonl" for n in "abc")
    run(old, stop_at=2)
    run(new, stop_at=2)
    run(done)
    os.utime(old, (1, 1))
    assert latest_unfinished(tmp_path) == new
    assert new_path(tmp_path) != new_path(tmp_path)


def test_an_unserialisable_row_cannot_happen_and_a_long_answer_can(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    turn = ModelTurn("Nothing. " * 50_000)
    report = evaluate(lambda: Script(turn), cases=CASES[1:2], journal=path)
    assert entries(path)[2]["row"] == report["cases"][0]
