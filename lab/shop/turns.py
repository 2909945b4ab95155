"""Reading a model's turn: into a transcript's message of plain data, or not at all."""

import json
from typing import Any, NoReturn

from lab import plain
from lab.shop.models import CALLS_IN_A_TURN, Message, ModelError, ModelTurn, ToolCall

LARGEST_TURN_BYTES = 1024 * 1024
NESTED_ARGUMENTS = 64
"""Lists and objects that a call's arguments may hold, so that no reader can be sunk by them."""

# Not ASCII: the context is measured in the bytes that UTF-8 needs.
to_wire = json.JSONEncoder(
    allow_nan=False, ensure_ascii=False, check_circular=False, separators=(",", ":")
).encode


def read_turn(turn: object) -> tuple[Message, str]:
    """Return a turn as a transcript message and its JSON; ModelError when it is malformed."""
    if not isinstance(turn, ModelTurn):
        _malformed(f"complete returned {type(turn).__name__}, not a ModelTurn")
    content, calls = turn.content, turn.calls
    if not isinstance(content, str):
        _malformed(f"content is {type(content).__name__}, not text")
    if type(calls) not in (tuple, list):
        _malformed(f"calls is {type(calls).__name__}, not a tuple")
    if len(calls) > CALLS_IN_A_TURN:
        _malformed(f"{len(calls)} calls in one turn; {CALLS_IN_A_TURN} are allowed")
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [_read_call(call) for call in calls]
    wire = to_wire(message)
    if len(wire) > LARGEST_TURN_BYTES:
        _malformed(f"a turn of more than {LARGEST_TURN_BYTES} bytes")
    # Back from JSON, nothing is left of a subclass that only looked like text or a number.
    return json.loads(wire), wire


def _read_call(call: object) -> dict[str, Any]:
    if not isinstance(call, ToolCall):
        _malformed(f"a call is {type(call).__name__}, not a ToolCall")
    if not isinstance(call.id, str) or not call.id:
        _malformed("a call's id is not text")
    if not isinstance(call.name, str):
        _malformed("a call's name is not text")
    if not isinstance(call.arguments, dict):
        _malformed("a call's arguments are not an object")
    try:
        arguments = plain.dumps(call.arguments)
    except (TypeError, ValueError) as error:
        _malformed(f"a call's arguments are not JSON: {plain.reason(error)}")
    if arguments.count("{") + arguments.count("[") > NESTED_ARGUMENTS:
        _malformed(f"a call's arguments hold more than {NESTED_ARGUMENTS} lists and objects")
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _malformed(why: str) -> NoReturn:
    raise ModelError(why)
