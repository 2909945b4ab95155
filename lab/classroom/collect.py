"""A submission taken in: a folder or zip, read within limits, never unpacked to disk, verified.

Nothing of it is run here. What cannot be read, or is not what its manifest says, is told by name.
"""

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import plain
from lab.lessons.unit import TASKS

MOST_FILES = 40
LARGEST_FILE = 20 * 1024 * 1024
LARGEST_WHOLE = 60 * 1024 * 1024
LARGEST_NOTEBOOK, LARGEST_OTHER = 8 * 1024 * 1024, 2 * 1024 * 1024
"""Of what is not only taken in but read: to read JSON takes fifty bytes for each of it and more."""
LONGEST_NAME = 1000
"""Characters of a member's name in a zip, its folders included."""
NEEDED = ("manifest.json", "notebook.ipynb", "answers.json")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Read piece by piece; of the others zipfile unpacks all that it has read, however much that is."""
ENTRY, MOST_ENTRIES = b"PK\x01\x02", 10_000
"""What each entry of a zip's directory begins with; zipfile reads all of them at once."""
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


def is_folder(path: Path) -> bool:
    """Say whether it is a folder itself, and no link to one; False of what cannot be looked at."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def fingerprint(path: Path) -> str:
    """Return what a submission's bytes are known by, of one that cannot be read as well."""
    try:
        if not is_folder(path):
            return _sha256(_bytes(path, LARGEST_WHOLE))
        return plain.digest({name: _sha256(data) for name, data in _folder(path)})
    except (Unreadable, OSError) as error:
        return plain.digest(plain.reason(error))


def collect(path: Path) -> Submission:
    """Read one submission. Unreadable, with the reason, where it is none."""
    found = dict(_folder(path) if is_folder(path) else _zip(path))
    for name in NEEDED:
        if name not in found:
            raise Unreadable(f"there is no {name}; hand in what lessons.submit() wrote, whole")
    _refuse_large("manifest.json", found["manifest.json"])
    manifest = read_json(found["manifest.json"], "manifest.json")
    unit, listed = manifest.get("unit"), manifest.get("files")
    if not isinstance(unit, str) or unit not in TASKS or not isinstance(listed, dict):
        raise Unreadable("manifest.json names no unit of this lab, or no files")
    changed, notes = [], []
    for name, data in list(found.items()):
        if name == "manifest.json":
            continue
        if name not in listed and name not in NEEDED:
            notes.append(f"{name} is not in the manifest and is left unread")
            del found[name]
            continue
        _refuse_large(name, data)
        if _sha256(data) != listed.get(name):
            mended = data.replace(b"\r\n", b"\n")
            if _sha256(mended) == listed.get(name):
                found[name] = mended
                notes.append(f"{name}: line ends were changed on the way, and changed back")
            else:
                changed.append(name)
    changed += [name for name in listed if name not in found]
    return Submission(unit, str(manifest.get("created")), found, changed, notes)


def _refuse_large(name: str, data: bytes) -> None:
    most = LARGEST_NOTEBOOK if name == "notebook.ipynb" else LARGEST_OTHER
    if len(data) > most:
        raise Unreadable(f"{name} has more than {most} bytes")


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """Return a JSON object. Unreadable where it is none, in UTF-8, without NaN or twin keys."""
    try:
        found = plain.loads(data.decode("utf-8-sig"))
    except ValueError as error:
        raise Unreadable(f"{name} is no JSON in UTF-8: {plain.reason(error)}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} is no JSON object")
    return found


def _bytes(path: Path, most: int) -> bytes:
    """Return a plain file's bytes, at most one more than `most`. Unreadable for anything else."""
    if path.is_symlink():
        raise Unreadable(f"{plain.show(path.name)} is a link; hand in what it leads to")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Unreadable(f"{plain.show(path.name)} is neither a plain file nor a folder")
        return file.read(most + 1)


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for number, entry in enumerate(entries(path)):
        if is_folder(entry):
            raise Unreadable(f"{plain.show(entry.name)} is a folder; hand in the files themselves")
        data = _bytes(entry, LARGEST_FILE)
        total = _within(entry.name, data, number, total)
        yield entry.name, data


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    data = _bytes(path, LARGEST_WHOLE)
    if len(data) > LARGEST_WHOLE:
        raise Unreadable(f"it is larger than {LARGEST_WHOLE} bytes")
    if data.count(ENTRY) > MOST_ENTRIES:
        raise Unreadable(f"it has more than {MOST_ENTRIES} entries")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as whole:
            yield from _members(whole)
    except Unreadable:
        raise
    except Exception as error:  # noqa: BLE001  (zipfile raises whatever a broken zip makes it)
        raise Unreadable(f"it is neither a folder nor a zip: {plain.reason(error)}") from None


def _members(whole: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a zip, which may all lie in one folder."""
    total, seen, folders = 0, set[str](), set[tuple[str, ...]]()
    files = [member for member in whole.infolist() if not member.filename.endswith("/")]
    found = [(member, _steps(member)) for member in files]
    wanted = [(member, steps) for member, steps in found if not any(map(_is_ignored, steps))]
    for number, (member, steps) in enumerate(wanted):
        shown = plain.show(member.filename)
        if ".." in steps or "" in steps or not steps or any(":" in step for step in steps):
            raise Unreadable(f"{shown} leads out of its folder, or is no file's name")
        if len(member.filename) > LONGEST_NAME:
            raise Unreadable(f"{shown} is longer than {LONGEST_NAME} characters")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Unreadable(f"{shown} is a link")
        if member.compress_type not in METHODS:
            raise Unreadable(f"{shown} is packed in an unusual way; pack it as an ordinary zip")
        *folder, name = steps
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
