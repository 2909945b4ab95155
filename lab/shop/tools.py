"""What the agent may do: look, ask a price, draft. Nothing here buys or crashes."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lab import plain
from lab.shop.database import Database
from lab.shop.models import Schema, ToolCall

Observation = dict[str, Any]
"""What a tool call came to: `{"ok": True, "value": ...}` or `{"ok": False, "error": "..."}`."""


class Arguments(BaseModel):
    """Base of every tool's arguments: exact types, nothing extra."""

    model_config = ConfigDict(strict=True, extra="forbid")


@dataclass(frozen=True)
class Tool:
    """One operation: its name, what the model is told of it, its arguments, what it does.

    `handler` gets the validated arguments and returns plain data; what it raises is told to the
    model as an error.
    """

    name: str
    description: str
    arguments: type[Arguments]
    handler: Callable[[Any], plain.Plain]


class ToolRefusal(Exception):
    """A tool's own no, with the reason the model is told."""


class Dispatcher:
    """Runs tool calls for a model and turns everything that can go wrong into an observation.

    `allowed` names the operations on the allow-list; without it every tool given is on it. A
    model sees the allowed tools only.
    """

    def __init__(self, tools: Iterable[Tool], *, allowed: Iterable[str] | None = None) -> None:
        self.tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        self.allowed = frozenset(self._by_name if allowed is None else allowed)

    def schemas(self) -> list[Schema]:
        """Return fresh OpenAI-shaped declarations of the allowed tools."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": json.loads(_parameters(tool.arguments)),
                },
            }
            for tool in self.tools
            if tool.name in self.allowed
        ]

    def invoke(self, call: ToolCall) -> Observation:
        """Run one call and return its observation; no call raises."""
        if call.name not in self.allowed or call.name not in self._by_name:
            return _refused(f"there is no tool {plain.show(call.name)}")
        tool = self._by_name[call.name]
        try:
            value = tool.handler(tool.arguments.model_validate(dict(call.arguments)))
            return {"ok": True, "value": json.loads(plain.dumps(value))}
        except ValidationError as error:
            return _refused(f"invalid arguments: {_first_problem(error)}")
        except ToolRefusal as error:
            return _refused(str(error))
        except Exception as error:  # noqa: BLE001  (a broken tool is something the agent observes)
            return _refused(plain.reason(error))


@cache
def _parameters(arguments: type[Arguments]) -> str:
    return json.dumps(arguments.model_json_schema())


def _refused(error: str) -> Observation:
    return {"ok": False, "error": plain.shorten(error)}


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}"


class NoArguments(Arguments):
    pass


class SkuArguments(Arguments):
    sku: Annotated[str, Field(description="SKU as list_stock gives it")]


class DraftArguments(SkuArguments):
    quantity: Annotated[int, Field(ge=1, le=1000, description="tubs to draft")]


def shop_dispatcher(database: Database) -> Dispatcher:
    """Return Lucy's three tools over one shop."""

    def list_stock(_: NoArguments) -> list[dict[str, Any]]:
        return [
            {
                "sku": sku,
                "on_hand": on_hand,
                "reserved": reserved,
                "reorder_point": reorder_point,
                "needed": _needed(on_hand, reserved, reorder_point),
            }
            for sku, on_hand, reserved, reorder_point, _ in database.stock()
        ]

    def supplier(arguments: SkuArguments) -> dict[str, Any]:
        _, _, _, _, price = _product(database, arguments.sku)
        return {"sku": arguments.sku, "unit_price_pence": price, "currency": "GBP"}

    def draft_order(arguments: DraftArguments) -> dict[str, Any]:
        _, on_hand, reserved, reorder_point, price = _product(database, arguments.sku)
        needed = _needed(on_hand, reserved, reorder_point)
        if arguments.quantity != needed:
            raise ToolRefusal(f"{arguments.sku} needs {needed} tubs now, not {arguments.quantity}")
        return {
            "sku": arguments.sku,
            "quantity": arguments.quantity,
            "total_pence": arguments.quantity * price,
            "currency": "GBP",
            "status": "DRAFT",
        }

    return Dispatcher(
        (
            Tool(
                "list_stock",
                "List every product: tubs on hand, reserved, its reorder point, tubs needed now.",
                NoArguments,
                list_stock,
            ),
            Tool("supplier", "Look up a product's unit price in pence.", SkuArguments, supplier),
            Tool(
                "draft_order",
                "Draft a replenishment of one product for Lucy to look at. It buys nothing.",
                DraftArguments,
                draft_order,
            ),
        )
    )


def _needed(on_hand: int, reserved: int, reorder_point: int) -> int:
    return max(0, reorder_point - (on_hand - reserved))


def _product(database: Database, sku: str) -> tuple[str, int, int, int, int]:
    row = database.product(sku)
    if row is None:
        raise ToolRefusal(f"no product has the SKU {plain.show(sku)}")
    return row
