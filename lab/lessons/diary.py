"""A learner's diary: predictions before results, answers as they were given, nothing taken back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.chain import Chain, Entry, Head
from lab.shapes import Shape


class _Said(Shape):
    name: str
    value: Any


class _Predicted(_Said):
    after_result: bool


class _Shown(Shape):
    name: str


class _Checked(Shape):
    name: str
    status: str
    answer: str | None


KINDS: Mapping[str, type[Shape]] = {
    "predicted": _Predicted,
    "shown": _Shown,
    "noted": _Said,
    "checked": _Checked,
}


def diary_chain(path: Path) -> Chain:
    """Return the file that a diary is kept in."""
    return Chain(path, "diary", KINDS)


class Diary:
    """What was said and shown in one unit, oldest first; see `Chain`.

    InputError, with the line, where something was changed or taken out.
    """

    def __init__(self, path: Path) -> None:
        self._chain = diary_chain(path)
        self.path = path
        self.entries: list[Entry] = self._chain.entries()

    def add(self, kind: str, **said: Any) -> None:
        """Add an entry; it is on disk when this returns, after whatever another kernel added."""
        with self._chain.writing() as writer:
            writer.add(kind, **said)
            self.entries = writer.entries

    def find(self, kind: str, name: str) -> list[Entry]:
        """Return the entries of a kind about one name, oldest first."""
        return [e for e in self.entries if e["kind"] == kind and e["name"] == name]

    def head(self) -> Head:
        """Return what the next unit, or an instructor, knows this diary by."""
        return self._chain.head()

    def holds(self, head: Head) -> bool:
        """Say whether this diary once ended as `head` says, and has only grown since."""
        return self._chain.holds(head)
