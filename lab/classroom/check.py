"""One submission, part by part: what it is, what shows it, and what only a person can say."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lab import plain
from lab.classroom.alike import digests
from lab.classroom.collect import Submission, Unreadable, collect, read_json
from lab.classroom.extract import CELLS, Extracted, extract
from lab.classroom.retained import (
    READ,
    check_diary,
    check_reports,
    check_table,
    for_a_person,
    is_foreign,
    known_by,
)
from lab.classroom.sandbox import Run, run_function
from lab.classroom.verdicts import Part, Result
from lab.errors import UnavailableError
from lab.evidence import Report
from lab.lessons.feedback import TODO, AnswerTask, FunctionTask, Trial
from lab.lessons.probe import Outcome, as_told
from lab.lessons.unit import LONGEST_ANSWER, TASKS

ADDRESS = re.compile(r"\b0x[0-9a-f]{4,}\b")
"""Where an object happened to lie in memory: never the same twice, and nothing to a learner."""
ABSENT = ("ModuleNotFoundError", "ImportError")
Holdouts = Mapping[str, Sequence[Trial]]
"""Hidden trials by task."""


def check_submission(
    name: str, path: Path, holdouts: Holdouts, slot: int = 0, notes: Iterable[str] = ()
) -> Result:
    """Check one submission; whatever is wrong with it is in the result, and nothing is raised.

    UnavailableError alone is: where there is no sandbox nothing is checked.
    """
    try:
        return _checked(name, collect(path), holdouts, slot, notes)
    except Unreadable as error:
        return _unreadable(name, f"{path.name}: {error}")
    except OSError as error:
        return _unreadable(name, f"{path.name} cannot be opened: {error.strerror}")
    except UnavailableError:
        raise
    except Exception as error:  # noqa: BLE001  (one submission never stops the rest)
        why = "the lab failed on it, which is no fault of yours; your instructor has been told"
        return _unreadable(name, why, plain.reason(error))


def _unreadable(name: str, why: str, hidden: str | None = None) -> Result:
    return Result(name, None, {"submission": Part("UNREADABLE", why, hidden)})


def _checked(
    name: str, submission: Submission, holdouts: Holdouts, slot: int, notes: Iterable[str]
) -> Result:
    result = Result(name, submission.unit, notes=[*notes, *submission.notes])
    result.parts["manifest"] = (
        Part("TAMPERED", f"not as the manifest has them: {', '.join(submission.changed)}")
        if submission.changed
        else Part("PASS", "every file is the one that the manifest was written for")
    )
    answers, notebook = _object(submission, "answers.json"), _object(submission, "notebook.ipynb")
    checked = {} if isinstance(answers, Part) else answers
    result.parts["diary"], entries = check_diary(submission, checked)
    result.human = for_a_person(entries)
    if more := sum(entry["kind"] in READ for entry in entries) - len(result.human):
        result.notes.append(f"{more} more predictions and explanations are not shown")
    if result.parts["diary"].verdict == "TAMPERED" and not entries:
        result.notes.append("predictions and explanations are not shown: their diary was changed")
    reports, whole = check_reports(submission)
    result.parts |= reports
    result.parts["table"] = _table(submission.unit, notebook, whole)
    known = known_by(entries)
    for task in TASKS[submission.unit]:
        try:
            if isinstance(task, AnswerTask):
                part = _answer(task, submission, answers, known)
            elif isinstance(notebook, Part):
                part = notebook
            else:
                found = extract(notebook, task.name)
                part = _function(task, found, holdouts.get(task.name, ()), slot)
                _note_source(result, task, found, part, checked)
                part = _doubted(part, submission, "notebook.ipynb")
        except Unreadable as error:
            part = Part("UNREADABLE", str(error))
        result.parts[task.name] = part
    return result


def _object(submission: Submission, name: str) -> dict[str, Any] | Part:
    """Return the object that a file holds, or the part that says why there is none."""
    try:
        return read_json(submission.files[name], name)
    except Unreadable as error:
        return Part("UNREADABLE", str(error))


def _table(unit: str, notebook: dict[str, Any] | Part, reports: Sequence[Report]) -> Part:
    if isinstance(notebook, Part):
        return notebook
    try:
        return check_table(unit, notebook, reports)
    except Unreadable as error:
        return Part("UNREADABLE", str(error))


def _function(
    task: FunctionTask, found: Extracted | None, hidden: Sequence[Trial], slot: int
) -> Part:
    """Judge a function on the public trials, and, apart from them, on the hidden ones.

    Each kind has a sandbox of its own: whatever a function returns on a public trial may be shown
    to its learner, so nothing there may know the hidden ones.
    """
    if found is None:
        return Part("NOT_TRIED", f"there is no {CELLS[task.name][1]} in the notebook")
    run = _run(found, task.trials, slot)
    if run.outcomes and all(outcome.returned == TODO for outcome in run.outcomes):
        return Part("NOT_TRIED", "it still returns TODO")
    if run.ended != "RAN":
        return _unfinished(run)
    if absent := [o.raised for o in run.outcomes if (o.raised or "").startswith(ABSENT)]:
        return Part("CRASHED", f"it needs what is not there where it is tried: {absent[0]}")
    public = task.judge(run.outcomes)
    if public.status != "PASS":
        return Part(public.status, ADDRESS.sub("0x...", public.said))
    if not hidden:
        return Part("PASS", f"{public.said}; there were no hidden ones")
    run = _run(found, hidden, slot)
    if run.ended != "RAN":
        told = _unfinished(run).verdict
        return Part(told, f"every public check passes; on hidden ones it ended with {told}")
    wrong = _wrong(task, hidden, run.outcomes)
    if not wrong:
        return Part("PASS", f"{public.said}, and all hidden ones", "")
    told = ", ".join(dict.fromkeys(trial.shows for trial in wrong))
    return Part(
        "NEEDS_WORK",
        f"every public check passes; it is not right yet on hidden ones about: {told}",
        "; ".join(plain.dumps(as_told(trial.given)) for trial in wrong),
    )


def _run(found: Extracted, trials: Sequence[Trial], slot: int) -> Run:
    inputs = [as_told(trial.given) for trial in trials]
    return run_function(found.source, found.function, inputs, slot=slot)


def _wrong(task: FunctionTask, trials: Sequence[Trial], outcomes: Sequence[Outcome]) -> list[Trial]:
    return [
        trial
        for trial, outcome in zip(trials, outcomes, strict=True)
        if replace(task, trials=(trial,)).judge([outcome]).status != "PASS"
    ]


def _unfinished(run: Run) -> Part:
    """Return the part of a function that did not come to its end."""
    match run.ended:
        case "TIME_LIMIT":
            reached = len(run.outcomes)
            return Part("TIME_LIMIT", f"it did not come to an end; {reached} inputs were answered")
        case "MEMORY_LIMIT":
            return Part("MEMORY_LIMIT", "it needed more memory than there is")
        case "OUTPUT_LIMIT":
            return Part("CRASHED", "it returned more than anybody could read")
        case "BROKEN":
            return Part("CRASHED", f"it could not be loaded: {run.why}")
        case _:
            return Part("CRASHED", run.why or "its process ended")


def _note_source(
    result: Result,
    task: FunctionTask,
    found: Extracted | None,
    part: Part,
    answers: Mapping[str, Any],
) -> None:
    """Note what is odd about a function's source, and what it is known by."""
    if found is None:
        return
    result.notes += found.notes
    if part.verdict == "NOT_TRIED":
        return
    if mine := digests(found.source, found.function):
        result.functions[task.name] = mine
    kept = answers.get(task.name)
    if not isinstance(kept, dict):
        result.notes.append(f"{task.name}: was written and never checked")
        return
    if digests(str(kept.get("answer")), found.function)[:1] != mine[:1]:
        result.notes.append(f"{task.name}: the notebook's function is not the one checked last")


def _doubted(part: Part, submission: Submission, file: str) -> Part:
    """Return a part that decides nothing where what it was read from is not what was handed in."""
    if file not in submission.changed:
        return part
    told = f"{file} is not what the manifest was written for; as it is now"
    return Part("TAMPERED", f"{told}: {part.verdict}, {part.evidence}", part.hidden)


def _answer(
    task: AnswerTask,
    submission: Submission,
    answers: Mapping[str, Any] | Part,
    known: frozenset[str],
) -> Part:
    if isinstance(answers, Part):
        return answers
    kept = answers.get(task.name)
    if kept is None:
        return Part("NOT_TRIED", "it was never checked")
    try:
        value = ast.literal_eval(plain.shorten(str(kept["answer"]), LONGEST_ANSWER))
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        return Part("UNREADABLE", "what was kept of the answer is no plain value")
    found = task.check(value)
    if is_foreign(kept, known):
        told = f"no diary that holds bears this answer out; as it is now: {found.status}"
        return Part("TAMPERED", told)
    said = "the right answer" if found.status == "PASS" else found.said
    return _doubted(Part(found.status, said), submission, "answers.json")
