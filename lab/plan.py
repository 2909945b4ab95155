"""What is going to be evaluated, checked before anything runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

from lab import plain
from lab.attempt import Task
from lab.baselines import Baseline
from lab.cases import Case
from lab.errors import InputError
from lab.grading import Check, Criteria
from lab.provenance import identity, lab_digest
from lab.shop.database import Database, SkillRow
from lab.shop.loop import Limits
from lab.shop.models import Model
from lab.shop.skills import Skill
from lab.shop.tools import Dispatcher

MOST_REPEATS = 5
Kind = TypeVar("Kind")


def listed(name: str, given: Iterable[Kind], kind: type[Kind], hint: str) -> tuple[Kind, ...]:
    """Return what was given one after another as a tuple; InputError where it is something else."""
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not isinstance(given, Iterable) or not all(isinstance(each, kind) for each in found):
        raise InputError(f"{name}: give a list of {kind.__name__} objects; {hint}")
    return found


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One evaluation. ValueError, naming the part, where it could not mean anything."""

    model_factory: Callable[[], Model]
    cases: tuple[Case, ...]
    candidate: Skill | None
    active: tuple[Skill, ...]
    repeats: int
    limits: Limits
    baseline: Baseline
    checks: Mapping[str, Check]
    criteria: Criteria | None
    dispatcher: Callable[[Database], Dispatcher]

    def __post_init__(self) -> None:
        self._refuse_other_kinds()
        if not self.cases:
            raise InputError("cases: there are none, so nothing would be measured")
        for part, names in (
            ("cases", [case.name for case in self.cases]),
            ("skills", [skill.name for skill in self.active]),
        ):
            name, uses = Counter(names).most_common(1)[0] if names else ("", 0)
            if uses > 1:
                raise InputError(f"{part}: the name {name!r} is used {uses} times")
        if type(self.repeats) is not int or not 1 <= self.repeats <= MOST_REPEATS:
            raise InputError(
                f"repeats: {self.repeats!r} is not an integer from 1 to {MOST_REPEATS}"
            )
        if not self.checks:
            raise InputError("checks: there are none, so everything would pass")
        required = self.criteria.required_checks if self.criteria else None
        for name in required or ():
            if name not in self.checks:
                raise InputError(f"criteria: required_checks: {name!r} is not one of the checks")
        _ = self.digests  # refused now, and not when everything has run

    def _refuse_other_kinds(self) -> None:
        checks = self.checks
        is_mapping = isinstance(checks, Mapping) and all(map(callable, checks.values()))
        for name, is_right, wanted in (
            (
                "model_factory",
                callable(self.model_factory),
                "a class or function that makes a model",
            ),
            (
                "skill",
                isinstance(self.candidate, Skill | None),
                "a Skill; OPENING_PROCEDURE is one",
            ),
            ("limits", isinstance(self.limits, Limits), "Limits(model_calls=8, ...)"),
            ("baseline", callable(self.baseline), "a function of a case"),
            ("checks", is_mapping, "a dict of names and functions of an Observation"),
            (
                "criteria",
                isinstance(self.criteria, Criteria | None),
                "Criteria(max_seconds=5, ...)",
            ),
            ("dispatcher", callable(self.dispatcher), "a function of a Database"),
        ):
            if not is_right:
                raise InputError(f"{name}: give {wanted}")

    @cached_property
    def skills(self) -> tuple[Skill, ...]:
        """The skills of every attempt: the candidate takes the place of the one of its name."""
        if self.candidate is None:
            return self.active
        others = [skill for skill in self.active if skill.name != self.candidate.name]
        return (*others, self.candidate)

    @cached_property
    def attempts(self) -> list[tuple[Case, int]]:
        """Every (case, repetition from 1), cases outermost."""
        return [(case, n) for case in self.cases for n in range(1, self.repeats + 1)]

    @cached_property
    def skill_rows(self) -> tuple[SkillRow, ...]:
        """The same skills as a shop keeps them."""
        return tuple(skill.row for skill in self.skills)

    def task(self, case: Case) -> Task:
        """Return what an attempt at a case is given."""
        return Task(
            self.model_factory,
            case.prompt,
            case.stock,
            self.skill_rows,
            self.limits,
            self.dispatcher,
        )

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digests of the cases, answers included, and of the checks' source."""
        cases = plain.digest([vars(case) for case in self.cases])
        return {"cases": cases, "checks": checks_digest(self.checks)}

    def frozen(self) -> dict[str, Any]:
        """Say all that makes the candidate what it is, so that a ledger can tell a revision.

        The agent's own source is in it: its loop, its tools and what it is told.
        """
        parts = {
            "model": identity(self.model_factory),
            "candidate": self.candidate and self.candidate.entry,
            "skills": [skill.entry for skill in self.skills],
            "limits": asdict(self.limits),
            "dispatcher": identity(self.dispatcher),
            "agent": lab_digest("shop"),
        }
        return dict(plain.loads(plain.dumps(parts)))

    def fingerprint(self) -> dict[str, Any]:
        """Say part by part what is evaluated, so that a journal can tell another run."""
        parts = {
            "lab": lab_digest(),
            "model": identity(self.model_factory),
            **self.digests,
            "candidate": self.candidate and self.candidate.entry,
            "skills": [skill.entry for skill in self.skills],
            "repeats": self.repeats,
            "limits": asdict(self.limits),
            "baseline": identity(self.baseline),
            "criteria": self.criteria and asdict(self.criteria),
            "dispatcher": identity(self.dispatcher),
        }
        # As JSON gives it back, since that is what it will be compared with.
        return dict(plain.loads(plain.dumps(parts)))


def checks_digest(checks: Mapping[str, Check]) -> str:
    """Return what checks are known by, their source included. InputError where one is like none."""
    try:
        return plain.digest({name: identity(check) for name, check in checks.items()})
    except Exception as error:  # noqa: BLE001  (what a callable carries may do anything)
        told = f"checks: one cannot be told from another: {plain.reason(error)}"
        raise InputError(told) from None
