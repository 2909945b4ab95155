"""The cumulative check: the instrument passes what is right and fails what is wrong, as written."""

from collections.abc import Callable
from typing import Any

from lab.attacks import CHECKPOINT, Attack, run_attack
from lab.evaluation import Progress, evaluate
from lab.evidence import Report
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import Model
from lab.shop.skills import OPENING_PROCEDURE

REPEATS = 2


def checkpoint(
    live: Callable[[], Model] | None = None, *, progress: Progress | None = None
) -> Report:
    """Run the correct fixture on every case twice, then each adversarial one on its case.

    The report is the correct fixture's, with `checkpoint` added: `as_written` (did everything
    come out as it must), `attacks` (each with its row and its deviations) and `live`, the report
    of a configured model with the opening procedure, which is evidence and decides nothing.
    """
    report = evaluate(OfflineShopModel, repeats=REPEATS)
    attacks = [_entry(attack) for attack in CHECKPOINT]
    report["checkpoint"] = {
        "as_written": report["passed"] and not any(entry["deviations"] for entry in attacks),
        "attacks": attacks,
        "live": live
        and evaluate(live, skill=OPENING_PROCEDURE, repeats=REPEATS, progress=progress),
    }
    return report


def _entry(attack: Attack) -> dict[str, Any]:
    row = run_attack(attack)
    return {
        "name": attack.name,
        "case": attack.case,
        "says": attack.says,
        "blind_spot": attack.blind_spot,
        "must_fail": sorted(attack.failing),
        "acceptance": "REVIEW_REQUIRED" if row["passed"] else "REJECTED",
        "deviations": attack.deviations(row),
        "row": row,
    }
