"""What a part of a submission comes to, and what a submission comes to: its parts, never a sum."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from lab import plain

VERDICTS = (
    "PASS",
    "NEEDS_WORK",
    "NOT_TRIED",
    "TIME_LIMIT",
    "MEMORY_LIMIT",
    "CRASHED",
    "TAMPERED",
    "UNREADABLE",
    "HUMAN_REVIEW_REQUIRED",
)
REVIEW = "HUMAN_REVIEW_REQUIRED"
UNDECIDED = frozenset(VERDICTS) - {"PASS", "NEEDS_WORK", "NOT_TRIED"}
"""Verdicts that are worth nothing and cost nothing until a person has decided."""
LONGEST_EVIDENCE = 2000


@dataclass(frozen=True)
class Part:
    """One part of a submission. `evidence` may be shown to the learner, `hidden` never.

    A submission may have a say in the evidence: it is cut, with a mark, where it is long. `by` is
    who decided, where a person did.
    """

    verdict: str
    evidence: str
    hidden: str | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"part: {self.verdict!r} is not one of {', '.join(VERDICTS)}")
        object.__setattr__(self, "evidence", plain.shorten(self.evidence, LONGEST_EVIDENCE))


@dataclass
class Result:
    """What a submission came to.

    `human` is what a person has to read: nobody scored it. `functions` has, by task, two digests
    that tell equal functions, and functions that differ in names and layout alone.
    """

    name: str
    unit: str | None = None
    parts: dict[str, Part] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    human: list[dict[str, Any]] = field(default_factory=list)
    functions: dict[str, list[str]] = field(default_factory=dict)

    def but(self, **changed: Any) -> Self:
        """Return it with something changed."""
        return replace(self, **changed)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_data(cls, told: dict[str, Any]) -> Self:
        """Return what `as_data` told. TypeError or ValueError where it told something else."""
        parts = {name: Part(**part) for name, part in told["parts"].items()}
        return cls(**{**told, "parts": parts})
