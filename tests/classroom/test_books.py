"""Gradebook and pages: stable columns, nothing that is run, nothing that is hidden."""

import csv
import html
import io
import re

import pytest

from lab.classroom.alike import alike, copies, digests
from lab.classroom.books import gradebook
from lab.classroom.decisions import Decision
from lab.classroom.kept import Kept, Learner, slug
from lab.classroom.pages import feedback, feedback_markdown, meaning, overview, points_in_words
from lab.classroom.rows import Row, rows
from lab.classroom.rubric import Rubric
from lab.classroom.verdicts import Part, Result

BASELINE = """
def my_baseline(case):
    '''Return what is needed.'''
    needs = []
    for sku, have, kept, want, _ in case.stock:
        if want > have - kept:
            needs.append((sku, want - have + kept))
    return needs
"""
RENAMED = """
def my_baseline(c):  # mine
    out = []
    for a, b, d, e, f in c.stock:
        if e > b - d:
            out.append((a, e - b + d))

    return out
"""


ANN = {"labels": "PASS", "events": "PASS", "recount": "CRASHED", "quotation": "NEEDS_WORK"}
TOLD = {
    "isolation": "some",
    "judge": "it failed",
    "lab_version": "0.5",
    "without_effect": [],
}


def result(name: str, unit: str = "unit_b", **verdicts: str) -> Result:
    return Result(name, unit, {part: Part(verdict, "seen") for part, verdict in verdicts.items()})


def text_of(page: str) -> str:
    """Return what a page says, without its marks."""
    return " ".join(
        html.unescape(
            re.sub("</t[dh]>|<[^>]*>", lambda mark: " " * (mark[0][:3] == "</t"), page)
        ).split()
    )


def rows_of(*results: Result, given: tuple[str, ...] = ()) -> list[Row]:
    """Return the rows of results, each of another learner unless they share a name."""
    learners: dict[str, list[Kept]] = {}
    for number, each in enumerate(results):
        kept = Kept(f"stamp {number}", f"{number}" * 64, "23 (abc) held out", each)
        learners.setdefault(each.name, []).append(kept)
    return rows([Learner(*each) for each in learners.items()], Rubric(), [], given)


def test_a_learner_has_one_line_with_both_units() -> None:
    one = result("ann", "unit_a", baseline="PASS", table="TAMPERED", artefact="NEEDS_WORK")
    one.parts["report-1.json"] = one.parts["report-2.json"] = Part("PASS", "seen")
    two = result("ann", **ANN, diary="PASS")
    found = rows_of(one, two, Result("zed", None, {"submission": Part("UNREADABLE", "no")}))
    ann, zed = csv.DictReader(io.StringIO(gradebook(found, Rubric())))
    assert {name: value for name, value in ann.items() if value} == {
        "learner": "ann",
        "units": "unit_a unit_b",
        "baseline": "PASS",
        "artefact": "NEEDS_WORK",
        "unit_a manifest": "NOT_TRIED",
        "unit_a diary": "NOT_TRIED",
        "unit_a table": "TAMPERED",
        "unit_a report": "PASS",
        "unit_a hidden trials": "23 (abc) held out",
        **ANN,
        "unit_b manifest": "NOT_TRIED",
        "unit_b diary": "PASS",
        "unit_b table": "NOT_TRIED",
        "unit_b report": "NOT_TRIED",
        "unit_b hidden trials": "23 (abc) held out",
        "points": "3",
        "at_most": "4",
        "of": "11",
        "undecided": "unit_a table, recount",
        "checks": "2",
        "given": "no",
        "feedback": "feedback/ann-49915e0d.html",
    }
    assert {name: value for name, value in zed.items() if value} == {
        "learner": "zed",
        "undecided": "submission",
        "submission": "UNREADABLE",
        "checks": "1",
        "given": "no",
        "feedback": "feedback/zed-ae8f5080.html",
    }


