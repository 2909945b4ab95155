"""A report is saved whole or not at all, over nothing, and read back with doubt."""

import errno
import hashlib
import json
import os
import re
import secrets
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from lab import evidence
from lab.cases import CASES
from lab.errors import InputError, LabError
from lab.evaluation import evaluate
from lab.evidence import Report, load_report, save_report
from lab.shop.fixtures import OfflineShopModel

POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes and signals are POSIX")


@pytest.fixture(scope="module")
def report() -> Report:
    return evaluate(OfflineShopModel, cases=CASES[:2])


@pytest.fixture(params=["without a name", "with a hidden name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to write a file: Linux's, and the one that every system has."""
    if request.param == "with a hidden name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


def test_what_is_saved_is_what_is_loaded(report: Report, tmp_path: Path, way: None) -> None:
    path, digest = save_report(tmp_path, report)
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert load_report(path, digest) == report
    assert load_report(path, digest.upper()) == report
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert json.loads(path.read_text())["schema"] == 3


@POSIX
def test_only_the_owner_may_read_it(report: Report, tmp_path: Path, way: None) -> None:
    path, _ = save_report(tmp_path / "a" / "b", report)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_same_report_twice_is_two_files(report: Report, tmp_path: Path, way: None) -> None:
    paths = {save_report(tmp_path, report)[0] for _ in range(5)}
    assert len(paths) == len(list(tmp_path.iterdir())) == 5


class AtNoon(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> "AtNoon":
        return cls(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


def test_a_name_that_is_taken_is_never_written_over(
    report: Report, tmp_path: Path, way: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "datetime", AtNoon)
    monkeypatch.setattr(secrets, "token_hex", lambda size: "ab" * size)
    first, digest = save_report(tmp_path, report)
    second, _ = save_report(tmp_path, report)
    assert first.name == f"report-20261201T120000Z-{digest[:12]}.json"
    assert second.name == f"report-20261201T120000Z-{digest[:12]}-abababab.json"
    first.write_text("somebody's")
    second.write_text("somebody else's")
    with pytest.raises(LabError, match="every name that was tried is taken"):
        save_report(tmp_path, report)
    assert (first.read_text(), second.read_text()) == ("somebody's", "somebody else's")
    assert sorted(tmp_path.iterdir()) == sorted([first, second])


def hide_names() -> None:
    """Have this process write as systems do that have no O_TMPFILE."""
    if hasattr(os, "O_TMPFILE"):
        del os.O_TMPFILE


def save_twenty(folder: str, report: Report, start: float) -> list[tuple[str, str]]:
    time.sleep(max(0, start - time.time()))
    saved = [save_report(folder, report) for _ in range(20)]
    return [(str(path), digest) for path, digest in saved]


@pytest.mark.parametrize("prepare", [None, hide_names])
def test_two_processes_that_save_the_same_at_the_same_moment_do_not_meet(
    report: Report, tmp_path: Path, prepare: Callable[[], None] | None
) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=prepare) as pool:
        list(pool.map(time.sleep, [0.2, 0.2]))  # both are there
        start = time.time() + 0.1
        both = [pool.submit(save_twenty, str(tmp_path), report, start) for _ in range(2)]
        saved = [each for process in both for each in process.result()]
    paths = {Path(path) for path, _ in saved}
    assert paths == set(tmp_path.iterdir())
    assert len(paths) == 40
    ((_, digest), *_) = saved
    assert {said for _, said in saved} == {digest}
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in paths} == {digest}
    # They did contend: of forty in two or three seconds hardly one got the short name.
    assert sum(len(path.stem.split("-")) == 4 for path in paths) > 30


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), {1, 2}, ENDLESS])
def test_what_is_not_plain_data_is_refused_and_leaves_nothing(
    report: Report, tmp_path: Path, way: None, bad: Any
) -> None:
    with pytest.raises(InputError, match="not plain data"):
        save_report(tmp_path, {**report, "totals": {"seconds": bad}})
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_plain_data_in_the_last_attempt_leaves_nothing(
    report: Report, tmp_path: Path, way: None
) -> None:
    rows = [*report["cases"] * 200, {**report["cases"][0], "seconds": float("nan")}]
    with pytest.raises(InputError, match=r"not plain data: ValueError: .*not JSON compliant"):
        save_report(tmp_path, {**report, "cases": rows})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", [None, 5, [1], {1: "one"}, {"schema": 3, None: 1}])
