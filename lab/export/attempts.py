"""What every format says of a report: who was tried, how each attempt ended, how far it reaches."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from lab import frames, plain
from lab.errors import InputError
from lab.evidence import Report
from lab.grading import Row

LONGEST = 4_000
"""Characters of one thing that is told of a failure; the report itself has all of it."""

NO_RESULT = frozenset({"CANDIDATE_ERROR", "MODEL_FAILED", "NOT_RUN"})
NO_REPLY = frozenset({"candidate", "transport", "not run"})


class Outcome(NamedTuple):
    """How an attempt came out: nothing but `passed` counts as that, and nothing as left out.

    It is an error where the candidate, its server, the run or a check broke; any other attempt that
    failed, or did not come to its end, is a failure. `said` has one line for each thing to know.
    """

    kind: Literal["passed", "failure", "error"]
    message: str
    said: list[str]


def is_requests(report: Report) -> bool:
    """Say whether a report is an experiment with requests, or else an evaluation."""
    return report.get("kind") == "requests"


def only(report: Report, candidate: str | None) -> Report:
    """Return the report of one candidate of several; InputError where there is none of the name."""
    if candidate is None:
        return report
    if not is_requests(report):
        raise InputError("candidate: an evaluation has one; leave --candidate out")
    if candidate not in report["candidates"]:
        told = ", ".join(map(plain.show, report["candidates"]))
        raise InputError(f"candidate: {plain.show(candidate)} is none of {told}")
    return {
        **report,
        "candidates": {candidate: report["candidates"][candidate]},
        "counts": {candidate: report["counts"][candidate]},
        "cases": [row for row in report["cases"] if row["candidate"] == candidate],
    }


def refuse_empty(report: Report) -> None:
    """Raise InputError for a report without attempts: other programs take that for success."""
    if not report["cases"]:
        raise InputError("report: it has no attempts, which other programs would take for success")


def by_candidate(report: Report) -> dict[str, list[Row]]:
    """Return the attempts of each candidate, in the report's order.

    An evaluation has one, whose name is told by the first attempt that came as far as making it.
    """
    rows: list[Row] = report["cases"]
    refuse_empty(report)
    if is_requests(report):
        return {
            name: [row for row in rows if row["candidate"] == name] for name in report["candidates"]
        }
    made = [row for row in rows if row["model"]["adapter"] is not None]
    return {frames.candidate(row, report): rows for row in [*made, *rows][:1]}


def outcome(row: Row) -> Outcome:
    """Return how an attempt came out, of either kind of report."""
    failed = [name for name, held in row["checks"].items() if not held]
    broke = list(row.get("check_errors", {}))
    told = [
        *([ended] if (ended := ending(row)) else []),
        *([f"{', '.join(failed)} did not pass"] if failed else []),
        *([f"{', '.join(broke)} could not judge"] if broke else []),
    ]
    kind: Literal["failure", "error"] = "error" if _is_broken(row) else "failure"
    if not told and kind == "failure":
        return Outcome("passed", "", [])
    return Outcome(kind, plain.shorten("; ".join(told)), list(_said(row, failed)))


def has_passed(row: Row) -> bool:
    """Say whether an attempt passed every check and also came to its end."""
    return outcome(row).kind == "passed"


def ending(row: Row) -> str | None:
    """Return how an attempt ended that did not come to its end, or failed; else None."""
    if "loop_status" not in row:
        return row["mechanism"] and str(row["mechanism"])
    return None if row["loop_status"] == "COMPLETED" else f"it ended {row['loop_status']}"


def has_no_result(row: Row) -> bool:
    """Say whether an attempt broke, or never ran, before there was anything of it to judge."""
    if "loop_status" not in row:
        return row["mechanism"] in NO_REPLY
    return row["loop_status"] in NO_RESULT


def _is_broken(row: Row) -> bool:
    return has_no_result(row) or bool(row.get("check_errors"))


def _said(row: Row, failed: list[str]) -> Iterator[str]:
    facts = {
        "case": row["case"],
        "split": row["split"],
        "repetition": row["repetition"],
        "ended": row.get("loop_status", row.get("mechanism")),
        "error": row["error"],
        "did not pass": "\n  ".join(failed) or None,
        **{f"check {name} broke": why for name, why in row.get("check_errors", {}).items()},
        "request": row.get("request"),
        "expected": plain.dumps(row["expected"]),
        "observed": plain.dumps(row.get("observed", row.get("events"))),
    }
    for name, value in facts.items():
        if value is not None:
            yield f"{plain.shorten(name)}: {plain.shorten(str(value), LONGEST)}"


def answered(row: Row) -> str | None:
    """Return what a candidate said last, as it said it: an answer, or a reply to a request."""
    said: str | None = row["answer"] if "answer" in row else row["raw"]
    return said


def held_out(row: Row) -> str | None:
    """Return whether a case was held out, with the reason; None where the report does not say."""
    known = row.get("independence")
    if not known:
        return None
    word = {True: "yes", False: "no"}.get(known["held_out"], "unknown")
    return f"{word}: {known['why']}"


def about(report: Report, digest: str) -> dict[str, Any]:
    """Return what nobody should see an attempt without: the report it is from, and its reach."""
    found = {
        "report_sha256": digest,
        "kind": "requests" if is_requests(report) else "evaluation",
        "created": report["provenance"].get("created"),
        "lab_version": report["provenance"].get("lab_version"),
        "distinct_cases": len({row["case"] for row in report["cases"]}),
        "scope": report["scope"],
        "limits": report["limits"],
        "caveats": report["caveats"],
    }
    if "acceptance" in report:
        found |= {
            f"acceptance_{name}": report["acceptance"][name] for name in ("status", "meaning")
        }
        found["ungraded"] = report["acceptance"]["ungraded"]
    if "checkpoint" in report:
        found["left_out"] = "the attempts under `checkpoint`: what attacked the instrument"
    return found
