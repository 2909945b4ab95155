"""Lucy's three tools, and that nothing a model asks can crash them."""

from typing import Any

import pytest

from lab.shop.database import Database
from lab.shop.models import ToolCall
from lab.shop.tools import Arguments, Dispatcher, Tool, shop_dispatcher

STOCK = (("V", 2, 0, 8, 250), ("X", 3, 7, 4, 125), ("Y", 9, 0, 9, 10))


@pytest.fixture
def tools() -> Any:
    with Database.fresh(STOCK) as shop:
        yield shop_dispatcher(shop)


def invoke(tools: Dispatcher, name: str, **arguments: Any) -> dict[str, Any]:
    return tools.invoke(ToolCall("1", name, arguments))


def test_list_stock_says_what_is_needed(tools: Dispatcher) -> None:
    assert invoke(tools, "list_stock") == {
        "ok": True,
        "value": [
            {"sku": "V", "on_hand": 2, "reserved": 0, "reorder_point": 8, "needed": 6},
            {"sku": "X", "on_hand": 3, "reserved": 7, "reorder_point": 4, "needed": 8},
            {"sku": "Y", "on_hand": 9, "reserved": 0, "reorder_point": 9, "needed": 0},
        ],
    }


def test_supplier_gives_the_price_in_pence(tools: Dispatcher) -> None:
    assert invoke(tools, "supplier", sku="V") == {
        "ok": True,
        "value": {"sku": "V", "unit_price_pence": 250, "currency": "GBP"},
    }


def test_draft_order_returns_the_total_and_buys_nothing(tools: Dispatcher) -> None:
    assert invoke(tools, "draft_order", sku="X", quantity=8) == {
        "ok": True,
        "value": {
            "sku": "X",
            "quantity": 8,
            "total_pence": 1000,
            "currency": "GBP",
            "status": "DRAFT",
        },
    }


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("draft_order", {"sku": "V", "quantity": 5}, "V needs 6 tubs now, not 5"),
        ("draft_order", {"sku": "Y", "quantity": 1}, "Y needs 0 tubs now, not 1"),
        ("draft_order", {"sku": "Z", "quantity": 1}, "no product has the SKU 'Z'"),
        ("draft_order", {"sku": "V", "quantity": "6"}, "invalid arguments: quantity"),
        ("draft_order", {"sku": "V", "quantity": True}, "invalid arguments: quantity"),
        ("draft_order", {"sku": "V", "quantity": 6.0}, "invalid arguments: quantity"),
        ("draft_order", {"sku": "V", "quantity": 0}, "invalid arguments: quantity"),
        ("draft_order", {"sku": "V", "quantity": 1001}, "invalid arguments: quantity"),
        ("draft_order", {"sku": None, "quantity": 6}, "invalid arguments: sku"),
        ("draft_order", {"sku": "V"}, "invalid arguments: quantity"),
        ("draft_order", {"sku": "V", "quantity": 6, "now": 1}, "invalid arguments: now"),
        ("draft_order", {"sku": "V", "quantity": 10**400}, "invalid arguments: quantity"),
        ("supplier", {"sku": "\ud800"}, "no product has the SKU '\\ud800'"),
        ("supplier", {"sku": "V' OR '1'='1"}, "no product has the SKU"),
        ("list_stock", {"sku": "V"}, "invalid arguments: sku"),
        ("approve", {}, "there is no tool 'approve'"),
        ("__init__", {}, "there is no tool '__init__'"),
    ],
)
def test_a_bad_call_is_an_observation(
    tools: Dispatcher, name: str, arguments: dict[str, Any], said: str
) -> None:
    observation = invoke(tools, name, **arguments)
    assert observation["ok"] is False
    assert set(observation) == {"ok", "error"}
    assert said in observation["error"]


class NoArguments(Arguments):
    pass


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda _: float("nan"), "ValueError"),
        (lambda _: object(), "TypeError"),
    ],
)
def test_a_broken_handler_is_an_observation_too(handler: Any, said: str) -> None:
    observation = invoke(Dispatcher([Tool("bad", "Bad.", NoArguments, handler)]), "bad")
    assert observation["ok"] is False
    assert observation["error"].startswith(said)


def test_the_allow_list_hides_and_refuses(tools: Dispatcher) -> None:
    fewer = Dispatcher(tools.tools, allowed=["list_stock"])
    assert [schema["function"]["name"] for schema in fewer.schemas()] == ["list_stock"]
    assert invoke(fewer, "supplier", sku="V") == {
        "ok": False,
        "error": "there is no tool 'supplier'",
    }


def test_schemas_are_fresh_and_of_the_usual_shape(tools: Dispatcher) -> None:
    tools.schemas()[2]["function"]["parameters"].clear()
    draft = tools.schemas()[2]
    assert draft["type"] == "function"
    parameters = draft["function"]["parameters"]
    assert parameters["required"] == ["sku", "quantity"]
    assert parameters["additionalProperties"] is False
    assert parameters["properties"]["quantity"]["maximum"] == 1000
