"""Pages to try: a small report, a large one, and one browser for all of them."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.counts import baseline_totals, counts, totals
from lab.evidence import Report
from lab.page import write_page
from tests.export.reports import every_ending, requests_of_all_sorts
from tests.page.browser import browser


def larger(report: Report, times: int) -> Report:
    """The same attempts under more names: `right_0`, `fluent_0`, ..., `right_1`, ..."""
    made = copy.deepcopy(report)
    made["cases"] = [
        {**row, "case": f"{row['case']}_{n}"} for n in range(times) for row in report["cases"]
    ]
    made["counts"] = counts(made["cases"])
    made["totals"] = totals(made["cases"])
    made["baseline_totals"] = baseline_totals(made["cases"])
    return made


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    small = every_ending()
    made = {"small": small, "large": larger(small, 70), "requests": requests_of_all_sorts()}
    return {name: write_page(folder / f"{name}.html", each) for name, each in made.items()}


@pytest.fixture(scope="module")  # while it runs, nobody else can run an event loop
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started
