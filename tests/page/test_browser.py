"""The page as people use it: opened from disk, filtered, read, steered by keys, off the network."""

from pathlib import Path
from typing import Any

import pytest

from tests.page.browser import Visit, needs_chromium

pytestmark = needs_chromium
PHONE = {"width": 390, "height": 844}


def test_it_opens_from_disk_and_asks_nobody_for_anything(
    chromium: Any, pages: dict[str, Path]
) -> None:
    for file in pages.values():
        visit = Visit(chromium, file)
        visit.page.click("#attempts tbody a")
        visit.opened()
        assert visit.asked == [file.as_uri()]
        assert visit.complaints == []


def test_the_verdict_comes_first_with_what_it_leaves_open(
    chromium: Any, pages: dict[str, Path]
) -> None:
    page = Visit(chromium, pages["small"]).page
    assert page.inner_text("main > section p >> nth=0") == "REJECTED"
    assert page.locator(".verdict").bounding_box()["y"] < 200
    told = page.inner_text("#summary")
    assert "Not graded: explanation amounts, unsupported claims, business usefulness." in told
    assert "1/6 [0.03, 0.56], of 6 distinct cases" in told


def test_filters_narrow_the_table_together(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    assert visit.shown() == "6 of 6 attempts"
    visit.page.get_by_label("passed").select_option("failed")
    assert visit.cases() == ["fluent", "crashed", "down", "looking", "never"]
    visit.page.get_by_label("failed check").select_option("grounded")
    assert visit.cases() == ["fluent", "crashed", "down", "never"]
    visit.page.get_by_label("ended").select_option("MODEL_FAILED")
    assert visit.cases() == ["down"]
    assert visit.shown() == "1 of 6 attempts"
    visit.page.get_by_label("ended").select_option("any")
    visit.page.get_by_label("search").fill("BOOM")  # what the crashed attempt said
    assert visit.cases() == ["crashed"]
    visit.page.get_by_label("search").fill("no such words")
    assert visit.cases() == []
    assert visit.shown() == "0 of 6 attempts"


def test_what_failed_nothing_can_be_asked_for(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    visit.page.get_by_label("failed check").select_option("none")
    assert visit.cases() == ["right"]


def test_a_column_sorts_both_ways(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    visit.page.get_by_role("button", name="case").click()
    assert visit.cases() == ["crashed", "down", "fluent", "looking", "never", "right"]
    heading = visit.page.locator("th", has_text="case").first
    assert heading.get_attribute("aria-sort") == "ascending"
    visit.page.get_by_role("button", name="case").click()
    assert visit.cases() == ["right", "never", "looking", "fluent", "down", "crashed"]
    visit.page.get_by_role("button", name="seconds").click()
    assert visit.cases()[-1] == "never"  # nobody knows how long it would have taken


def test_a_link_leads_to_one_attempt(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"], "#attempt-5")
    assert visit.opened() == "looking, repetition 1"
    assert not visit.page.is_visible("#summary")
    told = visit.page.inner_text("article.opened")
    assert "MODEL_CALL_LIMIT" in told
    assert "calls list_stock" in told
    visit.page.go_back()
    visit = Visit(chromium, pages["small"], "#attempt-99")
    assert visit.shown().startswith("There is no such attempt here.")
    assert visit.page.is_visible("#summary")


def test_an_attempt_of_a_large_report_is_unpacked_when_it_is_opened(
    chromium: Any, pages: dict[str, Path]
) -> None:
    visit = Visit(chromium, pages["large"])
    assert visit.shown() == "420 of 420 attempts, here 1 to 200"
    assert visit.page.locator("article").count() == 0
    visit.page.get_by_role("button", name="next rows").click()
    visit.page.get_by_role("button", name="next rows").click()
    assert visit.shown() == "420 of 420 attempts, here 401 to 420"
    assert len(visit.cases()) == 20
    visit.page.get_by_role("link", name="looking_69").click()
    assert visit.opened() == "looking_69, repetition 1"
    assert visit.page.locator("article").count() == 1
    assert visit.complaints == []
    deep = Visit(chromium, pages["large"], "#attempt-101")
    assert deep.opened() == "looking_16, repetition 1"


def test_keys_alone_are_enough(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    keys = visit.page.keyboard
    keys.press("/")
    keys.type("grounded")  # a check that four of them failed
    assert visit.cases() == ["fluent", "crashed", "down", "never"]
    keys.press("Escape")
    assert focused(visit) == "fluent"
    keys.press("j")
    assert focused(visit) == "crashed"
    keys.press("Enter")
    assert visit.opened() == "crashed, repetition 1"
    keys.press("j")
    visit.page.wait_for_selector("#attempt-4.opened")
    keys.press("k")
    visit.page.wait_for_selector("#attempt-3.opened")
    keys.press("Escape")
    visit.page.wait_for_selector("#summary")
    assert focused(visit) == "crashed"


def focused(visit: Visit) -> str:
    return str(visit.page.evaluate("document.activeElement.textContent"))


def test_next_goes_through_what_is_filtered(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    visit.page.get_by_label("ended").select_option("COMPLETED")
    visit.page.get_by_role("link", name="right").click()
    assert visit.opened() == "right, repetition 1"
    visit.page.get_by_role("link", name="next").click()
    visit.page.wait_for_selector("#attempt-2.opened")
    assert not visit.page.get_by_role("link", name="next").is_visible()
    visit.page.get_by_role("link", name="all attempts").click()
    assert visit.cases() == ["right", "fluent"]


def test_without_a_script_everything_small_is_there_to_read(
    chromium: Any, pages: dict[str, Path]
) -> None:
    visit = Visit(chromium, pages["small"], java_script_enabled=False)
    assert visit.page.locator("article:visible").count() == 6
    assert len(visit.cases()) == 6
    assert not visit.page.is_visible("#filters")
    large = Visit(chromium, pages["large"], java_script_enabled=False)
    assert large.page.locator("#attempts tbody tr:visible").count() == 420
    assert "opened by a script" in large.page.inner_text("#articles")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["small", "large", "requests"])
def test_nothing_keeps_anybody_from_reading_it(
    chromium: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for place in ("", "#attempt-2"):
        visit = Visit(chromium, pages[name], place, color_scheme=scheme)
        if place:
            visit.opened()
        found = Axe().run(visit.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_a_phone_shows_all_of_it_without_scrolling_aside(
    chromium: Any, pages: dict[str, Path]
) -> None:
    for place in ("", "#attempt-1"):
        visit = Visit(chromium, pages["small"], place, viewport=PHONE)
        width = visit.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390


def test_paper_gets_every_attempt_and_no_controls(chromium: Any, pages: dict[str, Path]) -> None:
    visit = Visit(chromium, pages["small"])
    visit.page.emulate_media(media="print")
    assert visit.page.locator("article:visible").count() == 6
    assert not visit.page.is_visible("#filters")
    reading = Visit(chromium, pages["small"], "#attempt-3")
    reading.opened()
    reading.page.emulate_media(media="print")
    assert reading.page.locator("article:visible").count() == 1
