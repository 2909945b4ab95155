"""A conversation as Inspect AI keeps one: who said what, which tool answered, what was refused."""

from collections.abc import Iterable
from typing import Any

from lab import plain
from lab.evidence import Report
from lab.export.attempts import is_requests
from lab.grading import Row
from lab.shop.transcript import requests

Message = dict[str, Any]

NOT_KEPT = "(the attempt never ran, and its report does not keep what would have been asked)"


def conversation(row: Row, report: Report) -> list[Message]:
    """Return what was said in an attempt; of a request, what its candidate was given and replied.

    Raises KeyError, TypeError or ValueError for a transcript that no agent of the lab leaves.
    """
    said = _of_request(row, report) if is_requests(report) else _of_transcript(row["transcript"])
    return [{"id": f"{plain.digest(key(row))[:16]}-{n}", **each} for n, each in enumerate(said)]


def prompts(rows: Iterable[Row]) -> dict[str, str]:
    """Return what each case asks, as far as an attempt at it came to be asked."""
    found: dict[str, str] = {}
    for row in rows:
        if "request" in row:
            found[row["case"]] = row["request"]
        for message in row.get("transcript", ()):
            if message["role"] == "user":
                found.setdefault(row["case"], message["content"])
    return found


def key(row: Row) -> list[Any]:
    """Return what no other attempt of a report has: candidate, case and repetition."""
    return [row.get("candidate"), row["case"], row["repetition"]]


def _of_request(row: Row, report: Report) -> list[Message]:
    instruction = report["candidates"][row["candidate"]]["instruction"]
    given = plain.dumps({"request": row["request"], "catalog": row["catalog"]})
    said = [{"role": "user", "content": given, "source": "input"}]
    if instruction is not None:
        said.insert(0, {"role": "system", "content": instruction, "source": "input"})
    if row["raw"] is not None:
        said.append({"role": "assistant", "content": row["raw"], "source": "generate"})
    return said


def _of_transcript(transcript: list[Message]) -> list[Message]:
    names: dict[str, str] = {}
    said = []
    for message in transcript:
        told = {"role": message["role"], "content": message["content"]}
        if message["role"] == "tool":
            told |= _answer(message, names)
        elif message["role"] == "assistant":
            calls = list(requests([message]))
            names |= {call.id: call.name for call in calls}
            told |= {"source": "generate", **_calls(calls)}
        elif message["role"] in ("system", "user"):
            told["source"] = "input"
        else:
            raise ValueError(f"nobody has the role {plain.show(message['role'])}")
        said.append(told)
    return said


def _calls(calls: list[Any]) -> Message:
    if not calls:
        return {}
    return {
        "tool_calls": [
            {"id": each.id, "function": each.name, "arguments": each.arguments, "type": "function"}
            for each in calls
        ]
    }


def _answer(message: Message, names: dict[str, str]) -> Message:
    observed = plain.loads(message["content"])
    told: Message = {
        "tool_call_id": message["tool_call_id"],
        "function": names[message["tool_call_id"]],
    }
    if observed["ok"] is not True:
        told["error"] = {"type": "unknown", "message": str(observed.get("error"))}
    return told
