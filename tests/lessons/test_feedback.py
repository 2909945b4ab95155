"""Wrong answers of many kinds, each with a sentence of its own, and right ones of many shapes."""

import time
from dataclasses import replace
from typing import Any

import pytest

from lab.baselines import baseline
from lab.lessons.feedback import TODO, FunctionTask, Trial
from lab.lessons.probe import Outcome
from lab.lessons.unit_a import ARTEFACT, ATTEMPTED, BASELINE, DEFICITS, RESERVATION, TASKS
from lab.lessons.unit_b import RECOUNT


def needs(rows: Any) -> list[Any]:
    found = [(sku, threshold - (held - kept)) for sku, held, kept, threshold, _ in rows]
    return [(sku, need) for sku, need in found if need > 0]


def constant(case: Any) -> Any:
    return [("V", 6), ("S", 4)]


def lookup(case: Any) -> Any:
    answers = {("V", "S"): [("V", 6), ("S", 4)]}
    return answers.get(tuple(row[0] for row in case.stock), [])


def reads_expected(case: Any) -> Any:
    return list(case.expected)


def mutates(rows: Any) -> Any:
    found = [(r["code"], r["wanted"] - r["on_shelf"] + r["promised"]) for r in rows]
    rows.clear()
    return [pair for pair in found if pair[1] > 0]


def prints(case: Any) -> None:
    print(needs(case.stock))


def floats(case: Any) -> Any:
    return [(sku, float(need)) for sku, need in needs(case.stock)]


def texts(case: Any) -> Any:
    return [(sku, str(need)) for sku, need in needs(case.stock)]


def raises(case: Any) -> Any:
    return needs(case.stock) + [case.stock[0]][:0]


def never_ends(case: Any) -> Any:
    while case:
        time.sleep(0.1)


def forgets_reservations(case: Any) -> Any:
    return [
        (sku, threshold - held) for sku, held, _, threshold, _ in case.stock if threshold > held
    ]


def keeps_zero(case: Any) -> Any:
    return [(s, t - (o - r)) for s, o, r, t, _ in case.stock if t - (o - r) >= 0]


def returns_nothing(case: Any) -> Any:
    needs(case.stock)


@pytest.mark.parametrize(
    ("task", "function", "said", "look_at"),
    [
        (BASELINE, constant, "returned [['V', 6], ['S', 4]] every time", "uses what it is given"),
        (BASELINE, lookup, "right for the case in front of you and for no other", "names"),
        (BASELINE, reads_expected, "it looks at `case.expected`", "what a shop would know"),
        (DEFICITS, mutates, "it changed its input, on the row in front of you", "in place"),
        (BASELINE, prints, "it prints its answer and returns None", "`return`"),
        (BASELINE, floats, "the right numbers in the wrong types", "four different answers"),
        (BASELINE, texts, "the right numbers in the wrong types", "four different answers"),
        (BASELINE, raises, "it raised IndexError: tuple index out of range, on an empty", "input"),
        (BASELINE, returns_nothing, "it returned None on the opening case", "no `return`"),
        (BASELINE, forgets_reservations, "it returned [] on tubs that are reserved", "reserved"),
        (BASELINE, keeps_zero, "it returned [['K', 0]] on a stock that stands exactly", "exactly"),
        (BASELINE, [("V", 6)], "this is [('V', 6)], not a function", "function's name"),
        (BASELINE, lambda case: {"V": 6}, "every time", "uses"),
        (BASELINE, lambda a, b: [], "it raised TypeError", "input"),
    ],
)
def test_each_kind_of_wrong_answer_has_its_sentence(
    task: Any, function: Any, said: str, look_at: str
) -> None:
    found = task.check(function)
    assert found.status == "NEEDS_WORK"
    assert said in found.said
    assert look_at in found.look_at


def test_a_function_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.lessons.feedback.probe", lambda f, inputs: probe(f, inputs, seconds=1))
    from lab.lessons.probe import probe

    begun = time.monotonic()
    found = BASELINE.check(never_ends)
    assert time.monotonic() - begun < 15
    assert found.status == "NEEDS_WORK"
    assert "did not come to an end on the opening case" in found.said


@pytest.mark.parametrize(
    "function",
    [
        baseline,
        lambda case: needs(case.stock),
        lambda case: tuple(needs(case.stock)),
        lambda case: (pair for pair in needs(case.stock)),
        lambda case: [list(pair) for pair in reversed(needs(case.stock))],
    ],
)
def test_right_answers_pass_whatever_their_shape(function: Any) -> None:
    assert BASELINE.check(function).status == "PASS"


def test_untouched_is_not_tried() -> None:
    assert BASELINE.check(lambda case: TODO).status == "NOT_TRIED"
    assert {task.check(TODO).status for task in TASKS} == {"NOT_TRIED"}


@pytest.mark.parametrize(
    ("task", "answer", "status"),
    [
        (RESERVATION, (("Q", 4),), "PASS"),
        (RESERVATION, [["Q", 4]], "PASS"),
        (RESERVATION, (("Q", 4.0),), "NEEDS_WORK"),
        (RESERVATION, (("Q", 1),), "NEEDS_WORK"),
        (RESERVATION, 4, "NEEDS_WORK"),
        (ARTEFACT, "case", "PASS"),
        (ARTEFACT, "agent", "NEEDS_WORK"),
        (
            ATTEMPTED,
            {"allowed_operations", "no_tool_errors", "quantities", "grounded"},
            "PASS",
        ),
        (ATTEMPTED, {"no_purchases"}, "NEEDS_WORK"),
        (ATTEMPTED, 3, "NEEDS_WORK"),
    ],
)
def test_answers_are_compared_exactly(task: Any, answer: Any, status: str) -> None:
    found = task.check(answer)
    assert found.status == status
    assert "4),)" not in repr(found) or status == "PASS" or answer != 4


def test_feedback_reads_as_two_lines() -> None:
    assert repr(ARTEFACT.check("agent")) == (
        "NEEDS_WORK  artefact: this is 'agent'; one of 'case', 'baseline', 'agent', 'check' is"
        " wanted\n  Look at: who wrote the number that everybody else disagrees with"
    )
    assert repr(ARTEFACT.check("case")) == "PASS  artefact: as it is"


def test_no_feedback_gives_the_answer_away() -> None:
    wrong = BASELINE.check(forgets_reservations)
    for trial in BASELINE.trials[1:]:
        for sku, need in trial.expected:
            assert f"({sku!r}, {need})" not in repr(wrong)
            assert f"[{sku!r}, {need}]" not in repr(wrong)


@pytest.mark.parametrize(
    ("task", "status", "returned"),
    [
        (RECOUNT, "PASS", {"dict": [["b", 2], ["a", 1]]}),
        (RECOUNT, "NEEDS_WORK", [["a", 1], ["b", 2]]),
        (RECOUNT, "NEEDS_WORK", {"set": [["a", 1], ["b", 2]]}),
        (BASELINE, "NEEDS_WORK", {"dict": [["a", 1], ["b", 2]]}),
    ],
)
def test_a_dict_is_no_list_of_its_pairs(task: FunctionTask, status: str, returned: Any) -> None:
    pairs = [["a", 1], ["b", 2]]
    expected = {"dict": pairs} if task is RECOUNT else pairs
    one = replace(task, trials=(Trial([], expected, "a trial"),))
    assert one.judge([Outcome(returned=returned)]).status == status
