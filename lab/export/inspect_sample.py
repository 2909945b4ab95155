"""An attempt as a sample of Inspect AI: what was asked and said, its scores, and how it ended."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lab import plain
from lab.evidence import Report
from lab.export.attempts import answered, has_no_result, has_passed, held_out, outcome
from lab.export.inspect_messages import NOT_KEPT, conversation
from lab.export.text import for_xml, moment
from lab.grading import Row

Sample = dict[str, Any]

OVERALL = "passed"
LONGEST_ID = 120
LONGEST_SUMMARY = 1_000
PATHLIKE = re.compile(r"[\\/\n\t]")

LIMITS = {
    "TIME_LIMIT": ("time", "seconds"),
    "CONTEXT_LIMIT": ("context", "context_bytes"),
    "MODEL_CALL_LIMIT": ("custom", "model_calls"),
    "TOOL_LIMIT": ("custom", "tool_calls"),
    "MODEL_COST_LIMIT": ("custom", "model_budget_pence"),
}
"""Inspect's word for a limit, and the setting it was; its own cost is in dollars, ours in pence."""

ALLOWED = re.compile(r"(\d{1,15}) tokens were allowed")

BESIDE = (
    "case", "split", "repetition", "loop_status", "mechanism", "error", "expected", "observed",
    "decision", "events", "baseline", "check_errors", "database", "allowed", "spans", "steps",
    "model", "model_calls", "tool_calls", "output_tokens", "prompt_tokens", "cached_tokens",
    "estimated_cost_pence", "interruptions", "resumed", "catalog",
)  # fmt: skip
"""Fields of an attempt that a sample has no place of its own for."""


def sample(row: Row, report: Report, model: str, prompts: Mapping[str, str]) -> Sample:
    """Return an attempt as a sample; what nobody knows is not in it.

    `model` is what its usage is put down to, `prompts` has what each case asks.
    """
    said = conversation(row, report)
    usage = tokens(row)
    begun = moment(row["started"])
    return _known(
        {
            "id": sample_id(row["case"]),
            "epoch": row["repetition"],
            "input": prompts.get(row["case"], NOT_KEPT),
            "target": plain.dumps(row["expected"]),
            "messages": said,
            "output": _output(said, row, model),
            "scores": dict(scores(row)),
            "metadata": _known({name: row.get(name) for name in BESIDE}, held_out=held_out(row)),
            "model_usage": usage and {model: usage},
            "started_at": begun and begun.isoformat(),
            "total_time": row["seconds"],
            "error": _error(row),
            "limit": _limit(row, report["settings"]),
        }
    )


def sample_id(case: str) -> str:
    """Return a case's name as a file in a log can have it; one that has to change gets a digest."""
    plainly = PATHLIKE.sub("_", for_xml(case))
    if plainly == case and len(case) <= LONGEST_ID:
        return case
    known_by = hashlib.sha256(case.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{plain.shorten(plainly, LONGEST_ID)} {known_by}"


def score_name(check: str) -> str:
    """Return a check's name as a score; one called as the overall score is has more to it."""
    return f"check {check}" if check == OVERALL else check


def scores(row: Row) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the overall score and one for each check: C or I, and never nothing."""
    yield OVERALL, _score(has_passed(row), outcome(row).message or None, answered(row))
    for name, held in row["checks"].items():
        broke = row.get("check_errors", {}).get(name)
        yield score_name(name), _score(held, broke and f"could not judge: {broke}")


def tokens(row: Row) -> dict[str, int] | None:
    """Return an attempt's usage where both sides are known: Inspect has 0 for what is unknown."""
    output, prompt = row["output_tokens"], row.get("prompt_tokens")
    if output is None or prompt is None:
        return None
    cached = row.get("cached_tokens")
    told = {"output_tokens": output, "total_tokens": prompt + output}
    if cached is None or cached > prompt:
        return {"input_tokens": prompt, **told}
    return {"input_tokens": prompt - cached, **told, "input_tokens_cache_read": cached}


def summary(of: Sample) -> Sample:
    """Return a sample as a list of samples shows it: short texts, and no conversation."""
    whole = ("id", "epoch", "model_usage", "started_at", "total_time")
    metadata = {
        name: value
        for name, value in of["metadata"].items()
        if len(plain.dumps(value)) <= LONGEST_SUMMARY
    }
    return {
        **{name: of[name] for name in whole if name in of},
        "input": plain.shorten(of["input"], LONGEST_SUMMARY),
        "target": plain.shorten(of["target"], LONGEST_SUMMARY),
        "metadata": metadata,
        "scores": {name: _short(score) for name, score in of["scores"].items()},
        **({"error": of["error"]["message"]} if "error" in of else {}),
        **({"limit": of["limit"]["type"]} if "limit" in of else {}),
        "completed": True,
        "message_count": len(of["messages"]),
    }


def _score(held: bool, explanation: str | None, answer: str | None = None) -> dict[str, Any]:
    value = "C" if held else "I"
    return _known({"value": value, "answer": answer, "explanation": explanation})


def _short(score: dict[str, Any]) -> dict[str, Any]:
    return {name: plain.shorten(value, LONGEST_SUMMARY) for name, value in score.items()}


def _output(said: list[dict[str, Any]], row: Row, model: str) -> dict[str, Any] | None:
    if answered(row) is None:
        return None
    cut = row.get("loop_status") == "TOKEN_LIMIT"
    stopped = "max_tokens" if cut else "stop"
    last = next((each for each in reversed(said) if each["role"] == "assistant"), None)
    return last and {"model": model, "choices": [{"message": last, "stop_reason": stopped}]}


def _error(row: Row) -> dict[str, str] | None:
    if not has_no_result(row):
        return None
    told = row["error"] or row.get("loop_status") or row["mechanism"]
    return {"message": str(told), "traceback": "", "traceback_ansi": ""}


def _limit(row: Row, settings: dict[str, Any]) -> dict[str, Any] | None:
    status = row.get("loop_status")
    if status == "TOKEN_LIMIT" and (found := ALLOWED.search(row["error"] or "")):
        return {"type": "token", "limit": int(found.group(1)), "reason": row["error"]}
    kind, setting = LIMITS.get(str(status), ("", ""))
    if type(settings.get(setting)) not in (int, float):
        return None
    return _known({"type": kind, "limit": settings[setting], "reason": row["error"]})


def _known(told: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {name: value for name, value in {**told, **more}.items() if value is not None}
