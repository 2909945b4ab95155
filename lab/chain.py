"""Append-only files that show when a line was changed, moved, taken out or cut off.

Every line carries the digest of the line before it, and a small file beside it, `.head`, knows how
many there are and what the last one is. That stops accidents and quiet edits. Whoever rewrites
both from the beginning is not stopped, but contradicts every report that names an earlier head.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import Field

from lab import plain
from lab.errors import InputError, LabError
from lab.evidence import flush_folder
from lab.journal import now
from lab.shapes import Shape, check_entry

Entry = dict[str, Any]
START = "0" * 64
LOCK_SECONDS = 20.0


class _HeadShape(Shape):
    entries: int = Field(ge=0)
    sha256: str


class Head(NamedTuple):
    """How many entries there are, and the digest of the last one."""

    entries: int
    sha256: str


class Chain:
    """One such file. `what` is what messages call it, `kinds` what each kind of entry looks like.

    LabError where the file, or its head, is not what was written, naming the line; nothing is
    mended. Two writers, in one process or several, wait for each other.
    """

    def __init__(self, path: str | Path, what: str, kinds: Mapping[str, type[Shape]]) -> None:
        self.path = Path(path)
        self.what = what
        self.kinds = kinds
        if not self.path.name or (self.path.exists() and not self.path.is_file()):
            raise InputError(f"{self.path}: is no file, so it cannot be a {what}")
        self._head = self.path.with_name(f"{self.path.name}.head")

    def entries(self) -> list[Entry]:
        """Return all entries, checked; none where nothing has been written yet."""
        head = self._read_head()  # first: whoever is writing may be ahead of it, never behind
        found, _ = self._read(head)
        return found

    def head(self) -> Head:
        """Return what an outsider has to keep to know this file again."""
        found = self.entries()
        return Head(len(found), digest(found[-1]) if found else START)

    def holds(self, head: Head) -> bool:
        """Say whether the file once ended as `head` says, and has only grown since."""
        found = self.entries()
        return head.entries == 0 or (
            head.entries <= len(found) and digest(found[head.entries - 1]) == head.sha256
        )

    @contextlib.contextmanager
    def writing(self) -> Iterator["Writer"]:
        """Keep other writers out meanwhile; what is added is on disk at once."""
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS, mode=0o600):
                yield Writer._begun(self)
        except Timeout:
            raise LabError(f"{self.path}: somebody else is writing this {self.what}") from None
        except OSError as error:
            raise LabError(f"{self.path}: cannot be written: {error.strerror}") from None

    def add(self, kind: str, **said: Any) -> Entry:
        """Add one entry and return it."""
        with self.writing() as writer:
            return writer.add(kind, **said)

    def _read_head(self) -> Head:
        try:
            told = plain.loads(self._head.read_text("ascii"))
            check_entry({"kind": "head", **told}, {"head": _HeadShape})
            return Head(**told)
        except FileNotFoundError:
            if self.path.exists():
                raise self._broken(f"its head, {self._head.name}, is missing") from None
            return Head(0, START)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise self._broken(f"its head cannot be read: {plain.reason(error)}") from None

    def _read(self, head: Head) -> tuple[list[Entry], int]:
        """Return the checked entries, and how many bytes they take."""
        try:
            data = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise LabError(f"{self.path}: cannot be read: {error.strerror}") from None
        # A line without an end was never acknowledged: whoever wrote it did not come to the head.
        whole = data[: data.rfind(b"\n") + 1]
        found, before = [], START
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            entry = _entry(line, before)
            if entry is None:
                raise self._broken(f"line {number} does not follow the line before it")
            try:
                check_entry(entry, self.kinds)
            except ValueError as error:
                raise self._broken(f"line {number}: {error}") from None
            found.append(entry)
            before = digest(entry)
            if number == head.entries and before != head.sha256:
                raise self._broken(f"line {number} is not the one that was written")
        if len(found) < head.entries:
            raise self._broken(f"{head.entries} entries were written and {len(found)} are left")
        # One may be ahead of the head, where a crash came between them; more never are.
        if len(found) > head.entries + 1 and len(found) > self._read_head().entries + 1:
            raise self._broken(f"its head knows {head.entries} entries of {len(found)}")
        return found, len(whole)

    def _write_head(self, head: Head) -> None:
        file, beside = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self._head.name}-")
        try:
            with os.fdopen(file, "wb") as out:
                out.write(plain.dumps(head._asdict()).encode() + b"\n")
                out.flush()
                os.fsync(out.fileno())
            Path(beside).replace(self._head)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
        flush_folder(self.path.parent)

    def _broken(self, why: str) -> InputError:
        return InputError(
            f"{self.path}: this {self.what} was changed: {why};"
            " keep it as it is for whoever has to look into it, and begin another"
        )


class Writer:
    """What `Chain.writing` gives: the entries so far, and the only way to add one."""

    def __init__(self, chain: Chain, entries: list[Entry]) -> None:
        self._chain = chain
        self.entries = entries

    @classmethod
    def _begun(cls, chain: Chain) -> Self:
        head = chain._read_head()
        if not chain.path.exists():
            chain._write_head(head)
        entries, size = chain._read(head)
        with os.fdopen(os.open(chain.path, os.O_CREAT | os.O_RDWR, 0o600), "rb+") as file:
            file.truncate(size)
        return cls(chain, entries)

    def add(self, kind: str, **said: Any) -> Entry:
        """Add an entry, with the time; it is on disk when this returns."""
        if said.keys() & {"at", "before"}:
            raise InputError(f"{self._chain.what}: `at` and `before` are the chain's own")
        before = digest(self.entries[-1]) if self.entries else START
        entry = plain.loads(plain.dumps({"kind": kind, **said, "at": now(), "before": before}))
        check_entry(entry, self._chain.kinds)
        with self._chain.path.open("ab") as file:
            file.write(plain.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.entries.append(entry)
        self._chain._write_head(Head(len(self.entries), digest(entry)))
        return dict(entry)


def digest(entry: Entry) -> str:
    """Return what the next line knows an entry by: the sha256 of its line."""
    return hashlib.sha256(plain.dumps(entry).encode()).hexdigest()


def _entry(line: bytes, before: str) -> Entry | None:
    """Return a line's entry; None where it is none, or does not follow."""
    try:
        entry = plain.loads(line.decode("ascii"))
        follows = entry["before"] == before and isinstance(entry["kind"], str)
        return dict(entry) if follows and plain.dumps(entry).encode() == line else None
    except (ValueError, TypeError, KeyError):
        return None
