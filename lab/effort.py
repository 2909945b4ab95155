"""A person's effort: entering, correcting and approving a decision, timed as it really happens.

It ships empty. Nobody's seconds are made up here, and no model's are taken for a person's.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lab import plain, rates
from lab.counts import by_case
from lab.errors import InputError, LabError
from lab.interpretation.cases import RequestCase
from lab.interpretation.decisions import Decision
from lab.journal import now

Way = Literal["form", "keywords", "model"]
WAYS: tuple[Way, ...] = get_args(Way)
"""How the decision was come by: entered in a form, or proposed by the rule or by a model."""


class Record(BaseModel):
    """One person's work on one request, from seeing it to approving a decision or giving up."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    way: Way
    person: str
    case: str
    started: str
    stopped: str
    seconds: float = Field(ge=0, allow_inf_nan=False)
    corrections: int = Field(ge=0)
    decision: Decision | None
    """What the person approved; None when the request was given up."""
    expected: Decision


class Entry:
    """A request being worked on: `correct()` for each change of mind, `approve()` at the end."""

    def __init__(self) -> None:
        self.corrections = 0
        self.decision: Decision | None = None

    def correct(self) -> None:
        """Count one correction of what was entered or proposed."""
        self.corrections += 1

    def approve(self, decision: Decision) -> None:
        """Settle the decision. TypeError for anything else; the request then counts as given up."""
        if not isinstance(decision, Decision):
            raise TypeError(f"approve a Decision, not {type(decision).__name__}")
        self.decision = decision


@contextlib.contextmanager
def recording(
    path: str | Path, case: RequestCase, way: Way, *, person: str = "somebody"
) -> Iterator[Entry]:
    """Time a person's work on one request and add it to the JSON-lines file, given up or not.

    The clock runs while the context lasts. A file that is not one of efforts is refused before
    the clock starts; what was in it stays as it was.
    """
    path = Path(path)
    _refuse(way, person)
    if path.exists():
        read_effort(path)
    _append(path, b"")
    entry, started, begun = Entry(), now(), perf_counter()
    try:
        yield entry
    finally:
        seconds = perf_counter() - begun
        record = Record(
            way=way,
            person=person,
            case=case.name,
            started=started,
            stopped=now(),
            seconds=seconds,
            corrections=entry.corrections,
            decision=entry.decision,
            expected=Decision(action=case.expected_action, sku=case.expected_sku),
        )
        _append(path, json.dumps(record.model_dump()).encode() + b"\n")


def read_effort(path: str | Path) -> list[Record]:
    """Read a file of efforts; InputError names the line that is none."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {plain.reason(error)}") from None
    return [_read(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]


def summary(records: Sequence[Record]) -> dict[str, Any]:
    """Return for each way the seconds of human time beside how often the decision was right.

    `right` is a rate over requests, given-up ones counted as wrong; seconds are of all. `enough`
    says in words how far so few observations reach.
    """
    by_way = {way: [record for record in records if record.way == way] for way in WAYS}
    return {
        "observations": len(records),
        "ways": {way: _of_way(found) for way, found in by_way.items() if found},
        "enough": _how_few(records),
    }


def _of_way(records: Sequence[Record]) -> dict[str, Any]:
    seconds = [record.seconds for record in records]
    rows = [{"case": r.case, "passed": r.decision == r.expected} for r in records]
    return {
        "observations": len(records),
        "persons": len({record.person for record in records}),
        "seconds": {"median": median(seconds), "least": min(seconds), "most": max(seconds)},
        "corrections": sum(record.corrections for record in records),
        "given_up": sum(record.decision is None for record in records),
        "right": rates.rate(by_case(rows)),
    }


def _how_few(records: Sequence[Record]) -> str:
    if not records:
        return "Nothing has been recorded yet, so nothing is known of anybody's effort."
    persons = len({record.person for record in records})
    requests = len({record.case for record in records})
    told = f"{len(records)} observations by {persons} person(s) on {requests} request(s)."
    return (
        f"{told} Seconds of a few people on a few requests, the second time faster than the first,"
        " say nothing of other people or of a working day. No way is called quicker from these."
    )


def _refuse(way: str, person: str) -> None:
    if way not in WAYS:
        raise InputError(f"effort: way: {plain.show(way)} is not one of {', '.join(WAYS)}")
    if not isinstance(person, str) or not person.strip() or not person.isprintable():
        raise InputError("effort: person: give a name, or a letter that stands for somebody")


def _read(line: str, place: str) -> Record:
    try:
        return Record.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the line"
        raise InputError(f"{place}: not a record of effort: {field}: {first['msg']}") from None


def _append(path: Path, line: bytes) -> None:
    """Add a line, on a line of its own whatever was there; with none, see that it can be done."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            is_torn = size > 0 and file.read(1) != b"\n"
            file.write(b"\n" + line if line and is_torn else line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        kept = f": {line.decode()}" if line else ""
        raise LabError(f"{path}: effort cannot be kept there: {error.strerror}{kept}") from None
