"""Before an evaluation: is a server there, how fast is it, and does its model see the tools?"""

from dataclasses import dataclass
from time import perf_counter

from lab import plain
from lab.shop.constrained import ConstrainedModel
from lab.shop.database import Database
from lab.shop.http import HTTPModel
from lab.shop.models import Model, ModelError, ModelTurn, Schema
from lab.shop.tools import shop_dispatcher

OUTPUT_TOKENS = 64
QUESTION = [{"role": "user", "content": "Count from one to twenty in words."}]


@dataclass(frozen=True)
class Preflight:
    """What a server showed. A count is None where it reported none.

    `error` is why it could not be used, else None. `seconds` is what the first answer took.
    """

    error: str | None = None
    prompt_tokens_without_tools: int | None = None
    prompt_tokens_with_tools: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None

    @property
    def sees_tools(self) -> bool | None:
        """Whether tools made the prompt longer; None where the server does not count."""
        without, with_tools = self.prompt_tokens_without_tools, self.prompt_tokens_with_tools
        return None if without is None or with_tools is None else with_tools > without

    def sentences(self) -> list[str]:
        """Say it for a person."""
        if self.error is not None:
            return [f"The server cannot be used: {self.error}"]
        return ["The server answers.", self._about_tools(), self._about_speed()]

    def _about_tools(self) -> str:
        counts = (
            f"{self.prompt_tokens_without_tools} prompt tokens without tools,"
            f" {self.prompt_tokens_with_tools} with them"
        )
        return {
            True: f"The model is shown its tools: {counts}.",
            False: f"The model CANNOT SEE its tools: {counts}. Its chat template leaves them out,"
            " so an evaluation would blame it for what it was never told.",
            None: "The server does not count prompt tokens, so whether the model sees its tools is"
            " unknown.",
        }[self.sees_tools]

    def _about_speed(self) -> str:
        if not self.output_tokens or not self.seconds:
            return "The server gives no usable count of output tokens, so its speed is unknown."
        speed = self.output_tokens / self.seconds
        return (
            f"{self.output_tokens} output tokens in {self.seconds:.2f} s, reading the prompt"
            f" included: {speed:.0f} a second."
        )


def preflight(model: HTTPModel | ConstrainedModel, *, timeout: float = 60.0) -> Preflight:
    """Ask a server one short question, without tools and with them; `timeout` seconds for each."""
    try:
        started = perf_counter()
        bare = _ask(model, [], timeout)
        seconds = perf_counter() - started
        with Database.fresh() as shop:
            equipped = _ask(model, shop_dispatcher(shop).schemas(), timeout)
    except (ModelError, TimeoutError) as error:
        return Preflight(error=plain.reason(error))
    finally:
        model.close()
    count = bare.output_tokens  # as the server says, so it may be anything
    is_count = type(count) is int and 0 <= count <= OUTPUT_TOKENS
    return Preflight(
        prompt_tokens_without_tools=bare.prompt_tokens,
        prompt_tokens_with_tools=equipped.prompt_tokens,
        output_tokens=count if is_count else None,
        seconds=seconds,
    )


def _ask(model: Model, tools: list[Schema], timeout: float) -> ModelTurn:
    return model.complete(QUESTION, tools, timeout=timeout, max_output_tokens=OUTPUT_TOKENS)
