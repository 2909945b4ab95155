"""Before a class is judged, the judge is: what is wrong on purpose fails, what is right passes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from lab import plain
from lab.cases import CASES
from lab.classroom.collect import read_json
from lab.classroom.extract import extract
from lab.classroom.samples import good_notebook
from lab.classroom.sandbox import run_function
from lab.errors import InputError, LabError
from lab.evaluation import evaluate
from lab.lessons.feedback import FunctionTask, Trial
from lab.lessons.probe import Outcome, as_told
from lab.lessons.unit import TASKS
from lab.shop.fixtures import OfflineShopModel

FALSIFIED = (("V", 7), ("S", 4))
"""Opening wants six tubs of V, not seven; see its stock."""
SHOULD_FAIL = {"quantities", "baseline_matches_authored_answer"}


def refuse_a_judge_that_passes_everything() -> str:
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
    for _, task in _functions():
        right = [Outcome(returned=trial.expected) for trial in task.trials]
        wrong = [replace(right[0], returned="falsified"), *right[1:]]
        if task.judge(right).status != "PASS" or task.judge(wrong).status != "NEEDS_WORK":
            raise LabError(
                f"classroom: {task.name}: a falsified answer passes: nothing was checked"
            )
    return "a falsified case and falsified answers failed, each for what was wrong in it"


def refuse_trials_that_no_good_answer_passes(hidden: Mapping[str, Sequence[Trial]]) -> str:
    """Run the good samples' functions on hidden trials, and say that they passed.

    InputError names the task and the entry of a trial whose answer is wrong, or whose input is
    not what its function is given: otherwise the learners would pay for it.
    """
    for unit, task in _functions():
        trials = hidden.get(task.name, ())
        if not trials:
            continue
        found = extract(read_json(good_notebook(unit), "notebook.ipynb"), task.name)
        assert found is not None
        inputs = [as_told(trial.given) for trial in trials]
        run = run_function(found.source, found.function, inputs)
        for number, (trial, outcome) in enumerate(zip_longest(trials, run.outcomes)):
            if outcome is None:
                said = f"came to no answer ({run.ended})"
            elif replace(task, trials=(trial,)).judge([outcome]).status != "PASS":
                said = outcome.raised or f"returned {plain.dumps(as_told(outcome.returned))}"
            else:
                continue
            raise InputError(
                f"holdouts: {task.name}, entry {number} ({trial.shows}): the good sample {said},"
                f" where {plain.dumps(as_told(trial.expected))} is expected; nobody was checked:"
                " mend or take out the entry"
            )
    return "the good samples pass every hidden trial" if any(hidden.values()) else ""


def _functions() -> list[tuple[str, FunctionTask]]:
    return [
        (unit, task)
        for unit, tasks in TASKS.items()
        for task in tasks
        if isinstance(task, FunctionTask)
    ]
