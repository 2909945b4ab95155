"""Counts as they are shown: with their denominators, and the interval over cases."""

from typing import Any

import pytest

from lab import rates
from lab.cases import CASES
from lab.counts import by_case, case_outcomes
from lab.evaluation import evaluate
from lab.interpretation import always_clarify, keywords, run_requests
from lab.shop.fixtures import GuidedFixture, OfflineShopModel


def test_sixteen_of_sixteen_are_eight_cases() -> None:
    found = rates.rates(evaluate(OfflineShopModel, repeats=2)["cases"])
    passed = found["passed"]
    assert (passed["passed"], passed["attempts"], passed["cases"]) == (16, 16, 8)
    assert (passed["low"], passed["high"]) == (pytest.approx(0.6756, abs=5e-5), 1.0)
    assert passed["times_wider"] == pytest.approx(1.6756, abs=5e-5)
    assert rates.text(passed) == "16/16 [0.68, 1.00]"
    assert {name: rates.text(each) for name, each in found["by_split"].items()} == {
        "development": "6/6 [0.44, 1.00]",
        "regression": "6/6 [0.44, 1.00]",
        "held-out (2 of 2 spent)": "4/4 [0.34, 1.00]",
    }
    assert list(found["by_check"])[1] == "quantities"


def test_each_check_has_its_own() -> None:
    # Without guidance it neither looks nor drafts; three of the eight cases need no draft.
    found = rates.rates(evaluate(GuidedFixture, cases=CASES[:4])["cases"])
    assert rates.text(found["by_check"]["grounded"]) == "0/4 [0.00, 0.49]"
    assert rates.text(found["by_check"]["quantities"]) == "2/4 [0.15, 0.85]"


def test_each_candidate_has_its_own() -> None:
    report = run_requests({"keywords": keywords, "clarify": always_clarify}, repeats=2)
    found = rates.report_rates(report)
    assert rates.text(found["keywords"]["passed"]) == "26/28 [0.69, 0.99]"
    assert rates.text(found["clarify"]["passed"]) == "6/28 [0.08, 0.48]"


def test_no_attempt_has_no_interval() -> None:
    assert rates.text(rates.rate({})) == "0/0"
    assert rates.in_words(rates.rate({})) == "0/0, of 0 distinct cases"


def test_in_words_it_says_what_repeats_are_worth() -> None:
    once, twice = ({"a": (1, 1), "b": (1, 1)}, {"a": (2, 2), "b": (2, 2)})
    assert rates.in_words(rates.rate(once)) == "2/2 [0.34, 1.00], of 2 distinct cases"
    assert rates.in_words(rates.rate(twice)) == (
        "4/4 [0.34, 1.00], of 2 distinct cases; 1.3 times as wide as if repeats were new cases"
    )


def test_each_value_of_a_field_has_its_rate() -> None:
    rows: list[dict[str, Any]] = [
        {"case": "a", "mechanism": "schema"},
        {"case": "b", "mechanism": None},
        {"case": "c", "mechanism": "schema"},
    ]
    found = rates.by_value(rows, "mechanism")
    assert {name: rates.text(each) for name, each in found.items()} == {
        "schema": "2/3 [0.21, 0.94]"
    }


def row(case: str, passed: bool) -> dict[str, Any]:
    return {"case": case, "passed": passed}


def test_a_case_is_won_by_passing_every_repetition() -> None:
    rows = [row("a", True), row("a", True), row("b", True), row("b", False)]
    assert by_case(rows) == {"a": (2, 2), "b": (1, 2)}
    assert by_case(rows, lambda each: not each["passed"]) == {"a": (0, 2), "b": (1, 2)}
    assert case_outcomes(rows) == {"a": True, "b": False}
