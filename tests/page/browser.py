"""The browser that pages are tried in: the one the system has, off the network."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

QUIET = (
    "--no-sandbox",  # it may be root that tests, and the page is the lab's own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def browser() -> Iterator[Any]:
    """A running Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            yield started
        finally:
            started.close()


class Visit:
    """A page in the browser, what it asked the network for, and what it complained of."""

    def __init__(self, started: Any, file: Path, hash_: str = "", **context: Any) -> None:
        self.context = started.new_context(offline=True, **context)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda told: self.complaints.append(told.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{file.as_uri()}{hash_}")

    def shown(self) -> str:
        """What the page says of how many attempts it shows."""
        return str(self.page.inner_text("#shown"))

    def cases(self) -> list[str]:
        """The cases in the table, from the top."""
        found = self.page.locator("#attempts tbody tr td:first-child").all_inner_texts()
        return [str(name) for name in found]

    def opened(self) -> str:
        """The heading of the attempt that is open."""
        self.page.wait_for_selector("article.opened")
        return str(self.page.inner_text("article.opened h2"))
