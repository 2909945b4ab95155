"""One attempt as a page shows it: a line of the table, and everything that was kept of it.

Both kinds of report come out in the same words, so that one template shows either.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lab.findings import Finding, findings
from lab.grading import Row
from lab.shop.transcript import draft_summary
from lab.tables import not_held_out
from lab.timing import STAGES

SEARCHED = 300
"""As many characters of an answer and an error each are looked through by a search."""

UNFINISHED = "unknown: it requested no draft and did not come to an end"

Line = dict[str, Any]
Segment = tuple[str, list[int]]
"""A piece of an answer, and the numbers of the findings that it is part of."""


def line(number: int, row: Row) -> Line:
    """Return what the table says of an attempt; `said` is what a search looks through besides."""
    failed = [name for name, judgement in row["checks"].items() if not judgement]
    return {
        "number": number,
        "candidate": row.get("candidate"),
        "case": row["case"],
        "split": row["split"],
        "repetition": row["repetition"],
        "status": row["loop_status"] if "loop_status" in row else row["mechanism"] or "decided",
        "passed": row["passed"],
        "failed": failed,
        "seconds": row["seconds"],
        "findings": [found.kind for found in findings(row)] if "answer" in row else [],
        "said": "\n".join(str(said)[:SEARCHED] for said in (_words(row), row["error"]) if said),
    }


def detail(number: int, row: Row) -> dict[str, Any]:
    """Return everything that was kept of an attempt, in the order in which it is read."""
    told = line(number, row)
    errors = [("the attempt", row["error"]), *row.get("check_errors", {}).items()]
    told["errors"] = [(who, why) for who, why in errors if why]
    told["checks"] = row["checks"]
    told["not_held_out"] = next(not_held_out([row]), None)
    return {**told, **(_evaluated(row) if "transcript" in row else _interpreted(row))}


def segments(answer: str, found: Sequence[Finding]) -> list[Segment]:
    """Return an answer in pieces, cut where a finding begins or ends."""
    begin, end = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for number, each in enumerate(found, start=1):
        begin[each.start].append(number)
        end[each.end].append(number)
    pieces, inside = list[Segment](), list[int]()
    for a, b in pairwise(sorted({0, len(answer), *begin, *end})):
        inside = [n for n in inside if n not in end[a]] + begin[a]
        pieces.append((answer[a:b], inside))
    return pieces


def _words(row: Row) -> str | None:
    words = row["answer"] if "answer" in row else row["raw"]
    return None if words is None else str(words)


def _evaluated(row: Row) -> dict[str, Any]:
    found = findings(row)
    baseline = row["baseline"]
    return {
        "kind": "evaluation",
        "beside": [
            ("expected", drafts(row["expected"])),
            ("observed", UNFINISHED if row["observed"] is None else drafts(row["observed"])),
            ("baseline", drafts(baseline["drafts"])),
        ],
        "baseline_error": baseline["error"],
        "answer": None if row["answer"] is None else segments(row["answer"], found),
        "found": found,
        "drafted": draft_summary(row["transcript"]),
        "turns": turns(row["transcript"], row.get("steps", ())),
        "timing": _timing(row),
        "kept": {
            "model": row["model"],
            **{
                name: row.get(name)
                for name in (
                    "model_calls",
                    "tool_calls",
                    "prompt_tokens",
                    "cached_tokens",
                    "output_tokens",
                    "estimated_cost_pence",
                    "database",
                    "started",
                    "resumed",
                )
            },
        },
    }


def _interpreted(row: Row) -> dict[str, Any]:
    expected = row["expected"]
    return {
        "kind": "requests",
        "beside": [
            ("expected", f"{decision(expected)}\n{events(expected['events'])}"),
            ("observed", f"{decision(row['decision'])}\n{events(row['events'])}"),
        ],
        "request": row["request"],
        "catalog": row["catalog"],
        "raw": row["raw"],
        "kept": {
            "failed by": row["mechanism"] or "nothing",
            **{name: row[name] for name in ("output_tokens", "started")},
        },
    }


def drafts(found: Sequence[Sequence[Any]] | None) -> str:
    """Return drafts in words, a line each. None is not known, which is not nothing."""
    if found is None:
        return "unknown"
    return "\n".join(f"{quantity} × {sku}" for sku, quantity in found) or "nothing to draft"


def decision(found: Mapping[str, Any] | None) -> str:
    """Return a decision in words."""
    if found is None:
        return "no decision"
    return f"{found['action']} {found['sku']}" if found["sku"] is not None else str(found["action"])


def events(found: Iterable[Sequence[Any]]) -> str:
    """Return events in words, a line each."""
    told = (f"event: {' '.join(str(e) for e in event if e is not None)}" for event in found)
    return "\n".join(told) or "no event"


def turns(
    transcript: Sequence[Mapping[str, Any]], steps: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return each message with its calls, each call beside what was observed; seconds are a step's.

    A call is answered by what follows its own message: its id alone may have been used before. One
    that nothing answered has None for its observation. Steps come in the order of their messages.
    """
    took: dict[str, deque[float | None]] = {"model": deque(), "tool": deque()}
    for step in steps:
        took[step["kind"]].append(step["seconds"])
    found: list[dict[str, Any]] = []
    for message in transcript:
        kind = {"assistant": "model", "tool": "tool"}.get(message["role"])
        seconds = took[kind].popleft() if kind and took[kind] else None
        if kind == "tool":
            observed = {"content": message["content"], "seconds": seconds}
            asked = [call for call in found[-1]["calls"] if call["id"] == message["tool_call_id"]]
            asked[0]["observed"] = observed
        else:
            found.append({"role": message["role"], "seconds": seconds, **_said(message)})
    return found


def _said(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = [
        {"id": call["id"], **call["function"], "observed": None}
        for call in message.get("tool_calls", ())
    ]
    return {"content": message["content"], "calls": calls}


def _timing(row: Row) -> list[tuple[str, list[float | None]]]:
    """Return the seconds of each path by stage, unknown where nobody knows them."""
    return [
        (who, [(row["spans"].get(who) or {}).get(stage) for stage in STAGES])
        for who in ("script", "agent")
    ]
