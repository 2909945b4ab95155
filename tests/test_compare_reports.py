"""What two reports say beside each other, worked out by hand; and what is refused."""

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from lab import compare_reports
from lab.cases import Case
from lab.comparison import words
from lab.comparison.differences import Difference, around
from lab.comparison.reports import PairedSeconds
from lab.comparison.sides import Figure, Spent
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.report import FIXTURE_CAVEAT
from lab.shop import OPENING_PROCEDURE, Limits, Model
from lab.shop.fixtures import OfflineShopModel
from tests.paired_reports import (
    NEEDED,
    STOCK,
    added_up,
    asked,
    attempt,
    evaluated,
    nothing,
    stock_of_vanilla,
)

NO, OK = {"passed": False}, {"passed": True}


def two() -> tuple[Report, Report]:
    """Both pass a, first alone b, second alone c, neither d: two attempts at each case."""
    first = evaluated({"a": [OK, OK], "b": [OK, OK], "c": [OK, NO], "d": [NO, NO]})
    second = evaluated({"a": [OK, OK], "b": [NO, OK], "c": [OK, OK], "d": [NO, OK]})
    return first, second


def test_each_case_is_in_its_cell_by_name() -> None:
    found = compare_reports(*two())
    assert (found.cases, found.repetitions) == (4, 2)
    assert found.paired.both == ("a",)
    assert found.paired.only_first == ("b",)
    assert found.paired.only_second == ("c",)
    assert found.paired.neither == ("d",)
    assert found.paired.p_value == 1.0
    assert (found.first.rate["passed"], found.first.rate["attempts"]) == (5, 8)
    assert (found.second.rate["passed"], found.second.rate["attempts"]) == (6, 8)


def test_six_against_none_is_one_in_thirty_two() -> None:
    first = evaluated({name: [NO] for name in "abcdef"})
    second = evaluated({name: [OK] for name in "abcdef"})
    found = compare_reports(first, second)
    assert found.paired.p_value == 0.03125
    assert words.paired(found) == [
        "A case is passed by passing its attempt.",
        "first passed 0 of 6 cases, second 6 of 6; they differ on 6: 0 against 6.",
        "McNemar, exact and two-sided: p = 0.0312. With 6 cases it takes 6 against 0 for p at most"
        " 0.05. It is of this pair alone: of twenty pairs of equals one gets there.",
        "Each interval is of one rate; none is of the difference.",
    ]


def test_a_p_value_is_never_rounded_to_nothing() -> None:
    names = [f"case {n}" for n in range(20)]
    found = compare_reports(
        evaluated({name: [NO] for name in names}), evaluated({name: [OK] for name in names})
    )
    assert "p < 0.0001." in " ".join(words.paired(found))
    few = compare_reports(*two())
    assert "With 4 cases no p can be at most 0.05." in " ".join(words.paired(few))


def test_what_it_took_stands_beside_the_outcome() -> None:
    first = evaluated(
        {
            "a": [attempt(True, 4.0, model_calls=3, output_tokens=100, estimated_cost_pence=2)],
            "b": [attempt(True, 6.0, model_calls=4, output_tokens=None, estimated_cost_pence=3)],
            "c": [attempt(False, 0.5, model_calls=1, output_tokens=None)],
            "d": [attempt(False, None, model_calls=None, estimated_cost_pence=None)],
        }
    )
    for row in first["cases"]:
        row["prompt_tokens"] = {"a": 40, "b": 2}.get(row["case"])
    first["cases"][2]["estimated_cost_pence"] = None
    first["cases"][3]["output_tokens"] = None
    found = compare_reports(added_up(first), evaluated({name: [OK] for name in "abcd"}))
    assert found.first.passed == Spent(
        attempts=2,
        median_seconds=Figure(5.0, 0),
        model_calls=Figure(7, 0),
        prompt_tokens=Figure(42, 0),
        output_tokens=Figure(100, 1),
        estimated_cost_pence=Figure(5, 0),
    )
    assert found.first.failed == Spent(
        attempts=2,
        median_seconds=Figure(0.5, 1),
        model_calls=Figure(1, 1),
        prompt_tokens=Figure(None, 2),
        output_tokens=Figure(None, 2),
        estimated_cost_pence=Figure(None, 2),
    )
    assert words.spent(found)[:2] == [
        ["first, passed", "2", "5.000000", "7", "42", "100 + 1 unknown", "5"],
        ["first, failed", "2", "0.500000 + 1 unknown", "1 + 1 unknown", *["unknown"] * 3],
    ]
    assert words.spent(found)[3] == ["second, failed", "0", "-", "-", "-", "-", "-"]


