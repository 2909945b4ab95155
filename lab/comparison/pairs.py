"""Two candidates on the same cases: which did each pass that the other did not?"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from lab.counts import case_outcomes
from lab.errors import InputError
from lab.statistics import Paired, mcnemar

Row = dict[str, Any]


def compare(
    first: Iterable[Row], second: Iterable[Row], *, names: tuple[str, str] = ("first", "second")
) -> Paired:
    """Return the paired comparison of two candidates' attempts, by the names of the cases.

    A candidate passes a case by passing every repetition of it: repeats are not more cases. Raises
    InputError that names an attempt which only one of them made, or which one made twice.
    """
    kept = [list(first), list(second)]
    made = [Counter((row["case"], row["repetition"]) for row in rows) for rows in kept]
    for mine, other, name in ((made[0], made[1], names[1]), (made[1], made[0], names[0])):
        for case, repetition in mine:
            if (case, repetition) not in other:
                raise InputError(
                    f"comparison: {name} has no attempt {repetition} at {case}; both candidates"
                    " need the same cases, repeated as often"
                )
            if other[case, repetition] > 1:
                raise InputError(f"comparison: {name} has attempt {repetition} at {case} twice")
    return mcnemar(*map(case_outcomes, kept))
