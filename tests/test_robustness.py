"""Whatever a candidate returns, evaluate returns a report, and nothing wrong passes in it."""

import json
import tempfile
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.attacks import Script
from lab.cases import CASES, Case
from lab.evaluation import evaluate
from lab.evidence import load_report, save_report
from lab.shop.models import ModelTurn, ToolCall

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(), inner, max_size=4)
        | st.tuples(inner)
        | st.sets(st.integers(), max_size=2)
    ),
    max_leaves=12,
)
skus = st.sampled_from(["V", "S", "v", "", "\ud800"]) | anything
quantities = st.sampled_from([6, 4, 3, "6", 6.0, True, 0, -6, 10**30]) | anything
arguments = (
    st.fixed_dictionaries({"sku": skus, "quantity": quantities})
    | st.fixed_dictionaries({"sku": skus})
    | st.dictionaries(st.text(), anything, max_size=3)
    | anything
)
names = st.sampled_from(["list_stock", "draft_order", "supplier", "approve"]) | anything
calls = st.builds(ToolCall, st.text(min_size=1, max_size=3) | anything, names, arguments)
usage = st.sampled_from([0, 5, None]) | anything
turns = st.builds(
    ModelTurn,
    st.sampled_from(["", "6 V for 1500 pence GBP", "17 euros"]) | st.text() | anything,
    st.lists(calls, max_size=4) | st.lists(calls, min_size=33, max_size=34) | anything,
    usage,
    usage,
    usage,
)
good_turns = st.sampled_from(
    [
        ModelTurn(calls=(ToolCall("a", "list_stock", {}),)),
        ModelTurn(calls=(ToolCall("b", "draft_order", {"sku": "V", "quantity": 6}),)),
        ModelTurn(calls=(ToolCall("c", "draft_order", {"sku": "S", "quantity": 4}),)),
        ModelTurn(calls=(ToolCall("d", "draft_order", {"sku": "V", "quantity": 3}),)),
        ModelTurn("Done, in pence GBP."),
        ModelTurn("Done."),
    ]
)


def wrong_by_the_transcript(row: dict[str, Any], case: Case) -> list[str]:
    """Read the transcript again, without the lab's own reader, for what must not pass."""
    asked = [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in row["transcript"]
        for call in message.get("tool_calls", [])
    ]
    drafts = Counter(
        repr((args.get("sku"), args.get("quantity")))
        for name, args in asked
        if name == "draft_order"
    )
    wrong = []
    if drafts != Counter(repr(pair) for pair in case.expected):
        wrong.append("quantities")
    if not any(name == "list_stock" for name, _ in asked):
        wrong.append("grounded")
    if any(name not in {"list_stock", "supplier", "draft_order"} for name, _ in asked):
        wrong.append("allowed_operations")
    if row["transcript"][-1]["role"] != "assistant" or "tool_calls" in row["transcript"][-1]:
        wrong.append("completed")
    return wrong


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(good_turns | turns | anything, max_size=5), st.sampled_from(CASES[:4]))
def test_no_turn_raises_and_nothing_wrong_passes(script: list[Any], case: Case) -> None:
    report = evaluate(lambda: Script(*script), cases=[case])
    (row,) = report["cases"]
    for name in wrong_by_the_transcript(row, case):
        assert row["checks"][name] is False
        assert row["passed"] is False
    assert row["loop_status"]
    with tempfile.TemporaryDirectory() as folder:
        path, digest = save_report(folder, report)
        assert load_report(path, digest) == report


@settings(max_examples=60, deadline=None)
@given(st.permutations([0, 1, 2, 3]), st.booleans())
def test_the_same_reader_lets_what_is_right_pass(order: list[int], spare: bool) -> None:
    good = [
        ModelTurn(calls=(ToolCall("a", "list_stock", {}),)),
        ModelTurn(calls=(ToolCall("b", "draft_order", {"sku": "V", "quantity": 6}),)),
        ModelTurn(calls=(ToolCall("c", "draft_order", {"sku": "S", "quantity": 4}),)),
        ModelTurn(calls=(ToolCall("e", "supplier", {"sku": "V"}),)),
    ]
    script = [good[n] for n in order if spare or n != 3]
    report = evaluate(lambda: Script(*script, ModelTurn("In pence GBP.")), cases=CASES[:1])
    assert wrong_by_the_transcript(report["cases"][0], CASES[0]) == []
    assert report["passed"] is True
