"""Requests written by learners and instructors, in the same kind of file as other cases."""

from pathlib import Path
from typing import Any

from lab import plain
from lab.cases import as_arrays, check_fields, read_entries
from lab.errors import InputError
from lab.interpretation.cases import Product, RequestCase

PRODUCT_FIELDS = ("sku", "name", "on_hand", "reserved", "target", "unit_pence")
EVENT_FIELDS = ("kind", "sku", "quantity", "total_pence")
FIELDS = (
    "name",
    "split",
    "request",
    "catalog",
    "expected_action",
    "expected_sku",
    "expected_events",
)


def load_request_cases(path: str | Path) -> tuple[RequestCase, ...]:
    """Read requests from a TOML file (`[[cases]]`) or a JSON one (`{"cases": [...]}` or a list).

    An entry has the fields of `RequestCase`; `expected_sku` may be left out where there is none. A
    product or event is an array in the order of its fields, an event without its last one where
    that is None, or a table. Raises ValueError, naming the file and the entry, for anything that
    `RequestCase` or `Product` would refuse and for a name used twice.
    """
    return read_entries(Path(path), _request_case)


def _request_case(given: object) -> RequestCase:
    entry = check_fields(given, FIELDS, optional=("expected_sku",))
    return RequestCase(
        entry["name"],
        entry["split"],
        entry["request"],
        tuple(_product(row) for row in _rows(entry, "catalog", PRODUCT_FIELDS)),
        entry["expected_action"],
        entry.get("expected_sku"),
        tuple(_event(row) for row in _rows(entry, "expected_events", EVENT_FIELDS)),
    )


def _rows(entry: dict[str, Any], field: str, names: tuple[str, ...]) -> list[Any]:
    rows = as_arrays(entry[field], names)
    if not isinstance(rows, list):
        case, shape = plain.show(entry["name"]), f"is not a list of [{', '.join(names)}]"
        raise InputError(f"request case {case}: {field}: {plain.show(rows)} {shape}")
    return rows


def _product(row: Any) -> Product:
    if not isinstance(row, list) or len(row) != len(PRODUCT_FIELDS):
        raise InputError(f"catalog: {plain.show(row)} is not [{', '.join(PRODUCT_FIELDS)}]")
    return Product(*row)


def _event(row: Any) -> Any:
    if isinstance(row, list):
        row = [*row, None] if len(row) == len(EVENT_FIELDS) - 1 else row
        return tuple(row)
    return row
