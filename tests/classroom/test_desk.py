"""A small class: who handed in what, what it came to, and what is kept of it."""

import csv
import io
import json
import re
import stat
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lab.classroom.check import check_submission
from lab.classroom.decisions import Decision
from lab.classroom.desk import check_class, pool
from lab.classroom.extract import extract
from lab.classroom.found import Found, found_in
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.classroom.kept import Kept, keep, learner
from lab.classroom.rows import Row
from lab.classroom.rubric import Rubric
from lab.classroom.verdicts import Result
from lab.errors import InputError, LabError
from lab.ledger import Ledger
from tests.classroom.handing_in import change_cell, hand_in, needs_sandbox


def run(folder: Path, **options: Any) -> list[Row]:
    return check_class(folder / "books", found_in([folder / "class"]), Rubric(), **options)


def verdicts(found: list[Row], part: str) -> dict[str, str]:
    results = [result for row in found for result in row.results]
    return {each.name: each.parts[part].verdict for each in results if part in each.parts}


@needs_sandbox
def test_a_class_and_its_books(tmp_path: Path) -> None:
    hand_in(tmp_path, "=ann")
    hand_in(tmp_path, "bob", "if missing > 0:", "if bytearray(2**40):")  # refused at once
    hand_in(tmp_path, "cleo", "if missing > 0:", "if missing >= 0:")
    hand_in(tmp_path, "dora", "(sku, missing)", "(sku, min(missing, 10))")
    (tmp_path / "class" / "zed.zip").write_bytes(b"no zip")
    save_holdouts(tmp_path / "hidden.json", 3)
    hidden = load_holdouts(tmp_path / "hidden.json")
    found = run(tmp_path, holdouts=hidden)
    assert verdicts(found, "baseline") == {
        "=ann": "PASS",
        "bob": "MEMORY_LIMIT",
        "cleo": "NEEDS_WORK",
        "dora": "NEEDS_WORK",
    }
    assert verdicts(found, "submission") == {"zed": "UNREADABLE"}
    books = tmp_path / "books"
    lines = (books / "gradebook.csv").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert [row["learner"] for row in rows] == ["'=ann", "bob", "cleo", "dora", "zed"]
    assert [row["points"] for row in rows] == ["6", "5", "5", "5", ""]
    assert [row["undecided"] for row in rows] == ["", "baseline", "", "", "submission"]
    overview = (books / "overview.html").read_text()
    assert "<script>" not in overview and "&lt;script&gt;" in overview
    assert "no ledger was kept" in overview
    secrets = {row[0] for trial in hidden["baseline"] for row in trial.given["case"]["stock"]}
    assert secrets & set((books / "results.json").read_text().replace('\\"', " ").split())
    for page in (books / "feedback").iterdir():
        assert not secrets & set(page.read_text().replace("'", " ").replace("&#39;", " ").split())


@needs_sandbox
def test_what_is_public_is_tried_where_nothing_hidden_is(tmp_path: Path) -> None:
    """What a function returns on a public trial is shown to its learner."""
    steal = (
        "import gc; return [str(o) for o in gc.get_objects()"
        " if isinstance(o, (list, dict)) and 'XD' + 'M' in str(o)][:1] or 'nothing'"
    )
    hand_in(tmp_path, "thief", "needs = []", steal)
    save_holdouts(tmp_path / "hidden.json", 3)
    hidden = load_holdouts(tmp_path / "hidden.json")
    assert hidden["baseline"][0].given["case"]["stock"][1][0] == "XDM"
    [thief] = run(tmp_path, holdouts=hidden)
    assert (
        thief.results[0].parts["baseline"].evidence.startswith("it returned 'nothing' every time")
    )


@needs_sandbox
def test_the_same_class_gives_the_same_books(tmp_path: Path) -> None:
    hand_in(tmp_path, "ann")
    hand_in(tmp_path, "bob", "if missing > 0:", "if missing >= 0:")
    run(tmp_path)
    with pool(2) as executor:
        check_class(tmp_path / "again", found_in([tmp_path / "class"]), Rubric(), executor=executor)

    def books(folder: Path) -> dict[str, bytes]:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    assert books(tmp_path / "books") == books(tmp_path / "again")


class _Stopped(Exception):
    pass


