"""HTTPModel against a real server that misbehaves in every way we know of."""

import asyncio
import gc
import json
import logging
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError
from lab.shop.database import Database
from lab.shop.envelope import spellings
from lab.shop.http import MAX_BODY_BYTES, HTTPModel
from lab.shop.loop import Limits, LoopResult, run_loop
from lab.shop.models import Message, Model, ModelError, ModelTurn, ToolCall
from lab.shop.tools import shop_dispatcher

from .hostile_server import (
    ABSENT,
    Behaviour,
    Exchange,
    HostileServer,
    body_of,
    call,
    completion,
    drip_body,
    drip_head,
    flood_of_chunks,
    gzip_bomb,
    hang_up,
    redirect,
    reply,
    reset_mid_body,
    silence,
)

KEY = 'sk-"lucy\\s/vanilla"-0042'
MESSAGES: list[Message] = [{"role": "user", "content": "Draft what is needed."}]
TOOL = {"type": "function", "function": {"name": "list_stock", "parameters": {"type": "object"}}}
MESSAGE = "choices[0].message"


def ask(model: Model, timeout: float = 10) -> ModelTurn:
    return model.complete(MESSAGES, [], timeout=timeout, max_output_tokens=64)


@contextmanager
def candidate(*behaviours: Behaviour, **options: Any) -> Iterator[tuple[HTTPModel, HostileServer]]:
    """Run a server, and a model that asks it."""
    with HostileServer(*behaviours) as server:
        model = HTTPModel(server.base_url, "tiny", **options)
        try:
            yield model, server
        finally:
            model.close()


def refusal(*behaviours: Behaviour, **options: Any) -> str:
    """Return the reason a reply was refused for, having seen that it was asked for only once."""
    with candidate(*behaviours, **options) as (model, server):
        with pytest.raises(ModelError) as caught:
            ask(model)
        assert len(server.requests) == 1
    return str(caught.value)


def everything_in(error: BaseException) -> str:
    """Return all that a log or a debugger could show of an exception and of those behind it."""
    chain = [error, error.__cause__, error.__context__]
    shown = [repr(each) + str(each) + repr(getattr(each, "__dict__", "")) for each in chain]
    return "".join([*shown, *traceback.format_exception(error)])


# What is sent


def test_a_request_is_what_a_chat_completions_server_expects() -> None:
    with candidate(reply(completion()), api_key="sk-1", reasoning_effort="low") as (model, server):
        model.complete(MESSAGES, [TOOL], timeout=10, max_output_tokens=64)
    [request] = server.requests
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["content-type"] == "application/json"
    assert request.json() == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Draft what is needed."}],
        "tools": [TOOL],
        "temperature": 0,
        "max_tokens": 64,
        "stream": False,
        "reasoning_effort": "low",
    }


def test_without_tools_effort_and_key_nothing_is_said_of_them() -> None:
    with candidate(reply(completion()), reasoning_effort=None) as (model, server):
        ask(model)
    assert "authorization" not in server.requests[0].headers
    assert set(server.requests[0].json()) == {
        "model",
        "messages",
        "temperature",
        "max_tokens",
        "stream",
    }


def test_reasoning_is_disabled_unless_asked_for() -> None:
    with candidate(reply(completion())) as (model, server):
        ask(model)
    assert server.requests[0].json()["reasoning_effort"] == "none"


def test_a_lone_surrogate_comes_and_goes() -> None:
    with candidate(reply(completion("\ud800 €"))) as (model, server):
        turn = ask(model)
        message = {"role": "assistant", "content": turn.content}
        model.complete([message], [], timeout=10, max_output_tokens=64)
    assert turn.content == "\ud800 €"
    assert server.requests[1].body.isascii()
    assert server.requests[1].json()["messages"] == [{"role": "assistant", "content": "\ud800 €"}]


def test_calls_share_a_connection_and_no_cookies() -> None:
    with candidate(reply(completion(), Set_Cookie="seen=1")) as (model, server):
        ask(model)
        ask(model)
    assert server.connections == 1
    assert "cookie" not in server.requests[1].headers


def test_a_closed_model_opens_again_when_it_is_asked() -> None:
    with candidate(reply(completion())) as (model, server):
        ask(model)
        model.close()
        model.close()
        ask(model)
    assert server.connections == 2


