"""The recorded runs are found by name, in a checkout and in an installed lab."""

import pytest

from lab.errors import InputError
from lab.recorded import recorded, recorded_calibration, runs


def test_they_are_found_by_name() -> None:
    assert list(runs()) == [
        "template",
        "template, opening procedure",
        "adapter",
        "adapter, opening procedure",
        "requests",
    ]
    assert recorded("adapter, opening procedure")["counts"]["by_check"]["grounded"] == {
        "passed": 16,
        "attempts": 16,
    }
    assert recorded("requests")["counts"]["constrained"]["passed"] == 8


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="'qwen3' is not one of: template; template, opening"):
        recorded("qwen3")


def test_the_recorded_calibration_is_as_it_came_out() -> None:
    found = recorded_calibration()
    assert found["model"]["name"] == "SmolLM2-135M-Instruct-Q4_1"
    told = {
        name: (each["sensitivity"]["passed"], each["specificity"]["passed"], each["agreed"])
        for name, each in found["reviewers"].items()
    }
    assert told == {
        "aids": (16, 12, 28),
        "always_good": (0, 17, 17),
        "always_objects": (24, 0, 24),
        "model": (0, 17, 17),
    }
    for each in found["reviewers"].values():
        assert len(each["rows"]) == each["answers"] == 45
        assert sum(row["agrees"] for row in each["rows"]) == each["agreed"]
