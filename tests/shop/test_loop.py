"""Every way a conversation can end, and that a model cannot reach past its arguments."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from lab.attacks import Script
from lab.shop.loop import Limits, LoopResult, run_loop
from lab.shop.models import Model, ModelError, ModelTurn, ToolCall
from lab.shop.tools import Arguments, Dispatcher, Tool

MESSAGES = [{"role": "user", "content": "What is short?"}]
DONE = ModelTurn("Nothing is short.")


class NoArguments(Arguments):
    pass


def dispatcher() -> Dispatcher:
    return Dispatcher([Tool("look", "Look.", NoArguments, lambda _: [1, 2])])


def look(identity: str) -> ModelTurn:
    return ModelTurn(calls=(ToolCall(identity, "look", {}),))


def loop(*turns: ModelTurn, limits: Limits | None = None) -> LoopResult:
    return run_loop(Script(*turns), dispatcher(), MESSAGES, limits=limits)


class Raises:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def complete(self, *_: Any, **__: Any) -> ModelTurn:
        raise self.error


class Returns:
    def __init__(self, value: Any) -> None:
        self.value = value

    def complete(self, *_: Any, **__: Any) -> ModelTurn:
        return self.value  # type: ignore[no-any-return]


def test_an_answer_completes() -> None:
    result = loop(look("1"), DONE)
    assert (result.status, result.answer) == ("COMPLETED", "Nothing is short.")
    assert (result.model_calls, result.tool_calls, result.output_tokens) == (2, 1, 0)
    assert result.messages == [
        {"role": "user", "content": "What is short?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": '{"ok":true,"value":[1,2]}'},
        {"role": "assistant", "content": "Nothing is short."},
    ]
    assert [step["kind"] for step in result.steps] == ["model", "tool", "model"]


@pytest.mark.parametrize("content", ["", " \n\t"])
def test_silence_is_an_end_of_its_own(content: str) -> None:
    result = loop(ModelTurn(content))
    assert (result.status, result.answer) == ("EMPTY_REPLY", content)


@pytest.mark.parametrize(
    ("limits", "turns", "status", "reason"),
    [
        (Limits(model_calls=1), [look("1")], "MODEL_CALL_LIMIT", "1 model calls were allowed"),
        (Limits(tool_calls=1), [look("1"), look("2")], "TOOL_LIMIT", "1 tool calls were allowed"),
        (Limits(context_bytes=300), [look("1")], "CONTEXT_LIMIT", "300 were allowed"),
        (
            Limits(total_output_tokens=5),
            [ModelTurn(calls=(ToolCall("1", "look", {}),), output_tokens=5), DONE],
            "TOKEN_LIMIT",
            "5 tokens were allowed",
        ),
        (
            Limits(estimated_call_pence=30, model_budget_pence=50),
            [look("1"), DONE],
            "MODEL_COST_LIMIT",
            "50 pence were allowed",
        ),
    ],
)
def test_each_limit_ends_the_loop(
    limits: Limits, turns: list[ModelTurn], status: str, reason: str
) -> None:
    result = loop(*turns, limits=limits)
    assert (result.status, result.answer) == (status, None)
    assert result.error is not None
    assert reason in result.error


def test_a_budget_that_is_just_enough_is_enough() -> None:
    result = loop(look("1"), DONE, limits=Limits(estimated_call_pence=25, model_budget_pence=50))
    assert (result.status, result.estimated_cost_pence) == ("COMPLETED", 50)


def test_calls_past_the_tool_limit_are_requested_and_not_carried_out() -> None:
    three = ModelTurn(calls=tuple(ToolCall(str(n), "look", {}) for n in range(3)))
    result = loop(three, limits=Limits(tool_calls=2))
    assert (result.status, result.tool_calls) == ("TOOL_LIMIT", 2)
    assert len(result.messages[1]["tool_calls"]) == 3
    assert [message["role"] for message in result.messages] == ["user", "assistant", "tool", "tool"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError("boom"), "CANDIDATE_ERROR"),
        (SystemExit(0), "CANDIDATE_ERROR"),
        (RecursionError("deep"), "CANDIDATE_ERROR"),
        (MemoryError(), "CANDIDATE_ERROR"),
        (ModelError("two choices"), "MODEL_FAILED"),
        (TimeoutError("early"), "MODEL_FAILED"),
    ],
)
def test_whatever_a_model_raises_is_kept_with_its_type(error: BaseException, status: str) -> None:
    result = run_loop(Raises(error), dispatcher(), MESSAGES)
    assert (result.status, result.answer, result.output_tokens) == (status, None, None)
    assert result.error is not None
    assert result.error.startswith(type(error).__name__)
    assert result.model_calls == 1


def test_an_exception_that_cannot_print_itself_is_kept_by_type() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("never")

    result = run_loop(Raises(Mute()), dispatcher(), MESSAGES)
    assert result.error == "Mute: (its message could not be read: ValueError)"


def test_an_exception_that_exits_when_it_is_printed_loses_no_transcript() -> None:
    class Leaves(Exception):
        def __str__(self) -> str:
            raise SystemExit(0)

    result = run_loop(Raises(Leaves()), dispatcher(), MESSAGES)
    assert result.error == "Leaves: (its message could not be read: SystemExit)"
    assert result.messages == MESSAGES


@pytest.mark.parametrize("count", [-1, "9", True, pytest.param(10**5000, id="huge")])
def test_prompt_counts_that_cannot_be_true_are_unknown(count: Any) -> None:
    result = loop(ModelTurn("Done.", prompt_tokens=count, cached_tokens=count))
    assert result.status == "COMPLETED"
    assert (result.steps[0]["prompt_tokens"], result.steps[0]["cached_tokens"]) == (None, None)


def test_only_a_time_out_that_used_up_the_time_is_the_time_limit() -> None:
    class Slow:
        def complete(self, *_: Any, timeout: float, **__: Any) -> ModelTurn:
            time.sleep(timeout)
            raise TimeoutError("no reply")

    result = run_loop(Slow(), dispatcher(), MESSAGES, limits=Limits(seconds=0.2))
    assert (result.status, result.error) == ("TIME_LIMIT", "TimeoutError: no reply")


def test_an_answer_that_comes_too_late_is_kept_and_does_not_complete() -> None:
    class Late:
        def complete(self, *_: Any, timeout: float, **__: Any) -> ModelTurn:
            time.sleep(timeout + 0.02)
            return DONE

    result = run_loop(Late(), dispatcher(), MESSAGES, limits=Limits(seconds=0.1))
    assert (result.status, result.answer) == ("TIME_LIMIT", None)
    assert result.messages[-1] == {"role": "assistant", "content": "Nothing is short."}


class Sly(str):
    """Looks like one word and equals any other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    "turn",
    [
        None,
        "COMPLETED",
        {"content": "hello"},
        ModelTurn(content=None),  # type: ignore[arg-type]
        ModelTurn(content=b"hello"),  # type: ignore[arg-type]
        ModelTurn(calls=None),  # type: ignore[arg-type]
        ModelTurn(calls=({"id": "1"},)),  # type: ignore[arg-type]
        ModelTurn(calls=iter(())),  # type: ignore[arg-type]
        ModelTurn(calls=tuple(ToolCall(str(n), "look", {}) for n in range(33))),
        ModelTurn(calls=(ToolCall("", "look", {}),)),
        ModelTurn(calls=(ToolCall(1, "look", {}),)),  # type: ignore[arg-type]
        ModelTurn(calls=(ToolCall("1", None, {}),)),  # type: ignore[arg-type]
        ModelTurn(calls=(ToolCall("1", "look", "{}"),)),  # type: ignore[arg-type]
        ModelTurn(calls=(ToolCall("1", "look", {"n": float("nan")}),)),
        ModelTurn(calls=(ToolCall("1", "look", {"n": {1, 2}}),)),
        ModelTurn("x" * 2_000_000),
    ],
)
def test_a_malformed_turn_fails_the_model(turn: Any) -> None:
    result = run_loop(Returns(turn), dispatcher(), MESSAGES)
    assert (result.status, result.answer) == ("MODEL_FAILED", None)
    assert result.error


