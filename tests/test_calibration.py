from pathlib import Path
from typing import Any

import pytest
from statsmodels.stats.inter_rater import cohens_kappa as independent_kappa
from statsmodels.stats.proportion import proportion_confint

from lab.calibration import (
    LABELS,
    LabelledAnswer,
    calibrate,
    cohens_kappa,
    load_answers,
)
from lab.errors import InputError
from lab.reviewers import REVIEWERS, ModelReviewer
from tests.openai_server import openai_server

FOUR = [
    LabelledAnswer("right", "opening", "good", "good", "V: 6 tubs, 1500 pence", "so it is"),
    LabelledAnswer("wrong", "opening", "wrong amount", "objection", "V: 1600 pence", "1500"),
    LabelledAnswer("hidden", "opening", "wrong amount", "objection", "V: many pence", "1500"),
    LabelledAnswer("odd", "opening", "ambiguous", "unclear", "V: 6 tubs or so", "exact or not"),
]


def test_the_answers_were_labelled_with_reasons() -> None:
    answers = load_answers()
    assert len(answers) == 45
    assert {a.label for a in answers} == set(LABELS)
    counted = {k: sum(a.kind == k for a in answers) for k in dict.fromkeys(a.kind for a in answers)}
    assert counted == {
        "good": 11,
        "wrong amount": 9,
        "wrong currency": 5,
        "unsupported claim": 5,
        "purchase claim": 5,
        "ambiguous": 4,
        "boundary": 6,
    }


def test_the_aids_on_four_answers_by_hand() -> None:
    found = calibrate(REVIEWERS["aids"], FOUR)
    assert found["confusion"] == {
        "good": {"good": 1, "objection": 0, "unclear": 0, "no reply": 0},
        "objection": {"good": 1, "objection": 1, "unclear": 0, "no reply": 0},
        "unclear": {"good": 1, "objection": 0, "unclear": 0, "no reply": 0},
    }
    assert (found["agreed"], found["answers"]) == (2, 4)
    # agreement 2/4; by chance 1/4 x 3/4 + 2/4 x 1/4 = 5/16; (8 - 5) / (16 - 5) = 3/11
    assert found["kappa"] == pytest.approx(3 / 11)
    assert found["by_kind"] == {"good": [1, 1], "wrong amount": [1, 2], "ambiguous": [0, 1]}
    assert [row["name"] for row in found["disagreements"]] == ["hidden", "odd"]
    assert (found["sensitivity"]["passed"], found["sensitivity"]["attempts"]) == (1, 2)
    low, high = proportion_confint(1, 2, method="wilson")
    assert found["sensitivity"]["low"] == pytest.approx(low)
    assert found["sensitivity"]["high"] == pytest.approx(high)


@pytest.mark.parametrize(
    ("name", "sensitivity", "specificity", "kappa"),
    [("always_good", 0, 17, 0.0), ("always_objects", 24, 0, 0.0), ("aids", 16, 12, 0.31)],
)
def test_the_shipped_reviewers(name: str, sensitivity: int, specificity: int, kappa: float) -> None:
    found = calibrate(REVIEWERS[name])
    assert (found["sensitivity"]["passed"], found["sensitivity"]["attempts"]) == (sensitivity, 24)
    assert (found["specificity"]["passed"], found["specificity"]["attempts"]) == (specificity, 17)
    assert found["kappa"] == pytest.approx(kappa, abs=0.005)
    table = [[found["confusion"][a].get(b, 0) for b in LABELS] for a in LABELS]
    independent = independent_kappa(table, return_results=False)
    assert found["kappa"] == pytest.approx(independent)


def test_kappa_by_hand_and_where_chance_is_all() -> None:
    yes, no = "yes", "no"
    pairs = [(yes, yes)] * 20 + [(yes, no)] * 5 + [(no, yes)] * 10 + [(no, no)] * 15
    assert cohens_kappa(pairs) == pytest.approx(0.4)  # 0.7 agreed, 0.5 by chance
    assert cohens_kappa([(yes, yes)]) is None


def test_what_says_nothing_is_wrong_and_stays_in_the_denominator() -> None:
    def breaks(row: Any) -> str:
        if "1600" in row["answer"]:
            raise RuntimeError("no verdict")
        return "perhaps"

    found = calibrate(breaks, FOUR)
    assert [row["reply"] for row in found["rows"]] == ["no reply"] * 4
    assert [row["error"] for row in found["rows"]] == [
        "said 'perhaps'",
        "RuntimeError: no verdict",
        "said 'perhaps'",
        "said 'perhaps'",
    ]
    assert (found["sensitivity"]["passed"], found["sensitivity"]["attempts"]) == (0, 2)
    assert found["confusion"]["objection"]["no reply"] == 2


def test_a_reviewer_is_not_given_the_label() -> None:
    given: list[Any] = []

    def looks(row: Any) -> str:
        given.append(row)
        return "good"

    calibrate(looks, FOUR[1:2])
    assert set(given[0]) == {"transcript", "answer"}
    assert given[0]["answer"] == given[0]["transcript"][-1]["content"] == "V: 1600 pence"
    assert "so it is" not in str(given) and "wrong amount" not in str(given)


def test_a_model_is_a_reviewer_too() -> None:
    from lab import HTTPModel

    with openai_server() as url:
        model = HTTPModel(url, "fixture")
        found = calibrate(ModelReviewer(model), FOUR[:1])
        model.close()
    # That server's model knows nothing of verdicts: what it says is no reply, not a good one.
    assert found["rows"][0]["reply"] == "no reply"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('label = "good"', "label: 'fine' is not one of good, objection, unclear"),
        ('kind = "good"', "kind: 'fine' is not one of good, wrong amount"),
        ('case = "opening"', "case: 'fine' is not one of opening, at_threshold"),
    ],
)
def test_a_bad_entry_is_named(tmp_path: Path, change: str, told: str) -> None:
    entry = '[[answer]]\nname = "a"\ncase = "opening"\nkind = "good"\nlabel = "good"\n'
    entry += 'text = "V"\nreason = "so"\n'
    path = tmp_path / "answers.toml"
    path.write_text(entry)
    assert len(load_answers(path)) == 1
    path.write_text(entry.replace(change, change.split(" = ")[0] + ' = "fine"'))
    with pytest.raises(InputError, match=f"answers.toml: no labelled answers: .*'a': {told}"):
        load_answers(path)
    path.write_text(entry + entry)
    with pytest.raises(InputError, match="more than one answer is called a"):
        load_answers(path)
    path.write_text("")
    with pytest.raises(InputError, match=r"it has no \[\[answer\]\]"):
        load_answers(path)
    path.write_text(entry.replace('reason = "so"', 'reason = " "'))
    with pytest.raises(InputError, match="reason: must be text that is not blank"):
        load_answers(path)
