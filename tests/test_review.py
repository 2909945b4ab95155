import json
from pathlib import Path
from typing import Any

import pytest

from lab import CASES, OfflineShopModel, evaluate, run_requests, save_report
from lab.attacks import Reworded, Script
from lab.errors import InputError
from lab.interpretation import keywords
from lab.review import Judgement, Review, presentation, state_in_words, unreviewed
from lab.review_desk import person_reviewer, review_at_terminal
from lab.shop.models import ModelTurn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    report = evaluate(lambda: Reworded("1500", "999999"), cases=CASES[:2], repeats=2)
    return save_report(tmp_path, report)[0]


def judgement(case: str = "opening", repetition: int = 1, **said: str) -> Judgement:
    given = {"amounts": "yes", "claims": "yes", "purchase": "yes", "useful": "yes", **said}
    return Judgement(case=case, repetition=repetition, **given)


def test_nobody_has_reviewed_it_yet(path: Path) -> None:
    review = Review(path)
    assert review.state() == unreviewed(review.report)
    assert state_in_words(review.state()) == "0 of 4 answers reviewed"
    assert review.to_do("ann") == [
        ("opening", 1),
        ("opening", 2),
        ("at_threshold", 1),
        ("at_threshold", 2),
    ]
    assert not review.path.exists()


def test_two_reviewers_agree_and_disagree(path: Path) -> None:
    review = Review(path)
    review.add(judgement(amounts="no", note="999999"), "ann")
    review.add(judgement(repetition=2, ambiguous="Nothing was bought."), "ann")
    review.add(judgement(amounts="yes"), "bob")
    review.add(judgement(repetition=2), "bob")
    state = Review(path).state()
    assert state == {
        "attempts": 4,
        "without_answer": 0,
        "reviewed": 2,
        "unreviewed": [["at_threshold", 1], ["at_threshold", 2]],
        "reviewers": {"ann": 2, "bob": 2},
        "agreements": 1,
        "disagreements": [
            {
                "case": "opening",
                "repetition": 1,
                "question": "amounts",
                "said": {"ann": "no", "bob": "yes"},
            }
        ],
        "objections": [
            {
                "case": "opening",
                "repetition": 1,
                "question": "amounts",
                "reviewer": "ann",
                "note": "999999",
            }
        ],
        "ambiguous": [
            {
                "case": "opening",
                "repetition": 2,
                "reviewer": "ann",
                "wording": "Nothing was bought.",
            }
        ],
    }
    assert state_in_words(state) == (
        "2 of 4 answers reviewed; by ann 2, bob 2; 1 objections; agreed on 1, 1 disagreements"
    )


def test_a_change_of_mind_counts_and_both_are_kept(path: Path) -> None:
    review = Review(path)
    review.add(judgement(useful="unclear"), "ann")
    review.add(judgement(useful="no"), "ann")
    assert [each["question"] for each in review.state()["objections"]] == ["useful"]
    assert review.state()["reviewed"] == 1
    kept = [json.loads(line) for line in review.path.read_text().splitlines()]
    assert [entry.get("useful") for entry in kept] == [None, "unclear", "no"]
    assert kept[1]["reviewer"] == "ann" and kept[1]["at"].endswith("Z")


def test_one_byte_changed_after_the_review_is_refused(path: Path) -> None:
    Review(path).add(judgement(), "ann")
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"999999", b"999998", 1))
    with pytest.raises(InputError, match="it was changed after it was reviewed, or is another"):
        Review(path)


def test_an_edited_review_is_refused(path: Path) -> None:
    review = Review(path)
    review.add(judgement(amounts="no"), "ann")
    review.add(judgement(repetition=2), "ann")
    review.path.write_text(review.path.read_text().replace('"no"', '"yes"'))
    with pytest.raises(InputError, match="this review was changed"):
        Review(path)