def test_thirty_two_calls_are_not_too_many() -> None:
    turn = ModelTurn(calls=tuple(ToolCall(str(n), "look", {}) for n in range(32)))
    assert loop(turn, DONE, limits=Limits(tool_calls=32)).status == "COMPLETED"


def test_arguments_nested_too_deeply_fail_the_model() -> None:
    for depth in (65, 100_000):
        nested: dict[str, Any] = {}
        for _ in range(depth):
            nested = {"n": nested}
        assert loop(ModelTurn(calls=(ToolCall("1", "look", nested),))).status == "MODEL_FAILED"


def test_arguments_that_hold_themselves_fail_the_model() -> None:
    endless: dict[str, Any] = {}
    endless["n"] = [endless]
    assert loop(ModelTurn(calls=(ToolCall("1", "look", endless),))).status == "MODEL_FAILED"


def test_a_disguised_word_is_kept_as_the_word_it_is() -> None:
    result = loop(ModelTurn(calls=(ToolCall("1", Sly("buy"), {}),)), DONE)
    name = result.messages[1]["tool_calls"][0]["function"]["name"]
    assert (type(name), name) == (str, "buy")


def test_a_reply_that_was_cut_off_is_no_answer() -> None:
    result = loop(ModelTurn("V: 6 tubs, 15", output_tokens=1024, truncated=True))
    assert (result.status, result.answer, result.output_tokens) == ("TOKEN_LIMIT", None, 1024)
    assert result.messages[-1]["content"] == "V: 6 tubs, 15"


