"""A unit at work: what was predicted, what was answered, how far it is, and what is handed in."""

import hashlib
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lab
from lab import plain
from lab.chain import Head
from lab.errors import InputError, LabError
from lab.journal import now
from lab.lessons import unit_a, unit_b
from lab.lessons.diary import Diary
from lab.lessons.feedback import AnswerTask, Feedback, FunctionTask

Task = FunctionTask | AnswerTask
TASKS: dict[str, tuple[Task, ...]] = {"unit_a": unit_a.TASKS, "unit_b": unit_b.TASKS}
FOLDER_VARIABLE = "LAB_WORK_FOLDER"
LONGEST_ANSWER = 4000
WRITTEN = ("answers.json", "manifest.json")


class Unit:
    """One learner's work on one unit, kept in a folder of their own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.tasks = {task.name: task for task in TASKS[name]}
        self.diary = diary_of(name, folder)

    def predict(self, name: str, value: Any) -> str:
        """Keep a prediction, with the time; one made after the result was shown is kept as such."""
        value = plain.loads(plain.dumps(value))
        before = self.diary.find("predicted", name)
        is_late = bool(self.diary.find("shown", name))
        if not before or before[-1]["value"] != value:
            self.diary.add("predicted", name=name, value=value, after_result=is_late)
            if before and is_late:
                return (
                    f"Kept, beside your first: a prediction of {name} after its result was shown."
                )
        return f"Kept: your prediction of {name}."

    def shown(self, name: str) -> Any:
        """Note that a result is being shown, and return what was predicted before, None if nothing.

        Nobody can predict it after this without that being kept too.
        """
        if not self.diary.find("shown", name):
            self.diary.add("shown", name=name)
        honest = [e for e in self.diary.find("predicted", name) if not e["after_result"]]
        return honest[-1]["value"] if honest else None

    def note(self, name: str, value: Any) -> None:
        """Keep an observation, or an explanation for a person to read."""
        kept = self.diary.find("noted", name)
        value = plain.loads(plain.dumps(value))
        if not kept or kept[-1]["value"] != value:
            self.diary.add("noted", name=name, value=value)

    def check(self, name: str, answer: Any) -> Feedback:
        """Check an answer and keep it, its source with it where it is a function."""
        if name not in self.tasks:
            raise InputError(f"lessons: {name!r} is not one of {', '.join(self.tasks)}")
        feedback = self.tasks[name].check(answer)
        kept = source_of(answer) if callable(answer) else shown(answer)
        self.diary.add("checked", name=name, status=feedback.status, answer=kept)
        return feedback

    def progress(self) -> str:
        """Say of every task whether it is PASS, NEEDS_WORK or NOT_TRIED, as it was last checked."""
        status = dict.fromkeys(self.tasks, "NOT_TRIED") | self.statuses()
        passed = sum(each == "PASS" for each in status.values())
        told = ", ".join(f"{name} {each}" for name, each in status.items())
        return f"{passed} of {len(status)} PASS: {told}"

    def statuses(self) -> dict[str, str]:
        """Return how each task that was checked came out last, in another sitting too."""
        return {e["name"]: e["status"] for e in self.diary.entries if e["kind"] == "checked"}

    def submit(self, notebook: str | Path, reports: Sequence[str | Path] = ()) -> Path:
        """Write the submission: notebook, diary, answers and reports, and a manifest of digests.

        A new folder each time. What people have to read is in it, and is not judged here.
        """
        target = self.folder / f"submission-{self.name}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder, prefix=".submitting-") as place:
                whole = Path(place) / target.name
                whole.mkdir()
                self._gather(whole, Path(notebook), [Path(report) for report in reports])
                whole.rename(target)  # all of it or nothing
        except OSError as error:
            raise LabError(f"nothing was submitted: {error}; mend that and submit again") from None
        return target

    def _gather(self, target: Path, notebook: Path, reports: Sequence[Path]) -> None:
        latest = {e["name"]: e for e in self.diary.entries if e["kind"] == "checked"}
        shutil.copyfile(notebook, target / "notebook.ipynb")
        for kept in self.diary.path.parent.glob("diary.jsonl*"):
            if kept.suffix != ".lock":
                shutil.copyfile(kept, target / kept.name)
        for report in reports:
            if (target / report.name).exists() or report.name in WRITTEN:
                raise LabError(f"{report}: another file of that name is handed in; rename it")
            shutil.copyfile(report, target / report.name)
        _write_json(target / "answers.json", latest)
        _write_json(
            target / "manifest.json",
            {
                "unit": self.name,
                "created": now(),
                "lab_version": lab.__version__,
                "files": {path.name: _sha256(path) for path in sorted(target.iterdir())},
                "checks": "public checks only; hidden ones run when it is handed in",
                "explanations": "HUMAN_REVIEW_REQUIRED",
            },
        )

    def handed_over(self) -> list[str]:
        """Say how far the units before this one came, where they handed over to it."""
        said = []
        for before in TASKS:
            path = self.folder / f"handoff-{before}.json"
            if before == self.name:
                break
            if not path.exists():
                continue
            handed = _read_handoff(path)
            passed = sum(status == "PASS" for status in handed["tasks"].values())
            told = f"{before} handed over: {passed} of {len(TASKS[before])} PASS"
            if not diary_of(before, self.folder).holds(Head(**handed["diary"])):
                told += "; its diary is not the one that was handed over"
            said.append(told)
        return said

    def hand_over(self) -> Path:
        """Write what the next unit begins with: how far this one came, and the diary's digest."""
        path = self.folder / f"handoff-{self.name}.json"
        head = self.diary.head()._asdict()
        _write_json(path, {"unit": self.name, "diary": head, "tasks": self.statuses()})
        return path


def diary_of(unit: str, folder: Path) -> Diary:
    """Return the diary of a unit in a learner's folder."""
    return Diary(folder / unit / "diary.jsonl")


def _read_handoff(path: Path) -> dict[str, Any]:
    try:
        handed = plain.loads(path.read_text("utf-8"))
        Head(**handed["diary"])
        return {**handed, "tasks": dict(handed["tasks"])}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path}: is no hand-over ({plain.reason(error)}); write it again at the end of its"
            " unit, or take it away to begin without"
        ) from None


def work_folder() -> Path:
    """Return where a learner's work is kept: `lab-work` here, or what the variable names."""
    return Path(os.environ.get(FOLDER_VARIABLE) or "lab-work")


def shown(answer: Any) -> str:
    """Return an answer as it was written, in ASCII; one that cannot be shown, or is long, cut."""
    try:
        return plain.shorten(ascii(answer), LONGEST_ANSWER)
    except Exception:  # noqa: BLE001  (an answer may be anything)
        return plain.show(answer)


def source_of(function: Any) -> str | None:
    """Return a function's source where there is one to be had."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return None


def _write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}")
    beside.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
    beside.replace(path)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
