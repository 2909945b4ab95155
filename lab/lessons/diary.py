"""A learner's diary: predictions before results, answers as they were given, nothing taken back.

Every line carries the digest of the line before it, so that one that was changed or taken out
later shows.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from lab import plain
from lab.errors import InputError, LabError
from lab.journal import now

Entry = dict[str, Any]
START = "0" * 64


class Diary:
    """An append-only file of JSON lines. InputError, with the line, where one was changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries = read_diary(path) if path.exists() else []

    def add(self, kind: str, **said: Any) -> Entry:
        """Add an entry with the time and the digest of the one before; it is on disk at once."""
        entry = {"kind": kind, **said, "at": now(), "before": self._last()}
        line = plain.dumps(entry) + "\n"
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise LabError(f"{self.path}: cannot be written: {error.strerror}") from None
        self.entries.append(entry)
        return entry

    def find(self, kind: str, name: str) -> list[Entry]:
        """Return the entries of a kind about one name, oldest first."""
        return [e for e in self.entries if e["kind"] == kind and e["name"] == name]

    def _last(self) -> str:
        return digest(self.entries[-1]) if self.entries else START


def digest(entry: Entry) -> str:
    """Return what the next line knows an entry by."""
    return hashlib.sha256(plain.dumps(entry).encode()).hexdigest()


def read_diary(path: Path) -> list[Entry]:
    """Read a diary; InputError that names the first line which does not follow the one before."""
    before, entries = START, []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {plain.reason(error)}") from None
    for number, line in enumerate(lines, start=1):
        try:
            entry = plain.loads(line)
            follows = entry["before"] == before and isinstance(entry["kind"], str)
        except (ValueError, TypeError, KeyError):
            follows = False
        if not follows:
            raise InputError(
                f"{path}, line {number}: does not follow the line before it; something was changed"
                " or taken out. Keep the file for your instructor and begin in another folder"
            )
        entries.append(entry)
        before = digest(json.loads(line))
    return entries
