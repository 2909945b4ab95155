"""Nothing that was finished is lost, nothing that was cut off is hidden."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
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
from lab.journal import Journal, is_complete, latest_unfinished, new_path, parse
from lab.shop import OPENING_PROCEDURE, Limits, ModelTurn, OfflineShopModel, shop_dispatcher

POSIX = pytest.mark.skipif(os.name != "posix", reason="forks, signals and limits are POSIX")
FOUR = CASES[:4]
ALTERED = "row of attempt 0 does not grade again as it did"


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


@POSIX
def test_another_process_reads_each_entry_while_the_run_goes_on(tmp_path: Path) -> None:
    path, seen = tmp_path / "j.jsonl", list[list[str]]()

    class Looks(OfflineShopModel):
        def __init__(self) -> None:
            read = subprocess.run(["cat", path], capture_output=True, text=True, check=True)
            seen.append([json.loads(line)["kind"] for line in read.stdout.splitlines()])

    evaluate(Looks, cases=CASES[:3], journal=path)
    assert seen == [
        ["began", "started"],
        ["began", "started", "finished", "started"],
        ["began", "started", "finished", "started", "finished", "started"],
    ]


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
        ({"skills": [OPENING_PROCEDURE]}, "skills"),
        ({"dispatcher": lambda shop: shop_dispatcher(shop)}, "dispatcher"),
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
    whole = path.read_bytes()
    for before in (whole, whole[:-20]):  # its last line torn, too
        path.write_bytes(before)
        with pytest.raises(InputError, match=f"another run: {differs} differ"):
            run(Journal.resume(path), **options)
        assert path.read_bytes() == before
    assert StopsAt.made == 0


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


BEGAN = b'{"kind":"began","planned":1,"fingerprint":{"of":"this"},"at":"noon"}\n'
STARTED = b'{"kind":"started","attempt":0,"at":"noon"}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello\nworld\n", "line 1: not a journal's entry"),
        (b"hello", "line 1: not a journal's entry"),
        (b"\xff\xfe\x00\x01" * 5000, "line 1: not a journal's entry"),
        (b'{\n "schema": 3\n}\n', "line 2: not a journal's entry"),
        (b"[]\n", "line 1: not a journal's entry"),
        (b"1\n2\n", "line 1: not a journal's entry"),
        (b'{"a":1}\n', "line 1: not a journal's entry"),
        (STARTED, "does not begin as a journal"),
        (b'{"kind":"began"}\n', "does not begin as a journal"),
        (b'{"kind":"began","fingerprint":[]}\n', "does not begin as a journal"),
        (BEGAN + b"hello\n" + STARTED, "line 2: not a journal's entry"),
        (BEGAN + STARTED[:30] + b"\n" + STARTED, "line 2: not a journal's entry"),
        (BEGAN + b"[]\n", "line 2: not a journal's entry"),
        (BEGAN + b'{"kind":"started"}\n', "entry 2 is not a journal's: KeyError"),
        (BEGAN + STARTED.replace(b"0", b"1"), "entry 2 .*: attempt 1 cannot be started here"),
        (BEGAN + STARTED.replace(b"0", b"[]"), "entry 2 is not a journal's: TypeError"),
        (BEGAN + STARTED + STARTED, "entry 3 .*: attempt 0 cannot be started here"),
        (BEGAN + STARTED.replace(b"started", b"interrupted"), "entry 2 is not .*: KeyError"),
        (BEGAN + STARTED + STARTED.replace(b"started", b"finished"), "entry 3 is not .*'row'"),
    ],
)
def test_what_is_no_journal_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "j.jsonl"
    for torn in (b"", b'{"kind":"fin') if content.endswith(b"\n") else (b"",):
        path.write_bytes(content + torn)
        with pytest.raises(InputError, match=f"^{path}.*{said}"):
            Journal.resume(path).begin({"of": "this"}, 1)
        assert path.read_bytes() == content + torn


def test_an_attempt_that_is_finished_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, *lines[1:3]]))  # attempt 0 once more
    with pytest.raises(InputError, match=r"entry 11 .*: attempt 0 cannot be started here"):
        run(Journal.resume(path))


@pytest.mark.parametrize("zeros", [b"\0" * 4096, b'{"kind":"fin' + b"\0" * 4096, b'{"ki\0\0'])
def test_zeros_that_a_power_cut_left_at_the_end_are_a_torn_line(
    tmp_path: Path, zeros: bytes
) -> None:
    path = tmp_path / "j.jsonl"
    run(path, stop_at=3)
    before = path.read_bytes() + zeros
    path.write_bytes(before)
    report = run(Journal.resume(path))
    assert [row["resumed"] for row in report["cases"]] == [True, True, False, False]
    assert path.read_bytes().startswith(before + b'\n{"kind":"torn"')


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"quantities":true', '"quantities":false', ALTERED),
        ('"passed":true', '"passed":false', ALTERED),
        ('"expected":[["V",6],["S",4]]', '"expected":[["V",6]]', ALTERED),
        ('"case":"opening"', '"case":"at_threshold"', ALTERED),
        ('"allowed":[', '"allowance":[', "entry 3 is not a journal's.*allowed"),
        ('"answer":"V: 6', '"response":"V: 6', "entry 3 is not a journal's.*answer"),
        ('"model_calls":3,', '"model_calls":3.0,', "entry 3 is not a journal's.*model_calls"),
    ],
)
def test_a_row_that_was_altered_is_refused_and_everything_stays(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "j.jsonl"
    run(path, stop_at=3)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said):
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


def test_cut_at_every_byte_of_its_last_entries_nothing_is_lost_and_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of times
    path = tmp_path / "j.jsonl"
    no_more: dict[str, Any] = {"transcript": [], "steps": [], "checks": {}}
    rows = [{**row, **no_more} for row in evaluate(OfflineShopModel, cases=CASES[:2])["cases"]]
    journal = Journal.create(path)
    journal.begin({"of": "this"}, 2)
    for n, row in enumerate(rows):
        journal.note("started", n)
        journal.note("finished", n, row)
    journal.close(complete=True)
    data = path.read_bytes()
    *_, second, ended = data.splitlines(keepends=True)
    assert second.startswith(b'{"kind":"finished","attempt":1')
    for end in range(len(data) - len(second) - len(ended), len(data) + 1):
        path.write_bytes(data[:end])
        journal = Journal.resume(path)
        past = journal.begin({"of": "this"}, 2)
        assert past.finished[0] == {**rows[0], "resumed": True}
        if end < len(data) - len(ended) - 1:  # not even all but its line's end is there
            assert 1 not in past.finished
            assert len(past.interruptions[1]) == 1
            journal.note("started", 1)
            journal.note("finished", 1, rows[1])
        else:
            assert past.finished[1] == {**rows[1], "resumed": True}
            assert past.interruptions == {}
        journal.close(complete=True)
        after = path.read_bytes()
        assert after.startswith(data[:end])
        whole, is_torn = parse(after, path)
        assert not is_torn
        assert [e["attempt"] for e in whole if e["kind"] == "finished"] == [0, 1]


@POSIX
def test_runs_killed_hundreds_of_times_lose_no_finished_row(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.killing", "journal", str(tmp_path), "200"]
    subprocess.run(command, check=True, timeout=180)
    journals = sorted(tmp_path.glob("*.jsonl"))
    kills = sum(len(json.loads(path.with_suffix(".sizes").read_text())) for path in journals)
    assert kills >= 200
    cuts = sum(lost_nothing(path) for path in journals)
    assert cuts > 100  # nearly every kill was in the middle of an attempt


def lost_nothing(path: Path) -> int:
    """Check a run that was killed again and again; return how many attempts were cut."""
    data = path.read_bytes()
    whole, is_torn = parse(data, path)
    assert not is_torn
    finished = [entry for entry in whole if entry["kind"] == "finished"]
    assert [entry["attempt"] for entry in finished] == list(range(200))
    rows = json.loads(path.with_suffix(".rows").read_text())
    assert [row["case"] for row in rows] == [f"case {n}" for n in range(200)]
    for entry, row in zip(finished, rows, strict=True):
        assert row | {"resumed": False} == entry["row"]
    at_last_kill, _ = parse(data[: json.loads(path.with_suffix(".sizes").read_text())[-1]], path)
    kept = [entry["kind"] for entry in at_last_kill].count("finished")  # a torn one is none
    assert [row["resumed"] for row in rows] == [True] * kept + [False] * (200 - kept)
    starts = Counter(entry["attempt"] for entry in whole if entry["kind"] == "started")
    cuts = Counter(entry["attempt"] for entry in whole if entry["kind"] == "interrupted")
    for n, row in enumerate(rows):
        assert starts[n] == 1 + cuts[n]
        assert len(row["interruptions"]) == cuts[n]
    return cuts.total()


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


def test_reading_a_journal_lets_nobody_else_write_it(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    writing = Journal.create(path)
    writing.begin({}, 1)
    path.read_bytes()
    is_complete(path)
    with pytest.raises(InputError, match="another run is writing this journal"):
        Journal.resume(path).begin({}, 1)
    script = "import sys; from lab import Journal; Journal.resume(sys.argv[1]).begin({}, 1)"
    other = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert "another run is writing this journal" in other.stderr
    writing.note("started", 0)
    writing.close(complete=False)
    assert kinds(path) == ["began", "started", "ended"]
    again = Journal.resume(path)
    again.begin({}, 1)
    again.close(complete=False)


@POSIX
def test_a_forked_worker_that_outlives_its_run_does_not_keep_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    script = (
        "import os, signal, sys, time\n"
        "from lab.journal import Journal\n"
        "Journal.create(sys.argv[1]).begin({}, 1)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.close(1)\n"
        "    time.sleep(60)\n"
        "    os._exit(0)\n"
        "print(child, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    try:
        assert ran.returncode == -signal.SIGKILL
        journal = Journal.resume(path)
        journal.begin({}, 1)
        journal.close(complete=True)
    finally:
        os.kill(int(ran.stdout), signal.SIGKILL)


def test_a_journal_may_be_gone_on_with_by_the_same_object(tmp_path: Path) -> None:
    journal = Journal.resume(tmp_path / "j.jsonl")
    assert [row["resumed"] for row in run(journal)["cases"]] == [False] * 4
    assert [row["resumed"] for row in run(journal)["cases"]] == [True] * 4
    assert StopsAt.made == 0


def test_a_folder_that_cannot_be_made_is_no_journal_that_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="the journal cannot be written: File exists"):
        run(tmp_path / "file" / "j.jsonl")


def test_every_entry_reaches_the_disk_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j.jsonl"
    written, synced = list[tuple[float, int]](), list[tuple[float, int]]()
    write, fsync = os.write, os.fsync

    def is_the_journal(descriptor: int) -> bool:
        return os.fstat(descriptor).st_ino == path.stat().st_ino

    def noted_write(descriptor: int, data: bytes) -> int:
        count = write(descriptor, data)
        if is_the_journal(descriptor):
            written.append((time.monotonic(), os.fstat(descriptor).st_size))
        return count

    def noted_fsync(descriptor: int) -> None:
        is_journal, size = is_the_journal(descriptor), os.fstat(descriptor).st_size
        fsync(descriptor)
        if is_journal:
            synced.append((time.monotonic(), size))

    class Slow(OfflineShopModel):
        def __init__(self) -> None:
            time.sleep(0.03)

    monkeypatch.setattr(os, "write", noted_write)
    monkeypatch.setattr(os, "fsync", noted_fsync)
    evaluate(Slow, repeats=5, journal=path)
    assert len(written) == 82  # began, forty starts and ends, ended
    assert synced[-1][1] == path.stat().st_size
    for at, size in written:
        on_disk = next(when for when, length in synced if length >= size)
        assert on_disk - at < 0.8  # 0.1, on a machine that may be very busy


def test_its_name_reaches_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = list[int](), os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        synced.append(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fsync", noted)
    journal = Journal.create(tmp_path / "j.jsonl")
    journal.begin({}, 1)
    assert tmp_path.stat().st_ino in synced
    journal.close(complete=True)


@POSIX
def test_a_disk_that_fills_up_keeps_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    script = (
        "import resource, sys\n"
        "from lab import LabError, OfflineShopModel, evaluate\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try:\n"
        "    evaluate(OfflineShopModel, journal=sys.argv[1])\n"
        "except LabError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith(f"{path}: the journal cannot be written: File too large; free")
    before = path.read_bytes()
    assert len(before) == 20_000
    *lines, half = before.split(b"\n")
    assert half
    kept = sum(line.startswith(b'{"kind":"finished"') for line in lines)
    assert 0 < kept < 8
    report = evaluate(OfflineShopModel, journal=Journal.resume(path))
    assert report["passed"] is True
    assert [row["resumed"] for row in report["cases"]] == [True] * kept + [False] * (8 - kept)
    assert path.read_bytes().startswith(before + b'\n{"kind":"torn"')


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
