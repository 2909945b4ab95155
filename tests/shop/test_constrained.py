"""The adapter that lets any model request tools, through a schema that the server enforces."""

import json
from typing import Any

import pytest

from lab.cases import CASES
from lab.evaluation import evaluate
from lab.shop.constrained import ConstrainedModel, in_words, reply_format
from lab.shop.database import Database
from lab.shop.http import HTTPModel
from lab.shop.models import ModelError
from lab.shop.tools import shop_dispatcher
from tests.shop.hostile_server import HostileServer, completion, reply

LOOK = {"tool": "list_stock", "arguments": {}}
DRAFT = {"tool": "draft_order", "arguments": {"sku": "V", "quantity": 3}}
ANSWER = {"answer": "V: 3 tubs, 750 pence GBP. Nothing was bought."}


def saying(*replies: Any) -> HostileServer:
    return HostileServer(*(reply(completion(json.dumps(said))) for said in replies))


def test_a_model_that_only_writes_json_drives_the_real_tools() -> None:
    with saying(LOOK, DRAFT, ANSWER) as server:
        report = evaluate(
            lambda: ConstrainedModel(HTTPModel(server.base_url, "m")), cases=[CASES[2]]
        )
        sent = [json.loads(request.body) for request in server.requests]
    (row,) = report["cases"]
    assert row["passed"] is True
    assert row["observed"] == [["V", 3]]
    assert row["answer"] == ANSWER["answer"]
    assert row["model"]["adapter"] == "ConstrainedModel"
    assert "JSON schema" in row["model"]["environment"]["tools"]
    assert all("tools" not in request for request in sent)
    assert [request["response_format"]["type"] for request in sent] == ["json_schema"] * 3
    assert "- draft_order: Draft a replenishment" in sent[0]["messages"][0]["content"]
    assert [message["role"] for message in sent[2]["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert json.loads(sent[2]["messages"][4]["content"]) == DRAFT
    assert sent[2]["messages"][5]["content"].startswith('Result: {"ok":true')


def test_the_schema_allows_each_tool_and_the_answer() -> None:
    with Database.fresh() as shop:
        schema = reply_format(shop_dispatcher(shop).schemas())["json_schema"]["schema"]
    assert [part["required"] for part in schema["anyOf"]] == [["tool", "arguments"]] * 3 + [
        ["answer"]
    ]
    assert (
        schema["anyOf"][2]["properties"]["arguments"]["properties"]["quantity"]["maximum"] == 1000
    )


@pytest.mark.parametrize(
    "said", ["Hello!", [], {"tool": "list_stock"}, {"answer": "a", "tool": "b"}, 7, None]
)
def test_a_server_that_does_not_enforce_it_fails_the_model(said: Any) -> None:
    with saying(said) as server:
        model = ConstrainedModel(HTTPModel(server.base_url, "m"))
        with pytest.raises(ModelError, match="did not hold the reply to its schema"):
            model.complete([], [], timeout=5, max_output_tokens=9)
        model.close()


def test_an_answer_that_is_not_text_is_for_the_loop_to_refuse() -> None:
    with saying({"answer": 7}) as server:
        report = evaluate(
            lambda: ConstrainedModel(HTTPModel(server.base_url, "m")), cases=[CASES[1]]
        )
    assert report["cases"][0]["loop_status"] == "MODEL_FAILED"


def test_without_a_system_message_the_tools_stand_alone() -> None:
    told = in_words([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], [])
    assert [message["role"] for message in told] == ["system", "user", "assistant"]
    assert told[2]["content"] == '{"answer":"ho"}'
