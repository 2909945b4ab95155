"""How sure a count can make anybody: intervals, paired tests, repeats, sample sizes.

Every function takes counts or named outcomes and gives numbers; none knows what a report is.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.errors import InputError

SMALLEST_DIFFERENCE = 0.001
ALPHA = 0.05
"""The share of intervals that may miss, and of paired tests that may cry wolf: 95 % confidence."""


class Interval(NamedTuple):
    """A range for a rate, both ends in 0..1."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """How much the interval leaves open."""
        return self.high - self.low


def wald(passed: int, attempts: int, *, alpha: float = ALPHA) -> Interval:
    """Return the interval of the schoolbooks, p ± z·sqrt(p(1-p)/n), to see it fail.

    At 16/16 it is (1, 1): certainty from sixteen attempts. See `coverage`.
    """
    rate = _rate(passed, attempts)
    half = _z(alpha) * math.sqrt(rate * (1 - rate) / attempts)
    return Interval(max(0.0, rate - half), min(1.0, rate + half))


def wilson(passed: int, attempts: int, *, alpha: float = ALPHA) -> Interval:
    """Return the score interval for a rate whose attempts are independent.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference",
    JASA 22, 209-212: the rates p that the observed one is no more than z standard errors,
    sqrt(p(1-p)/n), away from.
    """
    return _score_interval(_rate(passed, attempts), attempts, alpha)


def _score_interval(rate: float, size: float, alpha: float) -> Interval:
    z2 = _z(alpha) ** 2
    middle = (rate + z2 / (2 * size)) / (1 + z2 / size)
    half = math.sqrt(z2 * (rate * (1 - rate) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    low = 0.0 if rate == 0 else max(0.0, middle - half)
    return Interval(low, 1.0 if rate == 1 else min(1.0, middle + half))


class Clustered(NamedTuple):
    """An interval that takes the repeats of one case for what they are."""

    interval: Interval
    naive: Interval
    """Wilson's, were every attempt independent."""
    passed: int
    attempts: int
    cases: int
    effective: float
    """Independent attempts that tell as much as these."""

    @property
    def times_wider(self) -> float:
        """The width beside that of the naive interval."""
        return self.interval.width / self.naive.width


def clustered(counts: Mapping[str, tuple[int, int]], *, alpha: float = ALPHA) -> Clustered:
    """Return the interval for a rate over cases, each with its (passed, attempts).

    Wilson's with the effective number of attempts in place of the real one, as Franco, Little,
    Louis and Slud (2019), Journal of Survey Statistics and Methodology 7, 334-364, recommend for
    samples in clusters: attempts divided by the design effect (Kish 1965), which is the variance
    of the rate between cases over the variance that independent attempts would have. That cannot
    be estimated from one case, where all passed or all failed, or where one case was repeated more
    often than another: repeats are then taken to add nothing, which leaves Kish's n²/Σnᵢ², for
    equal repeats the number of cases. It is never less than that, nor more than the attempts.
    """
    if not counts:
        raise InputError("statistics: there is no case, so there is no rate")
    for case, (passed, attempts) in counts.items():
        _check_counts(passed, attempts, f"case {case!r}: ")
    passed = sum(passed for passed, _ in counts.values())
    attempts = sum(attempts for _, attempts in counts.values())
    effective = _effective(list(counts.values()), passed / attempts)
    return Clustered(
        _score_interval(passed / attempts, effective, alpha),
        wilson(passed, attempts, alpha=alpha),
        passed,
        attempts,
        len(counts),
        effective,
    )


def _effective(counts: Sequence[tuple[int, int]], rate: float) -> float:
    cases, attempts = len(counts), sum(attempts for _, attempts in counts)
    at_least = attempts**2 / sum(n**2 for _, n in counts)
    if cases == 1 or rate in (0, 1) or len({n for _, n in counts}) > 1:
        return at_least
    residuals = sum((passed - n * rate) ** 2 for passed, n in counts)
    if residuals == 0:
        return float(attempts)  # every case has the same rate: no clustering to be seen
    between = cases / (cases - 1) * residuals / attempts**2
    independent = rate * (1 - rate) / attempts
    return min(float(attempts), max(at_least, attempts * independent / between))


