"""What is taken in, what is not, and why."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from lab.classroom.collect import Unreadable, collect, fingerprint
from tests.classroom.handing_in import folder, packed, whole


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({}, "there is no manifest.json"),
        ({"../manifest.json": b"{}"}, "leads out of its folder"),
        ({"a/../../manifest.json": b"{}"}, "leads out of its folder"),
        ({"..\\manifest.json": b"{}"}, "leads out of its folder"),
        ({"C:\\manifest.json": b"{}"}, "leads out of its folder"),
        ({"/etc/passwd": b"{}"}, "leads out of its folder"),
        ({".": b"{}"}, "'.' leads out of its folder, or is no file's name"),
        ({"a//b": b"{}"}, "'a//b' leads out of its folder, or is no file's name"),
        ({"n" * 1001: b""}, "is longer than 1000 characters"),
        ({f"__MACOSX/{n}": b"" for n in range(10_001)}, "more than 10000 entries"),
        ({"a/m.json": b"{}", "b/m.json": b"{}"}, "lie in more than one folder"),
        ({"a/manifest.json": b"{}", "a/b/manifest.json": b"{}"}, "lie in more than one folder"),
        ({"bomb.bin": b"0" * (20 * 1024 * 1024 + 1)}, "'bomb.bin' has more than 20971520 bytes"),
        ({f"{n}.txt": b"" for n in range(41)}, "more than 40 files"),
        ({f"{n}.bin": b"0" * (16 * 1024 * 1024) for n in range(4)}, "62914560 bytes in all"),
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


def test_a_broken_zip_is_told_whatever_is_broken_in_it(tmp_path: Path) -> None:
    members = {**whole(), "caf\xe9.txt": b""}
    data = packed(tmp_path / "a.zip", members).read_bytes()
    for number, (there, broken, told) in enumerate(
        [
            (b"caf\xc3\xa9", b"caf\xff\xfe", "UnicodeDecodeError"),
            (b"PK\x03\x04", b"PK\x03\x05", "BadZipFile"),
            (b"PK\x05\x06", b"PK\x05\x05", "BadZipFile"),
        ]
    ):
        assert there in data
        path = tmp_path / f"{number}.zip"
        path.write_bytes(data.replace(there, broken))
        with pytest.raises(Unreadable, match=f"neither a folder nor a zip: {told}"):
            collect(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_what_cannot_be_unpacked_piece_by_piece_is_not_unpacked(
    method: int, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as out:
        out.writestr("manifest.json", b"{}")
    with pytest.raises(Unreadable, match=r"'manifest\.json' is packed in an unusual way"):
        collect(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("name", "most"), [("manifest.json", 2**21), ("answers.json", 2**21), ("notebook.ipynb", 2**23)]
)
def test_what_is_read_is_no_longer_than_anybody_needs(name: str, most: int, tmp_path: Path) -> None:
    files = whole()
    collect(packed(tmp_path / "most.zip", {**files, name: files[name].ljust(most)}))
    with pytest.raises(Unreadable, match=f"^{name} has more than {most} bytes$"):
        collect(packed(tmp_path / "more.zip", {**files, name: files[name].ljust(most + 1)}))
    found = collect(packed(tmp_path / "other.zip", {**files, "film.mp4": bytes(2**23)}))
    assert found.notes == ["film.mp4 is not in the manifest and is left unread"]


def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "zero.zip").symlink_to("/dev/zero")
    (tmp_path / "ann").symlink_to(folder(tmp_path / "bob"))
    os.mkfifo(folder(tmp_path / "cleo") / "essay.txt")
    for name, told in {
        "pipe.zip": "'pipe.zip' is neither a plain file nor a folder",
        "zero.zip": "'zero.zip' is a link; hand in what it leads to",
        "ann": "'ann' is a link; hand in what it leads to",
        "cleo": "'essay.txt' is neither a plain file nor a folder",
    }.items():
        with pytest.raises(Unreadable, match=f"^{told}$"):
            collect(tmp_path / name)
        assert fingerprint(tmp_path / name) == fingerprint(tmp_path / name)


def test_a_zip_may_come_from_any_system(tmp_path: Path) -> None:
    for number, inside in enumerate(("", "./", "ann/", "ann\\", "class/ann/")):
        members = {f"{inside}{name}": data for name, data in whole().items()}
        members |= {"__MACOSX/._manifest.json": b"", f"{inside}.DS_Store": b""}
        found = collect(packed(tmp_path / f"{number}.zip", members))
        assert sorted(found.files) == ["answers.json", "manifest.json", "notebook.ipynb"]
        assert (found.unit, found.changed) == ("unit_a", [])


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
    assert found.changed == ["answers.json"]
    assert found.notes == ["essay.txt is not in the manifest and is left unread"]
    manifest = json.loads(whole()["manifest.json"])
    manifest["files"]["report.json"] = "0" * 64
    del manifest["files"]["notebook.ipynb"]  # needed, so that it is read all the same
    files = {**whole(), "manifest.json": json.dumps(manifest).encode()}
    found = collect(packed(tmp_path / "b.zip", files))
    assert found.changed == ["notebook.ipynb", "report.json"]
    assert found.files["notebook.ipynb"] == b"{}"


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
