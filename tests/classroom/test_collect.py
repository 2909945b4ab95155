"""What is taken in, what is not, and under whose name."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from lab.classroom.collect import Unreadable, collect, fingerprint, found_in
from lab.errors import InputError


def packed(path: Path, members: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, data in members.items():
            whole.writestr(name, data)
    return path


def whole() -> dict[str, bytes]:
    files = {"notebook.ipynb": b"{}", "answers.json": b"{}"}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return {**files, "manifest.json": json.dumps({"unit": "unit_a", "files": digests}).encode()}


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({}, "there is no manifest.json"),
        ({"../manifest.json": b"{}"}, "leads out of its folder"),
        ({"a/../../manifest.json": b"{}"}, "leads out of its folder"),
        ({"..\\manifest.json": b"{}"}, "leads out of its folder"),
        ({"C:\\manifest.json": b"{}"}, "leads out of its folder"),
        ({"/etc/passwd": b"{}"}, "leads out of its folder"),
        ({"a/m.json": b"{}", "b/m.json": b"{}"}, "lie in more than one folder"),
        ({"a/manifest.json": b"{}", "a/b/manifest.json": b"{}"}, "lie in more than one folder"),
        ({"bomb.bin": b"0" * (20 * 1024 * 1024 + 1)}, "20971520 bytes in one"),
        ({f"{n}.txt": b"" for n in range(41)}, "more than 40 files"),
        ({**whole(), "manifest.json": "{}".encode("utf-16")}, "manifest.json is no JSON in UTF-8"),
        ({**whole(), "manifest.json": b"[]"}, "manifest.json is no JSON object"),
        ({**whole(), "manifest.json": b'{"unit": "unit_z", "files": {}}'}, "names no unit"),
        ({**whole(), "manifest.json": b'{"unit": ["unit_a"], "files": {}}'}, "names no unit"),
        ({**whole(), "manifest.json": b'{"unit": "unit_a"}'}, "names no unit of this lab, or no"),
    ],
)
def test_what_is_no_submission_is_told(
    members: dict[str, bytes], told: str, tmp_path: Path
) -> None:
    with pytest.raises(Unreadable, match=told):
        collect(packed(tmp_path / "a.zip", members))


def test_a_zip_may_come_from_any_system(tmp_path: Path) -> None:
    for number, folder in enumerate(("", "./", "ann/", "ann\\", "class/ann/")):
        members = {f"{folder}{name}": data for name, data in whole().items()}
        members |= {"__MACOSX/._manifest.json": b"", f"{folder}.DS_Store": b""}
        found = collect(packed(tmp_path / f"{number}.zip", members))
        assert sorted(found.files) == ["answers.json", "manifest.json", "notebook.ipynb"]
        assert (found.unit, found.tampered) == ("unit_a", [])


def test_a_file_that_is_in_it_twice_is_told(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", whole())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as more:
        more.writestr("manifest.json", b"{}")
    with pytest.raises(Unreadable, match=r"'manifest\.json' is in it twice"):
        collect(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").symlink_to("/etc/passwd")
    with pytest.raises(Unreadable, match="is a link"):
        collect(tmp_path / "a")
    info = zipfile.ZipInfo("manifest.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as linked:
        linked.writestr(info, "/etc/passwd")
    with pytest.raises(Unreadable, match="is a link"):
        collect(tmp_path / "a.zip")


def test_changed_and_added_and_missing_files_are_told(tmp_path: Path) -> None:
    files = {**whole(), "answers.json": b'{"x": 1}', "essay.txt": b"read me"}
    found = collect(packed(tmp_path / "a.zip", files))
    assert found.tampered == ["answers.json is not what the manifest was written for"]
    assert found.notes == ["essay.txt is not in the manifest and is left unread"]
    manifest = json.loads(whole()["manifest.json"])
    manifest["files"]["report.json"] = "0" * 64
    files = {**whole(), "manifest.json": json.dumps(manifest).encode()}
    found = collect(packed(tmp_path / "b.zip", files))
    assert found.tampered == ["report.json is in the manifest and not here"]


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    for name, data in whole().items():
        (path / name).write_bytes(data)
    return path


def test_a_class_is_found_as_it_was_exported(tmp_path: Path) -> None:
    folder(tmp_path / "class" / "ann")
    folder(tmp_path / "class" / "Bob Byrne_12345_assignsubmission_file" / "submission-unit_a-2026")
    packed(tmp_path / "class" / "cleo" / "submission.zip", whole())
    packed(tmp_path / "class" / "dora.zip", whole())
    (tmp_path / "class" / "emil").mkdir()
    (tmp_path / "class" / ".DS_Store").write_bytes(b"")
    found = found_in([tmp_path / "class"])
    assert {name: str(path.relative_to(tmp_path / "class")) for name, path in found.items()} == {
        "Bob Byrne_12345_assignsubmission_file": (
            "Bob Byrne_12345_assignsubmission_file/submission-unit_a-2026"
        ),
        "ann": "ann",
        "cleo": "cleo/submission.zip",
        "dora": "dora.zip",
        "emil": "emil",
    }
    assert collect(found["cleo"]).unit == "unit_a"
    with pytest.raises(Unreadable, match="there is no manifest"):
        collect(found["emil"])


def test_two_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folder(tmp_path / "monday" / "ann")
    packed(tmp_path / "friday" / "ann.zip", whole())
    found = found_in([tmp_path / "monday", tmp_path / "friday", tmp_path / "monday" / "ann"])
    assert list(found) == ["ann (friday/ann.zip)", "ann (monday/ann)"]


def test_where_there_is_nothing_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing there"):
        found_in([tmp_path / "none"])
    with pytest.raises(InputError, match="there are no submissions"):
        found_in([tmp_path])


def test_a_fingerprint_is_of_every_byte_and_of_what_cannot_be_read(tmp_path: Path) -> None:
    ann = folder(tmp_path / "ann")
    before = fingerprint(ann)
    assert fingerprint(ann) == before
    (ann / "answers.json").write_bytes(b"{ }")
    changed = fingerprint(ann)
    (ann / "link").symlink_to("/etc/passwd")
    path = packed(tmp_path / "a.zip", whole())
    assert len({before, changed, fingerprint(ann), fingerprint(path)}) == 4
    assert fingerprint(tmp_path / "gone.zip") == fingerprint(tmp_path / "gone.zip")
