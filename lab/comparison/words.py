"""A comparison in sentences, the same ones wherever it is shown: what was observed, no more."""

from lab import rates
from lab.comparison.reports import Compared
from lab.comparison.sides import Figure, Side, Spent
from lab.statistics import smallest_finding

MEANING = (
    "This says what was observed on these cases, and nothing of others. It ranks nobody and"
    " accepts nothing: a person reads the attempts, and decides."
)

MOST_FIELDS = 40
"""As many fields of the configuration are shown; the reports have all of them."""

SPENT = ("attempts", "n", "median s", "model calls", "tokens in", "tokens out", "pence")
CONFIGURED = ("configured", "first", "second")

COST = (
    "Sums are of the attempts that know theirs; what is unknown is not zero. Pence are an estimate"
    " from configured prices: a configured cost of zero is not free operation."
)


def outcomes(compared: Compared) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each cell of the paired table in words, with the names of its cases."""
    pair = compared.paired
    return (
        ("both passed", pair.both),
        ("only first passed", pair.only_first),
        ("only second passed", pair.only_second),
        ("neither passed", pair.neither),
    )


def passed(one: Side) -> str:
    """Return a side's attempts passed, with the interval over cases."""
    return rates.in_words(one.rate)


def paired(compared: Compared) -> list[str]:
    """Return what the pairs come to: the difference, the exact p, and how little few cases show."""
    pair, cases = compared.paired, compared.cases
    needed = smallest_finding(cases)
    first, second = (len(pair.both) + len(each) for each in (pair.only_first, pair.only_second))
    least = "no p can be" if needed is None else f"it takes {needed} against 0 for p"
    every = "its attempt" if compared.repetitions == 1 else f"all {compared.repetitions} attempts"
    return [
        f"A case is passed by passing {every}.",
        f"first passed {first} of {cases} cases, second {second} of {cases}; they differ on"
        f" {pair.discordant}: {len(pair.only_first)} against {len(pair.only_second)}.",
        f"McNemar, exact and two-sided: {_at(pair.p_value)}. With {cases} cases {least} at most"
        " 0.05. It is of this pair alone: of twenty pairs of equals one gets there.",
        "Each interval is of one rate; none is of the difference.",
    ]


def _at(p_value: float) -> str:
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.4f}"


def seconds(compared: Compared) -> list[str]:
    """Return what the seconds come to on the cases that both passed, and what they do not say."""
    found, both = compared.seconds, len(compared.paired.both)
    if not both:
        return ["No case was passed by both, so no seconds are compared."]
    if found.difference is None:
        return [f"The seconds of the {both} cases that both passed are unknown."]
    known = "" if found.cases == both else f" (those of {both - found.cases} are unknown)"
    return [
        f"Seconds of the {both} cases that both passed{known}: median {found.first:.6f} and"
        f" {found.second:.6f}; second less first, case by case, median {found.difference:+.6f};"
        f" first took less on {found.first_shorter}, second on {found.second_shorter}.",
        "A failed attempt that ended sooner was not faster, so it has no part in that. A few"
        " seconds of two runs do not say how long another run takes.",
    ]


def spent(compared: Compared) -> list[list[str]]:
    """Return what each side's attempts took, passed and failed ones apart, as `SPENT` heads it."""
    return [
        [f"{which}, {outcome}", *_figures(took)]
        for which, side in (("first", compared.first), ("second", compared.second))
        for outcome, took in (("passed", side.passed), ("failed", side.failed))
    ]


def _figures(took: Spent) -> list[str]:
    sums = (took.model_calls, took.prompt_tokens, took.output_tokens, took.estimated_cost_pence)
    return [str(took.attempts), figure(took.median_seconds, digits=6), *map(figure, sums)]


def configured(compared: Compared) -> tuple[list[list[str]], str]:
    """Return the fields that differ, as `CONFIGURED` heads them, and what is to be said of them."""
    rows = [[each.field, each.first, each.second] for each in compared.differences]
    if not rows:
        return [], "Both are configured alike, as far as the reports say."
    left = len(rows) - MOST_FIELDS
    return rows[:MOST_FIELDS], f"and {left} more, in the reports" if left > 0 else ""


def figure(found: Figure, digits: int = 0) -> str:
    """Return a number with how many attempts do not know theirs; none at all is unknown, not 0."""
    if found.value is None:
        return "unknown" if found.unknown else "-"
    known = f"{found.value:.{digits}f}"
    return f"{known} + {found.unknown} unknown" if found.unknown else known