@needs_sandbox
def test_a_run_that_was_cut_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ann", "bob", "cleo"):
        hand_in(tmp_path, name)
    checked: list[str] = []

    def until_bob(name: str, *others: Any) -> Result:
        if name == "bob" and not checked[1:]:
            raise _Stopped
        checked.append(name)
        return check_submission(name, *others)

    monkeypatch.setattr("lab.classroom.desk.check_submission", until_bob)
    with pytest.raises(_Stopped):
        run(tmp_path)
    assert checked == ["ann"]
    checked.append("cut off")
    assert [each.name for each in run(tmp_path)] == ["ann", "bob", "cleo"]
    assert checked == ["ann", "cut off", "bob", "cleo"]
    run(tmp_path)
    assert checked == ["ann", "cut off", "bob", "cleo"]


@needs_sandbox
def test_who_hands_in_again_is_checked_again_and_the_earlier_result_stays(tmp_path: Path) -> None:
    ann = hand_in(tmp_path, "ann", "if missing > 0:", "if missing >= 0:")
    hand_in(tmp_path, "bob")
    assert verdicts(run(tmp_path), "baseline") == {"ann": "NEEDS_WORK", "bob": "PASS"}
    change_cell(ann, "a-baseline", "if missing >= 0:", "if missing > 0:")
    found = check_class(tmp_path / "books", [Found("ann", ann)], Rubric())
    assert verdicts(found, "baseline") == {"ann": "PASS", "bob": "PASS"}
    kept = learner(tmp_path / "books", "ann").kept
    assert [each.result.parts["baseline"].verdict for each in kept] == ["NEEDS_WORK", "PASS"]
    told = json.loads((tmp_path / "books" / "results.json").read_text())["learners"]
    assert told[0]["earlier"][0]["parts"]["baseline"]["verdict"] == "NEEDS_WORK"
    assert told[1]["earlier"] == []
    rows = csv.DictReader(io.StringIO((tmp_path / "books" / "gradebook.csv").read_text()))
    assert [(row["checks"], row["given"]) for row in rows] == [("2", "yes"), ("1", "no")]


@needs_sandbox
def test_a_fault_of_the_lab_is_told_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ann", "bob"):
        hand_in(tmp_path, name)
    calls: list[str] = []

    def failing_once(notebook: Any, task: str) -> Any:
        calls.append(task)
        if calls == ["baseline"]:
            raise RuntimeError("a fault")
        return extract(notebook, task)

    monkeypatch.setattr("lab.classroom.check.extract", failing_once)
    ann, bob = run(tmp_path)
    told = ann.results[0].parts["submission"]
    assert told.verdict == "UNREADABLE" and "no fault of yours" in told.evidence
    assert told.hidden == "RuntimeError: a fault"
    assert bob.results[0].parts["baseline"].verdict == "PASS"
    assert verdicts(run(tmp_path), "baseline") == {"ann": "PASS", "bob": "PASS"}  # tried again


