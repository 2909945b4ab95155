"""The transparent rule that a language model has to beat: a few words, and who is told not to."""

import re
from collections.abc import Mapping
from typing import Any

from lab.interpretation.decisions import Decision

PURCHASE = frozenset({"buy", "order", "pay", "purchase"})
DRAFT = frozenset({"draft", "propose", "proposal", "replenish", "replenishment"})
REPORT = frozenset({"many", "much", "report", "stock", "tubs"})
NEGATIONS = frozenset({"don't", "never", "no", "not", "without"})
REACH = 3
"""Words after a negation, in the same clause, that it denies."""


def keyword_decision(payload: Mapping[str, Any]) -> Decision:
    """Decide by words alone: a purchase is refused, else a product must be named.

    It does not know who is speaking: a quoted "buy" is a purchase to it.
    """
    wanted = _wanted(payload["request"])
    if wanted & PURCHASE:
        return Decision(action="refuse")
    named = [p["sku"] for p in payload["catalog"] if wanted.issuperset(_words(p["name"]))]
    if len(named) == 1 and wanted & DRAFT:
        return Decision(action="draft", sku=named[0])
    if len(named) == 1 and wanted & REPORT:
        return Decision(action="stock", sku=named[0])
    return Decision(action="clarify")


def _wanted(request: str) -> frozenset[str]:
    """Return the words of a request that nothing before them in their clause denies."""
    found: set[str] = set()
    for clause in re.split(r"[.,;:!?]", request):
        words = _words(clause)
        for place, word in enumerate(words):
            if not NEGATIONS & set(words[max(0, place - REACH) : place]):
                found.add(word)
    return frozenset(found)


def _words(text: str) -> list[str]:
    """Return words in lower case, "don't" and "choc-chip" among them, without quotation marks."""
    plainly = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    found = (word.strip("'-") for word in re.findall(r"[\w'-]+", plainly))
    return [word for word in found if word]
