"""Two stand-ins for a model that need no network: they test the harness, never a language model."""

import re
from typing import Any

from lab.shop.models import Message, ModelTurn, Schema, ToolCall
from lab.shop.transcript import draft_summary, drafts, observations, render

FIXTURE = {"kind": "fixture"}
"""What a fixture says of itself as its `environment`, so that no report can pass it off."""


class OfflineShopModel:
    """A fixture, not a language model: looks, drafts every need in one turn, then explains.

    It proves that the harness works and is no evidence about any model. Everything it says comes
    from the tool observations in `messages`; no skill changes what it does. It uses no tokens.
    """

    name = "offline fixture"
    reasoning_effort = None
    environment = FIXTURE | {"reads_skills": False}

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the next of at most three turns."""
        observed = list(observations(messages))
        if not observed:
            return ModelTurn(calls=(ToolCall("stock", "list_stock", {}),))
        needs = [
            (product["sku"], product["needed"])
            for name, observation in observed
            if name == "list_stock" and observation["ok"]
            for product in observation["value"]
            if product["needed"]
        ]
        if needs and len(observed) == 1:
            return ModelTurn(
                calls=tuple(
                    ToolCall(f"draft-{sku}", "draft_order", {"sku": sku, "quantity": needed})
                    for sku, needed in needs
                )
            )
        return ModelTurn(f"{render(drafts(observed))}\nNothing was bought.")


class GuidedFixture:
    """A fixture that does only what its guidance says, so that a procedure can fail and be revised.

    It reads its system message for plain words and acts on these alone:

    - looks, when told to query, check, read or list the stock (or `list_stock`);
    - drafts, when told to draft (or `draft_order`): whatever lies below its reorder point on hand;
    - subtracts reservations from what is on hand, when told that reserved tubs do not count;
    - labels its amounts, when told to answer in pence, GBP or pounds;
    - says that nothing was bought, when told to say so.

    It is no evidence about any language model.
    """

    name = "guided fixture"
    reasoning_effort = None
    environment = FIXTURE

    def complete(
        self,
        messages: list[Message],
        tools: list[Schema],
        *,
        timeout: float,
        max_output_tokens: int,
    ) -> ModelTurn:
        """Return the next of at most three turns."""
        told = _Guidance(messages[0]["content"])
        observed = list(observations(messages))
        if told.to_look and not observed:
            return ModelTurn(calls=(ToolCall("stock", "list_stock", {}),))
        if told.to_draft and len(observed) == 1 and observed[0][1]["ok"]:
            calls = _drafts(observed[0][1]["value"], told)
            if calls:
                return ModelTurn(calls=calls)
        return ModelTurn(_explanation(messages, told))


class _Guidance:
    """What a system message says, clause by clause; the role and tool lines do not count."""

    def __init__(self, system: str) -> None:
        guidance = system.partition("\n\nSkill ")[2].lower()
        self.to_look = _says(
            guidance, r"list_stock|(query|check|read|list|look at)\b.{0,20}\bstock"
        )
        self.to_draft = _says(guidance, r"draft")
        self.to_subtract = _says(guidance, r"reserv")
        self.to_label = _says(guidance, r"\bpence\b|\bgbp\b|\bpounds?\b")
        self.to_deny = _says(guidance, r"nothing was bought|no purchase|not bought")


def _says(guidance: str, pattern: str) -> bool:
    return re.search(pattern, guidance) is not None


def _drafts(stock: list[dict[str, Any]], told: _Guidance) -> tuple[ToolCall, ...]:
    needs = [
        (
            product["sku"],
            product["reorder_point"]
            - product["on_hand"]
            + (product["reserved"] if told.to_subtract else 0),
        )
        for product in stock
    ]
    return tuple(
        ToolCall(f"draft-{sku}", "draft_order", {"sku": sku, "quantity": need})
        for sku, need in needs
        if need > 0
    )


def _explanation(messages: list[Message], told: _Guidance) -> str:
    summary = draft_summary(messages)
    lines = [summary if told.to_label else summary.replace(" pence GBP", "")]
    if told.to_deny:
        lines.append("Nothing was bought.")
    return "\n".join(lines)
