"""A submission taken in: a folder or zip, read within limits, never unpacked to disk, verified.

Nothing of it is run here. What cannot be read, or is not what its manifest says, is told by name.
"""

import hashlib
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import plain
from lab.lessons.unit import TASKS

MOST_FILES = 40
LARGEST_FILE = 20 * 1024 * 1024
LARGEST_WHOLE = 60 * 1024 * 1024
NEEDED = ("manifest.json", "notebook.ipynb", "answers.json")


IGNORED = ("__MACOSX", "Thumbs.db", "desktop.ini")
"""What systems leave beside files, as well as everything whose name begins with a dot."""


class Unreadable(Exception):
    """A submission that cannot be taken in, with the reason."""


@dataclass(frozen=True)
class Submission:
    """What was handed in: its files by name, and where they are not what the manifest says.

    `created` is when it says that it was made; `changed` names files that are not what they were.
    """

    unit: str
    created: str
    files: dict[str, bytes]
    changed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, without what systems leave there."""
    return sorted(each for each in folder.iterdir() if not _is_ignored(each.name))


def _is_ignored(name: str) -> bool:
    return (name.startswith(".") and name != "..") or name in IGNORED


def fingerprint(path: Path) -> str:
    """Return what a submission's bytes are known by, of one that cannot be read as well."""
    try:
        if not path.is_dir():
            with path.open("rb") as file:
                return _sha256(file.read(LARGEST_WHOLE + 1))
        return plain.digest({name: _sha256(data) for name, data in _folder(path)})
    except (Unreadable, OSError) as error:
        return plain.digest(plain.reason(error))


def collect(path: Path) -> Submission:
    """Read one submission. Unreadable, with the reason, where it is none."""
    found = dict(_folder(path) if path.is_dir() else _zip(path))
    for name in NEEDED:
        if name not in found:
            raise Unreadable(f"there is no {name}; hand in what lessons.submit() wrote, whole")
    manifest = read_json(found["manifest.json"], "manifest.json")
    unit, listed = manifest.get("unit"), manifest.get("files")
    if not isinstance(unit, str) or unit not in TASKS or not isinstance(listed, dict):
        raise Unreadable("manifest.json names no unit of this lab, or no files")
    changed, notes = [], []
    for name, data in list(found.items()):
        if name == "manifest.json":
            continue
        if name not in listed:
            notes.append(f"{name} is not in the manifest and is left unread")
            del found[name]
        elif _sha256(data) != listed[name]:
            mended = data.replace(b"\r\n", b"\n")
            if _sha256(mended) == listed[name]:
                found[name] = mended
                notes.append(f"{name}: line ends were changed on the way, and changed back")
            else:
                changed.append(name)
    changed += [name for name in listed if name not in found]
    return Submission(unit, str(manifest.get("created")), found, changed, notes)


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """Return a JSON object. Unreadable where it is none, in UTF-8, without NaN or twin keys."""
    try:
        found = plain.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        raise Unreadable(f"{name} is no JSON in UTF-8: {plain.reason(error)}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} is no JSON object")
    return found


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for number, entry in enumerate(entries(path)):
        if entry.is_symlink() or not entry.is_file():
            raise Unreadable(f"{entry.name} is a link, a folder or no plain file")
        descriptor = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        total = _within(entry.name, data, number, total)
        yield entry.name, data


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        if path.stat().st_size > LARGEST_WHOLE:
            raise Unreadable(f"it is larger than {LARGEST_WHOLE} bytes")
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as whole:
            yield from _members(whole)
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
        raise Unreadable(f"it is neither a folder nor a zip: {plain.reason(error)}") from None


def _members(whole: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a zip, which may all lie in one folder."""
    total, seen, folders = 0, set[str](), set[tuple[str, ...]]()
    found = [(member, _steps(member)) for member in whole.infolist() if not member.is_dir()]
    wanted = [(member, steps) for member, steps in found if not any(map(_is_ignored, steps))]
    for number, (member, (*folder, name)) in enumerate(wanted):
        if ".." in folder or "" in folder or any(":" in step for step in (*folder, name)):
            raise Unreadable(f"{plain.show(member.filename)} leads out of its folder")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Unreadable(f"{plain.show(member.filename)} is a link")
        folders.add(tuple(folder))
        if len(folders) > 1:
            raise Unreadable("its files lie in more than one folder; hand in one submission")
        if name in seen:
            raise Unreadable(f"{plain.show(name)} is in it twice")
        seen.add(name)
        with whole.open(member) as file:
            data = file.read(LARGEST_FILE + 1)  # whatever size it says that it has
        total = _within(name, data, number, total)
        yield name, data


def _steps(member: zipfile.ZipInfo) -> list[str]:
    """Return the steps of a member's path, on whatever system it was packed."""
    return [step for step in member.filename.replace("\\", "/").split("/") if step != "."]


def _within(name: str, data: bytes, number: int, total: int) -> int:
    total += len(data)
    if number >= MOST_FILES:
        raise Unreadable(f"it has more than {MOST_FILES} files")
    if len(data) > LARGEST_FILE:
        raise Unreadable(f"{plain.show(name)} has more than {LARGEST_FILE} bytes")
    if total > LARGEST_WHOLE:
        raise Unreadable(f"its files have more than {LARGEST_WHOLE} bytes in all")
    return total


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
