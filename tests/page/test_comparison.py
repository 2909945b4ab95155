"""The page of a comparison in a browser: off the network, obeying nothing, and whole on a phone."""

import copy
from pathlib import Path
from typing import Any

import pytest

from lab.comparison import compare_reports
from lab.page.comparison import comparison_page
from tests.export.reports import every_ending, poisoned
from tests.page.browser import Visit, needs_chromium
from tests.paired_reports import added_up

pytestmark = needs_chromium
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_hostile_comparison_is_shown_and_not_obeyed(
    chromium: Any, tmp_path: Path, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    first = added_up(poisoned(every_ending(), SCRIPT))
    second = copy.deepcopy(first)
    second["settings"]["word"] = SCRIPT
    file = tmp_path / "page.html"
    file.write_text(comparison_page(compare_reports(first, second)), "utf-8")
    phone = {"width": 390, "height": 844}
    visit = Visit(chromium, file, viewport=phone, color_scheme=scheme)
    assert (visit.asked, visit.complaints) == ([file.as_uri()], [])
    assert visit.page.inner_text("h1") == "Two reports beside each other"
    assert f"{SCRIPT}right" in visit.page.inner_text("main")
    assert visit.page.evaluate("document.documentElement.scrollWidth") == 390
    assert Axe().run(visit.page).response["violations"] == []
