"""Plain data: what JSON can say and nothing else, so that it can be kept, sent and compared."""

import hashlib
import json
import math
from typing import Any

Plain = Any
"""None, bool, int, finite float, str, and lists and string-keyed dicts of them."""

LONGEST_REASON = 500


def _no_twins(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the same key stands twice in one object")
    return found


def _no_constant(name: str) -> Plain:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{shorten(text, 20)} is too large a number")
    return value


# Made once: `json.dumps` and `json.loads` would make a coder for every call with options. A value
# that holds itself is found without a look-out for one, since it is nested too deeply.
_OPTIONS: dict[str, Any] = {
    "allow_nan": False,
    "check_circular": False,
    "separators": (",", ":"),
}
_encode = json.JSONEncoder(**_OPTIONS).encode
_encode_sorted = json.JSONEncoder(**_OPTIONS, sort_keys=True).encode
_decode = json.JSONDecoder(
    object_pairs_hook=_no_twins, parse_constant=_no_constant, parse_float=_finite
).decode


def dumps(value: Plain) -> str:
    """Return compact ASCII JSON.

    Raises ValueError or TypeError for NaN, infinity, other types, deep nesting.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def loads(text: str) -> Plain:
    """Read JSON strictly: ValueError for NaN, infinity, a key that stands twice, deep nesting."""
    try:
        return _decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def digest(value: Plain) -> str:
    """Return the lower-case sha256 hex of the value's compact JSON, keys sorted."""
    return hashlib.sha256(_encode_sorted(value).encode()).hexdigest()


def reason(error: BaseException) -> str:
    """Return a bounded `Type: message`, even of an exception that cannot print itself."""
    try:
        message = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as second:  # noqa: BLE001  (a candidate's exception may do anything)
        message = f"(its message could not be read: {type(second).__name__})"
    return shorten(f"{type(error).__name__}: {message}" if message else type(error).__name__)


def show(value: object) -> str:
    """Return a bounded ASCII repr for a message, even of a value that cannot print itself."""
    try:
        return shorten(ascii(value), 80)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  (an integer of 5,000 digits is enough)
        return f"<{type(value).__name__} that cannot be shown>"


def shorten(text: str, longest: int = LONGEST_REASON) -> str:
    """Return the text, cut to `longest` characters with a mark where it was cut."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
