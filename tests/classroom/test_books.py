"""Gradebook, pages and rubric: stable columns, nothing that is run, nothing that is hidden."""

import csv
import io
from pathlib import Path

import pytest

from lab.classroom.alike import alike, digests
from lab.classroom.books import feedback_markdown, gradebook, load_rubric, points
from lab.classroom.kept import Kept, slug
from lab.classroom.pages import feedback, overview
from lab.classroom.verdicts import Part, Result
from lab.errors import InputError

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


def result(name: str, **verdicts: str) -> Result:
    parts = {part: Part(verdict, "seen") for part, verdict in verdicts.items()}
    return Result(name, "unit_b", parts)


ANN = {"labels": "PASS", "events": "PASS", "recount": "CRASHED", "quotation": "NEEDS_WORK"}


def test_points_are_a_sum_of_weights_and_no_part_is_settled_silently(tmp_path: Path) -> None:
    ann = result("ann", **ANN, needed="NOT_TRIED", diary="TAMPERED")
    assert points(ann, load_rubric(None)) == (2, 3, 5)
    (tmp_path / "r.toml").write_text("[weights]\nlabels = 0.5\nquotation = 3\n")
    weights = load_rubric(tmp_path / "r.toml")
    assert points(ann, weights) == (1.5, 2.5, 6.5)
    [header, line] = csv.reader(io.StringIO(gradebook([[Kept("s", ann)]], weights)))
    row = dict(zip(header, line, strict=True))
    assert (row["points"], row["at_most"], row["of"]) == ("1.5", "2.5", "6.5")
    assert row["undecided"] == "recount diary"
    assert points(Result("zed"), weights) is None


def test_a_gradebook_has_the_same_columns_whoever_is_in_it() -> None:
    told = gradebook([], load_rubric(None))
    assert told.startswith("learner,unit,baseline,reservation,artefact,attempted,establishes,")
    assert told.endswith(",manifest,diary,table,points,at_most,of,undecided,checks\r\n")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "=cmd|' /C'!A0"])
def test_nothing_in_a_gradebook_is_a_formula(name: str) -> None:
    ann = result(name, **ANN, needed="PASS")
    line = gradebook([[Kept("s", ann)]], load_rubric(None)).splitlines()[1]
    assert line.lstrip('"').startswith("'")


def test_bad_rubrics_are_named(tmp_path: Path) -> None:
    for told in ("baseline = -1", 'baseline = "a"', "none = 1", "baseline = true"):
        (tmp_path / "r.toml").write_text(f"[weights]\n{told}\n")
        with pytest.raises(InputError, match="no part, or no weight"):
            load_rubric(tmp_path / "r.toml")
    (tmp_path / "r.toml").write_text("baseline = 1")
    with pytest.raises(InputError, match=r"r\.toml: no rubric with \[weights\]"):
        load_rubric(tmp_path / "r.toml")


def test_pages_show_what_was_said_as_text() -> None:
    ann = result("<b>ann</b>", **ANN)
    ann.notes.append("[a](javascript:1) <img src=x>\x1b[31m")
    page = feedback(ann)
    assert "<b>" not in page and "<img" not in page and "\x1b" not in page
    assert "&lt;b&gt;ann&lt;/b&gt;" in page
    told = feedback_markdown(ann)
    assert "# \\<b\\>ann\\</b\\>" in told and "\\[a\\](javascript:1)" in told
    assert "default-src 'none'" in page


def test_a_learner_is_not_shown_what_is_hidden() -> None:
    ann = result("ann", **ANN)
    ann.parts["quotation"] = Part("NEEDS_WORK", "not right on: a quoted purchase", "SECRET")
    assert "SECRET" not in feedback(ann) + feedback_markdown(ann)
    assert "SECRET" not in overview([ann], TOLD, {"ann": "ann.html"})


TOLD = {"isolation": "some", "held_out": "none", "holdouts": None, "judge": "it failed"}


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
    page = overview([ann, bob, cleo], TOLD, {n: f"{n}.html" for n in ("ann", "bob", "cleo")})
    assert "the same but for names and layout" in page


def test_what_often_fails_comes_first_and_explanations_side_by_side() -> None:
    names = [f"learner {number}" for number in range(9)]
    found = [result(name, **ANN) for name in names]
    found[0].parts["recount"] = Part("PASS", "seen")
    for each in found[:2]:
        each.human = [{"kind": "explanation", "name": "recall", "said": f"by {each.name}"}]
        each.human[0]["after_result"] = False
    page = overview(found, TOLD, dict.fromkeys(names, "x.html"))
    assert page.index('<td class="count">9</td><td>quotation') < page.index(
        '<td class="count">8</td><td>recount'
    )
    assert "and 3 more" in page
    assert page.index("by learner 0") < page.index("by learner 1")


def test_reports_are_counted_together_whatever_each_is_called() -> None:
    names = [f"learner {number}" for number in range(3)]
    found = [Result(n, "unit_a", {f"report-{n}.json": Part("TAMPERED", "seen")}) for n in names]
    page = overview(found, TOLD, dict.fromkeys(names, "x.html"))
    assert page.count("<tr><th>report</th>") == 1
    assert '<td class="count">3</td><td>report</td><td>TAMPERED</td>' in page


def test_pages_are_called_after_learners_and_no_two_alike() -> None:
    names = ["ann", "Ann", "a/b", "a_b", "..", "é", "x" * 300, "con"]
    assert len({slug(name).lower() for name in names}) == len(names)
    assert all(len(slug(n)) < 60 and not set(slug(n)) & set("/.\\ ") for n in names)
