"""Tables hold what the reports hold, line by line."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lab import frames
from lab.cases import CASES
from lab.evaluation import evaluate
from lab.evidence import load_report, save_report
from lab.interpretation import always_draft, keywords, run_requests
from lab.shop.fixtures import OfflineShopModel

LIVE = Path(__file__).parents[1] / "fixtures" / "live"


class Breaks:
    name = "breaks"

    def complete(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no")


def test_one_line_an_attempt() -> None:
    report = evaluate(OfflineShopModel, repeats=2)
    table = frames.attempts(report)
    assert len(table) == 16
    assert list(table["case"][:4]) == ["opening", "opening", "at_threshold", "at_threshold"]
    assert list(table["repetition"][:4]) == [1, 2, 1, 2]
    assert table["passed"].sum() == 16
    assert set(table["candidate"]) == {"offline fixture, no skill"}
    assert list(table["case"].cat.categories) == [case.name for case in CASES]
    assert list(table["split"].cat.categories) == ["development", "regression", "held-out"]
    row = report["cases"][0]
    first = table.iloc[0]
    assert first["seconds"] == row["seconds"]
    assert first["baseline_seconds"] == row["baseline"]["seconds"]
    assert first["agent_decide"] == row["spans"]["agent"]["decide"]
    assert first["script_deliver"] == row["spans"]["script"]["deliver"]
    assert first["answer"] == row["answer"]


def test_types_are_fit_for_plotting() -> None:
    table = frames.attempts(evaluate(OfflineShopModel, cases=CASES[:1]))
    assert str(table["case"].dtype) == str(table["loop_status"].dtype) == "category"
    assert str(table["seconds"].dtype) == "float64"
    assert str(table["model_calls"].dtype) == "Int64"
    assert str(table["passed"].dtype) == "boolean"
    assert isinstance(table["started"].dtype, pd.DatetimeTZDtype)


def test_a_failed_attempt_is_a_line_with_its_error_and_unknown_is_not_nought() -> None:
    table = frames.attempts(evaluate(Breaks, cases=CASES[:2]))
    assert list(table["passed"]) == [False, False]
    assert list(table["loop_status"]) == ["CANDIDATE_ERROR", "CANDIDATE_ERROR"]
    assert list(table["error"]) == ["RuntimeError: no"] * 2
    assert table["output_tokens"].isna().all()
    assert table["answer"].isna().all()


def test_one_line_a_check() -> None:
    def odd(seen: Any) -> Any:
        raise ValueError("odd")

    report = evaluate(
        OfflineShopModel, cases=CASES[:2], checks={"fine": lambda _: True, "odd": odd}
    )
    table = frames.checks(report)
    assert [(*line,) for line in table[["case", "check", "passed"]].itertuples(index=False)] == [
        ("opening", "completed", True),
        ("opening", "fine", True),
        ("opening", "odd", False),
        ("at_threshold", "completed", True),
        ("at_threshold", "fine", True),
        ("at_threshold", "odd", False),
    ]
    assert list(table["error"].fillna("none")) == ["none", "none", "ValueError: odd"] * 2


def test_requests_are_the_same_kind_of_table() -> None:
    report = run_requests({"keywords": keywords, "always_draft": always_draft}, repeats=2)
    table = frames.attempts(report)
    assert len(table) == 56
    passes = table.groupby("candidate", observed=True)["passed"].sum()
    assert dict(passes) == {"keywords": 26, "always_draft": 8}
    assert dict(table["mechanism"].value_counts()) == {
        "unrequested draft": 18,
        "meaning": 2,
        "wrong decision": 2,
    }
    assert table["mechanism"].isna().sum() == 34
    quoted = table[(table["case"] == "quoted") & (table["candidate"] == "keywords")].iloc[0]
    assert (quoted["expected_action"], quoted["action"]) == ("stock", "refuse")
    assert len(frames.checks(report)) == 56 * 3


def test_a_loaded_report_makes_the_same_table(tmp_path: Path) -> None:
    for report in (evaluate(Breaks), run_requests({"keywords": keywords})):
        path, digest = save_report(tmp_path, report)
        loaded = load_report(path, digest)
        pd.testing.assert_frame_equal(frames.attempts(report), frames.attempts(loaded))
        pd.testing.assert_frame_equal(frames.checks(report), frames.checks(loaded))


@pytest.mark.parametrize("path", sorted(LIVE.glob("re*.json")), ids=lambda path: path.name)
def test_the_recorded_reports_make_tables(path: Path) -> None:
    report = load_report(path)
    table = frames.attempts(report)
    assert len(table) == len(report["cases"])
    assert table["seconds"].notna().all()


def test_interrupted_attempts_are_lines_too() -> None:
    class Stops:
        def complete(self, *_: Any, **__: Any) -> Any:
            raise KeyboardInterrupt

    table = frames.attempts(evaluate(Stops, cases=CASES[:2]))
    assert list(table["loop_status"]) == ["NOT_RUN", "NOT_RUN"]
    assert table["seconds"].isna().all()
    assert table["agent_decide"].isna().all()
