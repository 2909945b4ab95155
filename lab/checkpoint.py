"""The cumulative check: the instrument passes what is right and fails what is wrong, as written."""

from collections.abc import Callable

from lab.attacks import CHECKPOINT, attack_matrix
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
    come out as it must), `attacks` (their matrix, rows and deviations) and `live`, the report
    of a configured model with the opening procedure, which is evidence and decides nothing.
    """
    report = evaluate(OfflineShopModel, repeats=REPEATS)
    attacks = attack_matrix(CHECKPOINT)
    report["checkpoint"] = {
        "as_written": report["passed"] and not any(entry["deviations"] for entry in attacks),
        "attacks": attacks,
        "live": live
        and evaluate(live, skill=OPENING_PROCEDURE, repeats=REPEATS, progress=progress),
    }
    return report
