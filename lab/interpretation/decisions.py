"""What a reply decides: its shape, then its meaning, then the arithmetic nobody else does."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from lab import plain
from lab.errors import InputError
from lab.interpretation.cases import NAMING, Action, Event, Product
from lab.interpretation.grammar import read


class Decision(BaseModel):
    """What a request asks for. `sku` is the product's for stock and draft, else None."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    action: Action
    sku: str | None = None


class MeaningError(ValueError):
    """A well-formed decision that means nothing in this catalogue."""


def parse_decision(raw: str, catalog: Sequence[Product]) -> Decision:
    """Read a decision from JSON: first its shape, then whether it means anything here.

    ValueError (pydantic's ValidationError mostly) for anything but one JSON object of that shape,
    MeaningError for a stock or draft whose SKU the catalogue does not have, letter by letter, and
    for a SKU where none belongs.
    """
    if not isinstance(raw, str):
        raise TypeError(f"a reply is text, not {type(raw).__name__}")
    decision = Decision.model_validate_json(raw)
    plain.loads(raw)  # pydantic takes the last of two equal keys
    refuse_meaningless(decision, catalog)
    return decision


def refuse_meaningless(decision: Decision, catalog: Sequence[Product]) -> None:
    """Raise MeaningError where a decision does not go with a catalogue."""
    action, sku = decision.action, decision.sku
    if action in NAMING and sku not in {product.sku for product in catalog}:
        raise MeaningError(f"{action} of SKU {plain.show(sku)}, which the catalogue does not have")
    if action not in NAMING and sku is not None:
        raise MeaningError(f"{action} has no product, but names SKU {plain.show(sku)}")


def fulfill(decision: Decision, catalog: Sequence[Product]) -> tuple[Event, ...]:
    """Return what comes of a decision: a report of tubs on hand, a draft, or nothing.

    A draft is for `target - (on_hand - reserved)` tubs and nothing where that is not positive. No
    candidate ever does this arithmetic. MeaningError as in `parse_decision`.
    """
    refuse_meaningless(decision, catalog)
    if decision.action not in NAMING:
        return ()
    product = next(product for product in catalog if product.sku == decision.sku)
    if decision.action == "stock":
        return (("stock", product.sku, product.on_hand, None),)
    need = product.target - (product.on_hand - product.reserved)
    return (("draft", product.sku, need, need * product.unit_pence),) if need > 0 else ()


def keyword_decision(payload: Mapping[str, Any]) -> Decision:
    """Decide by the words of the request alone; see `grammar.read`."""
    action, sku = read(payload)
    return Decision.model_validate({"action": action, "sku": sku})


def form_decision(action: str, product: str | None, catalog: Sequence[Product]) -> Decision:
    """Turn what a person chose in a form into a decision: no language, so nothing to interpret.

    `product` is a name or SKU of the catalogue, upper or lower case, and None, or blank, where
    there is none to choose. InputError, with what can be chosen, for anything else.
    """
    chosen = _chosen(product, catalog) if product and product.strip() else None
    try:
        decision = Decision.model_validate({"action": action, "sku": chosen})
        refuse_meaningless(decision, catalog)
    except MeaningError as error:
        raise InputError(f"form: {error}; choose the product with stock and draft only") from None
    except ValueError:
        told = "choose stock, draft, clarify or refuse"
        raise InputError(f"form: action: {plain.show(action)}: {told}") from None
    return decision


def _chosen(product: str, catalog: Sequence[Product]) -> str:
    """Return the SKU of the one product that goes by this name or SKU, exactly or nearly."""

    def exactly(text: str) -> str:
        return text

    def nearly(text: str) -> str:
        return text.strip().casefold()

    for seen in (exactly, nearly):
        found = {p.sku for p in catalog if seen(product) in (seen(p.sku), seen(p.name))}
        if len(found) == 1:
            return found.pop()
    names = ", ".join(f"{p.name} ({p.sku})" for p in catalog) or "none: the catalogue is empty"
    raise InputError(f"form: product: {plain.show(product)}: the products are {names}")
