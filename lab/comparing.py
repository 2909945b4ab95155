"""`lab compare`: two saved reports on the same cases, beside each other."""

import argparse
from pathlib import Path

from lab import terminal
from lab.compare_tables import show_comparison
from lab.comparison import compare_reports
from lab.evidence import load_report, reading, save_new
from lab.page.comparison import comparison_page


def run_compare(options: argparse.Namespace) -> int:
    """`lab compare`."""
    paths: tuple[Path, Path] = options.first, options.second
    reports = load_report(paths[0]), load_report(paths[1])
    # A badly made report is one of the two; which, its digest would have told.
    with reading(Path(f"{paths[0]} or {paths[1]}")):
        compared = compare_reports(
            *reports,
            candidates=options.candidates and tuple(options.candidates),
            sources=(str(paths[0]), str(paths[1])),
        )
    if options.html is not None:
        save_new(options.html, [comparison_page(compared).encode()])
    with terminal.unheard():
        if options.html is not None:
            print(terminal.printable(options.html))
            return 0
        show_comparison(compared)
    return 0
