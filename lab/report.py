"""The report: the rows, what they add up to, and in words how far that reaches."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lab.counts import baseline_totals, counts, totals
from lab.evidence import Report
from lab.grading import Row, acceptance, answer_criteria
from lab.plan import Plan
from lab.provenance import provenance
from lab.shapes import SCHEMA

SCOPE = (
    "Drafting replenishments in a synthetic shop, one fresh database an attempt, on the cases"
    " listed and no others. What was judged is what the named checks look at: {checks}. What the"
    " answer says besides is kept and not graded."
)

BOUNDARIES = {
    "seconds": "making the model, its calls and the tools it had run; not setting up the shop",
    "baseline.seconds": "the calculation alone on stock it was handed, on a nanosecond clock; it"
    " does not cover acquiring that data",
    "spans": "the same three stages on both paths, in seconds. acquire: reading stock and prices"
    " from the attempt's own shop (the script's query, made first; the agent's list_stock and"
    " supplier executions). decide: the script's arithmetic; everything else in the agent's"
    " attempt. deliver: writing the plain summary",
}

LIMITS_OF = {
    "quantities": "list_stock reports the tubs needed, so `quantities` asks whether the agent"
    " requests what its tool computed, not whether it can subtract.",
    "currency_labels": "`currency_labels` reads words: it cannot tell a wrong amount from a right"
    " one, does not know $ or EUR, and finds a pound in `compounds`.",
    "grounded": "`grounded` asks whether the stock was requested once, at any time: not before each"
    " draft, and not whether the request was refused.",
}
"""What a check cannot see, said where that check ran."""

LIMITS = [
    "A check that found nothing to object to passes: an attempt without tool calls has no tool"
    " errors. One that could not look, as at the shop of an attempt that never ran, fails.",
    "A candidate that is Python and runs in this process could reach into it, and cannot be"
    " interrupted when it never returns. Apart, in a process of its own, it can do neither; on an"
    " executor of processes it is sent neither the case's name, split nor answer.",
    "The cases are few and written by people who know the agent; they are not a sample of"
    " anything.",
]

CAVEATS = [
    "A configured cost of zero is not free operation, and an estimate is not an invoice.",
    "A single timing of microseconds is not precise.",
    "Temperature 0 and repeats do not make independent samples.",
    "A model's name does not freeze what runs behind it.",
    "A server's warm prompt cache makes later repeats faster, and identical replies from a cache"
    " are not repeats.",
    "The stock is taken as complete: a delivery nobody entered cannot be seen.",
    "A shorter failed run is not a faster one.",
]

DEAF_CAVEAT = "The fixture does not read what it is told: no skill had a part in this."

FIXTURE_CAVEAT = (
    "The candidate is a fixture: this tests the harness and is no evidence about a language model."
)

BLINDFOLD_CAVEAT = (
    "The model cannot have seen its tools: a preflight counted as many prompt tokens with them as"
    " without. That no tool was called says nothing of the model."
)


def build_report(
    plan: Plan, rows: Sequence[Row], concurrency: int, ledger: dict[str, Any] | None = None
) -> Report:
    """Put a plan and its rows together as one report of plain data."""
    verdict = acceptance(rows)
    return {
        "schema": SCHEMA,
        "acceptance": verdict,
        "passed": verdict["status"] == "REVIEW_REQUIRED",
        "counts": counts(rows),
        "totals": totals(rows),
        "baseline_totals": baseline_totals(rows),
        "candidate": plan.candidate and plan.candidate.entry,
        "skills": [skill.entry for skill in plan.skills],
        "settings": {
            **asdict(plan.limits),
            "repeats": plan.repeats,
            "concurrency": concurrency,
        },
        "criteria": plan.criteria and answer_criteria(plan.criteria, rows),
        "scope": SCOPE.format(checks=", ".join(plan.checks)),
        "boundaries": dict(BOUNDARIES),
        "limits": [*(said for name, said in LIMITS_OF.items() if name in plan.checks), *LIMITS],
        "caveats": [*notes(rows, bool(plan.skills)), *CAVEATS, *cache_notes(rows)],
        "provenance": {**provenance(), "digests": plan.digests, "ledger": ledger},
        "cases": list(rows),
    }


def notes(rows: Sequence[Row], has_skills: bool) -> list[str]:
    """Say so where the candidate is a fixture, one that is deaf to skills, or saw no tools."""
    found = [row["model"]["environment"] or {} for row in rows]
    is_fixture = any(environment.get("kind") == "fixture" for environment in found)
    seen = [environment.get("preflight") for environment in found]
    is_blind = any(isinstance(each, dict) and each.get("sees_tools") is False for each in seen)
    is_deaf = has_skills and any(environment.get("reads_skills") is False for environment in found)
    return [FIXTURE_CAVEAT] * is_fixture + [DEAF_CAVEAT] * is_deaf + [BLINDFOLD_CAVEAT] * is_blind


def cache_notes(rows: Sequence[Row]) -> list[str]:
    """Say for which cases a server took different parts of the prompt from its cache."""
    cached: dict[str, list[int]] = {}
    for row in rows:
        if row["cached_tokens"] is not None:
            cached.setdefault(row["case"], []).append(row["cached_tokens"])
    return [
        f"The server's prompt cache differed across the repeats of {case}: {tokens} cached tokens,"
        " so their seconds are not comparable."
        for case, tokens in cached.items()
        if len(set(tokens)) > 1
    ]