def test_a_gradebook_has_the_same_columns_whoever_is_in_it() -> None:
    told = gradebook([], Rubric(read={"unit_b": {"unseen case": 2}}))
    assert told.split("\r\n") == [
        "learner,units,baseline,reservation,artefact,attempted,establishes,deficits,"
        "unit_a manifest,unit_a diary,unit_a table,unit_a report,unit_a hidden trials,"
        "labels,events,recount,quotation,needed,unseen case,"
        "unit_b manifest,unit_b diary,unit_b table,unit_b report,unit_b hidden trials,"
        "points,at_most,of,undecided,submission,checks,given,feedback",
        "",
    ]


def test_the_first_unit_of_several_does_not_speak_for_the_others() -> None:
    """What a learner handed in last of a unit counts, whatever came in between."""
    first = result("ann", "unit_a", baseline="NEEDS_WORK")
    found = rows_of(first, result("ann", **ANN), result("ann", "unit_a", baseline="PASS"))
    [ann] = csv.DictReader(io.StringIO(gradebook(found, Rubric())))
    assert (ann["baseline"], ann["labels"], ann["checks"]) == ("PASS", "PASS", "3")


def test_what_cannot_be_read_is_told_until_something_can() -> None:
    broken = Result("ann", None, {"submission": Part("UNREADABLE", "no")})
    [ann] = rows_of(result("ann", **ANN), broken)
    assert list(ann.undecided()) == ["recount", "submission"]
    [ann] = rows_of(broken, result("ann", **ANN))
    assert list(ann.undecided()) == ["recount"]


