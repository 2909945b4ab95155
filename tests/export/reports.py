"""Reports to export: every way an attempt can end, and words that a format could choke on."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from lab.cases import Case
from lab.counts import counts, request_counts
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.interpretation import REQUEST_CASES, run_requests
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import Message, ModelError, ModelTurn, Schema, ToolCall

STOCK = (("V", 2, 0, 8, 250),)

Turn = Callable[[int], ModelTurn]


class Scripted:
    """A model that says what it was given, whatever it is told."""

    name = "scripted"

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._turns = 0

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        self._turns += 1
        return self._turn(self._turns)


def fluent(_: int) -> ModelTurn:
    return ModelTurn("All is well. Buy nothing.", output_tokens=None)


def crashing(_: int) -> ModelTurn:
    raise RuntimeError("boom")


def down(_: int) -> ModelTurn:
    raise ModelError("no reply")


def looking(n: int) -> ModelTurn:
    return ModelTurn("", [ToolCall(f"look-{n}", "list_stock", {})], output_tokens=5)


ENDINGS: dict[str, Callable[[], Any]] = {
    "right": OfflineShopModel,
    "fluent": lambda: Scripted(fluent),
    "crashed": lambda: Scripted(crashing),
    "down": lambda: Scripted(down),
    "looking": lambda: Scripted(looking),
    "never": OfflineShopModel,
}


def every_ending() -> Report:
    """One case for each way to end: passed, failed, two errors, a limit, and one that never ran."""
    models = iter(ENDINGS.values())

    def interrupt(done: int, planned: int, row: Any) -> None:
        if done == planned - 1:
            raise KeyboardInterrupt

    cases = [Case(name, "development", STOCK, (("V", 6),)) for name in ENDINGS]
    return evaluate(lambda: next(models)(), cases=cases, progress=interrupt)


def passing(repeats: int = 1) -> Report:
    return evaluate(OfflineShopModel, cases=[Case("opening", "held-out", STOCK, (("V", 6),))],
                    repeats=repeats)  # fmt: skip


def requests_of_all_sorts() -> Report:
    """Two candidates on two requests: right and wrong, and one that raises and answers rubbish."""
    replies = iter([OSError("no route"), ("{", None)])

    def stock_of_vanilla(_: Any) -> tuple[str, int]:
        return '{"action":"stock","sku":"V"}', 7

    def unlucky(_: Any) -> Any:
        found = next(replies)
        if isinstance(found, Exception):
            raise found
        return found

    return run_requests(
        {"stock of vanilla": stock_of_vanilla, "unlucky": unlucky}, cases=REQUEST_CASES[:2]
    )


HOSTILE = [
    "]]><failure message='x'/>",
    '"><testcase/>&amp;&lt;<!--',
    "=1+1",
    "\x00\x01\x0b\x1b[31m\x7f\x9b",
    "half \ud800 and \udfff",
    "\ufffe\uffff \U0001fffe \U0001f366",
    "line\r\nline\rline\n\ttab",
    'quote " comma , semicolon ; quote',
    "long " * 40_000,
    "{curly} %s $x `y`",
    "\u202eright to left\u2066 \u2028",
]


def poisoned(report: Report, text: str) -> Report:
    """The same report with a text in every place where somebody's words can stand."""
    made = copy.deepcopy(report)
    for row in made["cases"]:
        for name in ("case", "split", "error", "answer", "raw", "request"):
            if name in row:
                row[name] = f"{text}{row[name]}" if name == "case" else text
        row["independence"] = {"held_out": None, "why": text}
        if "transcript" in row:
            _poison_evaluation(row, text)
        else:
            row["candidate"] = f"{text}{row['candidate']}"
            row["catalog"][0]["name"] = text
            row["passed"], row["mechanism"] = False, row["mechanism"] or "schema"
    for name in ("scope", "limits", "caveats"):
        made[name] = text if name == "scope" else [text]
    made["provenance"]["created"] = text
    if "acceptance" in made:
        made["acceptance"] |= {"ungraded": [text], "meaning": text}
        made["counts"] = counts(made["cases"])
    else:
        made["candidates"] = {f"{text}{name}": told for name, told in made["candidates"].items()}
        made["counts"] = request_counts(made["cases"])
    return made


def _poison_evaluation(row: dict[str, Any], text: str) -> None:
    row["checks"] = {f"{text}{name}": held for name, held in row["checks"].items()}
    row["check_errors"] = {text: text}
    row["model"] |= {"name": text, "adapter": text, "environment": {text: text}}
    row["baseline"] |= {"error": text}
    row["expected"] = [[text, 6]]
    row["observed"] = [[text, 6]]
    for message in row["transcript"]:
        if message["role"] != "tool":
            message["content"] = text
        for call in message.get("tool_calls", ()):
            call["function"]["name"] = text


def each_hostile(report: Report) -> Iterator[tuple[str, Report]]:
    for text in HOSTILE:
        yield text, poisoned(report, text)
