"""The page of a report: what a decision needs, every attempt in a table, and each one whole.

The attempts of a small report stand in the page as they are. Those of a large one are rendered by
the same template, packed a hundred at a time, and unpacked in the browser when one is opened: a
page of ten thousand then costs a reader no more than the one that is looked at.
"""

import base64
import gzip
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from lab.evidence import Report, save_new
from lab.page.attempts import detail, line
from lab.page.render import environment
from lab.page.summary import summary
from lab.timing import STAGES

INLINE = 200
BLOCK = 100
"""As many attempts are packed together; `report.js` counts on it."""

PIECES = 200
"""As many pieces of a template are written at a time."""


def report_page(
    report: Report, digest: str | None = None, review: Mapping[str, Any] | None = None
) -> str:
    """Return one self-contained HTML page of a report of either kind, for people to decide from.

    It needs no network and no script to be read; whatever a model or a learner wrote is shown and
    never obeyed. Without a script, only the attempts of a report of more than 200 cannot be opened.
    `digest` is that of the saved file, `review` the state of its review (`Review.state`).
    """
    return "".join(_pieces(report, digest, review))


def write_page(
    path: str | Path,
    report: Report,
    digest: str | None = None,
    review: Mapping[str, Any] | None = None,
) -> Path:
    """Write a report's page to a new file, a piece at a time, and return its path.

    The file is there whole or not at all. Raises InputError where something has that name already,
    LabError where it cannot be written.
    """
    path = Path(path)
    save_new(path, (piece.encode() for piece in _pieces(report, digest, review)))
    return path


def _pieces(report: Report, digest: str | None, review: Mapping[str, Any] | None) -> Iterator[str]:
    rows = report["cases"]
    lines = [line(number, row) for number, row in enumerate(rows, start=1)]
    is_small = len(rows) <= INLINE
    page = environment("lab.page").get_template("report.html.jinja")
    stream = page.stream(
        top=summary(report, lines, digest, review),
        lines=lines,
        has_candidates=report.get("kind") == "requests",
        articles=_articles(report) if is_small else (),
        blocks=() if is_small else _blocks(_articles(report)),
        inline=INLINE,
    )
    stream.enable_buffering(PIECES)
    return iter(stream)


def _articles(report: Report) -> Iterator[Any]:
    from markupsafe import Markup

    article = environment("lab.page").get_template("attempt.html.jinja")
    for number, row in enumerate(report["cases"], start=1):
        shown = article.render(detail(number, row), stages=STAGES)
        yield Markup(shown)  # noqa: S704  (a template made it, and escaped what was put in)


def _blocks(articles: Iterator[Any]) -> Iterator[str]:
    while block := list(islice(articles, BLOCK)):
        packed = gzip.compress("".join(block).encode(), mtime=0)
        yield base64.b64encode(packed).decode()
