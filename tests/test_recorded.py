"""The recorded runs are found by name, in a checkout and in an installed lab."""

import pytest

from lab.errors import InputError
from lab.recorded import recorded, runs


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
