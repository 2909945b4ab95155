"""The same three stages for script and agent, failed attempts included."""

import time
from typing import Any

import pytest

from lab.cases import CASES
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.interpretation import keywords, run_requests
from lab.shop.fixtures import OfflineShopModel
from lab.shop.models import ModelTurn
from lab.timing import fair_timing


def attempt(script: tuple[float, ...], agent: tuple[float, ...], passed: bool) -> dict[str, Any]:
    stages = ("acquire", "decide", "deliver")
    return {
        "passed": passed,
        "repetition": 1,
        "seconds": sum(agent[:2]),
        "baseline": {"seconds": script[1]},
        "spans": {
            "script": dict(zip(stages, script, strict=True)),
            "agent": dict(zip(stages, agent, strict=True)),
        },
    }


def test_stages_and_whole_by_hand() -> None:
    report = {
        "cases": [
            attempt((1.0, 0.25, 0.5), (2.0, 8.0, 1.0), True),
            attempt((3.0, 0.25, 0.5), (2.0, 4.0, 1.0), False),
            attempt((2.0, 0.5, 0.5), (1.0, 3.0, 2.0), True),
        ]
    }
    found = fair_timing(report)
    assert (found["attempts"], found["timed"], found["passed"], found["failed"]) == (3, 3, 2, 1)
    assert found["script"]["whole"] == {"median": 3.0, "least": 1.75, "most": 3.75}
    assert found["agent"]["whole"] == {"median": 7.0, "least": 6.0, "most": 11.0}
    assert found["agent"]["acquire"] == {"median": 2.0, "least": 1.0, "most": 2.0}
    assert found["original"] == {
        "baseline.seconds": {"median": 0.25, "least": 0.25, "most": 0.5},
        "seconds": {"median": 6.0, "least": 4.0, "most": 10.0},
    }
    assert "cannot show" in found["cannot_show"]


def test_failed_attempts_are_timed_and_those_that_never_ran_are_counted() -> None:
    class Mixed(OfflineShopModel):
        made = 0

        def complete(self, messages: Any, tools: Any, **options: Any) -> ModelTurn:
            Mixed.made += 1
            if Mixed.made == 1:
                time.sleep(0.02)
                return ModelTurn("")
            raise KeyboardInterrupt

    report = evaluate(Mixed, cases=CASES[:3])
    found = fair_timing(report)
    assert (found["attempts"], found["timed"], found["failed"]) == (3, 1, 1)
    assert found["agent"]["whole"]["most"] >= 0.02
    assert found["repetitions"] == 1


def test_nothing_timed_is_unknown() -> None:
    def broken(case: Any) -> Any:
        raise RuntimeError("no")

    found = fair_timing(evaluate(OfflineShopModel, cases=CASES[:1], baseline=broken))
    assert found["timed"] == 0
    assert found["script"]["whole"] == {"median": None, "least": None, "most": None}


def test_the_two_original_fields_are_left_as_they_were() -> None:
    report = evaluate(OfflineShopModel, cases=CASES[:1])
    row = report["cases"][0]
    found = fair_timing(report)
    assert found["original"]["seconds"]["median"] == row["seconds"]
    assert found["original"]["baseline.seconds"]["median"] == row["baseline"]["seconds"]
    assert found["agent"]["whole"]["median"] > row["spans"]["agent"]["decide"]


def test_requests_have_no_stages() -> None:
    with pytest.raises(InputError, match="requests have one boundary"):
        fair_timing(run_requests({"keywords": keywords}))
