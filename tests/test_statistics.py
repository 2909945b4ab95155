"""Intervals and tests against figures worked out by hand, published tables, another package."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import InputError
from lab.statistics import (
    Interval,
    cases_needed,
    clustered,
    coverage,
    mcnemar,
    pass_at_k,
    pass_hat_k,
    rule_of_three,
    smallest_finding,
    wald,
    wilson,
)

statsmodels = pytest.importorskip("statsmodels.api")


def near(low: float, high: float, within: float = 5e-5) -> Any:
    return pytest.approx((low, high), abs=within)


@pytest.mark.parametrize(
    ("passed", "attempts", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_against_a_published_table(
    passed: int, attempts: int, low: float, high: float
) -> None:
    assert wilson(passed, attempts) == near(low, high)


def test_wilson_of_the_labs_own_counts() -> None:
    assert wilson(16, 16) == near(0.8064, 1.0)
    assert wilson(26, 28) == near(0.7735, 0.9802)
    assert wilson(10, 28) == near(0.2071, 0.5417)
    assert wilson(0, 16) == near(0.0, 0.1936)
    assert wilson(16, 16, alpha=0.1) == near(0.8554, 1.0)  # 16 / (16 + 1.645²)


def test_wald_is_certain_after_sixteen_attempts() -> None:
    assert wald(16, 16) == (1.0, 1.0)
    assert wald(0, 3) == (0.0, 0.0)
    assert wald(8, 16) == near(0.2550, 0.7450)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_agree_with_another_package(count: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert wilson(*count) == pytest.approx(proportion_confint(*count, method="wilson"), abs=1e-12)
    assert wald(*count) == pytest.approx(proportion_confint(*count, method="normal"), abs=1e-12)
    low, high = wilson(*count)
    assert 0 <= low <= count[0] / count[1] <= high <= 1


def test_repeats_are_worth_less_than_cases() -> None:
    # Rate 1/2; between cases 4/3 x 2/64 = 1/24, independent 1/32: 8 attempts are worth 6.
    found = clustered({"a": (2, 2), "b": (1, 2), "c": (0, 2), "d": (1, 2)})
    assert found.effective == pytest.approx(6)
    assert found.interval == near(0.1876, 0.8124)
    assert found.naive == near(0.2152, 0.7848)
    assert found.times_wider == pytest.approx(1.0969, abs=1e-4)
    assert (found.passed, found.attempts, found.cases) == (4, 8, 4)


def test_repeats_that_say_the_same_add_nothing() -> None:
    found = clustered({f"case {n}": (2, 2) for n in range(8)})
    assert found.effective == 8
    assert found.interval == near(0.6756, 1.0)  # 8/8, and not 16/16
    assert found.times_wider == pytest.approx(1.6756, abs=1e-4)
    one_never = clustered({"never": (0, 10), **{f"case {n}": (10, 10) for n in range(49)}})
    assert one_never.effective == 50
    assert one_never.interval == near(0.8950, 0.9965)
    assert one_never.naive == near(0.9636, 0.9891)


def test_one_attempt_a_case_is_wilsons_interval() -> None:
    found = clustered({"a": (1, 1), "b": (0, 1), "c": (1, 1)})
    assert found.effective == 3
    assert found.interval == found.naive == near(0.2077, 0.9385)


def test_one_case_is_one_case_however_often_it_is_repeated() -> None:
    found = clustered({"only": (5, 5)})
    assert found.effective == 1
    assert found.interval == near(0.2065, 1.0)


def test_one_case_repeated_more_often_than_the_rest_is_no_more_cases() -> None:
    # 54² / (50² + 4) = 1.16: fifty attempts at one request and four at others.
    found = clustered({"often": (50, 50), "a": (0, 1), "b": (0, 1), "c": (0, 1), "d": (0, 1)})
    assert found.effective == pytest.approx(1.1645, abs=1e-4)
    assert found.interval == near(0.1998, 0.9984)


def test_cases_that_scatter_less_than_chance_are_worth_no_more_than_their_attempts() -> None:
    found = clustered({"a": (1, 2), "b": (1, 2)})
    assert found.effective == 4
    assert found.times_wider == 1


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.tuples(st.integers(0, n), st.just(n)), min_size=2)
    )
)
def test_the_design_effect_agrees_with_another_package(counts: list[tuple[int, int]]) -> None:
    outcomes = [int(k < passed) for passed, n in counts for k in range(n)]
    if len(set(outcomes)) == 1:
        return
    groups = [case for case, (_, n) in enumerate(counts) for _ in range(n)]
    fit = statsmodels.OLS(outcomes, [1.0] * len(outcomes)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}
    )
    rate, attempts = sum(outcomes) / len(outcomes), len(outcomes)
    independent, between = rate * (1 - rate) / attempts, fit.bse[0] ** 2
    # So small a spread between cases is rounding: they all have the same rate.
    worth = attempts * independent / between if between > 1e-12 else math.inf
    found = clustered({str(case): count for case, count in enumerate(counts)})
    assert found.effective == pytest.approx(min(attempts, max(len(counts), worth)))


def test_rule_of_three() -> None:
    assert rule_of_three(16) == 0.1875
    assert rule_of_three(100) == 0.03  # exactly 1 - 0.05 ** (1 / 100) = 0.0295
    assert rule_of_three(2) == 1.0


@pytest.mark.parametrize(
    ("attempts", "held"),
    [(17, 0.951), (18, 0.904), (20, 0.959), (40, 0.919)],
)
def test_coverage_against_a_published_table(attempts: int, held: float) -> None:
    # Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133: Wald at p = 0.5
    assert coverage(wald, attempts, 0.5) == pytest.approx(held, abs=6e-4)


def test_wald_fails_where_wilson_holds() -> None:
    # Where all sixteen pass, in 0.95^16 = 0.44 of runs, Wald's interval is (1, 1) and misses.
    assert coverage(wald, 16, 0.95) == pytest.approx(0.5590, abs=1e-4)
    assert coverage(wilson, 16, 0.95) == pytest.approx(0.9571, abs=1e-4)
    # 1 - 0.99^16, and 0.99^16: of 15/16 Wilson's upper end is 0.989.
    assert coverage(wald, 16, 0.99) == pytest.approx(0.1485, abs=1e-4)
    assert coverage(wilson, 16, 0.99) == pytest.approx(0.8515, abs=1e-4)
    assert coverage(wald, 2, 0.5) == pytest.approx(0.5)  # one of two holds it; none, both do not
    assert coverage(lambda passed, attempts: Interval(0, 1), 7, 0.3) == pytest.approx(1)


def test_mcnemar_by_hand() -> None:
    first = dict.fromkeys("abcdefgh", True)
    second = {**dict.fromkeys("abcdef", False), "g": True, "h": True}
    found = mcnemar(first, second)
    assert found.only_first == ("a", "b", "c", "d", "e", "f")
    assert (found.both, found.only_second, found.neither) == (("g", "h"), (), ())
    assert found.p_value == pytest.approx(0.03125)  # 2 / 2^6
    assert found.discordant == 6


def test_mcnemar_names_the_cases_that_differ() -> None:
    first = {"a": True, "b": True, "c": True, "d": True, "e": True, "f": False, "g": False}
    second = {"g": False, "f": True, "a": False, "b": False, "c": False, "d": False, "e": False}
    found = mcnemar(first, second)
    assert found.only_first == ("a", "b", "c", "d", "e")
    assert found.only_second == ("f",)
    assert found.neither == ("g",)
    assert found.p_value == pytest.approx(0.21875)  # 2 x (1 + 6) / 2^6
    assert mcnemar(second, first).p_value == pytest.approx(0.21875)


def test_candidates_that_never_differ_are_not_told_apart() -> None:
    assert mcnemar({"a": True}, {"a": True}).p_value == 1.0


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_agrees_with_another_package(pairs: list[tuple[bool, bool]]) -> None:
    from statsmodels.stats.contingency_tables import mcnemar as other

    found = mcnemar(
        {str(n): one for n, (one, _) in enumerate(pairs)},
        {str(n): two for n, (_, two) in enumerate(pairs)},
    )
    table = [
        [pairs.count((True, True)), pairs.count((True, False))],
        [pairs.count((False, True)), pairs.count((False, False))],
    ]
    assert found.p_value == pytest.approx(
        other(table, exact=True).pvalue if found.discordant else 1
    )


def test_pass_hat_k_and_pass_at_k_by_hand() -> None:
    counts = {"a": (3, 5), "b": (5, 5)}
    assert pass_hat_k(counts, 1) == pytest.approx(0.8)
    assert pass_hat_k(counts, 2) == pytest.approx(0.65)  # (3/10 + 1) / 2
    assert pass_at_k(counts, 2) == pytest.approx(0.95)  # (1 - 1/10 + 1) / 2
    assert pass_hat_k(counts, 5) == 0.5
    assert pass_at_k(counts, 5) == 1.0
    one_never = {"never": (0, 10), **{f"case {n}": (10, 10) for n in range(49)}}
    assert pass_hat_k(one_never, 10) == pytest.approx(0.98)


def test_cases_needed_by_hand() -> None:
    # (1.959964 x sqrt(0.3) + 0.841621 x sqrt(0.3 - 0.04))^2 / 0.04 = 56.4
    assert cases_needed(0.2, 0.3) == 57
    # (1.959964 x sqrt(0.2) + 0.841621 x sqrt(0.2 - 0.01))^2 / 0.01 = 154.1
    assert cases_needed(0.1, 0.2) == 155
    # (1.959964 x sqrt(0.2) + 1.281552 x sqrt(0.2 - 0.01))^2 / 0.01 = 205.9
    assert cases_needed(0.1, 0.2, power=0.9) == 206


def test_the_smallest_finding_is_six_cases_won_and_none_lost() -> None:
    assert smallest_finding(14) == 6  # 2 / 2^6 = 0.031, and 2 / 2^5 = 0.0625
    assert smallest_finding(6) == 6
    assert smallest_finding(5) is None
    assert smallest_finding(14, alpha=0.01) == 8


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: wilson(-1, 3), "passed: -1 is not an integer from 0 up"),
        (lambda: wilson(1, -3), "attempts: -3 is not an integer"),
        (lambda: wilson(1.0, 3), "passed: 1.0 is not an integer"),  # type: ignore[arg-type]
        (lambda: wilson(True, 3), "passed: True is not an integer"),
        (lambda: wald(4, 3), "passed: 4 of 3 attempts cannot be"),
        (lambda: wilson(0, 0), "attempts: none were made"),
        (lambda: wilson(1, 3, alpha=1.5), "alpha: 1.5"),
        (lambda: rule_of_three(0), "attempts: none were made"),
        (lambda: clustered({}), "there is no case"),
        (lambda: clustered({"a": (1, 1), "b": (3, 2)}), "case 'b': passed: 3 of 2"),
        (lambda: coverage(wilson, 5, 1.2), "rate: 1.2 is not a number from 0 to 1"),
        (lambda: coverage(wilson, 5, math.nan), "rate: nan is not a number"),
        (lambda: mcnemar({}, {}), "there is no case"),
        (lambda: mcnemar({"a": True, "b": True}, {"a": True}), "second candidate .* for b;"),
        (lambda: mcnemar({"a": True}, {"a": True, "c": True}), "first candidate .* for c;"),
        (lambda: mcnemar({"a": True}, {"a": None}), "case 'a': None"),  # type: ignore[dict-item]
        (lambda: pass_hat_k({"a": (1, 2)}, 3), "case 'a': 2 attempts cannot tell of k=3"),
        (lambda: pass_at_k({"a": (1, 2)}, 0), "k: 0 is not an integer from 1 up"),
        (lambda: pass_at_k({}, 1), "there is no case"),
        (lambda: cases_needed(0.3, 0.2), "a difference of 0.3 cannot be"),
        (lambda: cases_needed(0, 0.2), "a difference of 0 cannot be"),
        (lambda: cases_needed(1e-200, 0.2), "a difference of 1e-200 cannot be"),
        (lambda: cases_needed(0.2, 0.3, power=0.01), "power: 0.01 is not from 0.5 up"),
        (lambda: cases_needed(0.2, 0.3, power=1), "power: 1 is not from 0.5 up"),
        (lambda: wilson(5, 10, alpha=1e-16), "alpha: 1e-16"),
        (lambda: wilson(5, 10, alpha=1 - 1e-16), "alpha: "),
        (lambda: mcnemar({1: True}, {}), "no outcome for 1;"),  # type: ignore[dict-item]
        (lambda: cases_needed(0.1, 1.2), "discordance: 1.2"),
        (lambda: cases_needed(0.1, 0.2, power=2), "power: 2"),
        (lambda: smallest_finding(0), "attempts: none were made"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        wrong()
