"""`lab export`: a saved report in a format that others read."""

import argparse

from lab import terminal
from lab.evidence import read_report, reading
from lab.export import export_report


def run_export(options: argparse.Namespace) -> int:
    """`lab export`."""
    report, digest = read_report(options.report)
    with reading(options.report):
        path = export_report(
            report,
            options.file,
            candidate=options.candidate,
            as_format=options.format,
            digest=digest,
        )
    with terminal.unheard():
        print(terminal.printable(path))
    return 0
