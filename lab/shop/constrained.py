"""An adapter for models that were never taught to call tools: the server enforces the form."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lab import plain
from lab.shop.http import HTTPModel
from lab.shop.models import Message, ModelError, ModelTurn, Schema, ToolCall

ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}

INSTRUCTIONS = """Reply with one JSON object and nothing else.
To use a tool: {"tool": "its name", "arguments": {...}}
When the work is done: {"answer": "what you tell Lucy"}
The tools:"""


class ConstrainedModel:
    """Tells a model its tools in plain words and has the server hold each reply to a JSON schema.

    A reply is one tool call or the answer. The form is enforced, the content is the model's own:
    which tool, which product, how many. It is another candidate than the same model without it.
    """

    def __init__(self, server: HTTPModel) -> None:
        self._server = server
        self.name = server.name
        self.reasoning_effort = server.reasoning_effort
        self.environment: Mapping[str, Any] = {
            **server.environment,
            "tools": "told in words; each reply held to a JSON schema by the server",
        }

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the next turn; ModelError where the server did not hold it to the schema."""
        turn = self._server.complete(
            in_words(messages, tools),
            [],
            timeout=timeout,
            max_output_tokens=max_output_tokens,
            response_format=reply_format(tools),
        )
        if turn.truncated:
            return turn
        number = sum(message["role"] == "assistant" for message in messages) + 1
        return _understood(turn, f"call-{number}")

    def close(self) -> None:
        """Close the connection."""
        self._server.close()


def reply_format(tools: list[Schema]) -> Schema:
    """Return the request's `response_format`: one call of one of the tools, or the answer."""
    calls = [
        {
            "type": "object",
            "properties": {
                "tool": {"const": tool["function"]["name"]},
                "arguments": tool["function"]["parameters"],
            },
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    schema = {"anyOf": [*calls, ANSWER]}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


def in_words(messages: list[Message], tools: list[Schema]) -> list[Message]:
    """Return the conversation without tool messages: tools, calls and results as plain text."""
    functions = [tool["function"] for tool in tools]
    lines = [f"- {f['name']}: {f['description']} {plain.dumps(f['parameters'])}" for f in functions]
    told: list[Message] = []
    for message in messages:
        if message["role"] == "tool":
            told.append({"role": "user", "content": f"Result: {message['content']}"})
        elif message.get("tool_calls"):
            function = message["tool_calls"][0]["function"]
            said = {"tool": function["name"], "arguments": plain.loads(function["arguments"])}
            told.append({"role": "assistant", "content": plain.dumps(said)})
        elif message["role"] == "assistant":
            said = {"answer": message["content"]}
            told.append({"role": "assistant", "content": plain.dumps(said)})
        else:
            told.append(dict(message))
    instructions = {"role": "system", "content": "\n".join([INSTRUCTIONS, *lines])}
    if told and told[0]["role"] == "system":
        told[0]["content"] += f"\n\n{instructions['content']}"
        return told
    return [instructions, *told]


def _understood(turn: ModelTurn, identity: str) -> ModelTurn:
    try:
        reply = plain.loads(turn.content)
        if set(reply) == {"answer"}:
            return replace(turn, content=reply["answer"])
        call = ToolCall(identity, reply["tool"], reply["arguments"])
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"the server did not hold the reply to its schema ({plain.reason(error)}):"
            f" {plain.shorten(turn.content, 80)}"
        ) from None
    return replace(turn, content="", calls=(call,))
