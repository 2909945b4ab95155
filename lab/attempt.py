"""One attempt, where the candidate runs. Nothing here knows a case's name, split or answer."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from lab import plain
from lab.shop.database import Database, SkillRow, StockRow
from lab.shop.loop import Limits, LoopResult, run_loop
from lab.shop.models import Model
from lab.shop.skills import context
from lab.shop.tools import Dispatcher
from lab.shop.transcript import draft_summary

Record = dict[str, Any]
"""What an attempt came to, before anybody judged it: plain data."""

SESSION = "evaluation"
ACQUIRING_TOOLS = frozenset({"list_stock", "supplier"})
MOST_SAID = 64 * 1024
"""Characters of JSON that a model may say of itself in one attribute."""
UNKNOWN = (
    "seconds",
    "model_calls",
    "tool_calls",
    "output_tokens",
    "prompt_tokens",
    "cached_tokens",
    "estimated_cost_pence",
    "answer",
    "database",
)


@dataclass(frozen=True)
class Task:
    """All that an attempt is given. It can be pickled when its two callables can."""

    model_factory: Callable[[], Model]
    prompt: str
    stock: tuple[StockRow, ...]
    skills: tuple[SkillRow, ...]
    limits: Limits
    dispatcher: Callable[[Database], Dispatcher]


def open_shop(task: Task) -> Database:
    """Return the attempt's own shop, which nobody has used before."""
    return Database.fresh(task.stock, task.skills)


def run_attempt(task: Task) -> Record:
    """Run a candidate once and return what happened; nothing it does raises.

    `seconds` covers making the model, its calls and the tools, not the setting up of the shop.
    """
    model = None
    with open_shop(task) as shop:
        script_read = time_to_read(shop)
        try:
            tools = task.dispatcher(shop)
            messages = context(shop, SESSION, task.prompt, allowed=tools.allowed)
            started = perf_counter()
            model = task.model_factory()
            result = run_loop(model, tools, messages, limits=task.limits)
            seconds = perf_counter() - started
            return record(result, seconds, model, tools, shop, script_read)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  (a candidate may even call sys.exit)
            return {
                **no_record("CANDIDATE_ERROR", plain.reason(error)),
                "database": count_what_is_left(shop),
            }
        finally:
            with contextlib.suppress(Exception, SystemExit):
                model.close()  # type: ignore[union-attr]


def count_what_is_left(shop: Database) -> dict[str, int] | None:
    """Return the shop's counts after a failure; None where it cannot be asked any more."""
    try:
        return shop.counts()
    except Exception:  # noqa: BLE001  (the dispatcher had it in its hands)
        return None


def time_to_read(shop: Database) -> float:
    """Return the seconds that a script's query for stock and prices takes on this very shop."""
    started = perf_counter()
    shop.stock()
    return perf_counter() - started


def record(
    result: LoopResult,
    seconds: float,
    model: Model,
    tools: Dispatcher,
    shop: Database,
    script_read: float,
) -> Record:
    """Put down what one loop came to."""
    return {
        **no_record(result.status, result.error),
        "model": describe(model),
        "seconds": seconds,
        "model_calls": result.model_calls,
        "tool_calls": result.tool_calls,
        "output_tokens": result.output_tokens,
        "prompt_tokens": _total(result, "prompt_tokens"),
        "cached_tokens": _total(result, "cached_tokens"),
        "estimated_cost_pence": result.estimated_cost_pence,
        "answer": result.answer,
        "transcript": result.messages,
        "steps": result.steps,
        "allowed": sorted(tools.allowed),
        "database": shop.counts(),
        "spans": {"agent": span(result, seconds), "script": {"acquire": script_read}},
    }


def no_record(status: str, error: str | None) -> Record:
    """Put down an attempt of which only its end is known; what is unknown is None."""
    return {
        "model": {"adapter": None, "name": None, "reasoning_effort": None, "environment": None},
        "loop_status": status,
        "error": error,
        **dict.fromkeys(UNKNOWN),
        "transcript": [],
        "steps": [],
        "allowed": [],
        "spans": {"agent": None, "script": None},
    }


def describe(model: Model) -> dict[str, Any]:
    """Return what a model says of itself, as far as that is plain data.

    Its `environment` is a mapping or None: anything else stands in one, under `said`.
    """
    said: dict[str, Any] = {}
    for name in ("adapter", "name", "reasoning_effort", "environment"):
        try:
            value = type(model).__name__ if name == "adapter" else getattr(model, name, None)
            told = plain.dumps(value)
            said[name] = json.loads(told) if len(told) <= MOST_SAID else "(too long to keep)"
        except Exception as error:  # noqa: BLE001  (it is the candidate's own code)
            said[name] = plain.reason(error)
    if not isinstance(said["environment"], dict | None):
        said["environment"] = {"said": said["environment"]}
    return said


def span(result: LoopResult, seconds: float) -> dict[str, float]:
    """Time the agent's three stages in seconds: reading the stock, all else, writing it down."""
    acquire = sum(step["seconds"] for step in result.steps if step.get("name") in ACQUIRING_TOOLS)
    started = perf_counter()
    draft_summary(result.messages)
    return {
        "acquire": acquire,
        "decide": seconds - acquire,
        "deliver": perf_counter() - started,
    }


def _total(result: LoopResult, name: str) -> int | None:
    counts = [step[name] for step in result.steps if name in step]
    return None if not counts or None in counts else sum(counts)
