"""What a learner is told of an answer: which observation failed, never what the answer is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lab import plain
from lab.lessons.probe import Outcome, probe

TODO = "TODO"
"""What a starter returns until it is replaced."""


class Said(str):
    """Words for a learner, which a notebook shows as they are."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


Status = Literal["PASS", "NEEDS_WORK", "NOT_TRIED"]
LONGEST_SHOWN = 120


@dataclass(frozen=True)
class Feedback:
    """PASS, NEEDS_WORK or NOT_TRIED, and why."""

    status: Status
    task: str
    said: str
    look_at: str = ""

    def __repr__(self) -> str:
        told = f"{self.status}  {self.task}: {self.said}"
        return f"{told}\n  Look at: {self.look_at}" if self.look_at else told


@dataclass(frozen=True)
class Trial:
    """One input that a learner's function is tried out on, what is right, and what it is about."""

    given: Any
    expected: Any
    shows: str


@dataclass(frozen=True)
class FunctionTask:
    """Something to write: a function of one input, tried out on inputs that nobody has seen.

    `wanted` is the kind of thing that it returns, in words. The first trial is the visible one.
    """

    name: str
    wanted: str
    trials: tuple[Trial, ...]
    in_any_order: bool = True

    def check(self, function: Any) -> Feedback:
        """Try a function out in a process of its own, and say how it did."""
        if function is TODO or function is None:
            return Feedback("NOT_TRIED", self.name, "nothing has been written yet")
        if not callable(function):
            return self._needs_work(
                f"this is {plain.show(function)}, not a function", "hand over the function's name"
            )
        return self.judge(probe(function, [trial.given for trial in self.trials]))

    def judge(self, outcomes: Sequence[Outcome]) -> Feedback:
        """Say how a function did, from what it did on each trial."""
        if outcomes and all(outcome.returned == TODO for outcome in outcomes):
            return Feedback("NOT_TRIED", self.name, "it still returns TODO")
        for look in (self._ran, self._returned, self._left_alone, self._is_general, self._is_right):
            found = look(outcomes)
            if found is not None:
                return found
        return Feedback("PASS", self.name, f"{len(self.trials)} of {len(self.trials)} trials")

    def _ran(self, outcomes: Sequence[Outcome]) -> Feedback | None:
        for trial, outcome in zip(self.trials, outcomes, strict=False):
            if not outcome.ended:
                return self._needs_work(
                    f"it did not come to an end on {trial.shows}",
                    "a loop whose condition nothing in it changes",
                )
            if outcome.raised:
                return self._needs_work(
                    f"it raised {outcome.raised}, on {trial.shows}",
                    "what that input has more, or less, than the one you tried it on",
                )
        return None

    def _returned(self, outcomes: Sequence[Outcome]) -> Feedback | None:
        for trial, outcome in zip(self.trials, outcomes, strict=True):
            if outcome.returned is None and outcome.printed:
                return self._needs_work(
                    "it prints its answer and returns None",
                    "`return`: what is printed reaches a reader and no program",
                )
            if outcome.returned is None:
                return self._needs_work(
                    f"it returned None on {trial.shows}; {self.wanted} is wanted",
                    "a way through the function that meets no `return`",
                )
        return None

    def _left_alone(self, outcomes: Sequence[Outcome]) -> Feedback | None:
        for trial, outcome in zip(self.trials, outcomes, strict=True):
            if outcome.mutated:
                return self._needs_work(
                    f"it changed its input, on {trial.shows}",
                    "a method that changes a list or dict in place, where a new one is wanted",
                )
            if outcome.looked_at_expected:
                return self._needs_work(
                    "it looks at `case.expected`, where there is nothing while it runs",
                    "what a shop would know: stock, reservations, thresholds",
                )
        return None

    def _is_general(self, outcomes: Sequence[Outcome]) -> Feedback | None:
        seen = [self._comparable(outcome.returned) for outcome in outcomes]
        right = [self._comparable(trial.expected) for trial in self.trials]
        if len(seen) > 1 and seen != right and all(each == seen[0] for each in seen):
            return self._needs_work(
                f"it returned {_shown(outcomes[0].returned)} every time, whatever it was given",
                "where your answer uses what it is given",
            )
        if (
            len(seen) > 1
            and seen[0] == right[0]
            and not any(
                one == other for one, other in zip(seen[1:], right[1:], strict=True) if other != []
            )
        ):
            return self._needs_work(
                "it is right for the case in front of you and for no other",
                "names and numbers that stand in your code and not in its input",
            )
        return None

    def _is_right(self, outcomes: Sequence[Outcome]) -> Feedback | None:
        for trial, outcome in zip(self.trials, outcomes, strict=True):
            seen, right = self._comparable(outcome.returned), self._comparable(trial.expected)
            if seen == right:
                continue
            if _loosely(seen) == _loosely(right):
                return self._needs_work(
                    f"it returned {_shown(outcome.returned)} on {trial.shows}: the right numbers"
                    f" in the wrong types; {self.wanted} is wanted",
                    "6, 6.0, '6' and True are four different answers to a tool",
                )
            return self._needs_work(
                f"it returned {_shown(outcome.returned)} on {trial.shows}", trial.shows
            )
        return None

    def _comparable(self, value: Any) -> Any:
        """Return what equal answers have in common: a dict and a list of its pairs are not."""
        if isinstance(value, dict) and "dict" in value:
            return {"dict": sorted(map(repr, value["dict"]))}
        if self.in_any_order and isinstance(value, list):
            return sorted(map(repr, value))
        return repr(value)

    def _needs_work(self, said: str, look_at: str) -> Feedback:
        return Feedback("NEEDS_WORK", self.name, said, look_at)


@dataclass(frozen=True)
class AnswerTask:
    """Something to find out or decide: a value, compared exactly."""

    name: str
    wanted: str
    is_right: Callable[[Any], bool]
    look_at: str

    def check(self, answer: Any) -> Feedback:
        """Say whether an answer is right, and if not, where to look."""
        if answer is TODO or answer == TODO or answer is None:
            return Feedback("NOT_TRIED", self.name, "nothing has been answered yet")
        try:
            is_right = self.is_right(answer)
        except Exception as error:  # noqa: BLE001  (an answer may be anything)
            told = f"this is {_shown(answer)} ({type(error).__name__}); {self.wanted} is wanted"
            return Feedback("NEEDS_WORK", self.name, told, self.look_at)
        if is_right is True:
            return Feedback("PASS", self.name, "as it is")
        told = f"this is {_shown(answer)}; {self.wanted} is wanted"
        return Feedback("NEEDS_WORK", self.name, told, self.look_at)


def _shown(value: Any) -> str:
    if isinstance(value, set | frozenset):  # in an order of its own, so that it is told alike twice
        return plain.shorten(f"{{{', '.join(sorted(map(plain.show, value)))}}}", LONGEST_SHOWN)
    return plain.shorten(plain.show(value), LONGEST_SHOWN)


def _loosely(comparable: Any) -> Any:
    """Forget the types: 6, 6.0 and '6' are one number here, and True is 1."""
    text = str(comparable).replace("True", "1").replace("False", "0")
    return text.replace("'", "").replace('"', "").replace(".0", "").replace("\\", "")
