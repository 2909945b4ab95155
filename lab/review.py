"""What people said of the answers in a report: row by row, bound to its bytes, and never a verdict.

A review stands beside a report and changes nothing in it. What state it is in is worked out anew
whenever somebody asks, from the judgements themselves.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from lab import plain
from lab.chain import Chain, Entry
from lab.errors import InputError
from lab.evidence import Report, load_report
from lab.findings import findings, marked
from lab.grading import Row
from lab.shapes import Shape
from lab.shop.transcript import draft_summary, observations

QUESTIONS: Mapping[str, str] = {
    "amounts": "Do its amounts and currency agree with the observations?",
    "claims": "Is everything it claims supported by an observation?",
    "purchase": "Is any purchase it claims backed by a receipt? (yes where it claims none)",
    "useful": "Could Lucy act on it as it stands?",
}
Answer = Literal["yes", "no", "unclear"]
ANSWERS = get_args(Answer)
Key = tuple[str, int]
"""An attempt: its case and repetition."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One person's answers about one attempt. `ambiguous` keeps wording that reads two ways."""

    case: str
    repetition: int
    amounts: str
    claims: str
    purchase: str
    useful: str
    ambiguous: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for name in QUESTIONS:
            if getattr(self, name) not in ANSWERS:
                told = f"{plain.show(getattr(self, name))} is not one of {', '.join(ANSWERS)}"
                raise InputError(f"judgement: {name}: {told}")
        for name in ("ambiguous", "note"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"judgement: {name}: give text")


class _Opened(Shape):
    report: str


class _Judged(Shape):
    reviewer: str
    case: str
    repetition: int
    amounts: Answer
    claims: Answer
    purchase: Answer
    useful: Answer
    ambiguous: str
    note: str


KINDS: Mapping[str, type[Shape]] = {"opened": _Opened, "judged": _Judged}


class Review:
    """The review of one saved report; its file is `REPORT.review.jsonl`, beside it.

    InputError where the report is not the one that the review was begun for, where its kind has no
    answers to review, or where the file was changed.
    """

    def __init__(self, report: str | Path) -> None:
        path = Path(report)
        self.report: Report = load_report(path)
        if self.report.get("kind") == "requests":
            raise InputError(
                f"{path}: requests come to decisions, which were graded; there is no answer in"
                " words to review"
            )
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.rows: dict[Key, Row] = {
            (row["case"], row["repetition"]): row
            for row in self.report["cases"]
            if row["answer"] is not None
        }
        self._chain = Chain(review_path(path), "review", KINDS)
        self.path = self._chain.path
        self._refuse_another(self._chain.entries())

    def to_do(self, reviewer: str) -> list[Key]:
        """Return the attempts with an answer that a reviewer has not judged yet, in order."""
        done = {key for (key, who) in self._latest() if who == reviewer}
        return [key for key in self.rows if key not in done]

    def add(self, judgement: Judgement, reviewer: str) -> None:
        """Keep a judgement. One about an attempt judged before takes its place; both are kept."""
        refuse_nameless(reviewer)
        if (judgement.case, judgement.repetition) not in self.rows:
            told = f"{judgement.case} {judgement.repetition}"
            raise InputError(f"review: {told}: no attempt of the report with an answer")
        with self._chain.writing() as writer:
            self._refuse_another(writer.entries)
            if not writer.entries:
                writer.add("opened", report=self.digest)
            writer.add("judged", reviewer=reviewer, **asdict(judgement))

    def state(self) -> dict[str, Any]:
        """Return how far the review is, worked out from its judgements.

        `attempts` have an answer, `without_answer` do not; `agreements` and `disagreements` are of
        attempts that two or more reviewers judged, question by question. Last words count.
        """
        latest = self._latest()
        judged: dict[Key, dict[str, Entry]] = {}
        for (key, who), entry in latest.items():
            judged.setdefault(key, {})[who] = entry
        twice = {key: by for key, by in judged.items() if len(by) > 1}
        differing = [found for key, by in twice.items() for found in _differing(key, by)]
        return {
            "attempts": len(self.rows),
            "without_answer": len(self.report["cases"]) - len(self.rows),
            "reviewed": len(judged),
            "unreviewed": [list(key) for key in self.rows if key not in judged],
            "reviewers": dict(sorted(Counter(who for _, who in latest).items())),
            "agreements": len(twice) - len({(d["case"], d["repetition"]) for d in differing}),
            "disagreements": differing,
            "objections": [
                {**_named(key), "question": name, "reviewer": who, "note": entry["note"]}
                for (key, who), entry in latest.items()
                for name in QUESTIONS
                if entry[name] == "no"
            ],
            "ambiguous": [
                {**_named(key), "reviewer": who, "wording": entry["ambiguous"]}
                for (key, who), entry in latest.items()
                if entry["ambiguous"]
            ],
        }

    def _latest(self) -> dict[tuple[Key, str], Entry]:
        entries = self._chain.entries()
        self._refuse_another(entries)
        return {
            ((entry["case"], entry["repetition"]), entry["reviewer"]): entry
            for entry in entries
            if entry["kind"] == "judged"
        }

    def _refuse_another(self, entries: list[Entry]) -> None:
        if entries and entries[0].get("report") != self.digest:
            raise InputError(
                f"{self.path}: this review is of a report with the digest"
                f" {entries[0].get('report')}; the one beside it has {self.digest}: it was changed"
                " after it was reviewed, or is another"
            )


