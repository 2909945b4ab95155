"""What a part is worth, and that no part is settled by saying nothing."""

from pathlib import Path

import pytest

from lab.classroom.rubric import Points, Rubric, load_rubric, with_read
from lab.classroom.verdicts import Part, Result
from lab.errors import InputError

RUBRIC = """
[weights]
labels = 0.5
quotation = 3
diary = 1

[read.unit_b]
"unseen case" = 2
recommendation = 4
"""


def ann() -> Result:
    verdicts = {
        "labels": "PASS",
        "events": "PASS",
        "recount": "CRASHED",
        "quotation": "NEEDS_WORK",
        "needed": "NOT_TRIED",
        "diary": "TAMPERED",
    }
    said = {"kind": "explanation", "name": "unseen case", "said": "so", "after_result": False}
    parts = {name: Part(verdict, "seen") for name, verdict in verdicts.items()}
    return Result("ann", "unit_b", parts, human=[said])


def test_points_are_a_sum_of_weights_and_what_is_undecided_is_in_neither_end(
    tmp_path: Path,
) -> None:
    assert Rubric().points([ann()]) == Points(2, 3, 5)  # the diary is worth nothing
    (tmp_path / "r.toml").write_text(RUBRIC)
    rubric = load_rubric(tmp_path / "r.toml")
    found = with_read(ann(), rubric)
    # earned: 0.5 + 1; open: recount 1, diary 1, unseen case 2; of: 0.5 + 1 + 1 + 3 + 1 + 1 + 2 + 4
    assert rubric.points([found]) == Points(1.5, 5.5, 13.5)
    assert Rubric().points([Result("zed")]) == Points(0, 0, 0)


def test_what_a_person_reads_is_a_part_that_they_decide_on() -> None:
    found = with_read(ann(), Rubric(read={"unit_b": {"unseen case": 2, "recommendation": 4}}))
    assert found.parts["unseen case"].verdict == "HUMAN_REVIEW_REQUIRED"
    assert found.parts["recommendation"].verdict == "NOT_TRIED"
    assert "recommendation" not in with_read(ann(), Rubric()).parts


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("[weights]\nnone = 1", "weights: none: no part; parts are baseline, "),
        ("[weights]\nbaseline = -1", "weights: baseline = -1: no weight from 0"),
        ('[weights]\nbaseline = "a"', "weights: baseline = 'a': no weight from 0"),
        ("[weights]\nbaseline = true", "baseline = True: no weight"),
        ("[weights]\nbaseline = nan", "baseline = nan: no weight"),
        ("[weights]\nbaseline = inf", "baseline = inf: no weight"),
        ("weights = 1", "weights: is no table of parts and weights"),
        ("baseline = 1", r"baseline: a rubric has \[weights\] and \[read.UNIT\]"),
        ("[read]\nrecall = 1", r"is by unit: \[read.unit_a\], \[read.unit_b\]"),
        ("[read.unit_a]\nrecall = -1", "read.unit_a: recall = -1: no weight"),
        ("[read.unit_a]\nbaseline = 1", r"read: baseline: is a part, which stands under"),
        ("[read.unit_a]\nsubmission = 1", r"read: submission: is a part"),
        ("weights", "no rubric in TOML"),
    ],
)
def test_bad_rubrics_are_named(tmp_path: Path, told: str, why: str) -> None:
    (tmp_path / "r.toml").write_text(told)
    with pytest.raises(InputError, match=rf"r\.toml: .*{why}"):
        load_rubric(tmp_path / "r.toml")


def test_a_rubric_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: no rubric: No such file"):
        load_rubric(tmp_path / "none.toml")
