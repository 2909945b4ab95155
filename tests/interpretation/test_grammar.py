"""The rule to beat: what it understands, and what it is known not to."""

from typing import Any

import pytest

from lab.interpretation import Decision, keyword_decision

V = {"sku": "V", "name": "vanilla"}
C = {"sku": "SC", "name": "Salted caramel"}


@pytest.mark.parametrize(
    ("request_", "action", "sku"),
    [
        ("What is the stock of vanilla?", "stock", "V"),
        ("HOW MANY TUBS OF VANILLA?", "stock", "V"),
        ("Propose vanilla.", "draft", "V"),
        ("Draft vanilla and report the stock.", "draft", "V"),
        ("Pay for vanilla.", "refuse", None),
        ("Buy anything you like.", "refuse", None),
        ("Don't buy vanilla.", "clarify", None),
        ("Don’t buy; draft vanilla.", "draft", "V"),
        ("Without an order, draft vanilla.", "draft", "V"),
        ("No draft, please. Vanilla stock.", "stock", "V"),
        ("Do not report the mango; report vanilla.", "stock", "V"),
        ("Draft salted caramel.", "draft", "SC"),
        ("Draft vanilla and salted caramel.", "clarify", None),
        ("Draft caramel.", "clarify", None),
        ("Vanilla!", "clarify", None),
        ("", "clarify", None),
        # What it is known not to understand:
        ("He said 'buy now'. Vanilla stock?", "refuse", None),
        ("In no way did I mean that you should buy vanilla.", "refuse", None),
        ("Vanillas: how many?", "clarify", None),
    ],
)
def test_words_alone(request_: str, action: Any, sku: str | None) -> None:
    found = keyword_decision({"request": request_, "catalog": [V, C]})
    assert found == Decision(action=action, sku=sku)


@pytest.mark.parametrize("name", ["choc-chip", "7up", "crème brûlée", "Ben’s", "vanilla"])
def test_any_product_can_be_named(name: str) -> None:
    found = keyword_decision(
        {"request": f"Report the stock of {name.upper()}.", "catalog": [{"sku": "X", "name": name}]}
    )
    assert found == Decision(action="stock", sku="X")


def test_a_catalogue_of_one_names_no_product() -> None:
    found = keyword_decision({"request": "Draft a replenishment of it.", "catalog": [V]})
    assert found == Decision(action="clarify")
