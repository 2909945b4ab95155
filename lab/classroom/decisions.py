"""What a person decided: kept in a file of theirs, bound to the bytes that they looked at."""

import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lab import plain
from lab.classroom.kept import Kept, Learner
from lab.classroom.rubric import Rubric, kind, with_read
from lab.classroom.verdicts import UNDECIDED, Part, Result
from lab.errors import InputError

KNOWN_BY = 12
"""Characters of a submission's digest that a decision names it by."""
HEAD = """\
# What is left to decide. Copy this file out of this folder, which is written anew each time; write
# PASS or NEEDS_WORK as the verdict, who decided and why, and check the class again with
#   --decisions YOUR-COPY.toml
# An entry whose verdict is empty decides nothing. One that names an earlier submission does not
# hold for a later one.
"""
UNREAD = """\
# {learner}: {seen}
# Nothing of it was checked, so nothing of it can be decided: it stays ungraded until one is handed
# in that can be read.
"""


class Decision(NamedTuple):
    """A part of a submission, what a person decided on it, and why."""

    learner: str
    part: str
    submission: str
    verdict: str
    by: str
    reason: str

    def is_on(self, kept: Kept) -> bool:
        """Say whether this was decided on what was handed in here."""
        known = (in_utf8(kept.result.name), kept.submission[:KNOWN_BY])
        return (self.learner, self.submission) == known


def in_utf8(name: str) -> str:
    """Return what a file of decisions calls a learner or part, whose name may not be UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


def load_decisions(path: str | Path | None) -> list[Decision]:
    """Read decisions from TOML; those whose verdict is empty are left out.

    InputError names the file and the entry that is none, or that decides what another does.
    """
    if path is None:
        return []
    try:
        told = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: no decisions: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path}: no decisions in TOML: {plain.reason(error)}") from None
    entries = told.get("decision", [])
    if set(told) - {"decision"} or not isinstance(entries, list):
        raise InputError(f"{path}: give [[decision]] entries and nothing else")
    found: dict[tuple[str, ...], Decision] = {}
    for number, entry in enumerate(entries, start=1):
        decision = _decision(f"{path}: decision {number}", entry)
        if decision.verdict and found.setdefault(decision[:3], decision) is not decision:
            raise InputError(f"{path}: decision {number}: an earlier one is on the same part")
    return list(found.values())


def _decision(where: str, entry: object) -> Decision:
    if not isinstance(entry, dict) or set(entry) != set(Decision._fields):
        raise InputError(f"{where}: give {', '.join(Decision._fields)}")
    if not all(isinstance(value, str) for value in entry.values()):
        raise InputError(f"{where}: each of its values is text")
    decision = Decision(**entry)
    if decision.verdict not in ("PASS", "NEEDS_WORK", ""):
        raise InputError(f"{where}: verdict {decision.verdict!r} is not PASS or NEEDS_WORK")
    if decision.verdict and not (decision.by.strip() and decision.reason.strip()):
        raise InputError(f"{where}: say in `by` and `reason` who decided, and why")
    return decision


def decided(kept: Kept, rubric: Rubric, decisions: Iterable[Decision]) -> Result:
    """Return a result as people decided on it; what was seen stays in the evidence."""
    result = with_read(kept.result, rubric)
    parts: dict[str, Part] = dict(result.parts)
    names = {in_utf8(name): name for name in parts}
    for each in decisions:
        if each.is_on(kept) and each.part in names and can_be_decided(kept):
            seen = parts[names[each.part]]
            parts[names[each.part]] = Part(
                each.verdict,
                f"decided by {each.by}: {each.reason} (it came to {seen.verdict}: {seen.evidence})",
                seen.hidden,
                each.by,
            )
    return result.but(parts=parts)


def without_effect(
    decisions: Iterable[Decision], everybody: Sequence[Learner], rubric: Rubric
) -> list[Decision]:
    """Return the decisions on nothing that counts: earlier, nobody's, or of nothing read."""
    there = {
        (in_utf8(kept.result.name), in_utf8(part), kept.submission[:KNOWN_BY])
        for learner in everybody
        for kept in learner.current()
        if can_be_decided(kept)
        for part in with_read(kept.result, rubric).parts
    }
    return [each for each in decisions if each[:3] not in there]


def why_without_effect(decision: Decision) -> str:
    """Say in words why a decision decides nothing."""
    if decision.part == "submission":
        return "nothing of it was checked, so there is nothing to decide until one can be read"
    return f"what counts now is not the submission {decision.submission}, or has no such part"


def can_be_decided(kept: Kept) -> bool:
    """Say whether anything of a submission was checked: what could not be read earns nothing."""
    return kept.result.unit is not None


def left_to_decide(current: Iterable[tuple[Kept, Result]], rubric: Rubric) -> str:
    """Return a file of decisions to fill in: one entry for each part that nobody decided on."""
    entries = [
        _entry(kept, name, part, rubric)
        for kept, result in current
        for name, part in result.parts.items()
        if part.verdict in UNDECIDED
    ]
    return "\n".join([HEAD, *entries])


def _entry(kept: Kept, name: str, part: Part, rubric: Rubric) -> str:
    told = f"{part.verdict}: {part.evidence}"
    seen = " ".join("".join(c if c.isprintable() else " " for c in told).split())
    unit = kept.result.unit
    if unit is None:
        return UNREAD.format(learner=_text(in_utf8(kept.result.name)), seen=seen)
    fields = {
        "learner": in_utf8(kept.result.name),
        "part": in_utf8(name),
        "submission": kept.submission[:KNOWN_BY],
        "verdict": "",
        "by": "",
        "reason": "",
    }
    lines = [f"{key} = {_text(value)}" for key, value in fields.items()]
    comments = [f"# {unit}: {seen}"]
    if rubric.worth(unit).get(kind(name)) == 0:
        comments.append("# Worth 0 points by your rubric: no decision on it changes a sum.")
    if name == "diary":
        comments.append(
            "# This decides the diary alone: answers that rest on it are decided one by one."
        )
    return "\n".join([*comments, "[[decision]]", *lines, ""])


def _text(value: str) -> str:
    """Return a TOML string: as JSON writes one, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
