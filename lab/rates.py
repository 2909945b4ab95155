"""A count as it is shown: passed/attempts, and the interval of the rate over its cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lab.counts import by_case
from lab.ledger import HELD_OUT
from lab.statistics import clustered

Row = dict[str, Any]
Rate = dict[str, Any]

MEANING = "95 % intervals; repeats of one case are not counted as new cases"


def rate(counts: Mapping[str, tuple[int, int]]) -> Rate:
    """Return cases' (passed, attempts) as one rate, its ends None where there is no attempt.

    `times_wider` compares with the interval that would take repeats for new cases.
    """
    if not counts:
        return {"passed": 0, "attempts": 0, "cases": 0, "low": None, "high": None}
    found = clustered(counts)
    return {
        "passed": found.passed,
        "attempts": found.attempts,
        "cases": found.cases,
        "low": found.interval.low,
        "high": found.interval.high,
        "times_wider": found.times_wider,
    }


def text(found: Rate) -> str:
    """Return a rate in words: `14/16 [0.60, 0.96]`."""
    share = f"{found['passed']}/{found['attempts']}"
    return f"{share} [{found['low']:.2f}, {found['high']:.2f}]" if found["attempts"] else share


def in_words(found: Rate) -> str:
    """Return a rate as `text` does, with its cases and how much wider repeats make its interval."""
    told = f"{text(found)}, of {found['cases']} distinct cases"
    if found["attempts"] == found["cases"]:
        return told
    return f"{told}; {found['times_wider']:.1f} times as wide as if repeats were new cases"


def by_value(rows: Sequence[Row], name: str) -> dict[str, Rate]:
    """Return how many of the attempts have each value of a field, None apart, as rates of all."""
    return {
        value: rate(by_case(rows, _has(name, value)))
        for value in _names(row[name] for row in rows if row[name] is not None)
    }


def rates(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rates of some attempts: of all, by split, and by check."""
    return {
        "passed": rate(by_case(rows)),
        "by_split": {
            split_label(mine): rate(by_case(mine))
            for split in _names(row["split"] for row in rows)
            for mine in [[row for row in rows if row["split"] == split]]
        },
        "by_check": {
            check: rate(by_case([row for row in rows if check in row["checks"]], _holds(check)))
            for check in _names(name for row in rows for name in row["checks"])
        },
    }


def split_label(rows: Sequence[Row]) -> str:
    """Return the name of the split that attempts belong to, a held-out one with what is left of it.

    `held-out` alone means that a ledger knows of nobody who could have learned from its cases.
    """
    split = str(rows[0]["split"])
    if split != HELD_OUT:
        return split
    answers = {row["case"]: (row.get("independence") or {}).get("held_out") for row in rows}
    spent = sum(answer is False for answer in answers.values())
    if spent:
        return f"{split} ({spent} of {len(answers)} spent)"
    return split if all(answers.values()) else f"{split} (no ledger)"


def report_rates(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report's rates; of an experiment with requests, those of each candidate."""
    rows = report["cases"]
    if report.get("kind") != "requests":
        return rates(rows)
    names = _names(row["candidate"] for row in rows)
    return {name: rates([row for row in rows if row["candidate"] == name]) for name in names}


def _holds(check: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["checks"][check])


def _has(name: str, value: Any) -> Callable[[Row], bool]:
    return lambda row: bool(row[name] == value)


def _names(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
