"""Hidden trials: the same for a seed, right by hand, refused where they are none."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from lab.classroom.holdouts import load_holdouts, new_holdouts, save_holdouts
from lab.errors import InputError


def test_holdouts_are_the_same_for_a_seed_and_right_by_hand() -> None:
    assert new_holdouts(3) == new_holdouts(3)
    assert new_holdouts(3) != new_holdouts(4)
    assert new_holdouts(3)["deficits"][0] == {
        "given": [
            {"code": "GPW", "on_shelf": 0, "promised": 0, "wanted": 9},
            {"code": "XDM", "on_shelf": 6, "promised": 7, "wanted": 34},
        ],
        "expected": [["GPW", 9], ["XDM", 35]],  # 9 - 0, and 34 - (6 - 7)
        "shows": "a shelf with too few tubs",
    }


@pytest.mark.parametrize("seed", range(20))
def test_the_oracle_agrees_with_the_formula(seed: int) -> None:
    for trial in new_holdouts(seed)["deficits"]:
        by_hand: list[Any] = []
        for row in trial["given"]:
            missing = row["wanted"] + row["promised"] - row["on_shelf"]
            by_hand += [[row["code"], missing]] if missing > 0 else []
        assert trial["expected"] == by_hand


def test_a_file_of_holdouts_is_its_owners_and_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    save_holdouts(path, 3)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(load_holdouts(path)["baseline"]) == 8
    told = path.read_text()
    assert json.loads(told) == new_holdouts(3)
    assert (
        """\
   "given": [
    {"code": "GPW", "on_shelf": 0, "promised": 0, "wanted": 9},
    {"code": "XDM", "on_shelf": 6, "promised": 7, "wanted": 34}
   ],
   "expected": [
    ["GPW", 9],
    ["XDM", 35]
   ],
   "shows": "a shelf with too few tubs"
"""
        in told
    )
    with pytest.raises(InputError, match="name a new file"):
        save_holdouts(path, 4)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ('{"none": []}', "'none' is no task"),
        ('{"baseline": [{}]}', "baseline, entry 0: give given, expected and shows"),
        ("[]", "give a JSON object of tasks"),
        ("{}", "no trial of baseline, deficits, recount, quotation: give one at least"),
        ('{"baseline": []}', "no trial of baseline, deficits"),
        ('{"baseline": 5}', "no holdouts"),
        ("\x00", "no holdouts"),
    ],
)
def test_bad_holdouts_are_named(tmp_path: Path, told: str, why: str) -> None:
    (tmp_path / "h.json").write_text(told)
    with pytest.raises(InputError, match=why):
        load_holdouts(tmp_path / "h.json")
