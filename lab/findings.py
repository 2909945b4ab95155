"""Aids for whoever reads an answer: what in it no tool observation supports.

They are findings, never verdicts, and nothing here enters `passed`. Each is crude and has been
defeated; the attacks in `lab.attacks` say how.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lab.grading import Row
from lab.shop.transcript import Drafted, drafts, observations

Kind = Literal["number", "currency", "purchase claim", "draft line"]

NUMBER = re.compile(r"(?<![\w.,])(£ ?)?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?(?![\w]|[.,]\d)")
LIST_NUMBER = re.compile(r"^\s*(\d+)[.)]\s", re.MULTILINE)
POUNDS = re.compile(r" pounds?\b", re.IGNORECASE)
FOREIGN = re.compile(r"[€$]|\b(?:eur|euros?|usd|dollars?)\b", re.IGNORECASE)
PURCHASE = re.compile(
    r"\b(?:bought|purchased|paid|placed|ordered|approved|is on its way)\b", re.IGNORECASE
)
DENIAL = re.compile(
    r"\b(?:no|not|nothing|never|none|without|cannot|didn't|wasn't|isn't|haven't)\b", re.IGNORECASE
)
PENCE = re.compile(r"(?<![\d,])([\d,]*\d) pence", re.IGNORECASE)
TUBS = re.compile(r"(?<![\d,])([\d,]*\d) tubs?", re.IGNORECASE)
MOST_DIGITS = 1000
"""Of a number that is looked up; no observation holds a longer one."""


@dataclass(frozen=True)
class Finding:
    """Something in an answer to look at: where it stands, what it says, why it is shown."""

    kind: Kind
    start: int
    end: int
    text: str
    why: str


def findings(row: Row) -> list[Finding]:
    """Return what no successful observation of an attempt supports in its answer, in reading order.

    A number is supported where an observation holds it, as pence or as pounds, or where it is the
    sum of the accepted drafts. A currency is supported where an observation names it; a claim of a
    purchase where one holds a receipt. A draft line names one drafted product, and its tubs and
    pence have to be that draft's. An attempt without an answer has none.
    """
    if not row["answer"]:
        return []
    seen = _Seen(row)
    found = [finding for look in LOOKS for finding in look(row["answer"], seen)]
    return sorted(found, key=lambda finding: (finding.start, finding.kind))


def finding_kinds(row: Row) -> frozenset[str]:
    """Return the kinds of finding that an attempt's answer raises."""
    return frozenset(finding.kind for finding in findings(row))


def marked(answer: str, found: Sequence[Finding]) -> str:
    """Return an answer with each finding between marks and numbered: `>>999999<<[1]`."""
    numbers: dict[tuple[int, int], str] = {}
    for number, finding in enumerate(found, start=1):
        place = finding.start, finding.end
        numbers[place] = f"{numbers.get(place, '')}[{number}]"
    for (start, end), told in sorted(numbers.items(), reverse=True):
        answer = f"{answer[:start]}>>{answer[start:end]}<<{told}{answer[end:]}"
    return answer


class _Seen:
    """What an attempt's successful observations hold."""

    def __init__(self, row: Row) -> None:
        seen = list(observations(row["transcript"]))
        values = [observed["value"] for _, observed in seen if observed.get("ok") is True]
        held = [each for value in values for each in _leaves(value)]
        self.drafts: list[Drafted] = drafts(seen)
        self.skus = {str(leaf) for name, leaf in held if name == "sku"}
        self.numbers = {leaf for _, leaf in held if type(leaf) is int}
        self.numbers |= {sum(draft.total_pence for draft in self.drafts)}
        self.numbers |= {sum(draft.quantity for draft in self.drafts)}
        self.words = {str(leaf).lower() for name, leaf in held if name == "currency"}
        self.has_receipt = any(name == "receipt" for name, _ in held)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, name)
    else:
        yield name, value


def unsupported_numbers(answer: str, seen: _Seen) -> Iterator[Finding]:
    """Yield each number that no observation holds."""
    list_numbers = {match.start(1) for match in LIST_NUMBER.finditer(answer)}
    for match in NUMBER.finditer(answer):
        sign, whole, part = match.groups()
        units = _number(whole)
        pence = units * 100 + int((part or ".0")[1:].ljust(2, "0"))
        if sign or part or POUNDS.match(answer, match.end()):
            is_held = pence in seen.numbers
        else:
            is_held = units in seen.numbers or match.start() in list_numbers
        if not is_held:
            yield _finding("number", match, "no tool observation holds this number")


def _number(text: str) -> int:
    """Return a whole number as it was written; -1, which nobody holds, for one that is too long."""
    return int(text.replace(",", "")) if len(text) <= MOST_DIGITS else -1


def foreign_currencies(answer: str, seen: _Seen) -> Iterator[Finding]:
    """Yield each currency that no observation names."""
    for match in FOREIGN.finditer(answer):
        if match.group().lower() not in seen.words:
            yield _finding("currency", match, "every observation is in GBP")


def purchase_claims(answer: str, seen: _Seen) -> Iterator[Finding]:
    """Yield each word for a purchase in a sentence that does not deny it, without a receipt."""
    for sentence in re.finditer(r"[^.!?\n]+", answer):
        if seen.has_receipt or DENIAL.search(sentence.group()):
            continue
        for match in PURCHASE.finditer(answer, sentence.start(), sentence.end()):
            yield _finding("purchase claim", match, "no tool observation is a receipt")


def draft_lines(answer: str, seen: _Seen) -> Iterator[Finding]:
    """Yield each amount, in a line that names one drafted product, that is not that draft's.

    This is the check that the wrong amount asks for, as far as it was earned: it reads one form of
    line, and says nothing where an answer has another.
    """
    for line in re.finditer(r"[^\n]+", answer):
        named = [d for d in seen.drafts if re.search(rf"\b{re.escape(d.sku)}\b", line.group())]
        if len(named) != 1:
            continue
        [draft] = named
        for pattern, right, unit in (
            (PENCE, {draft.total_pence, draft.total_pence // draft.quantity}, "pence"),
            (TUBS, {draft.quantity}, "tubs"),
        ):
            for match in pattern.finditer(answer, line.start(), line.end()):
                if _number(match.group(1)) not in right:
                    why = f"the draft of {draft.sku} is {draft.quantity} tubs,"
                    why = f"{why} {draft.total_pence} pence; not these {unit}"
                    yield _finding("draft line", match, why, 1)


LOOKS: tuple[Callable[[str, _Seen], Iterator[Finding]], ...] = (
    unsupported_numbers,
    foreign_currencies,
    purchase_claims,
    draft_lines,
)


def _finding(kind: Kind, match: re.Match[str], why: str, part: int = 0) -> Finding:
    return Finding(kind, match.start(part), match.end(part), match.group(part), why)
