"""A person's effort: timed as it happens, kept line by line, never made up."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lab.desk import work_on
from lab.effort import Record, read_effort, recording, summary
from lab.errors import InputError, LabError
from lab.interpretation import REQUEST_CASES, Decision, keywords

STOCK, DRAFT, PURCHASE = REQUEST_CASES[:3]
RIGHT = Decision(action="stock", sku="V")


def test_the_clock_runs_while_a_person_works(tmp_path: Path) -> None:
    path = tmp_path / "desk" / "effort.jsonl"
    with recording(path, STOCK, "form", person="A") as entry:
        time.sleep(0.05)
        entry.correct()
        entry.approve(RIGHT)
    (record,) = read_effort(path)
    assert 0.05 <= record.seconds < 5
    assert (record.way, record.person, record.case) == ("form", "A", "stock")
    assert (record.corrections, record.decision, record.expected) == (1, RIGHT, RIGHT)
    assert record.started.endswith("Z")
    assert record.started < record.stopped
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_request_given_up_is_kept_and_so_is_every_line_before(tmp_path: Path) -> None:
    path = tmp_path / "effort.jsonl"
    with recording(path, STOCK, "form") as entry:
        entry.approve(RIGHT)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), recording(path, DRAFT, "keywords"):
        raise KeyboardInterrupt
    assert path.read_bytes().startswith(before)
    first, second = read_effort(path)
    assert (first.decision, second.decision) == (RIGHT, None)


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "effort.jsonl"
    path.write_text('{"way": "form"}\n')
    with (
        pytest.raises(InputError, match=r"line 1: not a record of effort: person: Field required"),
        recording(path, STOCK, "form"),
    ):
        raise AssertionError("the clock must not start")
    assert path.read_text() == '{"way": "form"}\n'


@pytest.mark.parametrize(
    ("way", "person", "told"),
    [
        ("guess", "A", "way: 'guess' is not one of form, keywords, model"),
        ("form", " ", "person"),
        ("form", "\udcff", "person"),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    way: Any, person: str, told: str, tmp_path: Path
) -> None:
    with (
        pytest.raises(InputError, match=told),
        recording(tmp_path / "e.jsonl", STOCK, way, person=person),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [{"seconds": -1.0}, {"corrections": -1}, {"seconds": "1"}, {"way": "x"}, {"more": 1}],
)
def test_a_line_that_is_no_record_is_named(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with recording(path, STOCK, "form"):
        pass
    good = path.read_text()
    path.write_text(good + json.dumps({**json.loads(good), **change}) + "\n")
    with pytest.raises(InputError, match="line 2: not a record"):
        read_effort(path)


def test_a_line_without_its_end_is_followed_by_a_line(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with recording(path, STOCK, "form") as entry:
        entry.approve(RIGHT)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with recording(path, DRAFT, "form"):
        pass
    assert [each.case for each in read_effort(path)] == ["stock", "draft"]


def test_only_a_decision_can_be_approved_and_the_work_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with (
        pytest.raises(TypeError, match="approve a Decision, not tuple"),
        recording(path, STOCK, "form") as entry,
    ):
        entry.approve(("stock", "V"))  # type: ignore[arg-type]
    assert [each.decision for each in read_effort(path)] == [None]


def test_a_place_that_cannot_be_written_is_refused_before_the_clock_starts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(LabError, match="effort cannot be kept there"),
        recording(tmp_path / "file" / "e.jsonl", STOCK, "form"),
    ):
        raise AssertionError("the clock must not start")


def record(way: Any, person: str, case: str, seconds: float, decision: Decision | None) -> Record:
    return Record(
        way=way,
        person=person,
        case=case,
        started="2026-12-01T10:00:00.000Z",
        stopped="2026-12-01T10:00:09.000Z",
        seconds=seconds,
        corrections=1,
        decision=decision,
        expected=RIGHT,
    )


def test_a_summary_puts_seconds_beside_being_right() -> None:
    wrong = Decision(action="refuse")
    found = summary(
        [
            record("form", "A", "stock", 4.0, RIGHT),
            record("form", "B", "stock", 8.0, wrong),
            record("form", "A", "negative", 6.0, None),
            record("model", "A", "stock", 2.0, RIGHT),
        ]
    )
    assert found["observations"] == 4
    assert list(found["ways"]) == ["form", "model"]
    form = found["ways"]["form"]
    assert (form["observations"], form["persons"], form["given_up"]) == (3, 2, 1)
    assert form["seconds"] == {"median": 6.0, "least": 4.0, "most": 8.0}
    assert form["corrections"] == 3
    assert (form["right"]["passed"], form["right"]["attempts"], form["right"]["cases"]) == (1, 3, 2)
    assert "4 observations by 2 person(s) on 2 request(s)" in found["enough"]
    assert "No way is called quicker" in found["enough"]


def test_nothing_recorded_is_nothing_known() -> None:
    assert summary([]) == {
        "observations": 0,
        "ways": {},
        "enough": "Nothing has been recorded yet, so nothing is known of anybody's effort.",
    }


def desk(tmp_path: Path, answers: list[str], **options: Any) -> tuple[Record, str]:
    told: list[str] = []
    given = iter(answers)
    path = tmp_path / "effort.jsonl"

    def ask(question: str) -> str:
        return next(given)

    work_on(path, options.pop("case"), person="A", ask=ask, tell=told.append, **options)
    assert list(given) == []
    return read_effort(path)[-1], "\n".join(told)


def test_at_the_desk_with_a_form(tmp_path: Path) -> None:
    answers = ["buy", "", "draft", "vanilla", "no", "stock", "Vanilla", ""]
    found, told = desk(tmp_path, answers, case=STOCK, way="form", propose=None)
    assert found.decision == RIGHT
    assert found.corrections == 2  # an action that is none, and a change of mind
    assert "Lucy: Please report the stock of vanilla." in told
    assert "  draft V, 6 tubs, 1500 pence GBP" in told
    assert "  stock V, 2 tubs" in told


def test_at_the_desk_with_a_proposal(tmp_path: Path) -> None:
    found, told = desk(tmp_path, [""], case=STOCK, way="keywords", propose=keywords)
    assert (found.decision, found.corrections, found.way) == (RIGHT, 0, "keywords")
    assert "Decision: stock V" in told


def test_a_useless_proposal_leaves_the_work_to_the_person(tmp_path: Path) -> None:
    answers = ["refuse", "", ""]
    found, told = desk(
        tmp_path, answers, case=PURCHASE, way="model", propose=lambda payload: ("Sure!", 3)
    )
    assert found.decision == Decision(action="refuse")
    assert "no usable proposal (ValidationError)" in told
    assert found.expected == Decision(action="refuse")
