"""From a report to a new file of the format that its name asks for."""

from collections.abc import Callable, Mapping
from pathlib import Path

from lab.errors import InputError
from lab.evidence import Report, refuse_unwritable, report_digest, save_new
from lab.export.attempts import only
from lab.export.csv_table import csv_table
from lab.export.inspect_log import as_eval, as_json
from lab.export.junit import junit
from lab.shapes import check_report

Writer = Callable[[Report, str], bytes]

WRITERS: Mapping[tuple[str, str], Writer] = {
    ("junit", ".xml"): lambda report, digest: junit(report, digest).encode(),
    # The mark at its beginning is how a spreadsheet knows UTF-8.
    ("csv", ".csv"): lambda report, digest: csv_table(report, digest).encode("utf-8-sig"),
    ("inspect", ".eval"): as_eval,
    ("inspect", ".json"): as_json,
}
"""What makes a file's bytes of a report and its digest, by format and the end of a file's name."""

FORMATS = tuple(dict.fromkeys(name for name, _ in WRITERS))


def export_report(
    report: Report,
    path: str | Path,
    *,
    candidate: str | None = None,
    as_format: str | None = None,
    digest: str | None = None,
) -> Path:
    """Write a report of either kind to a new file in another format, and return its path.

    The format is that of the file's ending, or the one of `FORMATS` that is named. `candidate`
    leaves all but one candidate of an experiment with requests out. `digest` is that of the
    report's file, where there is one.

    The file is there whole or not at all, and readable by its owner alone. Raises InputError for
    something there already, an ending of no format, a report that contradicts itself and a
    candidate that is not in it, LabError where the file cannot be written.
    """
    path = Path(path)
    write = _writer(path, as_format)
    try:
        check_report(report)
    except ValueError as error:
        raise InputError(f"report: {error}") from None
    refuse_unwritable(path)
    save_new(path, [write(only(report, candidate), digest or report_digest(report))])
    return path


def _writer(path: Path, as_format: str | None) -> Writer:
    endings = ", ".join(f"{ending} ({name})" for name, ending in WRITERS)
    fitting = {key: write for key, write in WRITERS.items() if as_format in (None, key[0])}
    if not fitting:
        raise InputError(f"format: {as_format!r} is none of {', '.join(FORMATS)}")
    for (_, ending), write in fitting.items():
        if path.suffix.lower() == ending:
            return write
    if as_format is None or len(fitting) > 1:
        raise InputError(f"{path}: its ending tells no format; use one of {endings}")
    return next(iter(fitting.values()))
