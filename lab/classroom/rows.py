"""A learner as the books have them: what counts of theirs, as people decided on it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lab.classroom.decisions import Decision, decided
from lab.classroom.kept import Kept, Learner, slug
from lab.classroom.rubric import EVIDENCE, Points, Rubric, kind
from lab.classroom.verdicts import UNDECIDED, Part, Result


class Row(NamedTuple):
    """One learner's line. `is_given` says whether a submission of theirs was given this time."""

    name: str
    kept: Sequence[Kept]
    results: Sequence[Result]
    points: Points
    checks: int
    is_given: bool
    page: str

    def undecided(self) -> dict[str, Part]:
        """Return the parts that nobody has decided on yet; what each unit has is named with it."""
        return {
            f"{result.unit} {name}" if kind(name) in EVIDENCE else name: part
            for result in self.results
            for name, part in result.parts.items()
            if part.verdict in UNDECIDED
        }


def rows(
    everybody: Iterable[Learner],
    rubric: Rubric,
    decisions: Sequence[Decision],
    given: Iterable[str],
) -> list[Row]:
    """Return everybody at a desk; `given` names those whose submissions were given this time."""
    there = set(given)
    found = []
    for learner in everybody:
        current = learner.current()
        results = [decided(kept, rubric, decisions) for kept in current]
        row = Row(
            learner.name,
            current,
            results,
            rubric.points(results),
            len(learner.kept),
            learner.name in there,
            f"feedback/{slug(learner.name)}.html",
        )
        found.append(row)
    return found
