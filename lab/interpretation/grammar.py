"""The transparent rule that a language model has to beat: a few words, and who is told not to.

Nothing of the lab is imported here: the same file is read inside the classroom's sandbox.
"""

import re
from collections.abc import Mapping
from typing import Any

PURCHASE = frozenset({"buy", "order", "pay", "purchase"})
DRAFT = frozenset({"draft", "propose", "proposal", "replenish", "replenishment"})
REPORT = frozenset({"many", "much", "report", "stock", "tubs"})
NEGATIONS = frozenset({"don't", "never", "no", "not", "without"})
REACH = 3
"""Words after a negation, in the same clause, that it denies."""


def read(payload: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return (action, sku) by words alone: a purchase is refused, else a product must be named.

    It does not know who is speaking: a quoted "buy" is a purchase to it.
    """
    wanted = _wanted(payload["request"])
    if wanted & PURCHASE:
        return "refuse", None
    named = [p["sku"] for p in payload["catalog"] if wanted.issuperset(_words(p["name"]))]
    if len(named) == 1 and wanted & DRAFT:
        return "draft", named[0]
    if len(named) == 1 and wanted & REPORT:
        return "stock", named[0]
    return "clarify", None


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
