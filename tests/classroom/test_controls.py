"""Before anybody is judged: hidden trials whose answer is wrong are found out, and named."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.classroom.check import Holdouts
from lab.classroom.controls import refuse_trials_that_no_good_answer_passes
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.errors import InputError
from tests.classroom.handing_in import needs_sandbox


def hidden(folder: Path, task: str, entry: int, **changed: Any) -> Holdouts:
    """Return hidden trials of which one has something changed."""
    save_holdouts(folder / "hidden.json", 3)
    found = {name: list(trials) for name, trials in load_holdouts(folder / "hidden.json").items()}
    found[task][entry] = replace(found[task][entry], **changed)
    return found


@needs_sandbox
def test_hidden_trials_that_are_right_are_said_to_be(tmp_path: Path) -> None:
    told = refuse_trials_that_no_good_answer_passes(hidden(tmp_path, "recount", 0))
    assert told == "the good samples pass every hidden trial"
    assert refuse_trials_that_no_good_answer_passes({}) == ""


@needs_sandbox
@pytest.mark.parametrize(
    ("task", "entry", "changed", "why"),
    [
        (
            "deficits",
            0,
            {"expected": [["GPW", 8], ["XDM", 35]]},
            r"deficits, entry 0 \(a shelf with too few tubs\): the good sample returned"
            r" .*GPW.*9.*, where .*GPW.*8.* is expected; nobody was checked: mend or take out",
        ),
        (
            "baseline",
            2,
            {"given": {"case": 5}},
            r"baseline, entry 2 \(.*\): the good sample came to no answer",
        ),
        ("quotation", 1, {"given": "no request"}, r"quotation, entry 1 \(.*\): the good sample"),
        ("recount", 0, {"given": 7}, r"recount, entry 0 \(.*\): the good sample TypeError"),
    ],
)
def test_a_hidden_trial_that_is_wrong_is_named(
    tmp_path: Path, task: str, entry: int, changed: dict[str, Any], why: str
) -> None:
    with pytest.raises(InputError, match=rf"holdouts: {why}"):
        refuse_trials_that_no_good_answer_passes(hidden(tmp_path, task, entry, **changed))
