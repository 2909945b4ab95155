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


class Unreadable(Exception):
    """A submission that cannot be taken in, with the reason."""


@dataclass(frozen=True)
class Submission:
    """What was handed in: its files by name, and where they are not what the manifest says."""

    name: str
    unit: str
    files: dict[str, bytes]
    tampered: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def collect(path: Path) -> Submission:
    """Read one submission. Unreadable, with the reason, where it is none."""
    found = dict(_folder(path) if path.is_dir() else _zip(path))
    for name in NEEDED:
        if name not in found:
            raise Unreadable(f"there is no {name}; hand in what lessons.submit() wrote, whole")
    manifest = read_json(found["manifest.json"], "manifest.json")
    unit, listed = manifest.get("unit"), manifest.get("files")
    if unit not in TASKS or not isinstance(listed, dict):
        raise Unreadable("manifest.json names no unit of this lab, or no files")
    tampered, notes = [], []
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
                tampered.append(f"{name} is not what the manifest was written for")
    tampered += [f"{name} is in the manifest and not here" for name in listed if name not in found]
    return Submission(path.stem if path.is_file() else path.name, str(unit), found, tampered, notes)


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """Return a JSON object. Unreadable where it is none, in UTF-8, without NaN or twin keys."""
    try:
        found = plain.loads(data.decode("utf-8"))
    except ValueError as error:
        raise Unreadable(f"{name} is no JSON in UTF-8: {plain.reason(error)}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} is no JSON object")
    return found


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for number, entry in enumerate(sorted(os.scandir(path), key=lambda entry: entry.name)):
        if entry.is_symlink() or not entry.is_file(follow_symlinks=False):
            raise Unreadable(f"{entry.name} is a link, a folder or no plain file")
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
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
    total, seen = 0, set[str]()
    members = [member for member in whole.infolist() if not member.is_dir()]
    folders = {Path(member.filename).parent.as_posix() for member in members}
    if len(folders) > 1:
        raise Unreadable(f"its files lie in {len(folders)} folders; one is wanted")
    for number, member in enumerate(members):
        name = Path(member.filename).name
        parts = member.filename.replace("\\", "/").split("/")
        if ".." in parts or member.filename.startswith("/") or ":" in parts[0] or len(parts) > 2:
            raise Unreadable(f"{plain.show(member.filename)} leads out of its folder")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Unreadable(f"{plain.show(member.filename)} is a link")
        if name in seen:
            raise Unreadable(f"{plain.show(name)} is in it twice")
        seen.add(name)
        with whole.open(member) as file:
            data = file.read(LARGEST_FILE + 1)  # whatever size it says that it has
        total = _within(name, data, number, total)
        yield name, data


def _within(name: str, data: bytes, number: int, total: int) -> int:
    total += len(data)
    if number >= MOST_FILES or len(data) > LARGEST_FILE or total > LARGEST_WHOLE:
        raise Unreadable(
            f"{plain.show(name)}: more than {MOST_FILES} files, {LARGEST_FILE} bytes in one or"
            f" {LARGEST_WHOLE} in all"
        )
    return total


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
