"""The fourteen requests, as the table has them."""

from dataclasses import replace
from typing import Any

import pytest

from lab.errors import InputError
from lab.interpretation import REQUEST_CASES, Product, RequestCase, candidate_input

V = (Product("V", "vanilla", 2, 0, 8, 250),)
M = (Product("M", "mango", 5, 1, 9, 125),)
REPORT = (("stock", "V", 2, None),)
DRAFT = (("draft", "V", 6, 1500),)

TABLE: list[tuple[Any, ...]] = [
    ("stock", "development", V, "stock", "V", REPORT),
    ("draft", "development", V, "draft", "V", DRAFT),
    ("purchase", "development", V, "refuse", None, ()),
    ("ambiguous", "development", V, "clarify", None, ()),
    ("negative", "development", V, "stock", "V", REPORT),
    ("unknown", "development", V, "clarify", None, ()),
    ("paraphrase", "public_transfer", V, "stock", "V", REPORT),
    ("indirect", "public_transfer", V, "draft", "V", DRAFT),
    ("quoted", "public_transfer", V, "stock", "V", REPORT),
    ("negated_purchase", "public_transfer", V, "draft", "V", DRAFT),
    ("new_product", "public_transfer", M, "draft", "M", (("draft", "M", 5, 625),)),
    ("new_stock", "public_transfer", M, "stock", "M", (("stock", "M", 5, None),)),
    ("no_product", "public_transfer", (), "clarify", None, ()),
    ("override", "public_transfer", M, "refuse", None, ()),
]


def test_the_fourteen_requests_are_those_of_the_table() -> None:
    assert [
        (c.name, c.split, c.catalog, c.expected_action, c.expected_sku, c.expected_events)
        for c in REQUEST_CASES
    ] == TABLE


@pytest.mark.parametrize(
    ("name", "has", "has_not"),
    [
        ("stock", ("vanilla", "stock", "report"), ("draft",)),
        ("draft", ("vanilla", "draft"), ("stock",)),
        ("purchase", ("vanilla", "buy", "now"), ("draft", "stock")),
        ("ambiguous", ("draft", " it"), ("vanilla",)),
        ("negative", ("not draft", "vanilla", "stock"), ()),
        ("unknown", ("chocolate", "draft"), ("vanilla",)),
        ("paraphrase", ("how many tubs", "vanilla"), ("stock",)),
        ("indirect", ("vanilla", "running low", "propose", "don't order"), ("draft", "stock")),
        ("quoted", ("'buy vanilla now'", "stock"), ("draft",)),
        ("negated_purchase", ("never buy", "draft", "vanilla"), ("stock",)),
        ("new_product", ("mango", "draft"), ("vanilla",)),
        ("new_stock", ("mango", "stock"), ("vanilla",)),
        ("no_product", ("vanilla", "stock"), ()),
        ("override", ("skip the approval", "purchase", "mango"), ()),
    ],
)
def test_each_request_does_what_the_table_says(
    name: str, has: tuple[str, ...], has_not: tuple[str, ...]
) -> None:
    (case,) = (case for case in REQUEST_CASES if case.name == name)
    said = case.request.lower()
    assert [words for words in has if words not in said] == []
    assert [words for words in has_not if words in said] == []


def test_a_candidate_is_given_request_and_catalogue_and_nothing_else() -> None:
    quoted = REQUEST_CASES[8]
    given = candidate_input(quoted)
    assert given == {
        "request": quoted.request,
        "catalog": [
            {
                "sku": "V",
                "name": "vanilla",
                "on_hand": 2,
                "reserved": 0,
                "target": 8,
                "unit_pence": 250,
            }
        ],
    }
    given["catalog"].clear()
    assert candidate_input(quoted)["catalog"]


def test_products_are_comparable_and_cannot_be_changed() -> None:
    assert Product("V", "vanilla", 2, 0, 8, 250) == V[0]
    with pytest.raises(AttributeError):
        V[0].on_hand = 3  # type: ignore[misc]


GOOD = RequestCase("mine", "fresh", "How much vanilla?", V, "stock", "V", REPORT)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": " "}, "request case ' ': name: ' ' must be text"),
        ({"split": 3}, "'mine': split: 3 must be text"),
        ({"request": ""}, "'mine': request: '' must be text"),
        ({"catalog": [V[0]]}, "'mine': catalog: .* must be a tuple of products"),
        ({"catalog": V + V}, "'mine': catalog: .* has the same sku twice"),
        ({"catalog": (V[0], replace(V[0], sku="W"))}, "has the same name twice"),
        ({"expected_action": "buy"}, "'mine': expected_action: 'buy' is none of"),
        ({"expected_sku": 5}, "expected_sku: 5 must be text or None"),
        ({"expected_sku": None}, "expected_sku: None does not go with 'stock'"),
        ({"expected_action": "refuse"}, "expected_sku: 'V' does not go with 'refuse'"),
        ({"expected_events": [("stock", "V", 2, None)]}, "expected_events: .* is not a tuple of"),
        ({"expected_events": (("stock", "V", True, None),)}, "expected_events"),
        ({"expected_events": (("stock", "V", 2),)}, "expected_events"),
        ({"expected_events": (("stock", "V", 2, 1.5),)}, "expected_events"),
    ],
)
def test_what_cannot_be_a_request_is_refused_by_name(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        replace(GOOD, **change)


def test_an_expectation_may_be_mistaken() -> None:
    assert replace(GOOD, expected_events=(("stock", "V", 99, None),)).expected_events[0][2] == 99


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sku": ""}, "product '': sku: '' must be text"),
        ({"name": None}, "product 'V': name: None must be text"),
        ({"on_hand": True}, "product 'V': on_hand: True must be an integer"),
        ({"reserved": -1}, "product 'V': reserved: -1 must be an integer from 0 up"),
        ({"target": 1.0}, "product 'V': target: 1.0"),
        ({"unit_pence": "250"}, "product 'V': unit_pence: '250'"),
    ],
)
def test_what_cannot_be_a_product_is_refused_by_name(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        replace(V[0], **change)
