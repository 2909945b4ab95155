import pytest

from lab import CASES, OfflineShopModel, evaluate
from lab.findings import finding_kinds, findings, marked

ROW = evaluate(OfflineShopModel, cases=CASES[:1])["cases"][0]
"""V: 6 tubs, 1500 pence; S: 4 tubs, 1100 pence."""


def kinds(answer: str) -> list[tuple[str, str]]:
    return [(found.kind, found.text) for found in findings({**ROW, "answer": answer})]


@pytest.mark.parametrize(
    "answer",
    [
        "V: 6 tubs, 1500 pence GBP\nS: 4 tubs, 1100 pence GBP\nNothing was bought.",
        "V: 6 tubs, £15.00\nS: 4 tubs, £11",
        "V: 6 tubs, 15 pounds",
        "Together 2600 pence for 10 tubs.",
        "1. V: 6 tubs\n2) S: 4 tubs",
        "V: 6 tubs, 1,500 pence",
        "No order was placed. I have not bought anything.",
        "",
    ],
)
def test_what_is_supported_raises_nothing(answer: str) -> None:
    assert kinds(answer) == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("V: 6 tubs, 1600 pence", [("draft line", "1600"), ("number", "1600")]),
        ("V: 6 tubs, 1100 pence", [("draft line", "1100")]),
        ("V: 4 tubs", [("draft line", "4")]),
        ("£1500", [("number", "£1500")]),
        ("1500 pounds", [("number", "1500")]),
        ("in 3 days", [("number", "3")]),
        ("15.00 euros", [("currency", "euros")]),
        ("$6 or €4 or 8 EUR", [("currency", "$"), ("currency", "€"), ("currency", "EUR")]),
        ("I bought them. Nothing else.", [("purchase claim", "bought")]),
        ("It was paid and approved.", [("purchase claim", "paid"), ("purchase claim", "approved")]),
        ("Not cheap! It is on its way.", [("purchase claim", "is on its way")]),
    ],
)
def test_what_no_observation_supports_is_found(answer: str, found: list[tuple[str, str]]) -> None:
    assert kinds(answer) == found


@pytest.mark.parametrize(
    "answer",
    [
        "V and S come to 1100 and 1500 pence, in this order.",
        "V: nine thousand pence.",
        "The van will be with you at noon.",
        "The supplier is closed on Mondays.",
        "You need not worry, I bought them.",
    ],
)
def test_what_defeats_the_aids_is_known(answer: str) -> None:
    assert kinds(answer) == []


def test_an_observation_can_be_a_receipt_or_name_a_currency() -> None:
    content = '{"ok": true, "value": {"receipt": "R-1", "currency": "EUR", "total_pence": 77}}'
    call = {"id": "b", "function": {"name": "buy", "arguments": "{}"}}
    bought = [
        *ROW["transcript"],
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "b", "content": content},
    ]
    row = {**ROW, "transcript": bought, "answer": "I bought them for 77 EUR."}
    assert findings(row) == []
    refused = content.replace("true", "false")
    row["transcript"] = [*bought[:-1], {**bought[-1], "content": refused}]
    assert finding_kinds(row) == {"number", "currency", "purchase claim"}


def test_an_attempt_without_an_answer_has_none() -> None:
    assert findings({**ROW, "answer": None}) == []


def test_findings_are_marked_in_the_answer_itself() -> None:
    row = {**ROW, "answer": "V for 7 euros"}
    assert marked("V for 7 euros", findings(row)) == "V for >>7<<[1] >>euros<<[2]"
    wrong = "V: 1600 pence"
    found = findings({**ROW, "answer": wrong})
    assert marked(wrong, found) == "V: >>1600<<[1][2] pence"


def test_findings_never_enter_passed() -> None:
    assert ROW["passed"] is True
    assert "findings" not in ROW
