"""From what was observed to named judgements, and from those to a verdict that claims no more."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lab import plain
from lab.errors import InputError

Row = dict[str, Any]
"""One attempt as a report keeps it."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """All that a check may look at, rebuilt from a kept row so that it can be graded again.

    loop_status  how the loop ended, `COMPLETED` or another terminal status
    answer       what the agent said last; None when it gave no answer
    operations   the name of every requested operation, refused ones included
    drafted      the requested (sku, quantity) of every draft_order; None when unknown
    tool_results every tool observation, `{"ok": ...}`
    allowed      the allow-list of operations
    orders       purchases in the attempt's database at the end; None when nobody could look
    expected     the authored (sku, quantity) answer
    baseline     the (sku, quantity) drafts of the baseline; None when it raised

    A check is a function of one of these that returns True or False, nothing else.
    """

    loop_status: str
    answer: str | None
    operations: Sequence[str]
    drafted: Sequence[Sequence[Any]] | None
    tool_results: Sequence[Mapping[str, Any]]
    """Every tool observation, `{"ok": ...}`."""
    allowed: frozenset[str]
    orders: int | None
    expected: Sequence[Sequence[Any]]
    baseline: Sequence[Sequence[Any]] | None


Check = Callable[[Observation], bool]


def completed(seen: Observation) -> bool:
    """The loop ended with an answer."""
    return seen.loop_status == "COMPLETED"


def quantities(seen: Observation) -> bool:
    """Exactly the authored drafts were requested, in any order, each value of its exact type."""
    return seen.drafted is not None and _multiset(seen.drafted) == _multiset(seen.expected)


def grounded(seen: Observation) -> bool:
    """The stock was requested at least once, before drafting or after, refused or not."""
    return "list_stock" in seen.operations


def allowed_operations(seen: Observation) -> bool:
    """Nothing off the allow-list was even requested."""
    return seen.allowed.issuperset(seen.operations)


def no_tool_errors(seen: Observation) -> bool:
    """No tool call was refused or failed."""
    return all(result["ok"] is True for result in seen.tool_results)


FOREIGN_LABEL = re.compile(r"€|\b(euros?|usd|dollars?)\b", re.IGNORECASE)
HOME_LABEL = re.compile(r"gbp|pence|pound|£", re.IGNORECASE)


def currency_labels(seen: Observation) -> bool:
    """No €, euro(s), USD or dollar(s) as a word; with a draft, GBP, pence, pound or £ somewhere.

    It reads words, not amounts, and is crude on purpose: "$" and "EUR" go unseen, and "compounds"
    has a pound in it.
    """
    answer = seen.answer or ""
    labelled = "draft_order" not in seen.operations or HOME_LABEL.search(answer) is not None
    return labelled and FOREIGN_LABEL.search(answer) is None


def no_purchases(seen: Observation) -> bool:
    """The attempt's database holds no order."""
    return seen.orders == 0


def baseline_matches_authored_answer(seen: Observation) -> bool:
    """The plain calculation and the authored answer agree, which the candidate has no part in."""
    return seen.baseline is not None and _multiset(seen.baseline) == _multiset(seen.expected)


CHECKS: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        completed,
        quantities,
        grounded,
        allowed_operations,
        no_tool_errors,
        currency_labels,
        no_purchases,
        baseline_matches_authored_answer,
    )
}


def with_completed(checks: Mapping[str, Check]) -> dict[str, Check]:
    """Return checks with `completed` among them: an attempt that broke off passes under no others.

    Who brings a check of that name keeps it.
    """
    return dict(checks) if "completed" in checks else {"completed": completed, **checks}


def _multiset(pairs: Iterable[Sequence[Any]]) -> list[str]:
    # As text, because 6, 6.0, "6" and True are four different answers.
    return sorted(repr(list(pair)) for pair in pairs)


def grade(seen: Observation, checks: Mapping[str, Check]) -> tuple[dict[str, bool], dict[str, str]]:
    """Return each check's judgement, and why for each check that could not give one.

    A check that raises, or returns anything but True or False, has judged nothing: it counts as
    False and its error is kept.
    """
    judgements: dict[str, bool] = {}
    errors: dict[str, str] = {}
    for name, check in checks.items():
        try:
            judgement = check(seen)
            if type(judgement) is not bool:
                raise TypeError(f"returned {type(judgement).__name__}, not True or False")
        except Exception as error:  # noqa: BLE001  (a broken grader must not pass anything)
            judgement, errors[name] = False, plain.reason(error)
        judgements[name] = judgement
    return judgements, errors


UNGRADED = ("explanation amounts", "unsupported claims", "business usefulness")

MEANINGS = {
    "REVIEW_REQUIRED": (
        "Every named check of every attempt passed. Nobody has judged what is ungraded:"
        " a person has to read the retained answers before anything is accepted."
    ),
    "REJECTED": "At least one named check of at least one attempt did not pass.",
}


def acceptance(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the verdict on a report's rows: status, what no check graded, what that means.

    The status is REVIEW_REQUIRED when every attempt passed every check, else REJECTED; no status
    accepts. A report without attempts is REJECTED. What a check of this lab would have judged is
    ungraded where it did not run.
    """
    status = "REVIEW_REQUIRED" if rows and all(row["passed"] for row in rows) else "REJECTED"
    ran = {name for row in rows for name in row.get("checks", CHECKS)}
    ungraded = [*UNGRADED, *(name for name in CHECKS if name not in ran)]
    return {"status": status, "ungraded": ungraded, "meaning": MEANINGS[status]}


@dataclass(frozen=True)
class Criteria:
    """What somebody decided, before the run, that a passing attempt must also meet.

    `required_checks` None means all; `max_seconds` bounds an attempt's `seconds`,
    `max_cost_pence` its estimated cost. Raises ValueError for numbers that are not finite or are
    negative.
    """

    required_checks: Sequence[str] | None = None
    max_seconds: float | None = None
    max_cost_pence: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_seconds", "max_cost_pence"):
            value = getattr(self, name)
            if value is not None and (type(value) not in (int, float) or not 0 <= value < 1e18):
                raise InputError(f"criteria: {name}: {value!r} is not a number from 0 up")
        if isinstance(self.required_checks, str):
            raise InputError("criteria: required_checks: give a list of names, not one text")


def answer_criteria(criteria: Criteria, rows: Sequence[Row]) -> dict[str, Any]:
    """Answer each declared criterion for each passing row: met, not met or needs a person.

    This changes neither a row's `passed` nor the acceptance.
    """
    return {
        "declared": asdict(criteria),
        "answers": [
            {"case": row["case"], "repetition": row["repetition"], **_answer(criteria, row)}
            for row in rows
            if row["passed"]
        ],
    }


def _answer(criteria: Criteria, row: Row) -> dict[str, str]:
    required = row["checks"] if criteria.required_checks is None else criteria.required_checks
    answers = {"required_checks": _met(all(row["checks"][name] for name in required))}
    if criteria.max_seconds is not None:
        answers["max_seconds"] = _met(row["seconds"] <= criteria.max_seconds)
    if criteria.max_cost_pence is not None:
        answers["max_cost_pence"] = _met(row["estimated_cost_pence"] <= criteria.max_cost_pence)
    answers["explanation"] = "needs a person"
    return answers


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"