def test_a_trailing_slash_in_the_address_is_tolerated() -> None:
    with HostileServer(reply(completion())) as server:
        model = HTTPModel(server.base_url + "/", "tiny")
        ask(model)
        model.close()
    assert server.requests[0].line == "POST /v1/chat/completions HTTP/1.1"


# What comes back


def test_a_turn_holds_words_calls_and_counts() -> None:
    calls = [
        call("c1", "list_stock", "{}"),
        call("c2", "supplier", ' {"sku": "V", "n": [1, null]}'),
    ]
    with candidate(reply(completion("Looking.", calls))) as (model, _):
        turn = ask(model)
    assert turn == ModelTurn(
        content="Looking.",
        calls=(
            ToolCall("c1", "list_stock", {}),
            ToolCall("c2", "supplier", {"sku": "V", "n": [1, None]}),
        ),
        output_tokens=7,
        prompt_tokens=40,
        cached_tokens=3,
    )


@pytest.mark.parametrize("content", [None, ABSENT, ""])
@pytest.mark.parametrize("calls", [None, ABSENT, []])
def test_nothing_said_is_an_empty_turn(content: Any, calls: Any) -> None:
    with candidate(reply(completion(content, calls))) as (model, _):
        turn = ask(model)
    assert (turn.content, turn.calls) == ("", ())


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (ABSENT, (None, None, None)),
        (None, (None, None, None)),
        ({}, (None, None, None)),
        ({"completion_tokens": None}, (None, None, None)),
        ({"completion_tokens": 0, "prompt_tokens": 0}, (0, 0, None)),
        ({"completion_tokens": -1, "prompt_tokens": -1}, (-1, None, None)),
        ({"completion_tokens": "12", "prompt_tokens": "12"}, ("12", None, None)),
        ({"completion_tokens": True, "prompt_tokens": True}, (True, None, None)),
        ({"completion_tokens": 1e9, "prompt_tokens": 1e9}, (1e9, None, None)),
        ({"completion_tokens": 10**30, "prompt_tokens": 2}, (10**30, 2, None)),
        ({"completion_tokens": [5], "prompt_tokens_details": [5]}, ([5], None, None)),
        ({"prompt_tokens_details": {"cached_tokens": 9}}, (None, None, 9)),
        ({"prompt_tokens_details": {"cached_tokens": -9}}, (None, None, None)),
    ],
)
def test_usage_is_handed_on_unjudged(usage: Any, expected: tuple[Any, Any, Any]) -> None:
    with candidate(reply(completion(usage=usage))) as (model, _):
        turn = ask(model)
    counts = (turn.output_tokens, turn.prompt_tokens, turn.cached_tokens)
    assert counts == expected
    assert [type(count) for count in counts] == [type(count) for count in expected]


def test_a_usage_that_is_no_number_stays_none() -> None:
    with candidate(reply(completion(usage={"completion_tokens": float("nan")}))) as (model, _):
        assert repr(ask(model).output_tokens) == "nan"


def one_call(**changes: Any) -> dict[str, Any]:
    return completion("", [call(), {**call("c2"), **changes}])


def one_function(**changes: Any) -> dict[str, Any]:
    return one_call(function={**call("c2")["function"], **changes})


