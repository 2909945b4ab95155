"""How far a reviewer can be believed: what they say of answers that were labelled beforehand.

A reviewer is anything that reads an answer beside its observations and says `good`, `objection` or
`unclear`: the review aids, a model, a person.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lab import plain
from lab.cases import CASES
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.grading import Row
from lab.rates import rate
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import Message

LABELS = ("good", "objection", "unclear")
KINDS = (
    "good",
    "wrong amount",
    "wrong currency",
    "unsupported claim",
    "purchase claim",
    "ambiguous",
    "boundary",
)
Reviewer = Callable[[Row], str]
"""Given {transcript, answer} it returns one of LABELS; the label is nowhere in what it is given."""

CANNOT_SHOW = (
    "A few dozen answers, written by the people who wrote the aids, around one fixture and eight"
    " small shops: a reviewer that does well here may do badly on a real model's answers, on longer"
    " ones, or on a fault that nobody thought of. How often faults occur is not in it, so neither"
    " is how much an objection, or its absence, is worth. Whoever has read the answers cannot be"
    " calibrated on them any more."
)


@dataclass(frozen=True)
class LabelledAnswer:
    """An answer, the label it was written with, and the reason for that."""

    name: str
    case: str
    kind: str
    label: str
    text: str
    reason: str

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"answer {self.name!r}: {name}: must be text that is not blank")
        for name, known in (
            ("label", LABELS),
            ("kind", KINDS),
            ("case", tuple(case.name for case in CASES)),
        ):
            if getattr(self, name) not in known:
                told = f"{getattr(self, name)!r} is not one of {', '.join(known)}"
                raise InputError(f"answer {self.name!r}: {name}: {told}")

    def shown(self) -> Row:
        """Return what a reviewer is given: observations as they were, this answer, no label."""
        transcript = [*_transcripts()[self.case][:-1], {"role": "assistant", "content": self.text}]
        return {"transcript": transcript, "answer": self.text}


@cache
def _transcripts() -> dict[str, list[Message]]:
    rows = evaluate(OfflineShopModel)["cases"]
    return {row["case"]: row["transcript"] for row in rows}


def load_answers(path: str | Path | None = None) -> list[LabelledAnswer]:
    """Read labelled answers from a TOML file; the lab's own without a path.

    InputError names the file, the entry and what is wrong with it.
    """
    path = Path(path) if path else _shipped()
    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("answer", [])
        found = [LabelledAnswer(**entry) for entry in entries]
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path}: no labelled answers: {plain.reason(error)}") from None
    names = [answer.name for answer in found]
    twice = {name for name in names if names.count(name) > 1}
    if not names:
        raise InputError(f"{path}: no labelled answers: it has no [[answer]]")
    if twice:
        raise InputError(f"{path}: more than one answer is called {', '.join(sorted(twice))}")
    return found


def _shipped() -> Path:
    here = Path(__file__).parent
    inside = here / "shelf" / "answers.toml"
    return inside if inside.exists() else here.parent / "fixtures" / "answers.toml"


def calibrate(
    reviewer: Reviewer, answers: Sequence[LabelledAnswer] | None = None
) -> dict[str, Any]:
    """Have a reviewer judge labelled answers and return how it agrees with the labels.

    `confusion` counts labels against replies; a reply that is none, or an exception, is `no reply`
    and counts as a wrong one, so that no denominator shrinks. `sensitivity` is objections found of
    those to be found, `specificity` good answers left alone of all good ones, both with intervals;
    what is labelled unclear is in neither. `kappa` is Cohen's, over all answers and replies (J.
    Cohen, Educational and Psychological Measurement 20, 1960); None where chance explains all.
    `rows` keeps every reply with its reason.
    """
    rows = [_ask(reviewer, answer) for answer in (load_answers() if answers is None else answers)]
    if not rows:
        raise InputError("calibrate: there are no answers, so nothing would be measured")
    replies = (*LABELS, "no reply")
    confusion = {
        label: {reply: _count(rows, label=label, reply=reply) for reply in replies}
        for label in LABELS
    }
    return {
        "answers": len(rows),
        "agreed": sum(row["agrees"] for row in rows),
        "confusion": confusion,
        "sensitivity": _share(rows, "objection"),
        "specificity": _share(rows, "good"),
        "kappa": cohens_kappa([(row["label"], row["reply"]) for row in rows]),
        "by_kind": {
            kind: [_count(rows, kind=kind, agrees=True), _count(rows, kind=kind)]
            for kind in dict.fromkeys(row["kind"] for row in rows)
        },
        "disagreements": [row for row in rows if not row["agrees"]],
        "rows": rows,
        "cannot_show": CANNOT_SHOW,
    }


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return (agreement - chance) / (1 - chance) of two raters; None where chance is all."""
    total = len(pairs)
    names = {name for pair in pairs for name in pair}
    agreement = sum(one == other for one, other in pairs) / total
    chance = sum(
        sum(one == name for one, _ in pairs) * sum(other == name for _, other in pairs)
        for name in names
    ) / (total * total)
    return None if chance == 1 else (agreement - chance) / (1 - chance)


def _ask(reviewer: Reviewer, answer: LabelledAnswer) -> dict[str, Any]:
    error = None
    try:
        said = reviewer(answer.shown())
        reply = said if said in LABELS else "no reply"
        error = None if said in LABELS else f"said {plain.show(said)}"
    except Exception as failure:  # noqa: BLE001  (a reviewer may be anything)
        reply, error = "no reply", plain.reason(failure)
    return {
        "name": answer.name,
        "kind": answer.kind,
        "label": answer.label,
        "reply": reply,
        "agrees": reply == answer.label,
        "reason": answer.reason,
        "error": error,
    }


def _count(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> int:
    return sum(all(row[name] == value for name, value in wanted.items()) for row in rows)


def _share(rows: Sequence[Mapping[str, Any]], label: str) -> dict[str, Any]:
    return rate({row["name"]: (int(row["agrees"]), 1) for row in rows if row["label"] == label})
