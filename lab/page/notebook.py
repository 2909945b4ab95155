"""A report in a notebook: the top of its page, in the cell that asks for it."""

from collections.abc import Mapping
from typing import Any

from lab.evidence import Report
from lab.page.attempts import line
from lab.page.render import dressed, environment, visible
from lab.page.summary import Summary, summary


class Shown:
    """The top of a report's page, as a notebook or a terminal shows it."""

    def __init__(self, top: Summary) -> None:
        self._top = top

    def __repr__(self) -> str:
        told = dict(self._top.facts)
        lines = [self._top.verdict, *next(iter(told.values())), *told["failed"]]
        return "\n".join(visible(line) for line in lines)

    def _repr_html_(self) -> str:
        card = environment("lab.page").get_template("card.html.jinja")
        return str(card.render(top=self._top, worn=dressed("card.css")))


def show(
    report: Report, digest: str | None = None, review: Mapping[str, Any] | None = None
) -> Shown:
    """Return what a notebook cell shows of a report of either kind: verdict, counts, failures."""
    lines = [line(number, row) for number, row in enumerate(report["cases"], start=1)]
    return Shown(summary(report, lines, digest, review))