CALLS = f"{MESSAGE}.tool_calls"
FUNCTION = f"{CALLS}[1].function"
MALFORMED = [
    ([], "the reply is an array, not an object"),
    ("{}", "the reply is a string, not an object"),
    ({}, "choices is missing or null, not an array"),
    ({"choices": {}}, "choices is an object, not an array"),
    ({"choices": []}, "the reply has 0 choices, not one"),
    ({"choices": completion()["choices"] * 2}, "the reply has 2 choices, not one"),
    ({"choices": [7]}, "choices[0] is a number, not an object"),
    ({"choices": [{}]}, f"{MESSAGE} is missing or null, not an object"),
    ({"choices": [{"message": []}]}, f"{MESSAGE} is an array, not an object"),
    (completion(["All", "is well."]), f"{MESSAGE}.content is an array, not a string"),
    (completion(False), f"{MESSAGE}.content is a boolean, not a string"),
    (completion(0), f"{MESSAGE}.content is a number, not a string"),
    (completion("", {}), f"{CALLS} is an object, not an array"),
    (completion("", "c1"), f"{CALLS} is a string, not an array"),
    (completion("", [[]]), f"{CALLS}[0] is an array, not an object"),
    (completion("", [call("")] * 33), f"{CALLS} holds 33 calls, more than the 32 allowed"),
    (completion("", [None] * 33), f"{CALLS} holds 33 calls, more than the 32 allowed"),
    (one_call(type="code"), f'{CALLS}[1].type is not "function"'),
    (one_call(type=["function"]), f'{CALLS}[1].type is not "function"'),
    (one_call(id=None), f"{CALLS}[1].id is missing or null, not a string"),
    (one_call(id=7), f"{CALLS}[1].id is a number, not a string"),
    (one_call(function=None), f"{FUNCTION} is missing or null, not an object"),
    (one_function(name=None), f"{FUNCTION}.name is missing or null, not a string"),
    (one_function(name={}), f"{FUNCTION}.name is an object, not a string"),
    (one_function(arguments=None), f"{FUNCTION}.arguments is missing or null, not a string"),
    (one_function(arguments={}), f"{FUNCTION}.arguments is an object, not a string"),
    (one_function(arguments="[]"), f"{FUNCTION}.arguments is an array, not an object"),
    (one_function(arguments="null"), f"{FUNCTION}.arguments is missing or null, not an object"),
    (completion(usage=[]), "usage is an array, not an object"),
    (completion(usage=7), "usage is a number, not an object"),
]
BROKEN_ARGUMENTS = [
    ("", "Expecting value: line 1 column 1 (char 0)"),
    ('{"sku": "V"', "Expecting ',' delimiter: line 1 column 12 (char 11)"),
    ('{"sku": "V"} {}', "Extra data: line 1 column 14 (char 13)"),
    ('{"sku": "V", "sku": "S"}', "the same key stands twice in one object"),
    ('{"sku": {"a": 1, "a": 1}}', "the same key stands twice in one object"),
    ('{"quantity": NaN}', "NaN is not JSON"),
    ('{"quantity": -Infinity}', "-Infinity is not JSON"),
    ('{"quantity": 1e999}', "1e999 is too large a number"),
    ('{"quantity": ' + "9" * 5_000 + "}", "Exceeds the limit (4300 digits)"),
    ('{"sku": ' + "[" * 50_000 + "]" * 50_000 + "}", "it is nested too deeply"),
]


@pytest.mark.parametrize(("envelope", "reason"), MALFORMED, ids=[row[1] for row in MALFORMED])
def test_a_malformed_reply_is_refused_by_name_and_place(envelope: Any, reason: str) -> None:
    assert refusal(reply(envelope)) == reason


@pytest.mark.parametrize(
    ("arguments", "reason"), BROKEN_ARGUMENTS, ids=[r for _, r in BROKEN_ARGUMENTS]
)
def test_arguments_are_strict_json(arguments: str, reason: str) -> None:
    told = refusal(reply(one_function(arguments=arguments)))
    assert told.startswith(f"{FUNCTION}.arguments is not valid JSON: {reason}")


def test_arguments_nested_beyond_reason_are_refused() -> None:
    deep = '{"sku": ' + "[" * 70 + "]" * 70 + "}"
    assert refusal(reply(one_function(arguments=deep))) == (
        f"{FUNCTION}.arguments is nested more than 64 levels deep"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the reply is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"<html>", "the reply is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        (b'"\xff"', "the reply is not valid JSON: 'utf-8' codec can't decode byte 0xff"),
        ('{"choices": []}'.encode("utf-16"), "the reply is not valid JSON: 'utf-8' codec can't"),
        (b"[" * 100_000, "the reply is not valid JSON: maximum recursion depth exceeded"),
    ],
)
def test_a_body_that_is_not_json_in_utf_8_is_refused(body: bytes, reason: str) -> None:
    assert refusal(reply(body)).startswith(reason)


@pytest.mark.parametrize("status", ["500 Oops", "429 Too Many Requests", "404 Not Found"])
def test_an_error_status_is_told_with_the_start_of_its_body(status: str) -> None:
    reason = refusal(reply(b'{"error":\n"no \xff\x1b[31mmodel ' + b"x" * 5_000, status))
    assert reason == f'HTTP {status[:3]}: {{"error": "no \ufffd [31mmodel ' + "x" * 171 + "..."


def test_an_error_without_a_body_says_so() -> None:
    assert refusal(reply(b"", "503 Busy")) == "HTTP 503: (empty body)"


