"""What a model is to the loop: one method that turns a conversation into the next turn."""

from dataclasses import dataclass
from typing import Any, Protocol

Message = dict[str, Any]
"""An OpenAI-shaped chat message; the arguments of its tool calls are JSON strings."""

Schema = dict[str, Any]
"""An OpenAI-shaped function declaration, as `Dispatcher.schemas` gives it."""


CALLS_IN_A_TURN = 32
"""Operations that one turn may request; a turn with more is refused whole."""


class ModelError(Exception):
    """A model could not give a well-formed turn; the loop ends MODEL_FAILED with this reason."""


@dataclass(frozen=True)
class ToolCall:
    """One requested operation. `arguments` is a plain dict, not yet checked by any tool."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class ModelTurn:
    """One reply: words, requested operations, or both.

    The token counts are what the server reported, unchecked (the loop judges them). Without any,
    `output_tokens` is 0, as a fixture's are: give None where nobody counted, so that it counts as
    unknown. `cached_tokens` is the part of the prompt a server took from its cache.
    `truncated` says that the reply was cut off at the limit of output tokens.
    """

    content: str = ""
    calls: tuple[ToolCall, ...] | list[ToolCall] = ()
    output_tokens: int | None = 0
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    truncated: bool = False


class Model(Protocol):
    """A candidate's model. One is made for every attempt, so it may remember its own turns.

    It may also carry `name` and `reasoning_effort` (str or None) and `environment` (a plain
    mapping: server, template, digests); a report keeps them. `close()`, if there is one, is called
    when the attempt is over.
    """

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the next turn within `timeout` seconds and `max_output_tokens` tokens.

        `messages` and `tools` are copies. Raise TimeoutError when the time is over, ModelError
        when no well-formed turn could be had; anything else counts as the candidate's own fault.
        """
        ...
