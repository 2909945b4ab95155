"""A fair race: the script and the agent timed over the same three stages, failed attempts included.

The two original fields measure different things, each stated in the report: `baseline.seconds` is
arithmetic on stock it was handed, `seconds` a whole attempt. Here both paths read the stock, decide
and write the plan down.
"""

from collections.abc import Iterable
from statistics import median
from typing import Any

from lab.errors import InputError

STAGES = ("acquire", "decide", "deliver")

CANNOT_SHOW = (
    "Few repetitions on one machine show that the seconds differ from one to the next. They cannot"
    " show how much they usually do, whether a slow one is rare, or what another machine, another"
    " day or a colder cache would make of it. The least and the most are of these attempts and"
    " bound no other. A failed attempt is timed like any other; that it ended sooner does not make"
    " it faster."
)


def fair_timing(report: dict[str, Any]) -> dict[str, Any]:
    """Return the seconds of script and agent over an equal boundary, beside the original fields.

    `script` and `agent` have each stage and their `whole` as {median, least, most}; `original` has
    `baseline.seconds` and `seconds`. `timed` of `attempts` have all stages on both paths (one that
    never ran, or whose baseline broke, has not), `failed` of those did not pass.

    Raises InputError for a report whose attempts have no stages.
    """
    if report.get("kind") == "requests":
        raise InputError(
            "timing: requests have one boundary for every candidate; see their seconds"
        )
    rows = report["cases"]
    timed = [row for row in rows if _is_timed(row)]
    return {
        "attempts": len(rows),
        "timed": len(timed),
        "failed": sum(not row["passed"] for row in timed),
        "passed": sum(row["passed"] for row in timed),
        "repetitions": max((row["repetition"] for row in rows), default=0),
        **{who: _stages(row["spans"][who] for row in timed) for who in ("script", "agent")},
        "original": {
            "baseline.seconds": _spread(row["baseline"]["seconds"] for row in timed),
            "seconds": _spread(row["seconds"] for row in timed),
        },
        "cannot_show": CANNOT_SHOW,
    }


def _is_timed(row: dict[str, Any]) -> bool:
    spans = [row["spans"].get(who) or {} for who in ("script", "agent")]
    return all(span.get(stage) is not None for span in spans for stage in STAGES)


def _stages(spans: Iterable[dict[str, float]]) -> dict[str, Any]:
    kept = list(spans)
    return {
        **{stage: _spread(span[stage] for span in kept) for stage in STAGES},
        "whole": _spread(sum(span[stage] for stage in STAGES) for span in kept),
    }


def _spread(seconds: Iterable[float]) -> dict[str, float | None]:
    kept = list(seconds)
    if not kept:
        return {"median": None, "least": None, "most": None}
    return {"median": median(kept), "least": min(kept), "most": max(kept)}