def test_a_reply_at_the_size_limit_is_read() -> None:
    frame = len(json.dumps(completion("")))
    with candidate(reply(completion("x" * (1_048_576 - frame)))) as (model, _):
        assert len(ask(model).content) == 1_048_576 - frame
    assert MAX_BODY_BYTES == 1_048_576
    too_long = completion("x" * (1_048_577 - frame))
    assert refusal(reply(too_long)) == "HTTP 200: reply larger than 1048576 bytes"


def test_a_huge_body_is_not_read_to_its_end() -> None:
    with candidate(body_of(64 * 1_048_576)) as (model, server):
        started = time.monotonic()
        with pytest.raises(ModelError, match=r"^HTTP 200: reply larger than 1048576 bytes$"):
            ask(model)
        assert time.monotonic() - started < 1.0
    assert server.sent_bytes < 32 * 1_048_576


def test_a_compressed_reply_is_refused_unread() -> None:
    assert refusal(gzip_bomb(16 * 1_048_576)) == "HTTP 200: content encoding gzip refused"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_refused_and_not_followed(status: str) -> None:
    with HostileServer(reply(completion())) as other:
        reason = refusal(redirect(f"{other.base_url}/chat/completions", status), api_key=KEY)
        assert other.requests == []
        assert other.connections == 0
    assert reason == f"redirect refused (HTTP {status[:3]}): base_url must be the final address"


@pytest.mark.parametrize("behaviour", [reset_mid_body, hang_up, reply(b"", "nonsense")])
def test_a_broken_connection_is_a_failed_turn(behaviour: Behaviour) -> None:
    assert refusal(behaviour).startswith("POST to http://127.0.0.1:")


def test_a_refused_connection_is_a_failed_turn() -> None:
    with pytest.raises(ModelError, match=r"^POST to http://127\.0\.0\.1:\d+/v1: ConnectError: "):
        ask(HTTPModel(unused_address(), "tiny"))


def unused_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        return f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"


# Time


@pytest.mark.parametrize("behaviour", [drip_head, drip_body])
def test_the_time_limit_is_total(behaviour: Behaviour) -> None:
    with candidate(behaviour) as (model, server):
        started = time.monotonic()
        with pytest.raises(TimeoutError, match=r"^no complete reply within 1\.1 s$"):
            ask(model, timeout=1.1)
        assert 1.1 <= time.monotonic() - started < 2.1
        assert len(server.requests) == 1


def test_a_flood_that_never_ends_is_ended() -> None:
    with candidate(flood_of_chunks) as (model, _):
        started = time.monotonic()
        with pytest.raises((TimeoutError, ModelError)):
            ask(model, timeout=0.5)
        assert time.monotonic() - started < 1.5


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_never_reads_is_a_time_out(scheme: str) -> None:
    """Neither a request too long for the buffers nor a TLS handshake gets anywhere."""
    message = {"role": "user", "content": "x" * 30_000_000}
    with socket.create_server(("127.0.0.1", 0), backlog=1) as deaf:
        model = HTTPModel(f"{scheme}://127.0.0.1:{deaf.getsockname()[1]}/v1", "tiny")
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            model.complete([message], [], timeout=0.5, max_output_tokens=64)
        assert time.monotonic() - started < 1.5
        model.close()
    gc.collect()  # httpcore leaves the socket of a cancelled handshake to the garbage collector


def test_time_that_is_over_already_sends_nothing() -> None:
    with candidate(reply(completion())) as (model, server):
        with pytest.raises(TimeoutError):
            ask(model, timeout=0)
        assert ask(model).content == "All is well."
        assert len(server.requests) == 1


def test_a_time_out_carries_nothing_of_the_request() -> None:
    with candidate(silence, api_key=KEY) as (model, _):
        with pytest.raises(TimeoutError) as caught:
            ask(model, timeout=0.2)
        assert caught.value.__context__ is None
        assert hidden(everything_in(caught.value))


# Where it may be called from


def test_many_threads_share_a_model_and_time_out_on_their_own() -> None:
    with (
        candidate(*[silence] * 6, reply(completion())) as (model, _),
        ThreadPoolExecutor(6) as pool,
    ):
        started = time.monotonic()
        waiting = [pool.submit(ask, model, 1.0) for _ in range(6)]
        while len(_.requests) < 6:
            time.sleep(0.01)
        assert ask(model).content == "All is well."
        assert time.monotonic() - started < 0.9
        assert {type(each.exception()) for each in waiting} == {TimeoutError}
        assert time.monotonic() - started < 2.0


