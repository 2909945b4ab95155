"""The agent's loop: ask the model, run what it requests, until it answers or a limit is met."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any, Literal

from lab import plain
from lab.errors import InputError
from lab.shop.models import Message, Model, ModelError, ToolCall
from lab.shop.tools import Dispatcher
from lab.shop.turns import read_turn, to_wire

Status = Literal[
    "COMPLETED",
    "EMPTY_REPLY",
    "MODEL_FAILED",
    "TIME_LIMIT",
    "CONTEXT_LIMIT",
    "TOKEN_LIMIT",
    "MODEL_CALL_LIMIT",
    "TOOL_LIMIT",
    "MODEL_COST_LIMIT",
    "INVALID_USAGE",
    "REPEATED_CALL_ID",
    "STOP_REQUESTED",
    "CANDIDATE_ERROR",
]

LARGEST_COUNT = 2**53
CLOCK_SLACK_SECONDS = 0.05
"""A time-out that fires this little before the deadline still used up the time."""


@dataclass(frozen=True)
class Limits:
    """Bounds on one attempt. Raises ValueError unless all are positive and finite.

    Everything is an integer but `seconds`. `output_tokens` bounds one turn and
    `total_output_tokens` all of them. `estimated_call_pence` is what one call is reckoned to
    cost and may be 0, which is an estimate too, not a promise of free operation.
    """

    model_calls: int = 8
    tool_calls: int = 16
    seconds: float = 60
    context_bytes: int = 32_768
    output_tokens: int = 1_024
    total_output_tokens: int = 4_096
    estimated_call_pence: int = 0
    model_budget_pence: int = 100

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            kinds = (int, float) if each.name == "seconds" else (int,)
            if type(value) not in kinds or not value <= LARGEST_COUNT:
                told = f"{plain.show(value)} is not a number of its kind, or too large"
                raise InputError(f"limits: {each.name}: {told}")
            if value < 0 or (value == 0 and each.name != "estimated_call_pence"):
                raise InputError(f"limits: {each.name}: {value!r} is not positive")


@dataclass(frozen=True)
class LoopResult:
    """How a loop ended, and everything that was said on the way.

    `answer` is None unless the model gave one; `output_tokens` is None when any call left its
    usage unknown. `steps` times each model call and tool execution, in seconds.
    """

    status: Status
    answer: str | None
    messages: list[Message]
    model_calls: int
    tool_calls: int
    output_tokens: int | None
    estimated_cost_pence: int
    error: str | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)


def run_loop(
    model: Model,
    dispatcher: Dispatcher,
    messages: Iterable[Message],
    *,
    limits: Limits | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> LoopResult:
    """Run one conversation to its end; whatever the model does, a result comes back.

    The model gets copies of messages and tools. Its own Python cannot be interrupted: a
    `complete` that never returns is outside what a loop can end.
    """
    loop = _Loop(model, dispatcher, list(messages), limits or Limits(), should_stop)
    try:
        while True:
            loop.check_limits()
            loop.execute(loop.ask())
    except _Ended as end:
        return loop.result(end.status, end.error)


class _Ended(Exception):
    def __init__(self, status: Status, error: str | None = None) -> None:
        self.status = status
        self.error = error


class _Loop:
    def __init__(
        self,
        model: Model,
        dispatcher: Dispatcher,
        messages: list[Message],
        limits: Limits,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self.model = model
        self.dispatcher = dispatcher
        self.limits = limits
        self.should_stop = should_stop
        self.deadline = perf_counter() + limits.seconds
        self.tools = to_wire(dispatcher.schemas())
        self.messages: list[Message] = []
        self.wires: list[str] = []
        self.context_bytes = len(self.tools.encode("utf-8", "surrogatepass"))
        self.answer: str | None = None
        self.usage: list[int | None] = []
        self.call_ids: set[str] = set()
        self.tool_calls = 0
        self.steps: list[dict[str, Any]] = []
        for message in messages:
            wire = to_wire(message)
            self.keep(json.loads(wire), wire)

    def keep(self, message: Message, wire: str) -> None:
        """Add a message to the transcript, and its JSON, of which the model gets a copy."""
        self.messages.append(message)
        self.wires.append(wire)
        self.context_bytes += len(wire.encode("utf-8", "surrogatepass")) + 1

    def seconds_left(self) -> float:
        return self.deadline - perf_counter()

    def tokens_used(self) -> int:
        return sum(tokens for tokens in self.usage if tokens is not None)

    def check_limits(self) -> None:
        """End the loop where one more model call would pass a limit."""
        limits, calls = self.limits, len(self.usage)
        if self.should_stop is not None and self.should_stop():
            raise _Ended("STOP_REQUESTED")
        self.check_time()
        if calls >= limits.model_calls:
            raise _Ended("MODEL_CALL_LIMIT", f"{limits.model_calls} model calls were allowed")
        if (calls + 1) * limits.estimated_call_pence > limits.model_budget_pence:
            raise _Ended("MODEL_COST_LIMIT", f"{limits.model_budget_pence} pence were allowed")
        if self.tokens_used() >= limits.total_output_tokens:
            raise _Ended("TOKEN_LIMIT", f"{limits.total_output_tokens} tokens were allowed")
        if self.context_bytes > limits.context_bytes:
            raise _Ended(
                "CONTEXT_LIMIT", f"{self.context_bytes} bytes, {limits.context_bytes} were allowed"
            )

    def check_time(self) -> None:
        if self.seconds_left() <= 0:
            raise _Ended("TIME_LIMIT", f"{self.limits.seconds} seconds were allowed")

    def ask(self) -> list[ToolCall]:
        """Get one turn, keep it, and return the calls it requests."""
        allowed = min(
            self.limits.output_tokens, self.limits.total_output_tokens - self.tokens_used()
        )
        step = {"kind": "model", "seconds": 0.0}
        self.steps.append(step)
        self.usage.append(None)
        started = perf_counter()
        try:
            turn = self.model.complete(
                json.loads(f"[{','.join(self.wires)}]"),
                json.loads(self.tools),
                timeout=self.seconds_left(),
                max_output_tokens=allowed,
            )
            message, wire = read_turn(turn)
            usage = (turn.output_tokens, turn.prompt_tokens, turn.cached_tokens)
            is_cut_off = turn.truncated is not False
        except TimeoutError as error:
            if self.seconds_left() <= CLOCK_SLACK_SECONDS:
                raise _Ended("TIME_LIMIT", plain.reason(error)) from None
            raise _Ended("MODEL_FAILED", plain.reason(error)) from None
        except ModelError as error:
            raise _Ended("MODEL_FAILED", plain.reason(error)) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  (a candidate may even call sys.exit)
            raise _Ended("CANDIDATE_ERROR", plain.reason(error)) from None
        finally:
            step["seconds"] = perf_counter() - started
        self.keep(message, wire)
        self.account(step, allowed, *usage)
        self.check_time()
        if is_cut_off:
            raise _Ended("TOKEN_LIMIT", f"the reply was cut off, {allowed} tokens were allowed")
        return self.settle(message)

    def account(self, step: dict[str, Any], allowed: int, *usage: Any) -> None:
        """Keep what the server reported; end the loop where it cannot be true."""
        output, *prompt_side = usage
        if output is not None and not (_is_count(output) and output <= allowed):
            raise _Ended("INVALID_USAGE", f"{plain.show(output)} of {allowed} output tokens")
        self.usage[-1] = output
        step["output_tokens"] = output
        for name, count in zip(("prompt_tokens", "cached_tokens"), prompt_side, strict=True):
            step[name] = count if _is_count(count) else None

    def settle(self, message: Message) -> list[ToolCall]:
        """Return the requested calls; end the loop on an answer, silence or an id used again."""
        calls = [
            ToolCall(
                call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])
            )
            for call in message.get("tool_calls", ())
        ]
        if not calls:
            self.answer = message["content"]
            raise _Ended("COMPLETED" if self.answer.strip() else "EMPTY_REPLY")
        for call in calls:
            if call.id in self.call_ids:
                raise _Ended("REPEATED_CALL_ID", f"call id {plain.show(call.id)}")
            self.call_ids.add(call.id)
        return calls

    def execute(self, calls: list[ToolCall]) -> None:
        """Run the requested operations in order, each within the limits."""
        for call in calls:
            if self.tool_calls >= self.limits.tool_calls:
                raise _Ended("TOOL_LIMIT", f"{self.limits.tool_calls} tool calls were allowed")
            self.check_time()
            self.tool_calls += 1
            started = perf_counter()
            observation = self.dispatcher.invoke(call)
            self.steps.append(
                {"kind": "tool", "name": call.name, "seconds": perf_counter() - started}
            )
            content = plain.dumps(observation)
            message = {"role": "tool", "tool_call_id": call.id, "content": content}
            self.keep(message, to_wire(message))

    def result(self, status: Status, error: str | None) -> LoopResult:
        return LoopResult(
            status=status,
            answer=self.answer,
            messages=self.messages,
            model_calls=len(self.usage),
            tool_calls=self.tool_calls,
            output_tokens=None if None in self.usage else self.tokens_used(),
            estimated_cost_pence=len(self.usage) * self.limits.estimated_call_pence,
            error=error,
            steps=self.steps,
        )


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_COUNT