def test_what_requests_do_not_keep_is_unknown_and_not_zero() -> None:
    found = compare_reports(asked(), asked(), candidates=("vanilla", "nothing"))
    passed, failed = words.spent(found)[:2]
    assert (passed[1], passed[3:]) == ("1", ["unknown", "unknown", "7", "unknown"])
    assert (failed[1], failed[3:]) == ("1", ["unknown", "unknown", "7", "unknown"])
    assert words.spent(found)[3][3:] == ["unknown"] * 4


def test_only_cases_that_both_passed_are_timed() -> None:
    """The second fails c at once, and d it passes at once while the first fails: neither counts."""
    first = evaluated(
        {
            "a": [attempt(True, 1.0), attempt(True, 3.0)],
            "b": [attempt(True, 5.0), attempt(True, 5.0)],
            "c": [attempt(True, 9.0), attempt(True, 9.0)],
            "d": [attempt(False, 9.0), attempt(True, 9.0)],
            "e": [attempt(True, 1.0), attempt(True, 1.0)],
        }
    )
    second = evaluated(
        {
            "a": [attempt(True, 1.0), attempt(True, 2.0)],
            "b": [attempt(True, 7.0), attempt(True, 8.0)],
            "c": [attempt(False, 0.1), attempt(True, 0.1)],
            "d": [attempt(True, 0.1), attempt(True, 0.1)],
            "e": [attempt(True, 5.0), attempt(True, None)],
        }
    )
    found = compare_reports(first, second)
    assert found.paired.both == ("a", "b", "e")
    assert found.seconds == PairedSeconds(
        cases=2, first=3.5, second=4.5, difference=1.0, first_shorter=1, second_shorter=1
    )
    assert words.seconds(found) == [
        "Seconds of the 3 cases that both passed (those of 1 are unknown): median 3.500000 and"
        " 4.500000; second less first, case by case, median +1.000000; first took less on 1,"
        " second on 1.",
        "A failed attempt that ended sooner was not faster, so it has no part in that. A few"
        " seconds of two runs do not say how long another run takes.",
    ]


def test_where_no_case_was_passed_by_both_no_seconds_are_compared() -> None:
    fails = evaluated({"a": [attempt(False, 0.001)]})
    passes = evaluated({"a": [attempt(True, 9.0)]})
    found = compare_reports(fails, passes)
    assert found.seconds == PairedSeconds(0, None, None, None, 0, 0)
    assert words.seconds(found) == ["No case was passed by both, so no seconds are compared."]
    untimed = compare_reports(passes, evaluated({"a": [attempt(True, None)]}))
    assert words.seconds(untimed) == ["The seconds of the 1 cases that both passed are unknown."]


def test_only_what_differs_in_the_configuration_is_listed() -> None:
    first = evaluated({"a": [OK]}, name="small")
    second = evaluated(
        {"a": [OK]}, name="large", skill=OPENING_PROCEDURE, limits=Limits(seconds=30)
    )
    for report, commit in ((first, "one"), (second, "other")):
        report["provenance"]["git_commit"] = commit
    second["provenance"]["created"] = "another time"
    found = {
        each.field: (each.first, each.second) for each in compare_reports(first, second).differences
    }
    sha256 = "ca2a57d55a20e2d9ada85066399b3dc7b..."
    assert found == {
        "settings.seconds": ("60", "30"),
        "candidate.name": ("(none)", "opening-procedure"),
        "candidate.version": ("(none)", "1"),
        "candidate.sha256": ("(none)", sha256),
        "skills.opening-procedure.version": ("(none)", "1"),
        "skills.opening-procedure.sha256": ("(none)", sha256),
        "model.name": ("small", "large"),
        "provenance.git_commit": ("one", "other"),
    }


def test_a_model_that_changed_on_the_way_is_listed_with_every_name() -> None:
    first, second = evaluated({"a": [OK, OK]}), evaluated({"a": [OK, OK]})
    second["cases"][1]["model"]["name"] = "another"
    second["cases"][1]["allowed"] = ["list_stock"]
    assert compare_reports(first, second).differences == (
        Difference("model.name", "a model", "a model | another"),
        Difference("allowed", '...,"supplier"]', '...,"supplier"] | ["list_stock"]'),
    )


def test_of_requests_the_candidates_own_configuration_differs() -> None:
    found = compare_reports(asked(), asked(), candidates=("vanilla", "nothing")).differences
    assert [each.field for each in found] == ["candidate", "candidate.sha256"]
    assert (found[0].first, found[0].second) == ("vanilla", "nothing")


def test_long_values_are_cut_to_where_they_part() -> None:
    same = "You are a careful shopkeeper. " * 10
    assert around(f"{same}Draft now.", f"{same}Ask first.") == (
        "...shopkeeper. Draft now.",
        "...shopkeeper. Ask first.",
    )
    assert around("x" * 40, "short") == ("x" * 33 + "...", "short")


