"""`lab show`: a saved report in the terminal, or as one page that anybody can open."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab import request_tables, tables, terminal
from lab.evidence import Report, read_report, reading
from lab.page import write_page
from lab.review import Review, review_path, unreviewed


def run_show(options: argparse.Namespace) -> int:
    """`lab show`."""
    report, digest = read_report(options.report)
    with reading(options.report):
        review = review_state(options.report, report)
        if options.html is not None:
            path = write_page(options.html, report, digest, review)
            with terminal.unheard():
                print(terminal.printable(path))
            return 0
        with terminal.unheard():
            if report.get("kind") == "requests":
                request_tables.show_requests(report)
            else:
                tables.show_report(report, review)
    return 0


def review_state(path: Path, report: Report) -> Mapping[str, Any]:
    """Return the state of a saved report's review, also where nobody has begun one."""
    if report.get("kind") == "requests" or not review_path(path).exists():
        return unreviewed(report)
    return Review(path).state()
