"""A report as CSV: a line an attempt, failed ones too, and nothing in it is a formula."""

import csv
import io
from typing import Any

from lab import frames, plain
from lab.cells import cell
from lab.evidence import Report, report_digest
from lab.export.attempts import held_out, refuse_empty
from lab.export.text import for_utf8
from lab.grading import Row

BESIDE = ("expected", "observed", "held_out", "check_errors", "report_sha256")
VERDICT = ("acceptance_status", "ungraded")
"""Beside every attempt of an evaluation, so that none cut out of the table looks accepted."""


def csv_table(report: Report, digest: str | None = None) -> str:
    """Return a report as CSV: the columns of `lab.frames`, more beside, and one for each check.

    A check's column is `check:` and its name. What nobody knows is empty, and so is a check that an
    attempt did not have; judgements are True and False; lists are JSON. `digest` is that of the
    report's file.
    """
    refuse_empty(report)
    checks = list(dict.fromkeys(name for row in report["cases"] for name in row["checks"]))
    verdict = VERDICT if "acceptance" in report else ()
    names = [*frames.columns(report), *BESIDE, *verdict, *(f"check:{name}" for name in checks)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(_cell, names))
    digest = digest or report_digest(report)
    for line in frames.lines(report):
        told = {**line, **_beside(line, report, digest)}
        writer.writerow([_cell(told.get(name)) for name in names])
    return out.getvalue()


def _beside(row: Row, report: Report, digest: str) -> Row:
    verdict = report.get("acceptance") or {"status": None, "ungraded": []}
    return {
        "observed": row.get("observed", row.get("events")),
        "held_out": held_out(row),
        "check_errors": row.get("check_errors") or None,
        "report_sha256": digest,
        "acceptance_status": verdict["status"],
        "ungraded": "; ".join(verdict["ungraded"]),
        **{f"check:{name}": held for name, held in row["checks"].items()},
    }


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        value = plain.dumps(value)
    return cell(for_utf8(value)) if isinstance(value, str) else value
