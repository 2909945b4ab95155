"""What came out of a sandbox. A submission may have written it, so it is data of a known shape."""

from collections.abc import Iterable
from typing import Any

from lab import plain
from lab.lessons.probe import Outcome
from lab.lessons.trying import LONGEST_REASON, MOST_PRINTED

FORGED = "what came out was not what the worker writes"
FIELDS = {"returned", "raised", "printed", "mutated", "looked_at_expected"}


def read_outcomes(lines: Iterable[bytes]) -> list[Outcome]:
    """Return the outcomes that lines of JSON tell. ValueError for what the worker never writes."""
    return [_outcome(_told(line)) for line in lines]


def broken(line: bytes) -> str | None:
    """Return why a source could not be loaded, where the worker tells that instead."""
    told = _told(line)
    if set(told) != {"broken"}:
        return None
    _refuse_unless(_is_text(told["broken"], LONGEST_REASON))
    return str(told["broken"])


def _told(line: bytes) -> dict[str, Any]:
    told: Any = plain.loads(line.decode())
    _refuse_unless(isinstance(told, dict))
    return dict(told)


def _outcome(told: dict[str, Any]) -> Outcome:
    _refuse_unless(
        set(told) == FIELDS
        and (told["raised"] is None or _is_text(told["raised"], LONGEST_REASON))
        and _is_text(told["printed"], MOST_PRINTED)
        and isinstance(told["mutated"], bool)
        and isinstance(told["looked_at_expected"], bool)
        and _is_returned(told["returned"])
    )
    return Outcome(**told)


def _refuse_unless(is_ours: bool) -> None:
    if not is_ours:
        raise ValueError(FORGED)


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest


def _is_returned(value: Any) -> bool:
    """Say whether `trying.told` could have returned this."""
    match value:
        case {"dict": list(pairs), **rest}:
            return not rest and all(
                isinstance(pair, list) and len(pair) == 2 and _is_returned(pair) for pair in pairs
            )
        case {"set": list(items), **rest}:
            return not rest and _is_returned(items)
        case {"other": str(), **rest}:
            return not rest
        case list(items):
            return all(map(_is_returned, items))
        case _:
            return not isinstance(value, dict)
