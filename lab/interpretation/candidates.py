"""Who interprets: a rule, a model with an instruction, and two that never listen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab import plain
from lab.errors import InputError
from lab.interpretation.decisions import Decision, keyword_decision
from lab.shop.models import Model, ModelError
from lab.shop.turns import read_turn

Payload = dict[str, Any]
"""What `candidate_input` gives: `request` and `catalog`."""

Infer = Callable[[Payload], tuple[str, int | None]]
"""A candidate: payload -> (the reply, which should be a decision in JSON; output tokens)."""

OUTPUT_TOKENS = 300
TIMEOUT_SECONDS = 15.0
LONGEST_TIMEOUT_SECONDS = 60.0

MINIMAL = """\
You read one request from a shop owner and decide what it asks for. You are given JSON with the \
request and the catalog. Reply with one JSON object that has the keys action and sku, and with \
nothing else.
action is one of: stock (say how many tubs there are), draft (propose a replenishment, nothing \
binding), clarify (no product of the catalog is named, or it is unclear which), refuse (the \
request wants something bought).
sku is the product's sku for stock and draft, and null for clarify and refuse."""

CONTRAST = f"""\
{MINIMAL}
Mind these differences:
- To ask what there is, is stock; to ask what should be replenished is draft; to ask for it to be \
bought is refuse, whoever is said to have approved.
- What the request forbids, it does not ask for. Nor does it ask for what it only quotes.
- A product counts as named only by its name. "It", or a product that the catalog does not have, \
is clarify, even when the catalog has just one product."""

PROMPTS: Mapping[str, str] = {"minimal": MINIMAL, "contrast": CONTRAST}
"""The two frozen instructions, by the name of their candidate. A changed one is a new candidate."""


@dataclass(frozen=True)
class Rule:
    """A candidate that decides by a plain function of the payload, without a model."""

    decide: Callable[[Payload], Decision]

    def __call__(self, payload: Payload) -> tuple[str, int]:
        decision = self.decide(payload)
        if not isinstance(decision, Decision):
            raise TypeError(f"a rule returns a Decision, not {type(decision).__name__}")
        return decision.model_dump_json(), 0


@dataclass(frozen=True)
class Instructed:
    """A candidate that asks a model, in one message, at most OUTPUT_TOKENS tokens long.

    `timeout` is in seconds, above 0 and at most 60. `constrained` has the server hold the reply to
    the decision's JSON schema; the model has to be one that can (`HTTPModel`).
    """

    model: Model
    instruction: str
    constrained: bool = False
    timeout: float = TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        refuse_timeout(self.timeout)

    def __call__(self, payload: Payload) -> tuple[str, int | None]:
        messages = [
            {"role": "system", "content": self.instruction},
            {"role": "user", "content": plain.dumps(payload)},
        ]
        held = {"response_format": decision_format()} if self.constrained else {}
        turn = self.model.complete(
            messages, [], timeout=self.timeout, max_output_tokens=OUTPUT_TOKENS, **held
        )
        message, wire = read_turn(turn)
        tokens = turn.output_tokens
        if tokens is not None and (type(tokens) is not int or not 0 <= tokens <= OUTPUT_TOKENS):
            said = plain.shorten(turn.content, 200)
            raise ModelError(f"{plain.show(tokens)} of {OUTPUT_TOKENS} output tokens: {said}")
        # A reply that calls tools, of which there are none, is kept whole: it is no decision.
        return (wire if "tool_calls" in message else message["content"]), tokens


def refuse_timeout(seconds: float) -> None:
    """Raise InputError unless these are seconds above 0 and at most LONGEST_TIMEOUT_SECONDS."""
    if type(seconds) not in (int, float) or not 0 < seconds <= LONGEST_TIMEOUT_SECONDS:
        raise InputError(
            f"timeout: {plain.show(seconds)} is not a number of seconds above 0 and at most"
            f" {LONGEST_TIMEOUT_SECONDS:g}"
        )


def decision_format() -> dict[str, Any]:
    """Return the request's `response_format` for a decision."""
    schema = Decision.model_json_schema()
    schema["required"] = ["action", "sku"]
    return {"type": "json_schema", "json_schema": {"name": "decision", "schema": schema}}


def instructed(model: Model, *, timeout: float = TIMEOUT_SECONDS) -> dict[str, Infer]:
    """Return the three candidates that one model makes: minimal, contrast and constrained."""
    return {
        **{name: Instructed(model, text, timeout=timeout) for name, text in PROMPTS.items()},
        "constrained": Instructed(model, MINIMAL, constrained=True, timeout=timeout),
    }


def _draft_anything(payload: Payload) -> Decision:
    skus = [product["sku"] for product in payload["catalog"]]
    return Decision(action="draft", sku=skus[0] if skus else None)


def _ask_back(payload: Payload) -> Decision:
    return Decision(action="clarify")


keywords: Infer = Rule(keyword_decision)
always_draft: Infer = Rule(_draft_anything)
"""Drafts the catalogue's first product, whatever is asked: valid JSON, and no interpretation."""
always_clarify: Infer = Rule(_ask_back)
"""Asks back, whatever is asked: it never does harm, and never helps."""