HUGE = pytest.param(10**5000, id="an integer too large to print")


@pytest.mark.parametrize("usage", [-1, 1.0, True, "12", float("nan"), 1025, [1], HUGE])
def test_usage_that_cannot_be_true_is_invalid(usage: Any) -> None:
    result = loop(ModelTurn("Done.", output_tokens=usage))
    assert (result.status, result.answer, result.output_tokens) == ("INVALID_USAGE", None, None)
    assert result.messages[-1]["content"] == "Done."


def test_usage_is_judged_by_what_was_left() -> None:
    turns = [
        ModelTurn(calls=(ToolCall("1", "look", {}),), output_tokens=3),
        ModelTurn("Done.", output_tokens=3),
    ]
    assert loop(*turns, limits=Limits(total_output_tokens=6)).output_tokens == 6
    assert loop(*turns, limits=Limits(total_output_tokens=5)).status == "INVALID_USAGE"


def test_missing_usage_makes_the_sum_unknown() -> None:
    result = loop(
        ModelTurn(calls=(ToolCall("1", "look", {}),), output_tokens=None),
        ModelTurn("Done.", output_tokens=4),
    )
    assert (result.status, result.output_tokens) == ("COMPLETED", None)


@pytest.mark.parametrize(
    "turns",
    [
        [look("1"), look("1")],
        [ModelTurn(calls=(ToolCall("1", "look", {}), ToolCall("1", "look", {})))],
    ],
)
def test_an_id_used_twice_ends_the_loop_before_anything_runs(turns: list[ModelTurn]) -> None:
    result = loop(*turns)
    assert result.status == "REPEATED_CALL_ID"
    assert result.tool_calls == len(turns) - 1


def test_a_stop_is_obeyed_before_the_next_call() -> None:
    answers = iter([False, True])
    result = run_loop(
        Script(look("1"), DONE), dispatcher(), MESSAGES, should_stop=lambda: next(answers)
    )
    assert (result.status, result.model_calls, result.tool_calls) == ("STOP_REQUESTED", 1, 1)


def test_the_model_gets_copies() -> None:
    class Vandal:
        def complete(self, messages: Any, tools: Any, **_: Any) -> ModelTurn:
            messages[0]["content"] = "Buy."
            messages.append({"role": "system", "content": "Anything goes."})
            tools[0]["function"]["name"] = "buy"
            return DONE if len(messages) > 3 else look(str(len(messages)))

    given = [dict(message) for message in MESSAGES]
    tools = dispatcher()
    result = run_loop(Vandal(), tools, given)
    assert given == MESSAGES
    assert result.messages[0]["content"] == "What is short?"
    assert tools.schemas()[0]["function"]["name"] == "look"


def test_context_is_measured_in_utf8_bytes() -> None:
    words = [{"role": "user", "content": "é" * 1000}]
    plain = run_loop(Script(DONE), dispatcher(), words, limits=Limits(context_bytes=2300))
    tight = run_loop(Script(DONE), dispatcher(), words, limits=Limits(context_bytes=2000))
    assert (plain.status, tight.status) == ("COMPLETED", "CONTEXT_LIMIT")


@pytest.mark.parametrize(
    "bad",
    [
        {"model_calls": 0},
        {"tool_calls": -1},
        {"model_calls": True},
        {"output_tokens": 1.5},
        {"seconds": 0},
        {"seconds": float("inf")},
        {"seconds": float("nan")},
        {"seconds": "60"},
        {"estimated_call_pence": -1},
        {"model_budget_pence": 0},
        pytest.param({"model_calls": 10**5000}, id="a huge number of calls"),
    ],
)
def test_limits_that_bound_nothing_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Limits(**bad)


def test_the_default_limits() -> None:
    assert vars(Limits()) == {
        "model_calls": 8,
        "tool_calls": 16,
        "seconds": 60,
        "context_bytes": 32768,
        "output_tokens": 1024,
        "total_output_tokens": 4096,
        "estimated_call_pence": 0,
        "model_budget_pence": 100,
    }
    assert Limits(estimated_call_pence=0).estimated_call_pence == 0


def test_an_interrupt_is_the_hosts_and_passes_through() -> None:
    model: Callable[[], Model] = lambda: Raises(KeyboardInterrupt())  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        run_loop(model(), dispatcher(), MESSAGES)
