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
from lab.errors import InputError, LabError
from lab.journal import now
from lab.lessons import unit_a, unit_b
from lab.lessons.diary import Diary, digest, read_diary
from lab.lessons.feedback import AnswerTask, Feedback, FunctionTask

Task = FunctionTask | AnswerTask
TASKS: dict[str, tuple[Task, ...]] = {"unit_a": unit_a.TASKS, "unit_b": unit_b.TASKS}
FOLDER_VARIABLE = "LAB_WORK_FOLDER"


class Unit:
    """One learner's work on one unit, kept in a folder of their own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.tasks = {task.name: task for task in TASKS[name]}
        self.diary = Diary(folder / name / "diary.jsonl")
        self.found: dict[str, Feedback] = {}

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
        self.found[name] = feedback
        kept = source_of(answer) if callable(answer) else plain.show(answer)
        self.diary.add("checked", name=name, status=feedback.status, answer=kept)
        return feedback

    def progress(self) -> str:
        """Say of every task whether it is PASS, NEEDS_WORK or NOT_TRIED."""
        status = {n: self.found[n].status if n in self.found else "NOT_TRIED" for n in self.tasks}
        passed = sum(each == "PASS" for each in status.values())
        told = ", ".join(f"{name} {each}" for name, each in status.items())
        return f"{passed} of {len(status)} PASS: {told}"

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
        if self.diary.path.exists():
            shutil.copyfile(self.diary.path, target / "diary.jsonl")
        for report in reports:
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
            handed = plain.loads(path.read_text("utf-8"))
            passed = sum(status == "PASS" for status in handed["tasks"].values())
            told = f"{before} handed over: {passed} of {len(TASKS[before])} PASS"
            if not _is_same(self.folder / before / "diary.jsonl", handed["diary"]):
                told += "; its diary is not the one that was handed over"
            said.append(told)
        return said

    def hand_over(self) -> Path:
        """Write what the next unit begins with: how far this one came, and the diary's digest."""
        path = self.folder / f"handoff-{self.name}.json"
        last = digest(self.diary.entries[-1]) if self.diary.entries else None
        statuses = {name: feedback.status for name, feedback in self.found.items()}
        _write_json(path, {"unit": self.name, "diary": last, "tasks": statuses})
        return path


def _is_same(path: Path, last: Any) -> bool:
    """Say whether a diary still ends as it did when it was handed over."""
    entries = read_diary(path) if path.exists() else []
    return bool(entries) and any(digest(entry) == last for entry in entries)


def work_folder() -> Path:
    """Return where a learner's work is kept: `lab-work` here, or what the variable names."""
    return Path(os.environ.get(FOLDER_VARIABLE) or "lab-work")


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
