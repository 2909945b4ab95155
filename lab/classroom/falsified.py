"""Before a class is judged, the judge is: what is wrong on purpose has to fail, and for that."""

from dataclasses import replace

from lab.cases import CASES
from lab.errors import LabError
from lab.evaluation import evaluate
from lab.lessons.feedback import FunctionTask
from lab.lessons.probe import Outcome
from lab.lessons.unit import TASKS
from lab.shop.fixtures import OfflineShopModel

FALSIFIED = (("V", 7), ("S", 4))
"""Opening wants six tubs of V, not seven; see its stock."""
SHOULD_FAIL = {"quantities", "baseline_matches_authored_answer"}


def refuse_a_grader_that_passes_everything() -> str:
    """Grade a falsified case and falsified answers, and say that they failed as they should.

    LabError where one passes, or fails of something else: then nothing here can be believed.
    """
    report = evaluate(OfflineShopModel, cases=[replace(CASES[0], expected=FALSIFIED)])
    failed = {name for name, held in report["cases"][0]["checks"].items() if not held}
    if failed != SHOULD_FAIL:
        raise LabError(
            f"classroom: a falsified case fails of {', '.join(sorted(failed)) or 'nothing'}, not of"
            f" {', '.join(sorted(SHOULD_FAIL))}: nothing was checked; `lab checkpoint` may say why"
        )
    for task in (
        task for tasks in TASKS.values() for task in tasks if isinstance(task, FunctionTask)
    ):
        right = [Outcome(returned=trial.expected) for trial in task.trials]
        wrong = [replace(right[0], returned="falsified"), *right[1:]]
        if task.judge(right).status != "PASS" or task.judge(wrong).status != "NEEDS_WORK":
            raise LabError(
                f"classroom: {task.name}: a falsified answer passes: nothing was checked"
            )
    return "a falsified case and falsified answers failed, each for what was wrong in it"
