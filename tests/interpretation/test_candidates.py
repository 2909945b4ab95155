"""What candidates are asked and what is made of their replies, over a real and hostile server."""

import time
from contextlib import closing
from typing import Any

import pytest

from lab.errors import InputError
from lab.interpretation import PROMPTS, REQUEST_CASES, Instructed, Rule, instructed, run_case
from lab.shop.http import HTTPModel
from lab.shop.models import ModelTurn
from tests.shop.hostile_server import (
    HostileServer,
    call,
    completion,
    drip_body,
    hang_up,
    redirect,
    reply,
    reset_mid_body,
)

STOCK = REQUEST_CASES[0]
RIGHT = '{"action":"stock","sku":"V"}'


def test_every_kind_of_reply_of_a_server() -> None:
    behaviours: list[tuple[Any, str | None]] = [
        (reply(completion(RIGHT)), None),
        (reply(completion("Two tubs of vanilla.")), "schema"),
        (reply(completion(f"```json\n{RIGHT}\n```")), "schema"),
        (reply(completion(RIGHT + RIGHT)), "schema"),
        (reply(completion('{"action":"stock","sku":"v"}')), "meaning"),
        (reply(completion('{"action":"stock","sku":7}')), "schema"),
        (reply(completion('{"action":"stock","sku":"V","why":"asked"}')), "schema"),
        (reply(completion('{"action":"refuse","sku":null}')), "wrong decision"),
        (reply(completion('{"action":"draft","sku":"V"}')), "unrequested draft"),
        (reply(completion("")), "empty"),
        (reply(completion(None)), "empty"),
        (reply(completion(" \n")), "empty"),
        (reply(completion("", [call()])), "schema"),
        (reply(completion(RIGHT, [call()])), "schema"),
        (reply(completion(RIGHT, usage={"completion_tokens": -1})), "transport"),
        (reply(completion(RIGHT, usage={"completion_tokens": 301})), "transport"),
        (reply(completion(RIGHT, usage={"completion_tokens": True})), "transport"),
        (reply({"choices": []}), "transport"),
        (reply(b"\xff\xfe"), "transport"),
        (reply(b"", "500 Oops"), "transport"),
        (redirect("http://127.0.0.1:9/"), "transport"),
        (reset_mid_body, "transport"),
        (hang_up, "transport"),
    ]
    with HostileServer(*(behaviour for behaviour, _ in behaviours)) as server:
        model = HTTPModel(server.base_url, "any", api_key="sk-secret")
        infer = Instructed(model, "Decide.", timeout=10)
        rows = [run_case(STOCK, "m", infer) for _ in behaviours]
        model.close()
    assert [row["mechanism"] for row in rows] == [mechanism for _, mechanism in behaviours]
    assert [row["passed"] for row in rows] == [True] + [False] * (len(rows) - 1)
    assert all(
        row["error"]
        for row in rows
        if row["mechanism"] not in (None, "wrong decision", "unrequested draft")
    )
    assert rows[13]["raw"].startswith('{"role":"assistant","content":"{')
    assert rows[1]["raw"] == "Two tubs of vanilla."
    assert rows[1]["output_tokens"] == 7
    assert "sk-secret" not in str(rows)


def test_missing_usage_is_unknown_and_not_nothing() -> None:
    with (
        HostileServer(reply(completion(RIGHT, usage=None))) as server,
        closing(HTTPModel(server.base_url, "any")) as model,
    ):
        row = run_case(STOCK, "m", Instructed(model, "Decide."))
    assert row["passed"] is True
    assert row["output_tokens"] is None


def test_a_reply_that_never_ends_is_over_in_time() -> None:
    with HostileServer(drip_body) as server, closing(HTTPModel(server.base_url, "any")) as model:
        begun = time.monotonic()
        row = run_case(STOCK, "m", Instructed(model, "Decide.", timeout=0.5))
        assert time.monotonic() - begun < 1.5
    assert row["mechanism"] == "transport"
    assert row["error"].startswith("TimeoutError")
    assert 0.5 <= row["seconds"] < 1.5


def test_what_a_server_is_asked() -> None:
    with HostileServer(reply(completion(RIGHT))) as server:
        model = HTTPModel(server.base_url, "any")
        for infer in instructed(model).values():
            run_case(STOCK, "m", infer)
        model.close()
    minimal, contrast, constrained = (request.json() for request in server.requests)
    for asked, text in ((minimal, "minimal"), (contrast, "contrast"), (constrained, "minimal")):
        system, user = asked["messages"]
        assert system == {"role": "system", "content": PROMPTS[text]}
        assert user["role"] == "user"
        assert user["content"].startswith('{"request":"Please report the stock of vanilla."')
        assert (asked["temperature"], asked["max_tokens"]) == (0, 300)
        assert "tools" not in asked
        assert STOCK.split not in str(asked)
    assert "response_format" not in minimal
    assert "response_format" not in contrast
    held = constrained["response_format"]["json_schema"]["schema"]
    assert held["properties"]["action"]["enum"] == ["stock", "draft", "clarify", "refuse"]
    assert held["required"] == ["action", "sku"]
    assert held["additionalProperties"] is False


def test_any_model_will_do() -> None:
    class Mine:
        def complete(self, messages: Any, tools: Any, **_: Any) -> ModelTurn:
            messages.clear()
            return ModelTurn(RIGHT, output_tokens=None)

    assert run_case(STOCK, "m", Instructed(Mine(), "Decide."))["passed"] is True


def test_a_rule_that_returns_no_decision_is_told_so() -> None:
    row = run_case(STOCK, "mine", Rule(lambda payload: {"action": "stock"}))  # type: ignore[arg-type,return-value]
    assert (row["mechanism"], row["error"]) == (
        "candidate",
        "TypeError: a rule returns a Decision, not dict",
    )


@pytest.mark.parametrize("seconds", [0, -1, 60.1, float("nan"), float("inf"), True, "15", None])
def test_a_timeout_out_of_bounds_is_refused(seconds: Any) -> None:
    with pytest.raises(InputError, match=r"timeout: .* above 0 and at most 60"):
        Instructed(HTTPModel("http://127.0.0.1:9", "m"), "Decide.", timeout=seconds)


def test_the_longest_timeout_is_allowed() -> None:
    assert Instructed(HTTPModel("http://127.0.0.1:9", "m"), "Decide.", timeout=60).timeout == 60
