"""Adding attempts up: every count with its denominator, and nothing left out of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