@pytest.mark.parametrize(
    "name", ["=1+1", "\x00=1", "\u200b=1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "=cmd|' /C'!A0"]
)
def test_nothing_in_a_gradebook_is_a_formula(name: str) -> None:
    [line] = csv.reader(gradebook(rows_of(result(name, **ANN)), Rubric()).split("\r\n")[1:2])
    assert line[0].startswith("'")


def test_pages_show_what_was_said_as_text() -> None:
    ann = result("<b>ann</b>", **ANN)
    ann.notes.append("[a](javascript:1) <img src=x>\x1b[31m")
    [row] = rows_of(ann)
    page = feedback(row, TOLD)
    assert "<b>" not in page and "<img" not in page and "\x1b" not in page
    assert "&lt;b&gt;ann&lt;/b&gt;" in page
    told = feedback_markdown(row, TOLD)
    assert "# \\<b\\>ann\\</b\\>" in told and "\\[a\\](javascript:1)" in told
    assert "default-src 'none'" in page


def test_a_learner_is_not_shown_what_is_hidden() -> None:
    ann = result("ann", **ANN)
    ann.parts["quotation"] = Part("NEEDS_WORK", "not right on: a quoted purchase", "SECRET")
    [row] = rows_of(ann)
    assert "SECRET" not in feedback(row, TOLD) + feedback_markdown(row, TOLD)
    assert "SECRET" not in overview([row], TOLD)


def test_a_learners_page_says_what_it_comes_to_and_what_the_words_mean() -> None:
    [row] = rows_of(result("ann", **ANN))
    page, told = feedback(row, TOLD), feedback_markdown(row, TOLD)
    for each in (page, told):
        assert "2 of 5 points so far, 3 at the most" in each
        assert "your instructor decides" in each and "it needed more memory" not in each
        assert "Checked with lab 0.5." in each.replace("\\", "")
    assert "HUMAN_REVIEW_REQUIRED" not in page


def test_what_could_not_be_read_is_not_graded_whatever_is_decided_on_it() -> None:
    broken = Result("ann", None, {"submission": Part("UNREADABLE", "no zip")})
    kept = Kept("stamp", "0123456789ab", "none", broken)
    decision = Decision("ann", "submission", "0123456789ab", "NEEDS_WORK", "Lucy", "no zip")
    [row] = rows([Learner("ann", [kept])], Rubric(), [decision], [])
    for page in (feedback(row, TOLD), feedback_markdown(row, TOLD), overview([row], TOLD)):
        assert "not graded: it could not be read" in page.replace("\\", "")
        assert "0 of 0" not in page and "NEEDS" not in page
    [row] = rows_of(result("ann", **{**ANN, "recount": "PASS"}), broken)
    assert points_in_words(row) == (
        "3 of 5 points; what was handed in since is not graded: it could not be read"
    )


def test_of_what_a_person_decided_a_page_does_not_say_that_the_lab_found_it() -> None:
    ann = result("ann", labels="PASS", recount="CRASHED")
    decision = Decision("ann", "recount", "0123456789ab", "NEEDS_WORK", "Lucy", "I ran it")
    kept = Kept("stamp", "0123456789ab", "none", ann)
    [row] = rows([Learner("ann", [kept])], Rubric(), [decision], [])
    assert meaning(row) == {
        "decided": "of a part that says so, your instructor decided; the reason stands there"
    }
    assert "decided by Lucy: I ran it" in feedback(row, TOLD)
    ann.parts["labels"] = Part("NEEDS_WORK", "seen")
    [row] = rows([Learner("ann", [kept])], Rubric(), [decision], [])
    assert list(meaning(row)) == ["NEEDS_WORK", "decided"]


def test_functions_that_are_alike_are_told_as_such() -> None:
    exact, plainly = digests(BASELINE, "my_baseline")
    assert digests(BASELINE + "\n# a comment\n", "my_baseline") == [exact, plainly]
    other, same = digests(RENAMED, "my_baseline")
    assert other != exact and same == plainly
    assert digests(RENAMED.replace("e > b", "e >= b"), "my_baseline")[1] != plainly
    assert digests("x = 1", "my_baseline") == digests("def f(", "f") == []
    ann, bob, cleo, dora = (Result(name) for name in ("ann", "bob", "cleo", "dora"))
    ann.functions["baseline"] = bob.functions["baseline"] = [exact, plainly]
    cleo.functions["baseline"] = [other, same]
    dora.functions["baseline"] = ["of", "her own"]
    assert alike([ann, bob, cleo, dora]) == [("baseline", ["ann", "bob", "cleo"], False)]
    assert alike([ann, bob, dora]) == [("baseline", ["ann", "bob"], True)]
    page = overview(rows_of(ann, bob, cleo), TOLD)
    assert "the same but for names and layout" in page


def test_what_often_fails_comes_first_and_explanations_side_by_side() -> None:
    found = [result(f"learner {number}", **ANN) for number in range(9)]
    found[0].parts["recount"] = Part("PASS", "seen")
    for each in found[:2]:
        said = f"by {each.name}"
        each.human = [
            {"kind": "explanation", "name": "recall", "said": said, "after_result": False},
            {"kind": "prediction", "name": "floors", "said": "[3, 4]", "after_result": False},
        ]
    found[1].parts["quotation"] = Part("NEEDS_WORK", "seen by one")
    page = overview(rows_of(*found), TOLD)
    looked_at, _, failing = re.split('<h2 id="(?:parts|often)">', page)
    assert '<td class="count">8</td><td>recount' in looked_at and "quotation" not in looked_at
    assert failing.index('<td class="count">8</td><td>quotation') < failing.index(
        '<td class="count">1</td><td>quotation'
    )
    assert "and 2 more" in page
    assert page.index("by learner 0") < page.index("by learner 1")
    assert page.count("[3, 4]") == 1  # said by both, and read once


def test_reports_are_counted_together_whatever_each_is_called() -> None:
    names = [f"learner {number}" for number in range(3)]
    found = [Result(n, "unit_a", {f"report-{n}.json": Part("TAMPERED", "seen")}) for n in names]
    page = overview(rows_of(*found), TOLD)
    assert page.count("<tr><th>report</th>") == 1
    assert '<td class="count">3</td><td>unit_a report</td>' in page


def test_what_is_left_is_told_with_what_was_seen_and_alike_together() -> None:
    found = [result(f"learner {number}", "unit_a") for number in range(25)]
    for each in found:
        each.parts["diary"] = Part("TAMPERED", "the diary was changed")
    found[3].parts["baseline"] = Part("TIME_LIMIT", "it did not come to an end " * 20)
    page = overview(rows_of(*found), TOLD)
    looked_at = text_of(page.partition('<h2 id="look">')[2].partition("<h2")[0])
    assert "25 learners have parts that nobody has decided on" in looked_at
    assert "25 unit_a diary TAMPERED the diary was changed learner 0, learner 1," in looked_at
    assert "1 baseline TIME_LIMIT it did not come to an end it did not" in looked_at
    assert len(looked_at) < 1200


def test_failures_that_are_rare_are_on_the_page_too() -> None:
    found = [result(f"learner {number}") for number in range(21)]
    for number, each in enumerate(found):
        each.parts["baseline"] = Part("NEEDS_WORK", f"it returned {number:02d}")
    page = overview(rows_of(*found), TOLD)
    often, rare = page.split("<details><summary>1 rarer ones</summary>")
    assert "it returned 19" in often and "it returned 20" in rare


def test_who_handed_in_one_unit_of_two_is_named() -> None:
    both = result("ann", "unit_a"), result("ann", **ANN)
    broken = Result("dora", None, {"submission": Part("UNREADABLE", "no")})
    page = overview(rows_of(*both, result("bob", "unit_a"), result("cleo", **ANN), broken), TOLD)
    told = text_of(page)
    assert "1 handed in only unit_a: bob" in told and "1 handed in only unit_b: cleo" in told
    assert "1 handed in nothing readable: dora" in told
    assert "1 handed in unit_a and unit_b: ann" in told
    assert "handed in" not in overview(rows_of(*both), TOLD)


def test_what_was_handed_in_alike_byte_for_byte_is_told() -> None:
    def kept(name: str, submission: str, unit: str | None = "unit_a") -> Kept:
        return Kept("stamp", submission, "none", Result(name, unit))

    everything = [kept("bob", "a"), kept("ann", "a"), kept("ann", "a"), kept("cleo", "b")]
    unread = [kept("dora", "c", None), kept("emil", "c", None)]
    assert copies([*everything, *unread]) == [("unit_a", ["ann", "bob"], True)]
    learners = [Learner(each.result.name, [each]) for each in everything[:2]]
    page = text_of(overview(rows(learners, Rubric(), [], []), TOLD))
    assert "2 unit_a, all of it handed in alike, byte for byte bob, ann" in page


def test_every_table_can_be_pushed_aside_by_itself() -> None:
    ann = result("ann", **ANN)
    ann.human = [{"kind": "explanation", "name": '"><b>', "said": "so", "after_result": False}]
    [row] = rows_of(ann)
    for page in (overview([row], TOLD), feedback(row, TOLD)):
        tables = re.findall(r"(.*)\s*<table>", page)
        assert tables and all(each.startswith('<div class="wide" tabindex="0"') for each in tables)
        assert "<b>" not in page


def test_pages_are_called_after_learners_and_no_two_alike() -> None:
    names = ["ann", "Ann", "a/b", "a_b", "..", "Zoë", "李雷", "x" * 300, "con"]
    assert len({slug(name).lower() for name in names}) == len(names)
    assert all(len(slug(n)) < 60 and not set(slug(n)) & set("/.\\ ") for n in names)
    assert slug("李雷").startswith("李雷-") and slug("Zoë").startswith("Zoë-")


def test_the_overview_says_who_was_not_given_and_which_decision_decides_nothing() -> None:
    found = rows_of(result("ann", labels="PASS"), result("bob", labels="PASS"), given=("ann",))
    idle = Decision("ann", "recount", "0123456789ab", "PASS", "Lucy", "I ran it")
    told = {**idle._asdict(), "why": "there is no such part"}
    page = overview(found, {**TOLD, "without_effect": [told]})
    assert "A decision of Lucy on recount of ann has no effect:\nthere is no such part." in page
    assert "Nothing was given this time of" in page
    assert "2 submissions were checked with: 23 (abc) held out." in page
    assert "0 learners have parts that nobody has" in page
