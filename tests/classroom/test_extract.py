"""A learner's function out of a notebook: with what it needs around it, and nothing else."""

from typing import Any

import pytest

from lab.classroom.collect import Unreadable
from lab.classroom.extract import extract
from lab.classroom.sandbox import run_function
from tests.classroom.handing_in import needs_sandbox

OWN = "def my_baseline(case):\n    return more(case)\n"
CHECKED = 'lessons.check("baseline", my_baseline)\n'
MORE = "def more(case):\n    return case + 1\n"


def notebook(*cells: tuple[str, str]) -> dict[str, Any]:
    return {"cells": [{"cell_type": "code", "id": name, "source": text} for name, text in cells]}


@needs_sandbox
@pytest.mark.parametrize(
    ("around", "before"),
    [
        (MORE, ""),
        ("import lab, numpy as np\nTABLE = np.zeros(3)\n" + MORE, ""),
        ("%matplotlib inline\n!ls\n" + MORE, "%%time\n"),
        (MORE, "for case in CASES:\n    print(my_old(case))\n"),
        (MORE, "best = max(CASES)\n"),
        (MORE, "import nothing_that_is_there\n"),
        (
            "from __future__ import annotations, division\n" + MORE,
            "from __future__ import annotations\n",
        ),
        (MORE + "deep = 1" + "+1" * 2000 + "\n", ""),
        ("def more(case: Case) -> 'list[Case]':\n    return case + 1\n", "from lab import Case\n"),
    ],
)
def test_what_a_function_needs_comes_with_it(around: str, before: str) -> None:
    found = extract(notebook(("other", around), ("a-baseline", before + OWN + CHECKED)), "baseline")
    assert found is not None and found.notes == []
    run = run_function(found.source, found.function, [1])
    assert [outcome.returned for outcome in run.outcomes] == [2], run


@needs_sandbox
def test_what_is_not_there_is_told_when_it_is_used() -> None:
    used = "import nothing_there\n\n\ndef my_baseline(case):\n    return nothing_there.x(case)\n"
    found = extract(notebook(("a-baseline", used + CHECKED)), "baseline")
    assert found is not None
    run = run_function(found.source, found.function, [1])
    assert [each.raised for each in run.outcomes] == [
        "ModuleNotFoundError: No module named 'nothing_there'"
    ]


def test_what_is_odd_about_where_it_stands_is_told() -> None:
    twice = extract(notebook(("a-baseline", OWN), ("a-baseline", OWN + CHECKED)), "baseline")
    assert twice is not None
    assert twice.notes == ["2 cells have the id a-baseline; the last is read"]
    moved = extract(notebook(("elsewhere", OWN)), "baseline")
    assert moved is not None
    assert moved.notes == [
        "the cell a-baseline is gone; my_baseline is read where it stands",
        "baseline: its cell no longer checks my_baseline; here it is checked all the same",
    ]


def test_where_nobody_wrote_one_there_is_none_and_no_python_is_told() -> None:
    assert extract(notebook(("a-baseline", CHECKED)), "baseline") is None
    assert extract(notebook(("other", MORE)), "baseline") is None
    with pytest.raises(Unreadable, match="my_baseline is no Python"):
        extract(notebook(("a-baseline", "def my_baseline(case) return 1")), "baseline")


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([("a", "x = 1\n" * 10_000), ("b", "y = 2\n" * 10_000)], "more than 100000 characters"),
        ([("a", "")] * 1001, "more than 1000 cells"),
    ],
)
def test_more_source_than_anybody_writes_is_not_read(
    cells: list[tuple[str, str]], told: str
) -> None:
    with pytest.raises(Unreadable, match=told):
        extract(notebook(*cells, ("a-baseline", OWN + CHECKED)), "baseline")


def test_a_source_is_not_much_longer_than_what_it_is_made_of() -> None:
    many = "=".join(f"v{n}" for n in range(10_000)) + "=0\n"
    found = extract(notebook(("other", many), ("a-baseline", OWN + CHECKED)), "baseline")
    assert found is not None and len(found.source) < 250_000
