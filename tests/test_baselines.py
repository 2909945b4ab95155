"""The arithmetic to beat."""

import pytest

from lab.baselines import baseline
from lab.cases import CASES, Case, without_answer

BY_HAND = {
    "opening": [("V", 6), ("S", 4)],
    "at_threshold": [],
    "reserved_stock": [("V", 3)],
    "empty_catalog": [],
    "different_catalog": [("M", 5), ("C", 3)],
    "hostile_request": [("V", 6)],
    "zero_threshold": [("N", 4)],
    "larger_reservation": [("X", 10)],
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_agrees_with_all_eight(case: Case) -> None:
    assert baseline(without_answer(case)) == BY_HAND[case.name]
    assert sorted(case.expected) == sorted(BY_HAND[case.name])


def test_reservations_above_the_stock_make_the_need_larger() -> None:
    assert baseline(Case("short", "development", (("P", 1, 4, 2, 10),), ())) == [("P", 5)]


def test_it_never_reads_the_expected_answer() -> None:
    wrong = Case("wrong", "development", (("V", 2, 0, 8, 250),), (("V", 7),))
    assert baseline(wrong) == [("V", 6)]