def change(field: str, value: Any) -> Callable[[Report], None]:
    def to(report: Report) -> None:
        *path, last = field.split("/")
        at: Any = report
        for name in path:
            at = at[int(name) if isinstance(at, list) else name]
        at[last] = value

    return to


def one() -> Report:
    return evaluated({"a": [OK], "b": [OK]})


@pytest.mark.parametrize(
    ("made", "altered", "told"),
    [
        (
            one,
            change("provenance/digests/cases", "f" * 64),
            r"cases differ: x\.json has 2 \(digest [0-9a-f]{12}, only there: none\); y\.json has 2"
            r" \(digest f{12}, only there: none\); of one name with another split, request or"
            r" answer: none; .* run both on the same cases",
        ),
        (
            lambda: evaluated({"a": [OK], "c": [OK]}),
            None,
            r"cases differ: x\.json has 2 \(digest [0-9a-f]{12}, only there: 'b'\); y\.json has 2"
            r" \(digest [0-9a-f]{12}, only there: 'c'\)",
        ),
        (one, change("cases/0/split", "development"), r"another split, request or answer: 'a';"),
        (one, change("cases/1/expected", [["V", 7]]), r"another split, request or answer: 'b';"),
        (
            one,
            change("provenance/digests/checks", "e" * 64),
            r"checks differ: x\.json has 8 \(digest [0-9a-f]{12}, only there: none\); y\.json has 8"
            r" \(digest e{12}, only there: none\); .* with the same checks",
        ),
        (
            one,
            change("cases/0/checks/brief", True),
            r"checks differ: x\.json has 8 .*; y\.json has 9 \(.* only there: 'brief'\)",
        ),
        (
            one,
            change("boundaries/seconds", "all of it"),
            r"measurement boundaries of 'seconds' differ: x\.json has 'making the model, its call"
            r"s and t\.\.\.'; y\.json has 'all of it'; the seconds are not of the same thing",
        ),
        (
            one,
            change("boundaries/more", "also"),
            r"boundaries of 'more' differ: x\.json has 'not stated'; y\.json has 'also'",
        ),
        (
            lambda: evaluated({"a": [OK, OK], "b": [OK, OK]}),
            None,
            r"repetitions differ: x\.json has 1 of each case; y\.json has 2 of each case; run both"
            r" with the same --repeats",
        ),
        (
            one,
            change("provenance/digests", {}),
            r"y\.json has no digest of its cases \(provenance\.digests\.cases\)",
        ),
        (
            asked,
            None,
            r"kinds differ: x\.json is an evaluation; y\.json has requests; compare two reports of"
            r" one kind",
        ),
        (one, change("passed", False), r"y\.json: passed is False, the attempts say True"),
    ],
)
def test_what_cannot_be_paired_is_refused(
    made: Callable[[], Report], altered: Callable[[Report], None] | None, told: str
) -> None:
    first, second = one(), made()
    if altered:
        altered(second)
        second = second if "passed is" in told else added_up(second)
    with pytest.raises(InputError, match=told):
        compare_reports(first, second, sources=("x.json", "y.json"))


def test_requests_with_other_requests_are_refused() -> None:
    second = asked()
    second["cases"][0]["request"] = "Something else?"
    with pytest.raises(InputError, match="split, request or answer: 'stock'"):
        compare_reports(asked(), second, candidates=("vanilla", "vanilla"))


def test_a_report_without_attempts_is_refused() -> None:
    empty = one()
    empty["cases"] = []
    empty = added_up(empty)
    empty["passed"], empty["acceptance"]["status"] = False, "REJECTED"
    with pytest.raises(InputError, match="no case to compare"):
        compare_reports(empty, copy.deepcopy(empty))


def test_which_candidates_are_meant() -> None:
    several, single = asked(), asked(vanilla=stock_of_vanilla)
    found = compare_reports(several, single)
    assert (found.first.candidate, found.second.candidate) == ("vanilla", "vanilla")
    other = compare_reports(single, asked(nothing=nothing))
    assert (other.first.candidate, other.second.candidate) == ("vanilla", "nothing")
    with pytest.raises(
        InputError,
        match=r"candidates: first has 'vanilla', 'nothing' and second has 'vanilla', 'nothing';"
        r" say which two, with --candidates FIRST SECOND",
    ):
        compare_reports(several, several)
    with pytest.raises(InputError, match="'mine' is none of second's: 'vanilla', 'nothing'"):
        compare_reports(several, several, candidates=("vanilla", "mine"))
    with pytest.raises(InputError, match="an evaluation has one; leave --candidates out"):
        compare_reports(one(), one(), candidates=("a", "b"))


