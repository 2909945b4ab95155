"""Whatever somebody wrote is shown and never obeyed, wherever in a report it stands."""

import copy
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from lab import plain
from lab.evidence import Report
from lab.page import report_page, show, write_page
from tests.export.reports import HOSTILE, every_ending, poisoned, requests_of_all_sorts
from tests.page.browser import Visit, needs_chromium
from tests.page.conftest import larger

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "</script><script>alert(1)//",
    "</style></pre></article><svg onload=alert(1)>",
    "<!--<script>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;script&gt;&#60;img&#62;",
    "<base href=//example.org><meta http-equiv=refresh content=0>",
    "__proto__ constructor toString",
    *HOSTILE,
]
TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "main", "nav", "section"),
    *("h1", "h2", "h3", "h4", "h5", "p", "strong", "a", "span", "article", "div", "pre", "mark"),
    *("sup", "q", "dl", "dt", "dd", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "charset", "name", "content", "http-equiv", "id", "class", "aria-label", "role"),
    *("tabindex", "hidden", "scope", "href", "data-attempt", "data-said", "data-filter"),
    "data-number",
}


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def reports() -> Iterator[Report]:
    yield every_ending()
    yield requests_of_all_sorts()


def everywhere(report: Report, text: str) -> Report:
    """A text in every field of a report that is text, and in every name that is not a field's."""
    made = poisoned(report, text)
    for row in made["cases"]:
        for turn in row.get("transcript", ()):
            refused = plain.dumps({"ok": False, "error": text})
            turn["content"] = refused if turn["role"] == "tool" else text
            for call in turn.get("tool_calls", ()):
                call["function"]["arguments"] = {text: text}
        if "transcript" in row:
            row["loop_status"] = text
    made["settings"][text] = text
    made["provenance"] |= {"platform": text, "git_commit": text, "digests": {text: text}}
    made["boundaries"] = {text: text}
    if "criteria" in made:
        made["skills"] = [{"name": text, "version": text}]
        made["candidate"] = {"name": text, "version": text}
    else:
        told = next(iter(made["candidates"].values()))
        told |= {"instruction": text, "model": {text: text}}
        made["mechanisms"] |= {text: text}
    return made


@pytest.mark.parametrize("text", ATTACKS)
def test_no_words_become_a_tag_or_an_attribute(text: str) -> None:
    for report in reports():
        page = report_page(everywhere(report, text), text, None)
        page.encode()
        seen = Seen(page)
        assert set(seen.tags) <= TAGS
        assert seen.tags.count("script") == 1
        assert {name for name, _ in seen.attributes} <= ATTRIBUTES
        assert all(str(to).startswith("#") for name, to in seen.attributes if name == "href")
        assert "\x1b" not in page
        assert "\u202e" not in page


def test_words_are_there_to_be_read() -> None:
    text = "<script>alert('&')</script>"
    for report in reports():
        seen = Seen(report_page(everywhere(report, text)))
        assert seen.words.count(text) > 50


def test_what_no_browser_shows_is_spelled_out() -> None:
    [report, _] = reports()
    page = report_page(everywhere(report, "a\x1b[31m\u202eb\u200bc\x00"))
    assert "a\\x1b[31m\\u202eb\\u200bc\\x00" in page


def test_a_reviewer_is_somebody_elses_words_too() -> None:
    report = every_ending()
    state = {
        "reviewed": 1,
        "attempts": 2,
        "without_answer": 0,
        "reviewers": {"<img src=x>": 1},
        "objections": [],
        "agreements": 0,
        "disagreements": [],
    }
    page = report_page(report, None, state)
    assert "<img" not in page
    assert "1 of 2 answers reviewed; by &lt;img src=x&gt; 1" in page


def test_a_notebook_gets_no_tag_from_anybody_either() -> None:
    for report in reports():
        seen = Seen(show(everywhere(report, "<img src=x onerror=alert(1)>"))._repr_html_())
        assert set(seen.tags) <= TAGS
        assert "script" not in seen.tags


def test_the_policy_allows_the_pages_own_style_and_script_alone() -> None:
    [policy] = [
        value for name, value in Seen(report_page(every_ending())).attributes if name == "content"
        if value and "default-src" in value
    ]  # fmt: skip
    allowed = [part.split(" ") for part in policy.split("; ")]
    assert [each[0] for each in allowed] == [
        "default-src",
        "script-src",
        "style-src",
        "base-uri",
        "form-action",
    ]
    assert [each[1] for each in allowed if each[0] not in ("script-src", "style-src")] == [
        "'none'"
    ] * 3
    assert all(each[1].startswith("'sha256-") and len(each) == 2 for each in allowed[1:3])


@needs_chromium
@pytest.mark.parametrize("size", [1, 40])
def test_a_browser_runs_none_of_it(chromium: Any, tmp_path: Path, size: int) -> None:
    for number, report in enumerate(reports()):
        hostile = everywhere(report, "".join(ATTACKS[:6]))
        if "acceptance" in hostile:
            hostile = larger(hostile, size)
        visit = Visit(chromium, write_page(tmp_path / f"{number}.html", hostile))
        visit.page.click("#attempts tbody a")
        visit.opened()
        visit.page.keyboard.press("Escape")
        assert visit.complaints == []
        assert visit.page.evaluate("document.scripts.length") in (1, 4)
        assert visit.page.locator("img, svg, base").count() == 0


@needs_chromium
def test_a_script_that_got_in_all_the_same_would_not_be_run(chromium: Any, tmp_path: Path) -> None:
    page = report_page(every_ending()).replace("<main>", "<main><script>alert(1)</script>")
    page = page.replace("</main>", "<img src='https://example.org/x'></main>")
    (tmp_path / "page.html").write_text(page)
    visit = Visit(chromium, tmp_path / "page.html")
    assert len(visit.complaints) == 2
    assert all("Content Security Policy" in told for told in visit.complaints)


def test_a_report_is_left_as_it_was() -> None:
    report = every_ending()
    before = copy.deepcopy(report)
    report_page(report)
    assert report == before