def test_the_report_is_as_it_was(path: Path) -> None:
    before = path.read_bytes()
    Review(path).add(judgement(amounts="no"), "ann")
    assert path.read_bytes() == before
    assert Review(path).report["acceptance"]["status"] == "REVIEW_REQUIRED"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"amounts": "maybe"}, "judgement: amounts: 'maybe' is not one of yes, no, unclear"),
        ({"useful": True}, "judgement: useful: True is not one of"),
        ({"note": 5}, "judgement: note: give text"),
    ],
)
def test_what_is_no_judgement_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        judgement(**said)


def test_what_cannot_be_reviewed_is_refused(path: Path, tmp_path: Path) -> None:
    review = Review(path)
    with pytest.raises(InputError, match="closed 1: no attempt of the report with an answer"):
        review.add(judgement("closed"), "ann")
    with pytest.raises(InputError, match="reviewer: give a name"):
        review.add(judgement(), " ")
    requests = save_report(tmp_path / "r", run_requests({"keywords": keywords}))[0]
    with pytest.raises(InputError, match="there is no answer in words to review"):
        Review(requests)


def test_an_attempt_without_an_answer_is_counted_apart(tmp_path: Path) -> None:
    report = evaluate(lambda: Script(), cases=CASES[:1])
    review = Review(save_report(tmp_path, report)[0])
    assert (
        state_in_words(review.state()) == "no attempt gave an answer, so there is nothing to review"
    )


def test_a_reviewer_sees_observations_drafts_and_findings_and_no_judgement(path: Path) -> None:
    shown = presentation(Review(path).rows["opening", 1])
    assert "  V: 6 tubs, 1500 pence GBP\n  S: 4 tubs, 1100 pence GBP\nanswer:" in shown
    assert "999999" in shown.partition("answer:")[2]
    assert "no tool observation holds this number" in shown
    assert "quantities" not in shown and "passed" not in shown and "True" not in shown


def typed(*words: str) -> Any:
    left = list(words)

    def ask(_: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return ask


def quiet(_: object) -> None:
    pass


def test_a_reviewer_who_quits_half_way_goes_on_later(path: Path) -> None:
    first = ["n", "yes", "what", "u", "y", "", "999999"]
    review = review_at_terminal(path, "ann", ask=typed(*first, "y", "q"), say=quiet)
    assert review.to_do("ann") == [("opening", 2), ("at_threshold", 1), ("at_threshold", 2)]
    assert [each["question"] for each in review.state()["objections"]] == ["amounts"]
    one = ["y", "y", "y", "y", "", ""]
    review = review_at_terminal(path, "ann", ask=typed(*one, *one), say=quiet)
    assert review.to_do("ann") == [("at_threshold", 2)]
    review = review_at_terminal(path, "ann", ask=typed(*one), say=quiet)
    assert review.state()["unreviewed"] == []
    assert review.state()["reviewers"] == {"ann": 4}


def test_what_an_answer_holds_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    report = evaluate(lambda: Script(ModelTurn("\x1b[2Jgone")), cases=CASES[:1])
    said: list[str] = []
    path = save_report(tmp_path, report)[0]
    review_at_terminal(path, "ann", ask=typed(), say=lambda line: said.append(str(line)))
    assert "\x1b" not in "".join(said)
    assert any("\\x1b[2Jgone" in line for line in said)


def test_a_person_can_be_calibrated() -> None:
    row = evaluate(OfflineShopModel, cases=CASES[:1])["cases"][0]
    shown = {"transcript": row["transcript"], "answer": row["answer"]}
    judge = person_reviewer(ask=typed("perhaps", "o"), say=quiet)
    assert judge(shown) == "objection"


def test_a_reviewer_without_a_name_is_asked_nothing(path: Path) -> None:
    for name in ("", " ", "a\nb"):
        with pytest.raises(InputError, match="reviewer: give a name"):
            review_at_terminal(path, name, ask=pytest.fail, say=quiet)