def rule_of_three(attempts: int) -> float:
    """Return the failure rate that `attempts` without a failure leave open: about 3/n, at most 1.

    Hanley and Lippman-Hand (1983), "If nothing goes wrong, is everything all right?", JAMA 249,
    1743-1745: the 95 % bound solves (1-p)^n = 0.05, and -ln(0.05) is nearly 3.
    """
    _check_counts(attempts, attempts)
    return min(1.0, 3 / attempts)


def coverage(interval: Callable[[int, int], Interval], attempts: int, rate: float) -> float:
    """Return how often an interval holds the true rate, summed over every possible count.

    Exact, no simulation: the binomial probability of each count whose interval has `rate` in it.
    A 95 % interval is worth its name where this is about 0.95.
    """
    from scipy.stats import binom

    _check_counts(attempts, attempts)
    _check_share("rate", rate)
    held = (k for k in range(attempts + 1) if _holds(interval(k, attempts), rate))
    return min(1.0, float(sum(binom.pmf(k, attempts, rate) for k in held)))


def _holds(interval: Interval, rate: float) -> bool:
    return interval[0] <= rate <= interval[1]


@dataclass(frozen=True)
class Paired:
    """Two candidates on the same cases, by the names of the cases, and McNemar's exact p."""

    both: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    neither: tuple[str, ...]
    p_value: float

    @property
    def discordant(self) -> int:
        """The cases on which they differ; only these say which is better."""
        return len(self.only_first) + len(self.only_second)


def mcnemar(first: Mapping[str, bool], second: Mapping[str, bool]) -> Paired:
    """Compare two candidates, each given as case -> passed, on the very same cases.

    The p-value is exact and two-sided: were neither better, each case on which they differ would
    fall either way like a fair coin. McNemar (1947), Psychometrika 12, 153-157; in its exact form
    a binomial test on the discordant pairs. Without any it is 1.

    Raises ValueError that names the cases that only one of them has.
    """
    from scipy.stats import binomtest

    for one, other, which in ((first, second, "second"), (second, first, "first")):
        missing = [case for case in one if case not in other]
        if missing:
            raise InputError(
                f"statistics: the {which} candidate has no outcome for"
                f" {', '.join(map(str, missing))};"
                " a paired comparison needs both on the same cases"
            )
    if not first:
        raise InputError("statistics: there is no case to compare the candidates on")
    for outcomes in (first, second):
        for case, outcome in outcomes.items():
            if type(outcome) is not bool:
                raise InputError(f"statistics: case {case!r}: {outcome!r} is not True or False")
    cells = {
        cell: tuple(case for case in first if (first[case], second[case]) == cell)
        for cell in ((True, True), (True, False), (False, True), (False, False))
    }
    both, only_first, only_second, neither = cells.values()
    discordant = len(only_first) + len(only_second)
    p_value = float(binomtest(len(only_first), discordant).pvalue) if discordant else 1.0
    return Paired(both, only_first, only_second, neither, p_value)


def pass_hat_k(counts: Mapping[str, tuple[int, int]], k: int) -> float:
    """Return pass^k: the chance that k attempts at a case all pass, averaged over cases.

    C(c,k)/C(n,k) for a case with c of n passed, the unbiased estimate of Yao and others (2024),
    "tau-bench". Each case needs at least k attempts.
    """
    return _averaged(counts, k, lambda passed, n: math.comb(passed, k) / math.comb(n, k))


