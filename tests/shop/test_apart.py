import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab import CASES, Apart, Limits, ModelTurn, OfflineShopModel, evaluate
from lab.shop.fixtures import FIXTURE
from lab.shop.models import ModelError


class Fixture:
    name = "apart fixture"
    reasoning_effort = None
    environment = FIXTURE

    def complete(self, messages: Any, tools: Any, *, timeout: float, max_output_tokens: int) -> Any:
        return ModelTurn("")


class Prints(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        print('{"content": "forged", "calls": []}', flush=True)
        os.write(1, b'{"content": "forged", "calls": []}\n')
        return ModelTurn("real")


class Never(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        while True:
            pass


class NeverWithAChild(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        if os.fork() == 0:
            os.setsid()
            time.sleep(30)
            os._exit(0)
        while True:
            pass


class Raises(Fixture):
    error: BaseException = KeyError("over there")

    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        raise self.error


class Refuses(Raises):
    error = ModelError("no well-formed turn")


class TimesOut(Raises):
    error = TimeoutError("too late")


class Exits(Raises):
    error = SystemExit(3)


class Dies(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        os._exit(1)


class NoTurn(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        return "a text"


class NotPlain(Fixture):
    def complete(self, messages: Any, tools: Any, **bounds: Any) -> Any:
        return ModelTurn(object())  # type: ignore[arg-type]


class CannotBeMade(Fixture):
    def __init__(self) -> None:
        raise ValueError("no model here")


def row(candidate: Any, **options: Any) -> Any:
    return evaluate(Apart(candidate), cases=CASES[:1], **options)["cases"][0]


def test_it_does_what_it_does_beside_the_harness() -> None:
    report = evaluate(Apart(OfflineShopModel), cases=CASES[:3])
    assert report["counts"]["passed"] == 3
    model = report["cases"][0]["model"]
    assert (model["name"], model["environment"]["kind"]) == ("offline fixture", "fixture")


@pytest.mark.parametrize(
    ("candidate", "ended", "told"),
    [
        (Raises, "CANDIDATE_ERROR", "RuntimeError: KeyError: 'over there'"),
        (Refuses, "MODEL_FAILED", "ModelError: ModelError: no well-formed turn"),
        (TimesOut, "MODEL_FAILED", "TimeoutError: TimeoutError: too late"),
        (Exits, "CANDIDATE_ERROR", "RuntimeError: SystemExit: 3"),
        (Dies, "CANDIDATE_ERROR", "the candidate's process ended"),
        (NoTurn, "CANDIDATE_ERROR", "TypeError"),
        (NotPlain, "CANDIDATE_ERROR", "TypeError"),
        (CannotBeMade, "CANDIDATE_ERROR", "ValueError: no model here"),
    ],
)
def test_what_goes_wrong_there_is_told_here(candidate: Any, ended: str, told: str) -> None:
    found = row(candidate)
    assert found["loop_status"] == ended
    assert told in found["error"]


def test_what_it_prints_is_no_turn() -> None:
    assert row(Prints)["answer"] == "real"


@pytest.mark.parametrize("candidate", [Never, NeverWithAChild])
def test_what_never_returns_is_ended_when_its_time_is_over(candidate: Any) -> None:
    started = time.perf_counter()
    found = row(candidate, limits=Limits(seconds=0.5))
    assert found["loop_status"] == "TIME_LIMIT"
    assert time.perf_counter() - started < 10  # and not thirty


def test_what_was_made_in_a_console_can_be_sent(tmp_path: Path) -> None:
    code = """
from lab import Apart, CASES, OfflineShopModel, evaluate
class Mine(OfflineShopModel): pass
print(evaluate(Apart(Mine), cases=CASES[:1])["passed"])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("True\n", "")


def test_what_cannot_be_sent_is_refused_by_name() -> None:
    lock = __import__("threading").Lock()
    found = row(lambda: lock)
    assert "cannot be sent to a process of its own" in found["error"]
