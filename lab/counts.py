"""Adding attempts up: every count with its denominator, and nothing left out of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

Row = dict[str, Any]


def counts(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what a report's attempts come to.

    `attempts` is every planned attempt, also one that never ran; `started` those that did,
    `terminal` those whose loop came to an end, `graded` those of them in which no check broke,
    `passed` those in which every check held. Repeating a case adds attempts, not
    `distinct_cases`.
    """
    terminal = [row for row in rows if row["loop_status"] != "NOT_RUN"]
    return {
        "passed": sum(row["passed"] for row in rows),
        "attempts": len(rows),
        "distinct_cases": len({row["case"] for row in rows}),
        "started": sum(bool(row["started"]) for row in rows),
        "terminal": len(terminal),
        "graded": sum(not row["check_errors"] for row in terminal),
        "by_split": _passes((row["split"], row["passed"]) for row in rows),
        "by_check": _passes(item for row in rows for item in row["checks"].items()),
        "by_status": dict(Counter(row["loop_status"] for row in rows)),
    }


def _passes(judged: Iterable[tuple[str, bool]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, passed in judged:
        group = found.setdefault(name, {"passed": 0, "attempts": 0})
        group["passed"] += passed
        group["attempts"] += 1
    return found


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Return sums over the attempts that know the number, and how many do not know their tokens."""
    return {
        **{name: _known(row[name] for row in rows) for name in SUMMED},
        "unknown_usage_attempts": sum(row["output_tokens"] is None for row in rows),
    }


SUMMED = ("seconds", "model_calls", "tool_calls", "output_tokens", "estimated_cost_pence")


def baseline_totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the baseline's seconds and model calls; the calls are None where any are unknown."""
    calls = [row["baseline"]["model_calls"] for row in rows]
    return {
        "seconds": _known(row["baseline"]["seconds"] for row in rows),
        "model_calls": None if None in calls else sum(calls),
        "failed": sum(row["baseline"]["error"] is not None for row in rows),
    }


def _known(values: Iterable[float | None]) -> float:
    return sum(value for value in values if value is not None)


def request_counts(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return what each candidate's attempts at requests come to, failed ones always included.

    `errors` are attempts that came to no decision, `by_mechanism` says of every failed attempt
    what failed it. `seconds` has the median and the maximum over all that were made; tokens are
    summed where they are known.
    """
    by_candidate: dict[str, list[Row]] = {}
    for row in rows:
        by_candidate.setdefault(row["candidate"], []).append(row)
    return {name: _of_candidate(each) for name, each in by_candidate.items()}


def _of_candidate(rows: Sequence[Row]) -> dict[str, Any]:
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    return {
        "passed": sum(row["passed"] for row in rows),
        "attempts": len(rows),
        "distinct_cases": len({row["case"] for row in rows}),
        "by_split": _passes((row["split"], row["passed"]) for row in rows),
        "by_check": _passes(item for row in rows for item in row["checks"].items()),
        "by_mechanism": dict(Counter(row["mechanism"] for row in rows if not row["passed"])),
        "errors": sum(row["error"] is not None for row in rows),
        "unrequested_drafts": sum(not row["checks"]["no_unrequested_draft"] for row in rows),
        "seconds": {
            "median": median(seconds) if seconds else None,
            "max": max(seconds, default=None),
            "attempts": len(seconds),
        },
        "output_tokens": _known(row["output_tokens"] for row in rows),
        "unknown_usage_attempts": sum(row["output_tokens"] is None for row in rows),
    }


def by_case(
    rows: Iterable[Row], held: Callable[[Row], bool] = lambda row: row["passed"]
) -> dict[str, tuple[int, int]]:
    """Return each case's (passed, attempts), the form in which statistics take repeats."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        passed, attempts = found.get(row["case"], (0, 0))
        found[row["case"]] = passed + held(row), attempts + 1
    return found


def case_outcomes(rows: Iterable[Row]) -> dict[str, bool]:
    """Return for each case whether every attempt at it passed, to compare candidates by."""
    return {case: passed == attempts for case, (passed, attempts) in by_case(rows).items()}
