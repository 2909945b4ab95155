"""Reports as tables: one line an attempt, or one line a check, for pandas and whatever draws.

Both kinds of report, fresh or loaded. Nothing is dropped: a failed attempt is a line like any
other, and what nobody knows is a missing value, never 0.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Report = dict[str, Any]
Row = dict[str, Any]

TEXT, WORD, COUNT, SECONDS, TRUTH = "string", "category", "Int64", "float64", "boolean"
STAGES = ("acquire", "decide", "deliver")

IDENTITY = {"candidate": WORD, "case": WORD, "split": WORD, "repetition": COUNT}
COLUMNS = {
    **IDENTITY,
    "passed": TRUTH,
    "loop_status": WORD,
    "seconds": SECONDS,
    "model_calls": COUNT,
    "tool_calls": COUNT,
    "output_tokens": COUNT,
    "estimated_cost_pence": COUNT,
    "baseline_seconds": SECONDS,
    **{
        f"{who}_{stage}": SECONDS
        for who in ("agent", "script")
        for stage in ("acquire", "decide", "deliver")
    },
    "answer": TEXT,
    "error": TEXT,
    "started": "datetime64[ms, UTC]",
    "resumed": TRUTH,
}
REQUEST_COLUMNS = {
    **IDENTITY,
    "passed": TRUTH,
    "mechanism": WORD,
    "seconds": SECONDS,
    "output_tokens": COUNT,
    "request": TEXT,
    "expected_action": WORD,
    "action": WORD,
    "sku": TEXT,
    "raw": TEXT,
    "error": TEXT,
    "started": "datetime64[ms, UTC]",
}
ATTACK_COLUMNS = {"attack": WORD, "kind": WORD, "check": WORD, "passed": TRUTH, "written": TRUTH}
CHECK_COLUMNS = {**IDENTITY, "check": WORD, "passed": TRUTH, "error": TEXT}


def attempts(report: Report) -> "pd.DataFrame":
    """Return one line an attempt, in the report's order.

    Names are categories in the order in which they first appear, seconds are NaN and counts NA
    where nobody knows them, times are UTC. An evaluation's candidate is its model and skill.
    """
    return _frame(lines(report), columns(report))


def columns(report: Report) -> dict[str, str]:
    """Return the columns of the attempts of a report of this kind, each with its type."""
    return REQUEST_COLUMNS if _is_requests(report) else COLUMNS


def lines(report: Report) -> list[Row]:
    """Return each attempt as kept, with the columns that are worked out from it beside."""
    if _is_requests(report):
        return [{**row, **_interpreted(row)} for row in report["cases"]]
    return [{**row, **_evaluated(row, report)} for row in report["cases"]]


def checks(report: Report) -> "pd.DataFrame":
    """Return one line for each check of each attempt, with the error of a check that broke."""
    return _frame(
        [
            {
                **row,
                "candidate": candidate(row, report),
                "check": name,
                "passed": judgement,
                "error": row.get("check_errors", {}).get(name),
            }
            for row in report["cases"]
            for name, judgement in row["checks"].items()
        ],
        CHECK_COLUMNS,
    )


def attacks(matrix: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return one line for each check of each attack of an attack matrix."""
    return _frame(
        [
            {
                **each,
                "attack": each["name"],
                "check": name,
                "passed": judgement,
                "written": each["expected"].get(name),
            }
            for each in matrix
            for name, judgement in each["checks"].items()
        ],
        ATTACK_COLUMNS,
    )


def _is_requests(report: Report) -> bool:
    return report.get("kind") == "requests"


def candidate(row: Row, report: Report) -> str:
    """Return who made an attempt: a candidate's name, or a model and its skill."""
    if _is_requests(report):
        return str(row["candidate"])
    skill = report["candidate"]
    worked_by = f"{skill['name']} {skill['version']}" if skill else "no skill"
    return f"{row['model']['name'] or row['model']['adapter'] or 'no model'}, {worked_by}"


def _evaluated(row: Row, report: Report) -> Row:
    spans = {
        f"{who}_{stage}": seconds
        for who, stages in row["spans"].items()
        for stage, seconds in (stages or {}).items()
    }
    return {
        "candidate": candidate(row, report),
        "baseline_seconds": row["baseline"]["seconds"],
        **spans,
    }


def _interpreted(row: Row) -> Row:
    decision = row["decision"] or {}
    return {
        "expected_action": row["expected"]["action"],
        "action": decision.get("action"),
        "sku": decision.get("sku"),
    }


def _frame(rows: Sequence[Mapping[str, Any]], columns: dict[str, str]) -> "pd.DataFrame":
    import pandas as pd

    made = {name: _column([row.get(name) for row in rows], kind) for name, kind in columns.items()}
    return pd.DataFrame(made, columns=list(columns))


def _column(values: Sequence[Any], kind: Any) -> "pd.Series[Any]":
    import pandas as pd

    kept: Any = list(values)
    if kind == WORD:
        kept = pd.Categorical(
            kept, categories=list(dict.fromkeys(v for v in kept if v is not None))
        )
    elif kind.startswith("datetime"):
        kept = pd.to_datetime(kept, utc=True)
    column: pd.Series[Any] = pd.Series(kept, dtype=kind if kind != WORD else None)
    return column