def test_it_works_inside_a_running_event_loop() -> None:
    with candidate(reply(completion()), drip_body) as (model, _):

        async def cell() -> str:
            started = time.monotonic()
            content = ask(model).content
            with pytest.raises(TimeoutError):
                ask(model, timeout=0.3)
            assert time.monotonic() - started < 1.3
            return content

        assert asyncio.run(cell()) == "All is well."


def asked_elsewhere(model: HTTPModel) -> tuple[str, str, int]:
    """Ask twice in a worker process; the second request gets no end."""
    content = ask(model).content
    try:
        ask(model, timeout=0.3)
    except TimeoutError as error:
        return content, str(error), os.getpid()
    finally:
        model.close()
    return content, "", os.getpid()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_it_works_in_a_worker_process(method: str) -> None:
    with candidate(reply(completion("here")), reply(completion("there")), drip_body) as (model, _):
        assert ask(model).content == "here"  # the parent has its thread and connection already
        context = multiprocessing.get_context(method)
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            content, error, process = pool.submit(asked_elsewhere, model).result(20)
    assert (content, error) == ("there", "no complete reply within 0.3 s")
    assert process != os.getpid()


def ask_and_tell(model: HTTPModel, pipe: Connection) -> None:
    pipe.send(asked_elsewhere(model))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="no fork there")
def test_a_fork_does_not_use_the_connection_it_inherited() -> None:
    with candidate(reply(completion("here")), reply(completion("there")), drip_body) as (
        model,
        server,
    ):
        assert ask(model).content == "here"
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        child = context.Process(target=ask_and_tell, args=(model, theirs))
        child.start()
        assert ours.poll(10)
        assert ours.recv()[:2] == ("there", "no complete reply within 0.3 s")
        child.join()
        ours.close()
        theirs.close()
        assert server.connections == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no pthread_kill there")
def test_an_interrupt_ends_the_request(heeded_interrupts: None) -> None:
    gone = threading.Event()

    def until_the_client_is_gone(exchange: Exchange) -> None:
        if exchange.connection.recv(1) == b"":
            gone.set()

    with candidate(until_the_client_is_gone, reply(completion())) as (model, _):
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ask(model)
        assert time.monotonic() - started < 1.3
        assert gone.wait(1.0)
        assert ask(model).content == "All is well."