class _Mortal(Executor):
    """An executor whose first worker dies, and whose next one does too."""

    def submit(self, function: Any, /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[0].found.learner == "ann":
            future.set_exception(RuntimeError("the worker died"))
        else:
            future.set_result(function(*args, **named))
        return future


@needs_sandbox
def test_any_executor_will_do_and_a_lost_worker_is_told(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        hand_in(tmp_path, name)
    with _Mortal() as executor:
        ann, bob = run(tmp_path, executor=executor)
    assert "process ended on it" in ann.results[0].parts["submission"].evidence
    assert bob.results[0].parts["baseline"].verdict == "PASS"
    hand_in(tmp_path, "cleo")
    heard = []
    with ProcessPoolExecutor(2) as executor:
        found = run(tmp_path, executor=executor, progress=lambda *said: heard.append(said))
    assert verdicts(found, "baseline") == {"ann": "PASS", "bob": "PASS", "cleo": "PASS"}
    assert [each[:2] for each in heard] == [(1, 2), (2, 2)]
    assert {each[2] for each in heard} == {"ann", "cleo"}


@needs_sandbox
def test_hidden_trials_are_spent_when_a_class_has_seen_them(tmp_path: Path) -> None:
    ann = hand_in(tmp_path, "ann")
    save_holdouts(tmp_path / "hidden.json", 3)
    hidden = load_holdouts(tmp_path / "hidden.json")
    ledger = Ledger(tmp_path / "ledger.jsonl")

    def held_out() -> str:
        [row] = run(tmp_path, holdouts=hidden, ledger=ledger)
        return re.sub(r"\([0-9a-f]{12}\)", "(known)", row.kept[0].hidden)

    assert held_out() == "23 of 23 (known) held out"
    assert held_out() == "23 of 23 (known) held out"  # the same class, gone on with
    change_cell(ann, "a-baseline", "needs", "wanted")
    assert held_out().startswith("0 of 23 (known) held out; of the others: another")


@needs_sandbox
def test_a_desk_that_had_hidden_trials_does_not_go_on_without(tmp_path: Path) -> None:
    hand_in(tmp_path, "ann", "(sku, missing)", "(sku, min(missing, 10))")
    save_holdouts(tmp_path / "hidden.json", 3)
    hidden = load_holdouts(tmp_path / "hidden.json")
    assert verdicts(run(tmp_path, holdouts=hidden), "baseline") == {"ann": "NEEDS_WORK"}
    before = (tmp_path / "books" / "gradebook.csv").read_bytes()
    with pytest.raises(InputError, match="ann was checked with hidden trials here; give"):
        run(tmp_path)
    assert (tmp_path / "books" / "gradebook.csv").read_bytes() == before


@needs_sandbox
def test_a_decision_counts_until_something_else_is_handed_in(tmp_path: Path) -> None:
    ann = hand_in(tmp_path, "ann", "if missing > 0:", "if bytearray(2**40):")
    [row] = run(tmp_path)
    assert (row.points.earned, row.points.at_most) == (5, 6)
    decision = Decision(
        *("ann", "baseline", row.kept[0].submission[:12], "NEEDS_WORK", "Lucy", "too large")
    )
    [row] = run(tmp_path, decisions=[decision])
    assert (row.points.earned, row.points.at_most, row.undecided()) == (5, 5, {})
    change_cell(ann, "a-baseline", "if bytearray(2**40):", "if missing > 0:")
    [row] = run(tmp_path, decisions=[decision])
    assert (row.points.earned, row.points.at_most) == (6, 6)
    assert "has no effect" in (tmp_path / "books" / "overview.html").read_text()


@needs_sandbox
def test_answers_that_are_not_what_was_handed_in_decide_nothing(tmp_path: Path) -> None:
    ann = hand_in(tmp_path, "ann")
    answers = ann / "answers.json"
    answers.write_text(answers.read_text().replace("'case'", "'model'"))
    [row] = run(tmp_path)
    part = row.results[0].parts["artefact"]
    assert part.verdict == "TAMPERED" and "as it is now: NEEDS_WORK" in part.evidence
    part = row.results[0].parts["establishes"]
    assert part.evidence.endswith("as it is now: PASS, the right answer")


@needs_sandbox
def test_a_judge_that_passes_everything_judges_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path, "ann")
    monkeypatch.setattr("lab.lessons.feedback.FunctionTask._is_right", lambda *_: None)
    with pytest.raises(LabError, match="baseline: a falsified answer passes: nothing was checked"):
        run(tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(
        "lab.evaluation.grade", lambda seen, checks: (dict.fromkeys(checks, True), {})
    )
    with pytest.raises(LabError, match="fails of nothing, not of baseline_matches"):
        run(tmp_path)
    assert not (tmp_path / "books" / "gradebook.csv").exists()


@needs_sandbox
def test_a_desk_is_a_folder_of_its_own(tmp_path: Path) -> None:
    hand_in(tmp_path, "ann")
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "letter.txt").write_text("keep me")
    with pytest.raises(InputError, match=r"holds letter\.txt, which is not of an earlier check"):
        run(tmp_path)
    (tmp_path / "books" / "letter.txt").unlink()
    run(tmp_path)
    [kept] = (tmp_path / "books" / "kept").glob("*/001.json")
    kept.write_text("{}")
    folders = [path for path in (tmp_path / "books").rglob("*") if path.is_dir()]
    modes = {path.name.partition("-")[0]: stat.S_IMODE(path.stat().st_mode) for path in folders}
    assert modes == {"kept": 0o700, "ann": 0o700, "feedback": 0o700}
    with pytest.raises(InputError, match=r"001\.json: no kept result: .* move it away"):
        run(tmp_path)


def test_a_result_moved_away_leaves_a_number_that_is_not_given_again(tmp_path: Path) -> None:
    for handed_in in (1, 2):
        keep(tmp_path, Kept(f"stamp {handed_in}", "", "", Result("ann")))
    first, second = sorted((tmp_path / "kept").glob("*/*.json"))
    first.unlink()
    keep(tmp_path, Kept("stamp 3", "", "", Result("ann")))
    assert [each.stamp for each in learner(tmp_path, "ann").kept] == ["stamp 2", "stamp 3"]
    assert second.name == "002.json"


def test_jobs_are_counted() -> None:
    for jobs in (0, 33, True, 1.5):
        with pytest.raises(InputError, match="is not an integer from 1 to 32"):
            pool(jobs)  # type: ignore[arg-type]


def test_without_a_sandbox_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(LabError, match="apt-get install bubblewrap"):
        check_class(tmp_path / "books", [Found("ann", tmp_path / "none")], Rubric())
    assert list(tmp_path.iterdir()) == []
