"""The recorded runs of a real model are those that were saved, and say what they said."""

import tomllib
from pathlib import Path

import pytest

from lab.evaluation import regrade
from lab.evidence import load_report

LIVE = Path(__file__).parents[1] / "fixtures" / "live"
RUNS = tomllib.loads((LIVE / "environment.toml").read_text())["run"]


def test_every_report_has_its_record() -> None:
    assert sorted(run["report"] for run in RUNS) == sorted(
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
