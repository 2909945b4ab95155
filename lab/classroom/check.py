"""One submission, part by part: what it is, what shows it, and what only a person can say."""

import ast
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lab import plain
from lab.chain import Entry
from lab.classroom.collect import Submission, Unreadable, collect, read_json
from lab.classroom.extract import CELLS, extract
from lab.classroom.sandbox import Run, run_function
from lab.errors import LabError
from lab.evidence import load_report
from lab.lessons.diary import diary_chain
from lab.lessons.feedback import TODO, AnswerTask, Feedback, FunctionTask, Trial
from lab.lessons.probe import as_told
from lab.lessons.unit import TASKS

VERDICTS = (
    "PASS",
    "NEEDS_WORK",
    "NOT_TRIED",
    "TIME_LIMIT",
    "MEMORY_LIMIT",
    "CRASHED",
    "TAMPERED",
    "UNREADABLE",
)
Holdouts = Mapping[str, Sequence[Trial]]
"""Hidden trials by task."""


@dataclass(frozen=True)
class Part:
    """One part of a submission. `evidence` may be shown to the learner, `hidden` never."""

    verdict: str
    evidence: str
    hidden: str | None = None


@dataclass
class Result:
    """What a submission came to. `human` is what a person has to read: nobody scored it."""

    name: str
    unit: str | None
    parts: dict[str, Part] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    human: list[dict[str, Any]] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "parts": {n: asdict(part) for n, part in self.parts.items()}}


def check_submission(path: Path, holdouts: Holdouts, slot: int = 0) -> Result:
    """Check one submission; whatever is wrong with it is in the result, and nothing is raised.

    UnavailableError alone is: where there is no sandbox nothing is checked.
    """
    try:
        submission = collect(path)
    except (Unreadable, OSError) as error:
        name = path.stem if path.is_file() else path.name
        return Result(name, None, {"submission": Part("UNREADABLE", str(error))})
    result = Result(submission.name, submission.unit, notes=list(submission.notes))
    result.parts["manifest"] = (
        Part("TAMPERED", "; ".join(submission.tampered))
        if submission.tampered
        else Part("PASS", "every file is the one that the manifest was written for")
    )
    result.parts["diary"], entries = _diary(submission)
    result.human = _for_a_person(entries)
    for name in sorted(submission.files):
        if name.endswith(".json") and name not in ("manifest.json", "answers.json"):
            result.parts[name] = _report(submission.files[name])
    for task in TASKS[submission.unit]:
        try:
            if isinstance(task, FunctionTask):
                part = _function(task, submission, holdouts.get(task.name, ()), slot, result.notes)
            else:
                part = _answer(task, submission)
        except Unreadable as error:
            part = Part("UNREADABLE", str(error))
        result.parts[task.name] = part
    return result


def _function(
    task: FunctionTask,
    submission: Submission,
    hidden: Sequence[Trial],
    slot: int,
    notes: list[str],
) -> Part:
    notebook = read_json(submission.files["notebook.ipynb"], "notebook.ipynb")
    found = extract(notebook, task.name)
    if found is None:
        return Part("NOT_TRIED", f"there is no {CELLS[task.name][1]} in the notebook")
    notes += found.notes
    trials = [*task.trials, *hidden]
    inputs = [as_told(trial.given) for trial in trials]
    run = run_function(found.source, found.function, inputs, slot=slot)
    if run.outcomes and all(outcome.returned == TODO for outcome in run.outcomes):
        return Part("NOT_TRIED", "it still returns TODO")
    if run.ended != "RAN":
        return _unfinished(run)
    visible = task.judge(run.outcomes[: len(task.trials)])
    kept_back = replace(task, trials=tuple(hidden))
    told = _hidden(kept_back, run.outcomes[len(task.trials) :]) if hidden else None
    verdict = "PASS" if visible.status == "PASS" and told in (None, "") else "NEEDS_WORK"
    public = f"{visible.status}: {visible.said}"
    if visible.status == "PASS" and told:
        public = f"every public check passes; of others, it is not right on: {told}"
    return Part(visible.status if visible.status == "NOT_TRIED" else verdict, public, told)


def _hidden(task: FunctionTask, outcomes: Sequence[Any]) -> str:
    """Return which kinds of hidden input a function is wrong on, and nothing of the inputs."""
    wrong = [
        trial.shows
        for trial, outcome in zip(task.trials, outcomes, strict=True)
        if _alone(task, trial, outcome).status != "PASS"
    ]
    return ", ".join(dict.fromkeys(wrong))


def _alone(task: FunctionTask, trial: Trial, outcome: Any) -> Feedback:
    return replace(task, trials=(trial,)).judge([outcome])


def _unfinished(run: Run) -> Part:
    """Return the part of a function that did not come to its end."""
    reached = len(run.outcomes)
    match run.ended:
        case "TIME_LIMIT":
            return Part("TIME_LIMIT", f"it did not come to an end; {reached} inputs were answered")
        case "MEMORY_LIMIT":
            return Part("MEMORY_LIMIT", "it needed more memory than there is")
        case "OUTPUT_LIMIT":
            return Part("CRASHED", "it returned more than anybody could read")
        case _:
            return Part("CRASHED", run.why or "its process ended")


def _answer(task: AnswerTask, submission: Submission) -> Part:
    kept = read_json(submission.files["answers.json"], "answers.json").get(task.name)
    if kept is None:
        return Part("NOT_TRIED", "it was never checked")
    try:
        value = ast.literal_eval(str(kept["answer"]))
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        return Part("UNREADABLE", "what was kept of the answer is no plain value")
    found = task.check(value)
    return Part(found.status, found.said)


def _diary(submission: Submission) -> tuple[Part, list[Entry]]:
    if "diary.jsonl" not in submission.files:
        return Part("NOT_TRIED", "there is no diary"), []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("diary.jsonl", "diary.jsonl.head"):
            if name in submission.files:
                (Path(folder) / name).write_bytes(submission.files[name])
        try:
            entries = diary_chain(Path(folder) / "diary.jsonl").entries()
        except LabError as error:
            why = str(error).partition("this diary ")[2].partition(";")[0]
            return Part("TAMPERED", f"the diary {why}"), []
    late = [e["name"] for e in entries if e["kind"] == "predicted" and e.get("after_result")]
    told = f"; predicted after the result was shown: {', '.join(late)}" if late else ""
    return Part("PASS", f"{len(entries)} entries, none changed{told}"), entries


def _report(data: bytes) -> Part:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_bytes(data)
        try:
            load_report(path)
        except LabError as error:
            return Part("TAMPERED", str(error).replace(f"{path}: ", ""))
    return Part("PASS", "its verdict, counts and totals are what its attempts add up to")


def _for_a_person(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return predictions and explanations, each for a person to read."""
    kinds = {"predicted": "prediction", "noted": "explanation"}
    return [
        {
            "kind": kinds[entry["kind"]],
            "name": str(entry.get("name")),
            "said": plain.shorten(plain.dumps(entry.get("value")), 4000),
            "after_result": bool(entry.get("after_result")),
            "status": "HUMAN_REVIEW_REQUIRED",
        }
        for entry in entries
        if entry["kind"] in kinds
    ]
