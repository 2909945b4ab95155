"""What has been seen: which candidate was frozen when, and which cases were observed since.

A held-out case is held out for a candidate only while nobody can have learned from it. The ledger
keeps every freeze, observation and move in the order in which they happened, and answers from
that. What happened without it, it cannot know.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from lab import plain
from lab.cases import CASES
from lab.chain import Chain, Entry, Head
from lab.errors import InputError
from lab.shapes import Shape

HELD_OUT = "held-out"
NO_LEDGER = "no ledger was kept, so nobody knows who has seen it"


@dataclass(frozen=True)
class Independence:
    """Whether a case is held out for a candidate: True, False, or None where nobody knows."""

    held_out: bool | None
    why: str


class Asked(NamedTuple):
    """A case as the ledger knows it: by what a candidate is given, whatever it is called."""

    name: str
    split: str
    sha256: str


def identify(case: Any) -> Asked:
    """Return what a case, of stock or of a request, is known by.

    Its digest covers what a candidate is given and nothing else: another name, split or answer does
    not make it another case.
    """
    if hasattr(case, "stock"):
        given: Any = [case.prompt, case.stock]
    elif hasattr(case, "catalog"):
        given = [case.request, [asdict(product) for product in case.catalog]]
    elif hasattr(case, "given"):
        given = case.given
    else:
        raise InputError(f"ledger: {plain.show(case)} is no case")
    return Asked(case.name, case.split, plain.digest(given))


_published = {identify(case).sha256 for case in CASES}


def publish(cases: Iterable[Any]) -> None:
    """Note that cases come with the lab, so that anybody may have seen them."""
    _published.update(identify(case).sha256 for case in cases)


def without_ledger(case: Any) -> Independence:
    """Answer for a case where no ledger is kept: published is published, the rest is unknown."""
    asked = identify(case)
    if asked.sha256 in _published:
        return _of_published()
    if asked.split != HELD_OUT:
        return _of_split(asked.split)
    return Independence(None, NO_LEDGER)


class _Case(Shape):
    name: str
    sha256: str


class _Freeze(Shape):
    candidate: str
    name: str
    parent: str | None
    parts: dict[str, Any]


class _Observe(Shape):
    candidate: str
    cases: list[_Case]


class _Reported(Shape):
    candidates: list[str]
    cases: list[str]
    report: str


class _Move(Shape):
    case: _Case
    from_: str = Field(alias="from")
    to: str
    reason: str
    reports: list[str]


KINDS: Mapping[str, type[Shape]] = {
    "freeze": _Freeze,
    "observe": _Observe,
    "report": _Reported,
    "move": _Move,
}


class Ledger:
    """An append-only, hash-chained file of what was frozen, observed and moved; see `Chain`."""

    def __init__(self, path: str | Path) -> None:
        self._chain = Chain(path, "ledger", KINDS)
        self.path = self._chain.path

    def entries(self) -> list[Entry]:
        """Return everything in it, oldest first; LabError where it was changed."""
        return self._chain.entries()

    def head(self) -> Head:
        """Return what a report keeps, to know this ledger again."""
        return self._chain.head()

    def holds(self, head: Head) -> bool:
        """Say whether this ledger once ended as `head` says, and has only grown since."""
        return self._chain.holds(head)

    def freeze(
        self, candidate: Mapping[str, Any], *, name: str = "", parent: str | None = None
    ) -> str:
        """Note that a candidate is settled, and return the digest it is known by.

        `candidate` is plain data that says all that makes it what it is, as `frozen_parts` gives
        it; `parent` is the digest of the revision that it was made from. Freezing it again
        changes nothing: the first time counts. InputError for a parent that was never frozen.
        """
        sha256 = plain.digest(dict(candidate))
        with self._chain.writing() as writer:
            frozen = {entry["candidate"] for entry in writer.entries if entry["kind"] == "freeze"}
            if parent is not None and parent not in frozen:
                raise InputError(f"ledger: parent: {plain.show(parent)} was never frozen here")
            if sha256 not in frozen:
                told = {"name": name, "parent": parent, "parts": dict(candidate)}
                writer.add("freeze", candidate=sha256, **told)
        return sha256

    def begin(self, candidate: str, cases: Iterable[Any]) -> dict[str, Independence]:
        """Note that a frozen candidate is about to see cases, and return how independent each is.

        It is noted before the first attempt, so that a run that is cut off has been seen all the
        same. The answers are by the names of the cases.
        """
        asked = [identify(case) for case in cases]
        with self._chain.writing() as writer:
            found = {each.name: _judge(each, candidate, writer.entries) for each in asked}
            told = [{"name": each.name, "sha256": each.sha256} for each in asked]
            writer.add("observe", candidate=candidate, cases=told)
        return found

    def report(self, candidates: Iterable[str], cases: Iterable[Any], report: str) -> None:
        """Note the report, by its digest, that came of what was begun."""
        told = [identify(case).sha256 for case in cases]
        self._chain.add("report", candidates=list(candidates), cases=told, report=report)

    def move(self, case: Any, to: str, reason: str) -> None:
        """Note that a case belongs to another split from now on, and why.

        The reports in which it was observed before are named with it: they stay as they are.
        """
        asked = identify(case)
        for name, value in (("to", to), ("reason", reason)):
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"ledger: move {asked.name}: {name}: say it in words")
        with self._chain.writing() as writer:
            before = _split(asked, writer.entries)
            if before == to:
                raise InputError(f"ledger: move {asked.name}: it belongs to {to} already")
            writer.add(
                "move",
                case={"name": asked.name, "sha256": asked.sha256},
                **{"from": before, "to": to},
                reason=reason,
                reports=[
                    entry["report"]
                    for entry in writer.entries
                    if entry["kind"] == "report" and asked.sha256 in entry["cases"]
                ],
            )

    def independence(self, case: Any, candidate: str) -> Independence:
        """Return whether a case is held out for a frozen candidate, and why it is not otherwise.

        It is when its split says so, it is not published, and nobody observed it before the
        candidate was frozen: neither an ancestor nor any other candidate, since whoever made this
        one could have looked. What the same frozen candidate saw since taught it nothing.
        """
        return _judge(identify(case), candidate, self.entries())

    def split(self, case: Any) -> str:
        """Return the split that a case belongs to now: its own, or where it was moved last."""
        return _split(identify(case), self.entries())

    def spent(self, cases: Iterable[Any]) -> dict[str, int]:
        """Return how many times each case has been observed so far, by its name."""
        entries = self.entries()
        return {case.name: len(_sightings(identify(case), entries)) for case in cases}


def _judge(asked: Asked, candidate: str, entries: list[Entry]) -> Independence:
    if asked.sha256 in _published:
        return _of_published()
    split = _split(asked, entries)
    if split != HELD_OUT:
        moved = _moves(asked, entries)
        told = f" since it was moved: {moved[-1]['reason']}" if moved else ""
        return _of_split(f"{split}{told}")
    places = [n for n, e in enumerate(entries) if _freezes(e, candidate)]
    if not places:
        return Independence(False, "the candidate was not frozen before it was tried")
    seen = _sightings(asked, entries[: places[0]])
    if not seen:
        return Independence(True, "nobody observed it before the candidate was frozen")
    ancestors = _ancestors(candidate, entries)
    informed = [entry for entry in seen if entry["candidate"] in ancestors]
    who = "a revision that this candidate was made from" if informed else "another candidate"
    first = (informed or seen)[0]
    return Independence(False, f"{who} ({first['candidate'][:12]}) was tried on it {first['at']}")


def _sightings(asked: Asked, entries: list[Entry]) -> list[Entry]:
    """Return the observations of a case, one for each run and candidate."""
    return [
        entry
        for entry in entries
        if entry["kind"] == "observe" and asked.sha256 in {c["sha256"] for c in entry["cases"]}
    ]


def _split(asked: Asked, entries: list[Entry]) -> str:
    moves = _moves(asked, entries)
    return str(moves[-1]["to"]) if moves else asked.split


def _moves(asked: Asked, entries: list[Entry]) -> list[Entry]:
    moves = [entry for entry in entries if entry["kind"] == "move"]
    return [entry for entry in moves if entry["case"]["sha256"] == asked.sha256]


def _freezes(entry: Entry, candidate: str) -> bool:
    return bool(entry["kind"] == "freeze" and entry["candidate"] == candidate)


def _ancestors(candidate: str, entries: list[Entry]) -> set[str]:
    parents = {e["candidate"]: e["parent"] for e in entries if e["kind"] == "freeze"}
    found: set[str] = set()
    parent = parents.get(candidate)
    while parent is not None and parent not in found:
        found.add(parent)
        parent = parents.get(parent)
    return found


def _of_published() -> Independence:
    return Independence(False, "published with the lab: anybody may have seen it")


def _of_split(split: str) -> Independence:
    return Independence(False, f"it belongs to {split}")
