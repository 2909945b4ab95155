"""A report as JUnit XML, of the family xunit2 that pytest writes and every build server reads."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from typing import Any

from lab.evidence import Report, report_digest
from lab.export.attempts import about, answered, by_candidate, has_passed, held_out, outcome
from lab.export.text import for_xml, moment
from lab.grading import Row

HOST = "localhost"
"""What the schema has for a machine that nobody knows; a report does not keep its name."""

Properties = Iterable[tuple[str, Any]]


def junit(report: Report, digest: str | None = None) -> str:
    """Return a report as XML: a testsuite a candidate, a testcase an attempt.

    Every attempt is there, as passed, failure or error, none as skipped. Times are seconds, and
    left out where nobody knows them. `digest` is that of the report's file.
    """
    known = about(report, digest or report_digest(report))
    whole = ET.Element("testsuites", name=f"lab {known['kind']}")
    for name, rows in by_candidate(report).items():
        whole.append(_suite(name, rows, known))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(whole, encoding="unicode")}\n'


def _suite(candidate: str, rows: list[Row], known: dict[str, Any]) -> ET.Element:
    kinds = [outcome(row).kind for row in rows]
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    begun = [at for row in rows if (at := moment(row["started"]))]
    suite = _element(
        "testsuite",
        name=candidate,
        errors=kinds.count("error"),
        failures=kinds.count("failure"),
        skipped=0,
        tests=len(rows),
        time=f"{sum(seconds):.6f}" if seconds else None,
        timestamp=min(begun).isoformat() if begun else None,
        hostname=HOST,
    )
    told = {**known, "attempts": len(rows), "passed": sum(map(has_passed, rows))}
    suite.append(_properties(_flat(told)))
    suite.extend([_case(candidate, row) for row in rows])
    return suite


def _case(candidate: str, row: Row) -> ET.Element:
    seconds = row["seconds"]
    case = _element(
        "testcase",
        classname=candidate,
        name=f"{row['case']}[{row['repetition']}]",
        time=None if seconds is None else f"{seconds:.6f}",
    )
    ended = "loop_status" if "loop_status" in row else "mechanism"
    told = {name: row[name] for name in ("split", "repetition", ended)}
    case.append(_properties(_flat({**told, "held_out": held_out(row)})))
    found = outcome(row)
    if found.kind != "passed":
        why = _element(found.kind, message=found.message)
        why.text = for_xml("\n".join(found.said))
        case.append(why)
    if (words := answered(row)) is not None:
        said = ET.SubElement(case, "system-out")
        said.text = for_xml(words)
    return case


def _flat(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each thing known, one of a list at a time, nothing of what nobody knows."""
    for name, value in told.items():
        for each in value if isinstance(value, list) else [value]:
            if each is not None:
                yield name, each


def _properties(told: Properties) -> ET.Element:
    found = ET.Element("properties")
    found.extend([_element("property", name=name, value=value) for name, value in told])
    return found


def _element(tag: str, **attributes: Any) -> ET.Element:
    kept = {name: for_xml(value) for name, value in attributes.items() if value is not None}
    return ET.Element(tag, kept)
