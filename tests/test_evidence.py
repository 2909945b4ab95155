"""A report is saved whole or not at all, over nothing, and read back with doubt."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

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


def _save(folder: str) -> tuple[str, str]:
    path, digest = save_report(folder, evaluate(OfflineShopModel, cases=CASES[:1]))
    return str(path), digest


def test_processes_that_save_at_once_do_not_meet(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        saved = list(pool.map(_save, [str(tmp_path)] * 12))
    assert len({path for path, _ in saved}) == 12
    for path, digest in saved:
        load_report(path, digest)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_is_not_plain_data_is_refused_and_leaves_nothing(
    report: Report, tmp_path: Path, way: None, bad: Any
) -> None:
    with pytest.raises(InputError, match="not plain data"):
        save_report(tmp_path, {**report, "totals": {"seconds": bad}})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "link"])
def test_a_disk_that_fails_at_any_step_leaves_nothing(
    report: Report, tmp_path: Path, way: None, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(LabError, match="No space left on device") as refusal:
        save_report(tmp_path, report)
    assert str(tmp_path) in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


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
    command = [sys.executable, "-m", "tests.killing", "save", str(tmp_path), "200", *options]
    subprocess.run(command, check=True, timeout=120)
    visible = [path for path in tmp_path.iterdir() if not path.name.startswith(".saving-")]
    assert len(visible) > 20
    if not options and hasattr(os, "O_TMPFILE"):
        assert sorted(visible) == sorted(tmp_path.iterdir())
    for path in visible:
        assert path.suffix == ".json"
        load_report(path)


def edited(change: Callable[[Report], None]) -> Callable[[bytes], bytes]:
    def edit(data: bytes) -> bytes:
        report = json.loads(data)
        change(report)
        return json.dumps(report).encode()

    return edit


def flip(report: Report) -> None:
    report["cases"][1]["checks"]["grounded"] = False


def fail(report: Report) -> None:
    report["cases"][0]["passed"] = False


def hide(report: Report) -> None:
    del report["cases"][1]


def accept(report: Report) -> None:
    report["acceptance"]["status"] = "ACCEPTED"


def more(report: Report) -> None:
    report["counts"]["by_check"]["grounded"]["passed"] = 3


def older(report: Report) -> None:
    report["schema"] = 2


def nameless(report: Report) -> None:
    del report["cases"][1]["case"]


def wordy(report: Report) -> None:
    report["cases"][0]["model_calls"] = "3"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda data: data[:-30], "not a report"),
        (lambda data: b"", "not a report"),
        (lambda data: b"[]", "the report: Input should be"),
        (lambda data: b"\xff" + data, "not a report"),
        (lambda data: data.replace(b'"schema"', b'"x": NaN, "schema"', 1), "NaN is not JSON"),
        (lambda data: data.replace(b'"schema"', b'"passed": true, "schema"', 1), "stands twice"),
        (edited(flip), "cases.1.passed is True, its checks say False"),
        (edited(fail), "cases.0.passed is False, its checks say True"),
        (edited(hide), "counts.passed is 2, the attempts say 1"),
        (edited(accept), "acceptance.status is ACCEPTED, the attempts say REVIEW_REQUIRED"),
        (edited(more), "counts.by_check"),
        (edited(older), "schema is 2, the attempts say 3"),
        (edited(nameless), "cases.1.case: Field required"),
        (edited(wordy), "cases.0.model_calls: Input should be a valid integer"),
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