def pass_at_k(counts: Mapping[str, tuple[int, int]], k: int) -> float:
    """Return pass@k: the chance that at least one of k attempts passes, averaged over cases.

    1 - C(n-c,k)/C(n,k), the unbiased estimate of Chen and others (2021), "Evaluating large
    language models trained on code". It flatters: nobody tells the user which attempt was right.
    """
    return _averaged(counts, k, lambda passed, n: 1 - math.comb(n - passed, k) / math.comb(n, k))


def _averaged(
    counts: Mapping[str, tuple[int, int]], k: int, of_case: Callable[[int, int], float]
) -> float:
    if not counts:
        raise InputError("statistics: there is no case, so there is no rate")
    if type(k) is not int or k < 1:
        raise InputError(f"statistics: k: {k!r} is not an integer from 1 up")
    for case, (passed, attempts) in counts.items():
        _check_counts(passed, attempts, f"case {case!r}: ")
        if attempts < k:
            raise InputError(f"statistics: case {case!r}: {attempts} attempts cannot tell of k={k}")
    return sum(of_case(*count) for count in counts.values()) / len(counts)


def cases_needed(
    difference: float, discordance: float, *, power: float = 0.8, alpha: float = ALPHA
) -> int:
    """Return how many cases a paired comparison needs to find a stated difference.

    `difference` is how much one rate exceeds the other, `discordance` the share of cases on which
    the two differ at all, at least as large. Connor (1987), "Sample size for testing differences
    in proportions for the paired-sample design", Biometrics 43, 207-211:
    n = (z_alpha/2·sqrt(psi) + z_beta·sqrt(psi - delta²))² / delta², rounded up. Cases, not
    attempts: repeats do not count. The exact test needs somewhat more.
    """
    from scipy.special import ndtri

    for name, value in (("difference", difference), ("discordance", discordance)):
        _check_share(name, value)
    _check_share("power", power)
    if not 0.5 <= power < 1:
        raise InputError(f"statistics: power: {power} is not from 0.5 up and below 1")
    if not SMALLEST_DIFFERENCE <= difference <= discordance:
        raise InputError(
            f"statistics: a difference of {difference} cannot be with a discordance of"
            f" {discordance}: it is from {SMALLEST_DIFFERENCE} up and at most that"
        )
    spread = math.sqrt(discordance - difference**2)
    top = _z(alpha) * math.sqrt(discordance) + float(ndtri(power)) * spread
    return math.ceil(top**2 / difference**2)


def smallest_finding(cases: int, *, alpha: float = ALPHA) -> int | None:
    """Return the fewest cases that one candidate must win, and lose none, for p <= alpha.

    None where even winning every one of `cases` would not do. Worth knowing before a run: k cases
    won and none lost have the exact p-value 2·(1/2)^k.
    """
    _check_counts(cases, cases)
    _z(alpha)
    needed = 1
    while 2 * 0.5**needed > alpha:
        needed += 1
    return needed if needed <= cases else None


def _rate(passed: int, attempts: int) -> float:
    _check_counts(passed, attempts)
    return passed / attempts


def _check_counts(passed: int, attempts: int, place: str = "") -> None:
    for name, value in (("attempts", attempts), ("passed", passed)):
        if type(value) is not int or value < 0:
            raise InputError(f"statistics: {place}{name}: {value!r} is not an integer from 0 up")
    if attempts == 0:
        raise InputError(f"statistics: {place}attempts: none were made, so there is no rate")
    if passed > attempts:
        raise InputError(f"statistics: {place}passed: {passed} of {attempts} attempts cannot be")


def _check_share(name: str, value: float) -> None:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise InputError(f"statistics: {name}: {value!r} is not a number from 0 to 1")


def _z(alpha: float) -> float:
    """Return the standard normal quantile that leaves alpha/2 above it: 1.96 for 0.05."""
    from scipy.special import ndtri

    if type(alpha) is not float or not 1e-12 <= alpha <= 0.5:
        raise InputError(f"statistics: alpha: {alpha!r} is not a number from 1e-12 to 0.5")
    return float(-ndtri(alpha / 2))
