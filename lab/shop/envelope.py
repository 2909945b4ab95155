"""What a chat-completions reply has to look like, and what the loop gets of it."""

import functools
import json
import re
from collections.abc import Callable
from types import NoneType
from typing import Any, TypeVar

from lab import plain
from lab.shop.models import CALLS_IN_A_TURN, ModelError, ModelTurn, ToolCall

MAX_DEPTH = 64
"""Levels of lists and objects in anything that is handed on."""

Scrub = Callable[[str], str]
"""Takes secrets out of a text that a server wrote."""

Kind = TypeVar("Kind", dict[str, Any], list[Any], str)

_MESSAGE = "choices[0].message"
_JSON_NAMES = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    NoneType: "missing or null",
}


def read_turn(body: bytes, scrub: Scrub) -> ModelTurn:
    """Return the turn in a reply, every string in it scrubbed.

    Raises ModelError, which names the place and quotes nothing of the reply, for anything but one
    well-formed choice. How many tokens the server says it wrote is handed on unjudged.
    """
    reply = _expect(_parsed(_loosely, body, "the reply"), dict, "the reply")
    choice = _only_choice(reply)
    message = _expect(choice.get("message"), dict, _MESSAGE)
    usage = _usage(reply)
    return ModelTurn(
        content=scrub(_content(message)),
        calls=_calls(message, scrub),
        output_tokens=_scrubbed(usage.get("completion_tokens"), scrub, "usage.completion_tokens"),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        cached_tokens=_count(_cached(usage)),
        truncated=choice.get("finish_reason") == "length",
    )


@functools.cache
def spellings(secret: str) -> re.Pattern[str]:
    r"""Return what finds an ASCII text as it is and as JSON may spell it, also in JSON's strings.

    JSON may write any character as \u00XX and puts a backslash before some, and JSON in JSON does
    both to the backslashes. Every repeat is bounded and gives nothing back, so that hostile text
    is searched about as fast as any other.
    """
    in_json = json.dumps(secret)[1:-1]
    plainly = "|".join(map(re.escape, (secret, in_json, json.dumps(in_json)[1:-1])))
    freely = ""
    for run in re.findall(r"\\+|[^\\]", secret):
        if run[0] == "\\":
            freely += rf"(?:\\{{{len(run)},{4 * len(run)}}}+|(?:\\{{1,7}}+u005[cC]){{{len(run)}}})"
        else:
            freely += rf"\\{{0,7}}+(?:{re.escape(run)}|u00(?i:{ord(run):02x}))"
    return re.compile(f"{plainly}|{freely}")


def _only_choice(reply: dict[str, Any]) -> dict[str, Any]:
    choices = _expect(reply.get("choices"), list, "choices")
    if len(choices) != 1:
        raise ModelError(f"the reply has {len(choices)} choices, not one")
    return _expect(choices[0], dict, "choices[0]")


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    return "" if content is None else _expect(content, str, f"{_MESSAGE}.content")


def _calls(message: dict[str, Any], scrub: Scrub) -> tuple[ToolCall, ...]:
    where = f"{_MESSAGE}.tool_calls"
    calls = message.get("tool_calls")
    if calls is None:
        return ()
    calls = _expect(calls, list, where)
    if len(calls) > CALLS_IN_A_TURN:
        raise ModelError(
            f"{where} holds {len(calls)} calls, more than the {CALLS_IN_A_TURN} allowed"
        )
    return tuple(_call(call, f"{where}[{index}]", scrub) for index, call in enumerate(calls))


def _call(value: Any, where: str, scrub: Scrub) -> ToolCall:
    call = _expect(value, dict, where)
    if call.get("type") not in (None, "function"):
        raise ModelError(f'{where}.type is not "function"')
    function = _expect(call.get("function"), dict, f"{where}.function")
    return ToolCall(
        id=scrub(_expect(call.get("id"), str, f"{where}.id")),
        name=scrub(_expect(function.get("name"), str, f"{where}.function.name")),
        arguments=_arguments(function.get("arguments"), f"{where}.function.arguments", scrub),
    )


def _arguments(value: Any, where: str, scrub: Scrub) -> dict[str, Any]:
    arguments = _parsed(plain.loads, _expect(value, str, where), where)
    scrubbed: dict[str, Any] = _scrubbed(_expect(arguments, dict, where), scrub, where)
    return scrubbed


def _usage(reply: dict[str, Any]) -> dict[str, Any]:
    usage = reply.get("usage")
    return {} if usage is None else _expect(usage, dict, "usage")


def _cached(usage: dict[str, Any]) -> Any:
    details = usage.get("prompt_tokens_details")
    return details.get("cached_tokens") if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _expect(value: Any, kind: type[Kind], where: str) -> Kind:
    if isinstance(value, kind):
        return value
    raise ModelError(f"{where} is {_JSON_NAMES[type(value)]}, not {_JSON_NAMES[kind]}")


def _loosely(body: bytes) -> Any:
    """Read a whole reply. NaN passes: what it does to a token count is for the loop to judge."""
    return json.loads(body.decode("utf-8"))


def _parsed(parse: Callable[[Any], Any], source: bytes | str, where: str) -> Any:
    try:
        return parse(source)
    except (ValueError, RecursionError) as error:
        problem = str(error)
    # Out here it has no context: a decoding error keeps the whole source, secrets included.
    raise ModelError(f"{where} is not valid JSON: {problem}")


def _scrubbed(value: Any, scrub: Scrub, where: str, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        raise ModelError(f"{where} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed(item, scrub, where, depth + 1) for item in value]
    if isinstance(value, dict):
        return {scrub(key): _scrubbed(item, scrub, where, depth + 1) for key, item in value.items()}
    return value