def test_candidates_of_one_report_are_paired_by_their_own_attempts() -> None:
    report = asked()
    found = compare_reports(report, report, candidates=("vanilla", "nothing"))
    assert (found.paired.only_first, found.paired.neither) == (("stock",), ("draft",))
    assert found.warnings == (
        "first and second: 2 of 2 cases are not known to be held out (2: published with the"
        " lab: anybody may have seen it), so the candidate may have been made with them in view.",
    )


def test_nothing_is_warned_of_where_nothing_is_the_matter() -> None:
    first, second = two()
    assert compare_reports(first, second).warnings == ()


def test_the_same_report_is_compared_and_warned_of() -> None:
    report = one()
    assert compare_reports(report, copy.deepcopy(report)).warnings == (
        "Both sides are the same report, so there is nothing to compare.",
    )


def test_each_thing_to_know_is_warned_of() -> None:
    first, second = one(), one()
    second["cases"][0]["model"]["environment"] = {"kind": "fixture"}
    second["cases"][0]["check_errors"] = {"quantities": "TypeError"}
    second["cases"][1]["loop_status"] = "NOT_RUN"
    second["cases"][1]["independence"] = {"held_out": None, "why": "who knows"}
    del second["cases"][0]["independence"]
    second["settings"]["concurrency"] = 4
    second["provenance"]["lab_sha256"] = "another"
    assert compare_reports(first, added_up(second)).warnings == (
        f"second: {FIXTURE_CAVEAT}",
        "second: 1 of 2 attempts did not run, and count as failed.",
        "second: a check broke in 1 of 2 attempts, which counts as failed.",
        "second: 2 of 2 cases are not known to be held out (1: no ledger was kept, so nobody knows"
        " who has seen it; 1: who knows), so the candidate may have been made with them in view.",
        "Each report was made by another version of the lab, or nobody can tell: it may have run or"
        " graded them otherwise. `lab regrade` grades either again with this one.",
        "first ran 1 attempts at a time and second 4: attempts that share a machine take longer, so"
        " their seconds are not comparable.",
    )


@pytest.mark.parametrize(
    ("commits", "is_known"),
    [
        (("abc", "abc"), True),
        (("abc", "def"), False),
        (("abc-dirty", "abc-dirty"), False),
        ((None, None), False),
    ],
)
def test_an_unknown_source_is_known_by_its_commit_alone(
    commits: tuple[str | None, str | None], is_known: bool
) -> None:
    first, second = two()
    for report, commit in zip((first, second), commits, strict=True):
        del report["provenance"]["lab_sha256"]
        report["provenance"]["git_commit"] = commit
    assert (compare_reports(first, second).warnings == ()) is is_known


def test_a_fixture_of_requests_is_warned_of() -> None:
    report = asked()
    report["candidates"]["nothing"]["model"] = {"name": "x", "environment": {"kind": "fixture"}}
    found = compare_reports(report, report, candidates=("vanilla", "nothing"))
    assert found.warnings[0].startswith("first and second: 2 of 2 cases")
    assert f"second: {FIXTURE_CAVEAT}" in found.warnings


def test_what_no_check_looked_at_is_said() -> None:
    assert compare_reports(*two()).ungraded == (
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    )
    report = asked()
    assert compare_reports(report, report, candidates=("vanilla", "nothing")).ungraded == ()


def test_an_evaluations_candidate_is_told_by_an_attempt_that_made_it() -> None:
    models = iter([None, OfflineShopModel])

    def make() -> Model:
        return next(models)()  # type: ignore[misc]

    cases = [Case(name, "development", STOCK, NEEDED) for name in "ab"]
    first = evaluate(make, cases=cases)
    found = compare_reports(first, evaluate(OfflineShopModel, cases=cases))
    assert found.first.candidate == found.second.candidate == "offline fixture, no skill"
    assert found.differences == ()


def test_what_a_model_calls_itself_floods_no_screen() -> None:
    found = compare_reports(evaluated({"a": [OK]}, name="x" * 60_000), evaluated({"a": [OK]}))
    assert found.first.candidate == "x" * 497 + "..."


def test_it_ranks_nobody_and_changes_nothing() -> None:
    first, second = two()
    before = copy.deepcopy((first, second))
    found = compare_reports(first, second)
    assert (first, second) == before
    said = " ".join([words.MEANING, words.COST, *words.paired(found), *words.seconds(found)])
    assert re.findall(r"\b(?:wins?|won|better|best|accepted|beats?|faster than)\b", said) == []
    assert "accepts nothing: a person reads the attempts, and decides" in said
