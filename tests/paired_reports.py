"""Small pairs of reports to compare, whose outcomes and figures a person wrote down."""

from collections.abc import Mapping
from typing import Any

from lab.cases import Case
from lab.counts import baseline_totals, counts, request_counts, totals
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.interpretation import REQUEST_CASES, run_requests
from lab.shop.fixtures import OfflineShopModel

STOCK = (("V", 2, 0, 8, 250),)
NEEDED = (("V", 6),)


def evaluated(
    attempts: Mapping[str, list[dict[str, Any]]], *, name: str = "a model", **settings: Any
) -> Report:
    """An evaluation of these cases, with what is given written over each attempt at one.

    Its model is no fixture, its cases were held out. `passed` False fails one check.
    """
    cases = [Case(case, "held-out", STOCK, NEEDED) for case in attempts]
    report = evaluate(
        OfflineShopModel, cases=cases, repeats=len(next(iter(attempts.values()))), **settings
    )
    for row in report["cases"]:
        told = dict(attempts[row["case"]][row["repetition"] - 1])
        row["checks"]["quantities"] = row["passed"] = told.pop("passed", True)
        row["model"] |= {"name": name, "environment": {}}
        row["independence"] = {"held_out": True, "why": "nobody observed it"}
        row |= told
    return added_up(report)


def added_up(report: Report) -> Report:
    """The same report with everything that its attempts add up to, as they now are."""
    rows = report["cases"]
    if report.get("kind") == "requests":
        return report | {"counts": request_counts(rows)}
    counted = counts(rows)
    report["passed"] = counted["passed"] == counted["attempts"]
    report["acceptance"]["status"] = "REVIEW_REQUIRED" if report["passed"] else "REJECTED"
    return report | {
        "counts": counted,
        "totals": totals(rows),
        "baseline_totals": baseline_totals(rows),
    }


def attempt(passed: bool = True, seconds: float | None = 1.0, **told: Any) -> dict[str, Any]:
    return {"passed": passed, "seconds": seconds, **told}


def stock_of_vanilla(_: Any) -> tuple[str, int]:
    return '{"action":"stock","sku":"V"}', 7


def nothing(_: Any) -> tuple[str, None]:
    return "{", None


def asked(**candidates: Any) -> Report:
    """An experiment on the requests `stock` and `draft`: by default, one right answer in four."""
    return run_requests(
        candidates or {"vanilla": stock_of_vanilla, "nothing": nothing}, cases=REQUEST_CASES[:2]
    )