def test_what_is_no_report_is_refused_and_leaves_nothing(tmp_path: Path, bad: Any) -> None:
    with pytest.raises(InputError, match="not plain data"):
        save_report(tmp_path, bad)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("odd", [{}, {"cases": None}, {"cases": {"a": 1}}, {"cases": []}])
def test_what_is_saved_is_always_json(tmp_path: Path, odd: Report) -> None:
    path, _ = save_report(tmp_path, odd)
    assert json.loads(path.read_text()) == odd


def test_its_bytes_are_on_the_disk_before_its_name_and_then_its_name(
    report: Report, tmp_path: Path, way: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = list[str]()
    fsync, link = os.fsync, os.link

    def noted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        order.append("folder" if is_folder else f"{os.fstat(descriptor).st_size} bytes")

    def noted_link(*paths: Any, **options: Any) -> None:
        link(*paths, **options)
        order.append("name")

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "link", noted_link)
    path, _ = save_report(tmp_path, report)
    assert order == [f"{path.stat().st_size} bytes", "name", "folder"]


def test_a_folder_that_cannot_be_flushed_for_lack_of_a_way_is_let_be(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def network_share(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", network_share)
    path, digest = save_report(tmp_path, report)
    assert load_report(path, digest) == report


def test_a_sandbox_without_proc_has_the_other_way(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_stat, real_link, linked = os.stat, os.link, list[str]()

    def no_proc(path: Any, *args: Any, **options: Any) -> os.stat_result:
        if str(path).startswith("/proc"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return real_stat(path, *args, **options)

    def noted(source: str, *args: Any, **options: Any) -> None:
        linked.append(source)
        real_link(source, *args, **options)

    monkeypatch.setattr(os, "stat", no_proc)
    monkeypatch.setattr(os, "link", noted)
    path, digest = save_report(tmp_path, report)
    monkeypatch.undo()
    assert load_report(path, digest) == report
    assert [Path(source).name.startswith(".saving-") for source in linked] == [True]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["open", "fsync", "link"])
def test_a_disk_that_fails_at_any_step_leaves_nothing(
    report: Report, tmp_path: Path, way: None, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(LabError, match="No space left on device") as refusal:
        save_report(tmp_path, report)
    assert str(tmp_path) in str(refusal.value)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.EROFS, "Read-only file system"), (errno.EACCES, "Permission denied")],
)
def test_a_folder_that_may_not_be_written_is_named(
    report: Report,
    tmp_path: Path,
    way: None,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    said: str,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(LabError, match=f"^{re.escape(str(tmp_path))}: .*: {said}"):
        save_report(tmp_path, report)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 64 KiB, where one may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root on Linux may mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full_leaves_nothing(
    report: Report, small_disk: Path, way: None
) -> None:
    first, digest = save_report(small_disk, report)
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"):
        filler.write_bytes(b"x" * 100_000)
    with pytest.raises(LabError, match="could not be saved: No space left on device"):
        save_report(small_disk, report)
    assert sorted(small_disk.iterdir()) == sorted([filler, first])
    assert load_report(first, digest) == report
    filler.unlink()
    second, _ = save_report(small_disk, report)
    assert sorted(small_disk.iterdir()) == sorted([first, second])


@POSIX
def test_a_file_that_may_not_grow_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys\n"
        "from lab import CASES, LabError, OfflineShopModel, evaluate, save_report\n"
        "report = evaluate(OfflineShopModel)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "try:\n"
        "    save_report(sys.argv[1], report)\n"
        "except LabError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "could not be saved: File too large" in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="could not be saved: Not a directory"):
        save_report(tmp_path / "file" / "folder", report)


@POSIX
@pytest.mark.parametrize("options", [[], ["hidden"]])
def test_a_process_killed_hundreds_of_times_leaves_whole_files_only(
    tmp_path: Path, options: list[str]
) -> None:
    command = [sys.executable, "-m", "tests.killing", "save", str(tmp_path), "110", *options]
    subprocess.run(command, check=True, timeout=120)
    hidden = {path for path in tmp_path.iterdir() if path.name.startswith(".saving-")}
    visible = {*tmp_path.iterdir()} - hidden
    assert len(visible) > 20
    if options:
        assert hidden  # it was killed in the middle of saving
    elif hasattr(os, "O_TMPFILE"):
        assert not hidden
    for path in visible:
        load_report(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert re.fullmatch(rf"report-\d{{8}}T\d{{6}}Z-{digest[:12]}(-\w{{8}})?\.json", path.name)


def edited(change: Callable[[Report], None]) -> Callable[[bytes], bytes]:
    def edit(data: bytes) -> bytes:
        report = json.loads(data)
        change(report)
        return json.dumps(report).encode()

    return edit


def put(value: Any, *place: Any) -> Callable[[bytes], bytes]:
    """Put a value at a place in a report."""

    def change(report: Report) -> None:
        within: Any = report
        for step in place[:-1]:
            within = within[step]
        within[place[-1]] = value

    return edited(change)


def drop(*place: Any) -> Callable[[bytes], bytes]:
    def change(report: Report) -> None:
        within: Any = report
        for step in place[:-1]:
            within = within[step]
        del within[place[-1]]

    return edited(change)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda data: data[:-30], "not a report"),
        (lambda data: b"", "not a report"),
        (lambda data: b"[]", "the report: Input should be"),
        (lambda data: b"\xff" + data, "not a report"),
        (lambda data: data.replace(b'"schema"', b'"x": NaN, "schema"', 1), "NaN is not JSON"),
        (lambda data: data.replace(b'"schema"', b'"passed": true, "schema"', 1), "stands twice"),
        (lambda data: data[: len(data) // 2], "not a report: "),
        (lambda data: data[:-3], "not a report: "),
        (
            put(False, "cases", 1, "checks", "grounded"),
            "cases.1.passed is True, its checks say False",
        ),
        (put(False, "cases", 0, "passed"), "cases.0.passed is False, its checks say True"),
        (put({}, "cases", 0, "checks"), "cases.0.passed is True, its checks say False"),
        (put(1, "cases", 0, "checks", "grounded"), "cases.0.checks.grounded: Input should be"),
        (drop("cases", 1), "counts.passed is 2, the attempts say 1"),
        (put(False, "passed"), "passed is False, the attempts say True"),
        (
            put("ACCEPTED", "acceptance", "status"),
            "acceptance.status is ACCEPTED, the attempts say REVIEW_REQUIRED",
        ),
        (put([], "acceptance", "ungraded"), "acceptance.ungraded: List should have at least 1"),
        (
            put(3, "counts", "by_check", "grounded", "passed"),
            "counts.by_check.grounded.passed is 3, the attempts say 2",
        ),
        (drop("counts", "by_split"), "counts.by_split is None, the attempts say"),
        (put(1, "counts", "by_status", "NOT_RUN"), "counts.by_status.NOT_RUN is 1, the attempts"),
        (put(2.0, "counts", "passed"), "counts.passed is 2.0, the attempts say 2"),
        (put(-1.0, "totals", "seconds"), "totals.seconds is -1.0, the attempts say "),
        (put(4, "totals", "model_calls"), "totals.model_calls is 4, the attempts say 5"),
        (put(1, "baseline_totals", "model_calls"), "baseline_totals.model_calls is 1, the"),
        (put(2, "schema"), "schema is 2, the attempts say 3"),
        (put("3", "schema"), "schema: Input should be a valid integer"),
        (drop("caveats"), "caveats: Field required"),
        (drop("cases", 1, "case"), "cases.1.case: Field required"),
        (drop("cases", 0, "baseline", "seconds"), "cases.0.baseline.seconds: Field required"),
        (put("3", "cases", 0, "model_calls"), "cases.0.model_calls: Input should be a valid int"),
        (put(True, "cases", 0, "tool_calls"), "cases.0.tool_calls: Input should be a valid int"),
    ],
)
def test_what_was_changed_is_refused_by_file_and_place(
    report: Report, tmp_path: Path, edit: Callable[[bytes], bytes], said: str
) -> None:
    path, digest = save_report(tmp_path, report)
    path.write_bytes(edit(path.read_bytes()))
    with pytest.raises(InputError) as refusal:
        load_report(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert said in str(refusal.value)
    with pytest.raises(InputError, match="the bytes have changed"):
        load_report(path, digest)


def test_a_report_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_report(tmp_path / "report.json")
