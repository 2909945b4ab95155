"""A data set of Inspect AI in JSONL, read as cases: a sample a line, nothing in it passed over.

A sample has `id`, `input`, `target` and `metadata`:

id        the case's name; a number becomes text
input     what the agent is asked: text, or a list of one message of the role user
target    the expected drafts: JSON text, '[["V", 6]]', or a list of lines, ["V 6"]; '[]' for none
metadata  an object with `stock` and, if it likes, `split`; what else it holds is for others
"""

import re
from typing import Any, NoReturn

from lab import plain
from lab.errors import InputError

FIELDS = ("id", "input", "target", "metadata")
DEFAULT_SPLIT = "development"
"""Whoever has the file could look at it; only its own word makes a case another."""

NO_SANDBOX = "each attempt has a shop of its own, and no other surroundings"
REFUSED = {
    "choices": "the agent drafts and answers in words; there is nothing to choose from",
    "sandbox": NO_SANDBOX,
    "files": NO_SANDBOX,
    "setup": NO_SANDBOX,
}
LINE = re.compile(r"(\S(?:.*\S)?) +([0-9]{1,9})")


def entries(text: str) -> list[dict[str, Any]]:
    """Return the samples of a file as entries like those of a file of cases.

    Raises InputError, naming line and field, for a line that is no sample, and for what the lab
    has no place for.
    """
    lines = text.removesuffix("\n").split("\n") if text.strip() else []
    return [_numbered(number, line) for number, line in enumerate(lines, start=1)]


def _numbered(number: int, line: str) -> dict[str, Any]:
    try:
        return _entry(plain.loads(line))
    except ValueError as error:
        raise InputError(f"line {number}: {error}") from None


def _entry(sample: Any) -> dict[str, Any]:
    if not isinstance(sample, dict):
        raise InputError(f"{plain.show(sample)} is no sample; write an object on each line")
    given = {name: value for name, value in sample.items() if value is not None}
    for name in given:
        if name not in FIELDS:
            why = REFUSED.get(name, f"the lab reads {', '.join(FIELDS)}, and keeps nothing back")
            _refuse(name, given[name], f"{why}; leave it out")
    missing = next((name for name in FIELDS if name not in given), None)
    if missing is not None:
        raise InputError(f"{missing}: is missing")
    metadata = _metadata(given["metadata"])
    return {
        "name": _name(given["id"]),
        "split": metadata.get("split", DEFAULT_SPLIT),
        "stock": metadata["stock"],
        "expected": _drafts(given["target"]),
        "prompt": _prompt(given["input"]),
    }


def _name(given: Any) -> Any:
    return str(given) if type(given) is int else given


def _metadata(given: Any) -> dict[str, Any]:
    found = _parsed("metadata", given) if isinstance(given, str) else given
    if not isinstance(found, dict):
        _refuse("metadata", given, "is no object")
    if "stock" not in found:
        raise InputError(
            "metadata.stock: is missing; it has a row a product: sku, tubs on hand, reserved,"
            " threshold, unit price in pence"
        )
    return found


def _prompt(given: Any) -> Any:
    if not isinstance(given, list):
        return given
    for message in given:
        role = message.get("role") if isinstance(message, dict) else None
        if role != "user":
            _refuse(
                "input", message, "is not of the role user; the lab supplies all other messages"
            )
    if len(given) != 1:
        _refuse("input", given, "has to have exactly one message")
    if not isinstance(given[0].get("content"), str):
        _refuse("input", given[0].get("content"), "is no text, which a message has to have here")
    return given[0]["content"]


def _drafts(given: Any) -> Any:
    if isinstance(given, list):
        return [_draft(line) for line in given]
    if not isinstance(given, str) or not given.strip():
        _refuse("target", given, "is neither JSON text nor a list of lines; write '[]' for none")
    return _parsed("target", given)


def _draft(line: Any) -> list[Any]:
    found = LINE.fullmatch(line) if isinstance(line, str) else None
    if found is None:
        _refuse("target", line, 'is no line like "V 6"; rows go into JSON text, \'[["V", 6]]\'')
    return [found.group(1), int(found.group(2))]


def _parsed(field: str, text: str) -> Any:
    try:
        return plain.loads(text)
    except ValueError as error:
        raise InputError(f"{field}: {plain.show(text)} is no JSON text: {error}") from None


def _refuse(field: str, value: Any, why: str) -> NoReturn:
    raise InputError(f"{field}: {plain.show(value)} {why}")
