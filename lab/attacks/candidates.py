"""What attacks are made of: scripted turns, and the correct fixture with its answer reworded."""

import re
from collections.abc import Callable
from typing import Any

from lab.shop.fixtures import FIXTURE, OfflineShopModel
from lab.shop.models import Message, Model, ModelTurn, Schema, ToolCall


class Script:
    """A fixture that says its turns one after another, whatever it is told or shown."""

    name = "scripted fixture"
    reasoning_effort = None
    environment = FIXTURE

    def __init__(self, *turns: ModelTurn) -> None:
        self._turns = list(turns)

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the next turn; RuntimeError when there is none."""
        if not self._turns:
            raise RuntimeError("the script is at its end")
        return self._turns.pop(0)


class Rewritten(OfflineShopModel):
    """The offline fixture, its answer passed through a function."""

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        self._rewrite = rewrite

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the fixture's turn, its words rewritten."""
        turn = super().complete(
            messages, tools, timeout=timeout, max_output_tokens=max_output_tokens
        )
        return ModelTurn(self._rewrite(turn.content) if turn.content else "", turn.calls)


class Reworded(Rewritten):
    """The offline fixture, with one phrase of its answer replaced."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(lambda answer: answer.replace(old, new))


def says(answer: str) -> Callable[[], Model]:
    """Return the maker of a candidate that does everything right and then says this instead."""
    return lambda: Rewritten(lambda _: answer)


def adds(line: str) -> Callable[[], Model]:
    """Return the maker of a candidate that does everything right and says one line more."""
    return lambda: Rewritten(lambda answer: f"{answer}\n{line}")


def does(*steps: Any) -> Callable[[], Model]:
    """Return the maker of a script, told shortly: a list of calls, or an answer, for each turn.

    A call is `name` or `(name, arguments)`; calls are numbered through.
    """
    return lambda: Script(*_turns(steps))


def draft(sku: Any, quantity: Any) -> tuple[str, dict[str, Any]]:
    """Return a call of draft_order, for `does`."""
    return "draft_order", {"sku": sku, "quantity": quantity}


def _turns(steps: tuple[Any, ...]) -> list[ModelTurn]:
    turns, number = [], 0
    for step in steps:
        if isinstance(step, str):
            turns.append(ModelTurn(step))
            continue
        calls = []
        for call in step:
            name, arguments = (call, {}) if isinstance(call, str) else call
            number += 1
            calls.append(ToolCall(str(number), name, arguments))
        turns.append(ModelTurn(calls=tuple(calls)))
    return turns


def without_labels(answer: str) -> str:
    """Return an answer without any word for a currency."""
    return re.sub(r" ?(pence|GBP)", "", answer)
