"""Two candidates are compared on the same attempts or not at all."""

from typing import Any

import pytest

from lab.comparison import compare
from lab.errors import InputError
from lab.interpretation import always_clarify, always_draft, keywords, run_requests


def row(case: str, repetition: int, passed: bool) -> dict[str, Any]:
    return {"case": case, "repetition": repetition, "passed": passed}


def test_a_case_is_passed_by_passing_every_repetition() -> None:
    first = [row("a", 1, True), row("a", 2, True), row("b", 1, True), row("b", 2, False)]
    second = [row("b", 2, True), row("b", 1, True), row("a", 2, False), row("a", 1, True)]
    found = compare(first, second)
    assert (found.only_first, found.only_second) == (("a",), ("b",))
    assert found.p_value == 1.0


def test_the_quotation_is_all_that_separates_them() -> None:
    def literal(payload: Any) -> Any:
        return (
            ('{"action":"stock","sku":"V"}', 0)
            if "'buy" in payload["request"]
            else keywords(payload)
        )

    report = run_requests({"keywords": keywords, "literal": literal}, repeats=2)
    rows = {
        name: [each for each in report["cases"] if each["candidate"] == name]
        for name in report["counts"]
    }
    found = compare(rows["keywords"], rows["literal"])
    assert (found.only_first, found.only_second, len(found.both)) == ((), ("quoted",), 13)
    assert found.p_value == 1.0


def test_two_that_never_listen_pass_no_case_in_common() -> None:
    report = run_requests({"draft": always_draft, "clarify": always_clarify})
    rows = [[r for r in report["cases"] if r["candidate"] == n] for n in ("draft", "clarify")]
    found = compare(*rows)
    assert found.both == ()
    assert found.only_first == ("draft", "indirect", "negated_purchase", "new_product")
    assert found.only_second == ("ambiguous", "unknown", "no_product")
    assert found.p_value == 1.0  # 4 against 3


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ([row("a", 1, True)], [], "second has no attempt 1 at a"),
        ([row("a", 1, True)], [row("b", 1, True)], "second has no attempt 1 at a"),
        (
            [row("a", 1, True)],
            [row("a", 1, True), row("a", 2, True)],
            "first has no attempt 2 at a",
        ),
        (
            [row("a", 1, True)],
            [row("a", 1, True), row("a", 1, True)],
            "second has attempt 1 at a twice",
        ),
        ([], [], "no case"),
    ],
)
def test_a_missing_attempt_is_named(first: Any, second: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        compare(first, second)


def test_they_are_called_by_their_names() -> None:
    with pytest.raises(InputError, match="minimal has no attempt 1 at a"):
        compare([row("a", 1, True)], [], names=("keywords", "minimal"))
