"""What a person decided holds for the bytes that they looked at, and for nothing else."""

import tomllib
from pathlib import Path

import pytest

from lab.classroom.decisions import (
    Decision,
    decided,
    left_to_decide,
    load_decisions,
    why_without_effect,
    without_effect,
)
from lab.classroom.kept import Kept, Learner
from lab.classroom.rows import rows
from lab.classroom.rubric import Rubric
from lab.classroom.verdicts import Part, Result
from lab.errors import InputError

FIRST, SECOND = "0123456789ab" + "c" * 52, "ba9876543210" + "c" * 52
WHOLE = """
[[decision]]
learner = "ann"
part = "baseline"
submission = "0123456789ab"
verdict = "PASS"
by = "Lucy"
reason = "I ran it for a minute, and it ended"
"""


def kept(submission: str = FIRST, name: str = "ann") -> Kept:
    parts = {
        "baseline": Part("TIME_LIMIT", "it did not come to an end", "SECRET"),
        "artefact": Part("PASS", "right"),
    }
    return Kept("stamp", submission, "none", Result(name, "unit_a", parts))


def test_a_decision_holds_and_what_was_seen_stays(tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(WHOLE)
    decisions = load_decisions(tmp_path / "d.toml")
    found = decided(kept(), Rubric(), decisions)
    assert found.parts["baseline"] == Part(
        "PASS",
        "decided by Lucy: I ran it for a minute, and it ended"
        " (it came to TIME_LIMIT: it did not come to an end)",
        "SECRET",
        "Lucy",
    )
    assert Rubric().points([found]).earned == 2
    assert kept().result.parts["baseline"].verdict == "TIME_LIMIT"  # what is kept is as it was
    assert without_effect(decisions, [Learner("ann", [kept()])], Rubric()) == []


def test_a_decision_does_not_hold_for_what_is_handed_in_later(tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(WHOLE)
    decisions = load_decisions(tmp_path / "d.toml")
    later = kept(SECOND)
    assert decided(later, Rubric(), decisions).parts["baseline"].verdict == "TIME_LIMIT"
    assert decided(kept(name="bob"), Rubric(), decisions).parts["baseline"].verdict == "TIME_LIMIT"
    there = [Learner("ann", [kept(), later])]
    assert without_effect(decisions, there, Rubric()) == decisions
    other = Decision("ann", "labels", SECOND[:12], "PASS", "Lucy", "so")
    assert without_effect([other], there, Rubric()) == [other]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, name) for name in ("ann", 'a"b', "a\\b", "a\x7fb", "a\nb", "Zoë", "''")),
        ("\udcff", "\\udcff"),
    ],
)
def test_what_is_left_to_decide_is_a_form_that_can_be_read_again(
    name: str, told: str, tmp_path: Path
) -> None:
    found = kept(name=name)
    found.result.parts["baseline"] = Part("CRASHED", 'it said\n[[decision]]\r"""')
    form = left_to_decide([(found, found.result)], Rubric())
    [entry] = tomllib.loads(form)["decision"]
    assert entry == {
        "learner": told,
        "part": "baseline",
        "submission": "0123456789ab",
        "verdict": "",
        "by": "",
        "reason": "",
    }
    (tmp_path / "d.toml").write_text(form, "utf-8")
    assert load_decisions(tmp_path / "d.toml") == []
    filled = form.replace('verdict = ""', 'verdict = "PASS"').replace('= ""', '= "so"')
    (tmp_path / "d.toml").write_text(filled, "utf-8")
    decisions = load_decisions(tmp_path / "d.toml")
    assert decided(found, Rubric(), decisions).parts["baseline"].verdict == "PASS"
    assert without_effect(decisions, [Learner(name, [found])], Rubric()) == []


def test_a_part_whose_name_is_not_utf_8_is_decided_on_as_well() -> None:
    found = kept()
    found.result.parts["r\udcff.json"] = Part("TAMPERED", "changed")
    decision = Decision("ann", "r\\udcff.json", FIRST[:12], "PASS", "Lucy", "so")
    assert decided(found, Rubric(), [decision]).parts["r\udcff.json"].verdict == "PASS"
    assert without_effect([decision], [Learner("ann", [found])], Rubric()) == []


def test_the_form_says_of_which_unit_a_part_is_and_what_deciding_it_does() -> None:
    found = kept()
    for name in ("diary", "report-1.json"):
        found.result.parts[name] = Part("TAMPERED", "changed")
    rest = 'submission = "0123456789ab"\nverdict = ""\nby = ""\nreason = ""\n'
    _, form = left_to_decide([(found, found.result)], Rubric({"report": 1})).split("later one.\n\n")
    assert (
        form.replace(rest, "...\n")
        == """\
# unit_a: TIME_LIMIT: it did not come to an end
[[decision]]
learner = "ann"
part = "baseline"
...

# unit_a: TAMPERED: changed
# Worth 0 points by your rubric: no decision on it changes a sum.
# This decides the diary alone: answers that rest on it are decided one by one.
[[decision]]
learner = "ann"
part = "diary"
...

# unit_a: TAMPERED: changed
[[decision]]
learner = "ann"
part = "report-1.json"
...
"""
    )


def test_of_what_could_not_be_read_nothing_can_be_decided() -> None:
    unread = Part("UNREADABLE", "ann.zip: is no zip")
    found = Kept("stamp", FIRST, "none", Result("ann", None, {"submission": unread}))
    assert left_to_decide([(found, found.result)], Rubric()).endswith("""
# "ann": UNREADABLE: ann.zip: is no zip
# Nothing of it was checked, so nothing of it can be decided: it stays ungraded until one is handed
# in that can be read.
""")
    decision = Decision("ann", "submission", FIRST[:12], "NEEDS_WORK", "Lucy", "no zip")
    [row] = rows([Learner("ann", [found])], Rubric(), [decision], [])
    assert row.undecided() == {"submission": unread}
    [idle] = without_effect([decision], [Learner("ann", [found])], Rubric())
    assert why_without_effect(idle) == (
        "nothing of it was checked, so there is nothing to decide until one can be read"
    )
    assert why_without_effect(decision._replace(part="baseline")) == (
        "what counts now is not the submission 0123456789ab, or has no such part"
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('verdict = "PASS"', 'verdict = "FULL"', "verdict 'FULL' is not PASS or NEEDS_WORK"),
        ('verdict = "PASS"', "verdict = 1", "each of its values is text"),
        ('by = "Lucy"\n', "", "give learner, part, submission, verdict, by, reason"),
        ('by = "Lucy"', 'by = " "', "say in `by` and `reason` who decided, and why"),
        ("[[decision]]", "[[decisions]]", r"give \[\[decision\]\] entries and nothing else"),
        ("[[decision]]", "[decision]", r"give \[\[decision\]\] entries and nothing else"),
        ("[[decision]]", "decision", "no decisions in TOML"),
        ("[[decision]]", WHOLE + "[[decision]]", "decision 2: an earlier one is on the same part"),
    ],
)
def test_bad_decisions_are_named(tmp_path: Path, old: str, new: str, why: str) -> None:
    (tmp_path / "d.toml").write_text(WHOLE.replace(old, new))
    with pytest.raises(InputError, match=rf"d\.toml: .*{why}"):
        load_decisions(tmp_path / "d.toml")


def test_decisions_that_are_not_there_are_named(tmp_path: Path) -> None:
    assert load_decisions(None) == []
    with pytest.raises(InputError, match=r"none\.toml: no decisions: No such file"):
        load_decisions(tmp_path / "none.toml")
