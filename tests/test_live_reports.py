"""The recorded runs of a real model are those that were saved, and say what they said."""

import tomllib
from pathlib import Path

import pytest

from lab.evaluation import regrade
from lab.evidence import load_report
from lab.interpretation import PROMPTS, REQUEST_CASES
from lab.interpretation import regrade as regrade_requests

LIVE = Path(__file__).parents[1] / "fixtures" / "live"
TOLD = tomllib.loads((LIVE / "environment.toml").read_text())
RUNS, CALIBRATIONS = TOLD["run"], TOLD["calibration"]


def test_every_report_has_its_record() -> None:
    assert sorted(run["report"] for run in [*RUNS, *CALIBRATIONS]) == sorted(
        path.name for path in LIVE.glob("*.json")
    )


@pytest.mark.parametrize(
    ("sha256", "skill", "adapter", "grounded", "statuses"),
    [
        ("687850cf", None, "HTTPModel", 0, {"TOKEN_LIMIT": 15, "COMPLETED": 1}),
        ("c4cd4f28", "opening-procedure", "HTTPModel", 0, {"TOKEN_LIMIT": 16}),
        ("f664b26b", None, "ConstrainedModel", 0, {"MODEL_CALL_LIMIT": 15, "TOKEN_LIMIT": 1}),
        ("42039187", "opening-procedure", "ConstrainedModel", 16, {"MODEL_CALL_LIMIT": 16}),
    ],
)
def test_a_recorded_run(
    sha256: str, skill: str | None, adapter: str, grounded: int, statuses: dict[str, int]
) -> None:
    (run,) = (run for run in RUNS if run["sha256"].startswith(sha256))
    report = load_report(LIVE / run["report"], run["sha256"])
    assert (report["counts"]["passed"], report["counts"]["attempts"]) == (0, 16)
    assert report["counts"]["distinct_cases"] == 8
    assert report["counts"]["by_status"] == statuses
    assert report["counts"]["by_check"]["grounded"] == {"passed": grounded, "attempts": 16}
    assert report["acceptance"]["status"] == "REJECTED"
    assert (report["candidate"] and report["candidate"]["name"]) == skill
    assert {row["model"]["adapter"] for row in report["cases"]} == {adapter}
    assert regrade(report) == []


def test_the_recorded_requests() -> None:
    (run,) = (run for run in RUNS if run["report"].startswith("requests"))
    report = load_report(LIVE / run["report"], run["sha256"])
    assert regrade_requests(report["cases"]) == []
    passed = {name: (c["passed"], c["attempts"]) for name, c in report["counts"].items()}
    assert passed == {
        "keywords": (26, 28),
        "always_draft": (8, 28),
        "always_clarify": (6, 28),
        "minimal": (0, 28),
        "contrast": (0, 28),
        "constrained": (8, 28),
    }
    counts = report["counts"]["constrained"]
    assert counts["by_mechanism"] == {
        "wrong decision": 12,
        "unrequested draft": 2,
        "schema": 2,
        "meaning": 4,
    }
    assert (counts["errors"], counts["unrequested_drafts"], counts["output_tokens"]) == (6, 2, 928)
    assert report["counts"]["minimal"]["by_mechanism"] == {"schema": 28}
    assert report["counts"]["contrast"]["by_mechanism"] == {"schema": 28}
    for name, text in PROMPTS.items():
        assert report["candidates"][name]["instruction"] == text
    asked = {row["case"]: row["request"] for row in report["cases"]}
    assert asked == {case.name: case.request for case in REQUEST_CASES}
