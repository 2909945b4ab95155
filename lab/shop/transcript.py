"""Reading a transcript back: what was requested, what was observed, what was really drafted."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lab.shop.models import Message


class Request(NamedTuple):
    """One requested operation, whether or not it was carried out."""

    id: str
    name: str
    arguments: dict[str, Any]


class Drafted(NamedTuple):
    """One draft that the shop accepted: tubs, and what they cost in pence GBP."""

    sku: str
    quantity: int
    total_pence: int


DRAFT_FIELDS = frozenset(Drafted._fields)


def requests(messages: Iterable[Message]) -> Iterator[Request]:
    """Yield every operation the agent asked for, in order, refused ones included."""
    for message in messages:
        for call in message.get("tool_calls", ()):
            function = call["function"]
            yield Request(call["id"], function["name"], json.loads(function["arguments"]))


def observations(messages: Iterable[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each operation that was answered, with its observation."""
    names: dict[str, str] = {}
    for message in messages:
        for call in message.get("tool_calls", ()):
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "tool":
            yield names[message["tool_call_id"]], json.loads(message["content"])


def drafts(observed: Iterable[tuple[str, dict[str, Any]]]) -> list[Drafted]:
    """Return each SKU's latest accepted draft among observations, SKUs as first drafted."""
    latest: dict[str, Drafted] = {}
    for name, observation in observed:
        value = observation.get("value")
        if name == "draft_order" and isinstance(value, dict) and set(value) >= DRAFT_FIELDS:
            latest[str(value["sku"])] = Drafted(*(value[field] for field in Drafted._fields))
    return list(latest.values())


def render(drafted: Iterable[Drafted]) -> str:
    """Return the drafts as plain lines for a person."""
    lines = [f"{sku}: {quantity} tubs, {total} pence GBP" for sku, quantity, total in drafted]
    return "\n".join(lines) or "no draft was made"


def draft_summary(messages: Iterable[Message]) -> str:
    """Return what the shop really drafted, to be read beside what the model says it did."""
    return render(drafts(observations(messages)))
