"""Shape first, then meaning, then the arithmetic."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lab.errors import InputError
from lab.interpretation import (
    ACTIONS,
    Decision,
    MeaningError,
    Product,
    form_decision,
    fulfill,
    parse_decision,
)

V = Product("V", "vanilla", 2, 0, 8, 250)
M = Product("M", "mango", 5, 1, 9, 125)


def test_a_decision_dumps_its_action_first() -> None:
    decision = Decision(action="draft", sku="V")
    assert decision.model_dump_json() == '{"action":"draft","sku":"V"}'
    assert list(decision.model_dump()) == ["action", "sku"]
    assert Decision(action="refuse").sku is None


def test_well_formed_replies() -> None:
    assert parse_decision('{"action":"stock","sku":"V"}', [V]) == Decision(action="stock", sku="V")
    assert parse_decision(' {"sku": null, "action": "refuse"}\n', [V]).action == "refuse"
    assert parse_decision('{"action":"clarify"}', ()).sku is None


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "Sure! The stock of vanilla is 2.",
        '```json\n{"action":"stock","sku":"V"}\n```',
        '{"action":"stock","sku":"V"} {"action":"stock","sku":"V"}',
        '{"action":"stock","sku":"V"} done',
        '[{"action":"stock","sku":"V"}]',
        '{"action":"stock reports physical stock","sku":"V"}',
        '{"action":"Stock","sku":"V"}',
        '{"action":"buy","sku":"V"}',
        '{"action":"stock","sku":1}',
        '{"action":"stock","sku":["V"]}',
        '{"action":true,"sku":"V"}',
        '{"action":"stock","sku":"V","quantity":6}',
        '{"sku":"V"}',
        '{"action":"stock","sku":"V',
        "null",
        "NaN",
        "[" * 5000,
    ],
)
def test_a_reply_of_another_shape_is_a_validation_error(raw: str) -> None:
    with pytest.raises(ValidationError):
        parse_decision(raw, [V])


def test_a_key_that_stands_twice_decides_nothing() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        parse_decision('{"action":"draft","action":"stock","sku":"V"}', [V])


@pytest.mark.parametrize(
    "raw",
    [
        '{"action":"stock","sku":"v"}',
        '{"action":"stock","sku":"V "}',
        '{"action":"draft","sku":"chocolate"}',
        '{"action":"draft","sku":null}',
        '{"action":"stock"}',
        '{"action":"clarify","sku":"V"}',
        '{"action":"refuse","sku":""}',
    ],
)
def test_a_decision_that_means_nothing_here_is_a_meaning_error(raw: str) -> None:
    with pytest.raises(MeaningError):
        parse_decision(raw, [V])


def test_only_text_is_a_reply() -> None:
    for raw in (None, b'{"action":"clarify"}', {"action": "clarify"}):
        with pytest.raises(TypeError, match="a reply is text"):
            parse_decision(raw, [V])  # type: ignore[arg-type]


@given(st.text() | st.dictionaries(st.text(), st.text()).map(str))
def test_whatever_is_said_comes_out_as_a_decision_or_a_value_error(raw: str) -> None:
    try:
        decision = parse_decision(raw, [V])
    except ValueError:
        return
    assert decision.action in ACTIONS


def test_the_arithmetic() -> None:
    assert fulfill(Decision(action="stock", sku="V"), [V, M]) == (("stock", "V", 2, None),)
    assert fulfill(Decision(action="draft", sku="V"), [V, M]) == (("draft", "V", 6, 1500),)
    assert fulfill(Decision(action="stock", sku="M"), [V, M]) == (("stock", "M", 5, None),)
    assert fulfill(Decision(action="draft", sku="M"), [V, M]) == (("draft", "M", 5, 625),)
    assert fulfill(Decision(action="clarify"), [V]) == ()
    assert fulfill(Decision(action="refuse"), [V]) == ()


def test_a_draft_of_nothing_is_no_draft() -> None:
    assert fulfill(Decision(action="draft", sku="F"), [Product("F", "fig", 9, 1, 8, 100)]) == ()
    one = fulfill(Decision(action="draft", sku="F"), [Product("F", "fig", 2, 3, 0, 100)])
    assert one == (("draft", "F", 1, 100),)


def test_no_event_comes_of_a_product_that_is_not_there() -> None:
    with pytest.raises(MeaningError):
        fulfill(Decision(action="draft", sku="V"), [M])


@pytest.mark.parametrize(
    ("action", "product", "decision"),
    [
        ("stock", "vanilla", ("stock", "V")),
        ("draft", "Vanilla ", ("draft", "V")),
        ("draft", "m", ("draft", "M")),
        ("clarify", None, ("clarify", None)),
        ("refuse", "", ("refuse", None)),
    ],
)
def test_a_form_needs_no_interpretation(
    action: str, product: str | None, decision: tuple[str, Any]
) -> None:
    found = form_decision(action, product, [V, M])
    assert (found.action, found.sku) == decision


@pytest.mark.parametrize(
    ("action", "product", "told"),
    [
        ("buy", "vanilla", "form: action: 'buy': choose stock, draft, clarify or refuse"),
        ("stock", "chocolate", "form: product: 'chocolate': the products are vanilla .V., mango"),
        ("draft", None, "draft of SKU None.*choose the product with stock and draft only"),
        ("refuse", "vanilla", "refuse has no product.*choose the product"),
    ],
)
def test_what_a_form_cannot_mean_is_told_to_the_person(
    action: str, product: str | None, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        form_decision(action, product, [V, M])


def test_a_form_chooses_exactly_before_it_chooses_nearly() -> None:
    upper, lower = Product("x", "Vanilla", 1, 0, 2, 3), Product("y", "vanilla", 1, 0, 2, 3)
    assert form_decision("stock", "Vanilla", [upper, lower]).sku == "x"
    assert form_decision("stock", "vanilla", [upper, lower]).sku == "y"
    with pytest.raises(InputError, match=r"'VANILLA': the products are Vanilla .x., vanilla .y."):
        form_decision("stock", "VANILLA", [upper, lower])
    blank = Product(" z ", "kiwi ", 1, 0, 2, 3)
    assert form_decision("stock", "kiwi", [blank]).sku == " z "
    with pytest.raises(InputError, match="the catalogue is empty"):
        form_decision("stock", "kiwi", [])
