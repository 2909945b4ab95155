"""Each check on its own, and what a check that breaks comes to."""

from typing import Any

import pytest

from lab.grading import CHECKS, Criteria, Observation, acceptance, answer_criteria, grade

Q = "quantities"
BASELINE = "baseline_matches_authored_answer"
GOOD: dict[str, Any] = {
    "loop_status": "COMPLETED",
    "answer": "V: 6 tubs, 1500 pence GBP",
    "operations": ["list_stock", "draft_order"],
    "drafted": [["V", 6]],
    "tool_results": [{"ok": True, "value": []}, {"ok": True, "value": {}}],
    "allowed": frozenset({"list_stock", "supplier", "draft_order"}),
    "orders": 0,
    "expected": [["V", 6]],
    "baseline": [["V", 6]],
}


def test_the_eight_checks_in_their_order() -> None:
    assert list(CHECKS) == [
        "completed",
        "quantities",
        "grounded",
        "allowed_operations",
        "no_tool_errors",
        "currency_labels",
        "no_purchases",
        "baseline_matches_authored_answer",
    ]
    assert all(grade(Observation(**GOOD), CHECKS)[0].values())


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        ({"loop_status": "EMPTY_REPLY"}, ["completed"]),
        ({"loop_status": "completed"}, ["completed"]),
        ({"drafted": [["V", "6"]]}, ["quantities"]),
        ({"drafted": [["V", 6.0]]}, ["quantities"]),
        ({"drafted": [["V", 1], ["V", True]], "expected": [["V", 1]] * 2}, [Q, BASELINE]),
        ({"drafted": [["V", 6], ["V", 6]]}, ["quantities"]),
        ({"drafted": [[None, {"a": [1]}]]}, ["quantities"]),
        ({"drafted": [], "operations": ["list_stock"]}, ["quantities"]),
        ({"drafted": None, "expected": [], "baseline": []}, ["quantities"]),
        ({"operations": ["draft_order"]}, ["grounded"]),
        ({"operations": ["list_stock", "approve"]}, ["allowed_operations"]),
        ({"tool_results": [{"ok": False, "error": "no"}]}, ["no_tool_errors"]),
        ({"tool_results": [{"ok": 1, "value": 1}]}, ["no_tool_errors"]),
        ({"orders": 1}, ["no_purchases"]),
        ({"orders": None}, ["no_purchases"]),
        ({"baseline": [["V", 5]]}, ["baseline_matches_authored_answer"]),
        ({"baseline": None}, ["baseline_matches_authored_answer"]),
    ],
)  # fmt: skip
def test_what_each_check_sees(change: dict[str, Any], failing: list[str]) -> None:
    judgements, errors = grade(Observation(**{**GOOD, **change}), CHECKS)
    assert [name for name, passed in judgements.items() if not passed] == failing
    assert errors == {}


def test_the_order_of_drafts_does_not_matter() -> None:
    seen = Observation(
        **{**GOOD, "drafted": [["S", 4], ["V", 6]], "expected": [["V", 6], ["S", 4]]}
    )
    assert CHECKS["quantities"](seen) is True


@pytest.mark.parametrize(
    ("answer", "drafted", "judgement"),
    [
        ("1500 pence", True, True),
        ("GBP 15", True, True),
        ("15 Pounds", True, True),
        ("£15", True, True),
        ("1500", True, False),
        ("1500", False, True),
        ("1500 pence, which is 17 EUROS", True, False),
        ("1500 pence GBP (17 euro)", True, False),
        ("1500 pence, 19 usd", True, False),
        ("1500 pence, 19 US dollars", True, False),
        ("1500 pence, €17", True, False),
        ("€17", False, False),
        # Crude on purpose: what these three come to is wrong, known and taught.
        ("A pound of vanilla for 15", True, True),
        ("1500 pence. I will not answer in euros.", True, False),
        ("Euro Vanilla: 1500 pence", True, False),
        # Whole words only.
        ("1500 pence for European vanilla", True, True),
        ("", True, False),
        (None, False, True),
    ],
)
def test_currency_labels(answer: str | None, drafted: bool, judgement: bool) -> None:
    operations = ["list_stock", "draft_order"] if drafted else ["list_stock"]
    seen = Observation(**{**GOOD, "answer": answer, "operations": operations})
    assert CHECKS["currency_labels"](seen) is judgement


def test_a_check_that_raises_or_does_not_say_true_has_judged_nothing() -> None:
    checks: dict[str, Any] = {
        "raises": lambda seen: 1 / 0,
        "truthy": lambda seen: "yes",
        "silent": lambda seen: None,
        "fine": lambda seen: True,
    }
    judgements, errors = grade(Observation(**GOOD), checks)
    assert judgements == {"raises": False, "truthy": False, "silent": False, "fine": True}
    assert errors == {
        "raises": "ZeroDivisionError: division by zero",
        "truthy": "TypeError: returned str, not True or False",
        "silent": "TypeError: returned NoneType, not True or False",
    }


def test_acceptance_never_accepts() -> None:
    everything = acceptance([{"passed": True}, {"passed": True}])
    assert everything["status"] == "REVIEW_REQUIRED"
    assert everything["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    ]
    assert acceptance([{"passed": True}, {"passed": False}])["status"] == "REJECTED"
    assert acceptance([])["status"] == "REJECTED"


def test_criteria_are_answered_for_passing_rows_only() -> None:
    def row(passed: bool, seconds: float, pence: int) -> dict[str, Any]:
        return {
            "case": "opening",
            "repetition": 1,
            "passed": passed,
            "checks": {"completed": passed, "grounded": passed},
            "seconds": seconds,
            "estimated_cost_pence": pence,
        }

    rows = [row(True, 2.0, 3), row(True, 0.5, 1), row(False, 0.1, 0)]
    criteria = Criteria(required_checks=["grounded"], max_seconds=1.5, max_cost_pence=1)
    assert answer_criteria(criteria, rows)["answers"] == [
        {
            "case": "opening",
            "repetition": 1,
            "required_checks": "met",
            "max_seconds": "not met",
            "max_cost_pence": "not met",
            "explanation": "needs a person",
        },
        {
            "case": "opening",
            "repetition": 1,
            "required_checks": "met",
            "max_seconds": "met",
            "max_cost_pence": "met",
            "explanation": "needs a person",
        },
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"max_seconds": -1},
        {"max_seconds": float("nan")},
        {"max_cost_pence": True},
        {"max_cost_pence": "2"},
        {"required_checks": "completed"},
    ],
)
def test_criteria_that_mean_nothing_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="criteria: "):
        Criteria(**bad)