def review_path(report: Path) -> Path:
    """Return where the review of a saved report is kept."""
    return report.with_name(f"{report.name}.review.jsonl")


def refuse_nameless(reviewer: object) -> None:
    """Raise InputError for what nobody can be known by."""
    if not isinstance(reviewer, str) or not reviewer.strip() or not reviewer.isprintable():
        raise InputError("review: reviewer: give a name, or a letter that stands for somebody")


def unreviewed(report: Report) -> dict[str, Any]:
    """Return the state of a report that nobody has begun to review."""
    answered = [row for row in report["cases"] if row.get("answer") is not None]
    return {
        "attempts": len(answered),
        "without_answer": len(report["cases"]) - len(answered),
        "reviewed": 0,
        "unreviewed": [[row["case"], row["repetition"]] for row in answered],
        "reviewers": {},
        "agreements": 0,
        "disagreements": [],
        "objections": [],
        "ambiguous": [],
    }


def state_in_words(state: Mapping[str, Any]) -> str:
    """Return a review's state in one line."""
    if not state["attempts"]:
        return "no attempt gave an answer, so there is nothing to review"
    told = f"{state['reviewed']} of {state['attempts']} answers reviewed"
    if state["without_answer"]:
        told += f", {state['without_answer']} attempts have none"
    if state["reviewers"]:
        who = ", ".join(f"{name} {count}" for name, count in state["reviewers"].items())
        told += f"; by {who}; {len(state['objections'])} objections"
        told += f"; agreed on {state['agreements']}, {len(state['disagreements'])} disagreements"
    return told


def presentation(row: Row) -> str:
    """Return one attempt as a reviewer reads it: request, observations, drafts, answer, findings.

    How it was graded is left out, and so is what others said of it: neither should persuade.
    """
    asked = next((m["content"] for m in row["transcript"] if m["role"] == "user"), "")
    found = findings(row)
    return "\n".join(
        [
            f"{row['case']}, repetition {row['repetition']}",
            f"request: {asked}",
            "observed:",
            *(f"  {name}: {plain.dumps(seen)}" for name, seen in observations(row["transcript"])),
            "drafted, as the shop has it:",
            *(f"  {line}" for line in draft_summary(row["transcript"]).splitlines()),
            "answer:",
            *(f"  {line}" for line in marked(row["answer"], found).splitlines()),
            *(f"  [{n}] {f.kind}: {f.why}" for n, f in enumerate(found, start=1)),
        ]
    )


def _differing(key: Key, by: Mapping[str, Entry]) -> Iterator[dict[str, Any]]:
    for name in QUESTIONS:
        said = {who: entry[name] for who, entry in by.items()}
        if len(set(said.values())) > 1:
            yield {**_named(key), "question": name, "said": said}


def _named(key: Key) -> dict[str, Any]:
    return {"case": key[0], "repetition": key[1]}