def test_proxies_of_the_environment_are_ignored_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with HostileServer(reply(completion("by proxy"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        with candidate(reply(completion("direct"))) as (model, server):
            assert ask(model).content == "direct"
            assert proxy.connections == 0
            proxied = HTTPModel(server.base_url, "tiny", use_system_proxies=True)
            assert ask(proxied).content == "by proxy"
            proxied.close()
            assert proxy.requests[0].line == f"POST {server.base_url}/chat/completions HTTP/1.1"


def test_a_proxy_that_cannot_be_used_is_a_failed_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:1")
    with pytest.raises(ModelError, match="proxy"):
        ask(HTTPModel("http://127.0.0.1:9/v1", "tiny", use_system_proxies=True))


# The key


def hidden(text: str) -> bool:
    """Say that a text does not hold the key, however many backslashes were put into it."""
    return KEY.replace("\\", "") not in text.replace("\\", "")


def spelled_out(text: str) -> str:
    return "".join(rf"\u{ord(letter):04X}" for letter in text)


def test_a_key_echoed_in_a_turn_is_blotted_out() -> None:
    arguments = {"sku": KEY, KEY: [{"deep": f"a{KEY}b"}], "json": json.dumps({"again": KEY})}
    envelope = completion(
        f"Bearer {KEY} {KEY} and {spelled_out(KEY)}",
        [call(f"id-{KEY}", KEY, json.dumps(arguments))],
        {"completion_tokens": f"Bearer {KEY}", "prompt_tokens": KEY},
    )
    with candidate(reply(envelope), api_key=KEY) as (model, _):
        turn = ask(model)
    assert turn == ModelTurn(
        content="Bearer [api key] [api key] and [api key]",
        calls=(
            ToolCall(
                "id-[api key]",
                "[api key]",
                {
                    "sku": "[api key]",
                    "[api key]": [{"deep": "a[api key]b"}],
                    "json": '{"again": "[api key]"}',
                },
            ),
        ),
        output_tokens="Bearer [api key]",  # type: ignore[arg-type]
    )


def test_a_key_written_in_escapes_is_blotted_out_once_read() -> None:
    body = json.dumps(completion("HERE", [call("c1", "supplier", '{"sku": "THERE"}')]))
    body = body.replace("THERE", spelled_out(KEY).replace("\\", "\\\\"))
    body = body.replace("HERE", spelled_out(KEY))
    with candidate(reply(body.encode()), api_key=KEY) as (model, _):
        turn = ask(model)
    assert turn.content == "[api key]"
    assert turn.calls == (ToolCall("c1", "supplier", {"sku": "[api key]"}),)


ECHOES: list[tuple[Behaviour, str]] = [
    (reply(f"bad key {KEY}".encode(), "401 No"), "HTTP 401: bad key [api key]"),
    (reply({"error": KEY}, "401 No"), 'HTTP 401: {"error": "[api key]"}'),
    (
        reply(json.dumps({"e": json.dumps(KEY)}).encode(), "401 No"),
        'HTTP 401: {"e": "\\"[api key]\\""}',
    ),
    (reply(spelled_out(KEY).encode(), "401 No"), "HTTP 401: [api key]"),
    (reply(b"x" * 190 + KEY.encode(), "401 No"), "HTTP 401: " + "x" * 190 + "[api key]"),
    (reply(b"x" * 195 + KEY.encode(), "401 No"), "HTTP 401: " + "x" * 195 + "[a..."),
    (redirect(f"http://{KEY}/"), "redirect refused (HTTP 307): base_url must be the final address"),
    (reply(b"", Content_Encoding=KEY), "HTTP 200: content encoding [api key] refused"),
    (reply(KEY.encode()), "the reply is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
    (reply(b"\xff" + KEY.encode()), "the reply is not valid JSON: 'utf-8' codec can't decode byte"),
    (reply({"choices": KEY}), "choices is a string, not an array"),
    (reply(one_call(type=KEY)), f'{CALLS}[1].type is not "function"'),
    (
        reply(one_function(arguments=KEY)),
        f"{FUNCTION}.arguments is not valid JSON: Expecting value",
    ),
    (
        reply(one_function(arguments=json.dumps(KEY))),
        f"{FUNCTION}.arguments is a string, not an obj",
    ),
    (lambda exchange: exchange.send(f"{KEY}\r\n\r\n".encode()), "POST to http://127.0.0.1:"),
    (reply(b"", f"200 {KEY}\0"), "POST to http://127.0.0.1:"),
    (reply(b"", X=f"{KEY}\0"), "POST to http://127.0.0.1:"),
]


@pytest.mark.parametrize(("behaviour", "reason"), ECHOES)
def test_a_key_echoed_in_an_error_is_blotted_out(
    behaviour: Behaviour, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with candidate(behaviour, api_key=KEY) as (model, server):
        with pytest.raises(ModelError) as caught:
            ask(model)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert str(caught.value).startswith(reason)
    assert caught.value.__context__ is None
    assert hidden(everything_in(caught.value))
    assert hidden(caplog.text)


def test_debug_logs_hold_nothing_that_a_server_echoed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = reply(completion(), "200 sk-0042", X_Echo="sk-0042")
    with candidate(echo, api_key="sk-0042") as (model, server):
        ask(model)
        assert "sk-0042" not in caplog.text
        httpx.get(server.base_url, trust_env=False)  # it is only our own requests that are silent
        assert "sk-0042" in caplog.text


def test_a_key_is_in_no_repr_and_survives_pickling() -> None:
    with candidate(reply(completion()), api_key=KEY) as (model, server):
        ask(model)
        assert repr(model) == f"HTTPModel('{server.base_url}', 'tiny')"
        copy = pickle.loads(pickle.dumps(model))
        factory = pickle.loads(pickle.dumps(partial(HTTPModel, server.base_url, "t")))
        for each in (copy, factory()):
            ask(each)
            each.close()
    keys = [request.headers.get("authorization") for request in server.requests]
    assert keys == [f"Bearer {KEY}", f"Bearer {KEY}", None]


printable = st.characters(min_codepoint=32, max_codepoint=126)


@settings(deadline=None)
@given(st.text(printable, min_size=1), st.text(), st.text(), st.integers(0, 2))
def test_every_spelling_of_a_text_is_found(text: str, before: str, after: str, level: int) -> None:
    """In JSON, and in JSON within JSON, whatever stands around it."""
    escaped, spelled = text, "".join(rf"\u{ord(letter):04x}" for letter in text)
    for _ in range(level):
        escaped, spelled = json.dumps(escaped)[1:-1], json.dumps(spelled)[1:-1]
    for spelling in (escaped, spelled):
        assert spellings(text).fullmatch(spelling)
        assert spellings(text).search(before + spelling + after)


@pytest.mark.parametrize("unit", ["\\", "s", "sk-", "\\u0073", 'sk-"lucy\\', "\\s"])
def test_hostile_text_does_not_slow_the_search_down(unit: str) -> None:
    started = time.process_time()
    assert spellings(KEY).search(unit * (1_048_576 // len(unit))) is None
    assert time.process_time() - started < 2.0


# What it is made from


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "127.0.0.1:8080/v1",
        "ftp://127.0.0.1/v1",
        "http://",
        "http:///v1",
        "http://lucy:hunter2@127.0.0.1/v1",
        "http://hunter2@127.0.0.1/v1",
        "http://@127.0.0.1/v1",
        "http://127.0.0.1/v1?key=hunter2",
        "http://127.0.0.1/v1?",
        "http://127.0.0.1/v1#hunter2",
        "http://127.0.0.1:hunter2/v1",
        "http://127.0.0.1\\@hunter2/v1",
        "http://127.0.0.1/v1\n",
        "http://127.0.0.1/\ud800",
        " http://127.0.0.1/v1",
        None,
        7,
    ],
)
def test_an_unusable_address_is_refused_without_repeating_it(base_url: Any) -> None:
    with pytest.raises(InputError, match="base_url must be an http or https address") as caught:
        HTTPModel(base_url, "tiny")
    assert isinstance(caught.value, ValueError)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("base_url", ["https://models.example/v1", "HTTP://[::1]:8080", "http://h"])
def test_an_address_is_kept_as_it_was_given(base_url: str) -> None:
    assert HTTPModel(base_url, "tiny").base_url == base_url


@pytest.mark.parametrize("model", ["", None, 7])
def test_a_model_has_a_name(model: Any) -> None:
    with pytest.raises(InputError, match="model must be the name"):
        HTTPModel("http://127.0.0.1/v1", model)


@pytest.mark.parametrize("key", ["", " ", "hunter2\n", "\thunter2", "hünter2", " hunter2", b"x", 7])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(key: Any) -> None:
    with pytest.raises(InputError, match="api_key must be printable ASCII") as caught:
        HTTPModel("http://127.0.0.1/v1", "tiny", api_key=key)
    assert "nter2" not in str(caught.value)


def test_a_reasoning_effort_is_a_word_or_none() -> None:
    with pytest.raises(InputError, match="reasoning_effort"):
        HTTPModel("http://127.0.0.1/v1", "tiny", reasoning_effort=0)  # type: ignore[arg-type]


def test_a_report_finds_what_it_keeps() -> None:
    model = HTTPModel("http://h/v1/", "tiny", environment={"server": "llama"}, api_key="sk-0042")
    assert model.name == "tiny"
    assert model.reasoning_effort == "none"
    assert model.environment == {"server": "llama", "base_url": "http://h/v1"}
    assert HTTPModel("http://h/v1", "tiny").environment == {"base_url": "http://h/v1"}


# Through the loop

LOOKED = reply(completion("", [call("c1", "list_stock", "{}")]))
SECONDS = 1.1


def looped(*behaviours: Behaviour) -> LoopResult:
    """Run the whole loop against a server, and see that it ends in time."""
    limits = Limits(seconds=SECONDS, output_tokens=64)
    with (
        Database.fresh([("V", 2, 0, 8, 250)]) as shop,
        candidate(*behaviours, api_key=KEY) as (model, server),
    ):
        started = time.monotonic()
        result = run_loop(model, shop_dispatcher(shop), MESSAGES, limits=limits)
        assert time.monotonic() - started < SECONDS + 1
        assert len(server.requests) == result.model_calls
    assert hidden(repr(result))
    return result


ENDINGS: list[tuple[list[Behaviour], str, str]] = [
    *(([reply(envelope)], "MODEL_FAILED", reason) for envelope, reason in MALFORMED),
    *(
        (
            [reply(one_function(arguments=text))],
            "MODEL_FAILED",
            f"{FUNCTION}.arguments is not valid",
        )
        for text, _ in BROKEN_ARGUMENTS
    ),
    *(([behaviour], "MODEL_FAILED", reason) for behaviour, reason in ECHOES),
    ([body_of(64 * 1_048_576)], "MODEL_FAILED", "HTTP 200: reply larger than 1048576 bytes"),
    ([gzip_bomb(16 * 1_048_576)], "MODEL_FAILED", "HTTP 200: content encoding gzip refused"),
    ([reply(b"\xff")], "MODEL_FAILED", "the reply is not valid JSON: 'utf-8' codec can't decode"),
    ([reply(b"[" * 100_000)], "MODEL_FAILED", "the reply is not valid JSON: maximum recursion"),
    ([reply(b"oh", "500 Oops")], "MODEL_FAILED", "HTTP 500: oh"),
    ([reply(b"slower", "429 Slower")], "MODEL_FAILED", "HTTP 429: slower"),
    ([LOOKED, reply(b"oh", "500 Oops")], "MODEL_FAILED", "HTTP 500: oh"),
    ([redirect("http://127.0.0.1:9/")], "MODEL_FAILED", "redirect refused (HTTP 307)"),
    ([reset_mid_body], "MODEL_FAILED", "POST to http://127.0.0.1:"),
    ([hang_up], "MODEL_FAILED", "POST to http://127.0.0.1:"),
]


@pytest.mark.parametrize(("behaviours", "status", "reason"), ENDINGS)
def test_a_failed_turn_ends_the_loop_with_its_reason(
    behaviours: list[Behaviour], status: str, reason: str
) -> None:
    result = looped(*behaviours)
    assert (result.status, result.answer) == (status, None)
    assert result.error is not None
    assert result.error.startswith(f"ModelError: {reason}")


@pytest.mark.parametrize("behaviours", [[silence], [drip_head], [drip_body], [LOOKED, drip_body]])
def test_a_reply_that_does_not_end_ends_the_loop_by_its_time_limit(
    behaviours: list[Behaviour],
) -> None:
    result = looped(*behaviours)
    assert (result.status, result.answer) == ("TIME_LIMIT", None)
    assert result.error is not None
    assert result.error.startswith("TimeoutError: no complete reply within 1.")


@pytest.mark.parametrize(
    ("usage", "error"),
    [
        (-1, "-1 of 64 output tokens"),
        (65, "65 of 64 output tokens"),
        (1e9, "1000000000.0 of 64 output tokens"),
        (7.0, "7.0 of 64 output tokens"),
        (True, "True of 64 output tokens"),
        ("12", "'12' of 64 output tokens"),
        ([12], "[12] of 64 output tokens"),
        (KEY, "'[api key]' of 64 output tokens"),
        (float("nan"), "nan of 64 output tokens"),
        (float("-inf"), "-inf of 64 output tokens"),
    ],
)
def test_a_count_that_cannot_be_true_ends_the_loop(usage: Any, error: str) -> None:
    result = looped(reply(completion(usage={"completion_tokens": usage})))
    assert (result.status, result.error) == ("INVALID_USAGE", error)


@pytest.mark.parametrize("usage", [ABSENT, None, {}, {"completion_tokens": None}])
def test_missing_usage_completes_with_tokens_unknown(usage: Any) -> None:
    result = looped(LOOKED, reply(completion(usage=usage)))
    assert (result.status, result.answer) == ("COMPLETED", "All is well.")
    assert result.output_tokens is None
    assert [step.get("output_tokens") for step in result.steps] == [7, None, None]


def test_a_good_server_completes() -> None:
    result = looped(LOOKED, reply(completion(f"Nothing to draft, {KEY}.")))
    assert (result.status, result.answer) == ("COMPLETED", "Nothing to draft, [api key].")
    assert (result.model_calls, result.tool_calls, result.output_tokens) == (2, 1, 14)
    assert result.error is None


def test_no_server_is_a_failed_model() -> None:
    with Database.fresh() as shop:
        model = HTTPModel(unused_address(), "tiny", api_key=KEY)
        result = run_loop(model, shop_dispatcher(shop), MESSAGES)
    assert (result.status, result.model_calls) == ("MODEL_FAILED", 1)
    assert result.error is not None
    assert result.error.startswith("ModelError: POST to http://127.0.0.1:")
