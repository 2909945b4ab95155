"""A log is one that Inspect AI reads, writes and lists, and every attempt is scored in it."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.cases import Case
from lab.cli import main
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import Report, load_report, save_report
from lab.export import export_report
from lab.export.attempts import only
from lab.export.inspect_log import inspect_log
from lab.shop.models import ModelTurn, ToolCall
from tests.export.reports import (
    HOSTILE,
    Scripted,
    every_ending,
    passing,
    poisoned,
    requests_of_all_sorts,
)

LIVE = Path(__file__).parents[2] / "fixtures" / "live"
ENDINGS = (".json", ".eval")


def read(report: Report, path: Path, digest: str | None = None) -> Any:
    from inspect_ai.log import read_eval_log

    inspect_log(report, path, digest)
    return read_eval_log(str(path))


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_attempt_is_a_scored_sample(ending: str, tmp_path: Path) -> None:
    log = read(every_ending(), tmp_path / f"x{ending}")
    assert log.version == 2
    assert log.status == "cancelled"
    assert len(log.samples) == 6
    assert {s.id: (s.epoch, s.scores["passed"].value) for s in log.samples} == {
        "right": (1, "C"),
        "fluent": (1, "I"),
        "crashed": (1, "I"),
        "down": (1, "I"),
        "looking": (1, "I"),
        "never": (1, "I"),
    }
    by_id = {sample.id: sample for sample in log.samples}
    assert {s.id: s.error.message for s in log.samples if s.error} == {
        "crashed": "RuntimeError: boom",
        "down": "ModelError: no reply",
        "never": "the run was cut short",
    }
    assert by_id["fluent"].scores["passed"].answer == "All is well. Buy nothing."
    assert by_id["fluent"].scores["passed"].explanation == "quantities, grounded did not pass"
    assert (
        by_id["fluent"].scores["completed"].value,
        by_id["fluent"].scores["grounded"].value,
    ) == (
        "C",
        "I",
    )
    assert (by_id["looking"].limit.type, by_id["looking"].limit.limit) == ("custom", 8)
    assert (log.results.total_samples, log.results.completed_samples) == (6, 3)


def test_a_rate_is_of_all_attempts(tmp_path: Path) -> None:
    log = read(every_ending(), tmp_path / "x.eval")
    found = {score.name: score.metrics for score in log.results.scores}
    assert list(found) == [
        "passed",
        "completed",
        "quantities",
        "grounded",
        "allowed_operations",
        "no_tool_errors",
        "currency_labels",
        "no_purchases",
        "baseline_matches_authored_answer",
    ]
    told = {name: {k: m.value for k, m in metrics.items()} for name, metrics in found.items()}
    assert told["passed"]["accuracy"] == pytest.approx(1 / 6)
    assert (told["passed"]["passed"], told["passed"]["attempts"]) == (1, 6)
    assert told["passed"]["low"] == pytest.approx(0.0301, abs=1e-3)  # Wilson's, 1 of 6
    assert told["passed"]["high"] == pytest.approx(0.5635, abs=1e-3)
    assert (told["completed"]["passed"], told["completed"]["attempts"]) == (2, 6)
    assert (told["grounded"]["passed"], told["grounded"]["attempts"]) == (2, 6)
    assert {(s.scored_samples, s.unscored_samples) for s in log.results.scores} == {(6, 0)}


def test_the_verdict_and_its_limits_are_in_the_header(tmp_path: Path) -> None:
    report = passing(2)
    log = read(report, tmp_path / "x.eval", digest="ab12")
    assert log.status == "success"
    assert log.eval.metadata["acceptance_status"] == "REVIEW_REQUIRED"
    assert log.eval.metadata["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    ]
    assert log.eval.metadata["report_sha256"] == "ab12"
    assert log.eval.metadata["distinct_cases"] == 1
    assert log.eval.metadata["caveats"][0].startswith("The candidate is a fixture")
    assert log.eval.tags == ["REVIEW_REQUIRED"]
    assert (log.eval.task, log.eval.model) == ("lab_evaluation", "offline fixture")
    assert (log.eval.config.epochs, log.eval.dataset.samples) == (2, 1)
    assert log.eval.dataset.sample_ids == ["opening"]
    first, second = log.samples
    assert (first.epoch, second.epoch) == (1, 2)
    assert first.target == '[["V",6]]'
    assert first.metadata["expected"] == first.metadata["observed"] == [["V", 6]]
    assert first.metadata["split"] == "held-out"
    assert first.metadata["baseline"]["drafts"] == [["V", 6]]
    assert first.metadata["held_out"].startswith("unknown: no ledger was kept")
    assert first.total_time == report["cases"][0]["seconds"]
    assert first.started_at.replace("+00:00", "Z")[:19] == report["cases"][0]["started"][:19]


def test_messages_have_calls_results_names_and_errors(tmp_path: Path) -> None:
    turns = {
        1: ModelTurn("Let me look.", [ToolCall("a", "list_stock", {})]),
        2: ModelTurn("", [ToolCall("b", "draft_order", {"sku": "V", "quantity": 5})]),
        3: ModelTurn("6 tubs of V, 1500 pence."),
    }
    case = Case("opening", "development", (("V", 2, 0, 8, 250),), (("V", 6),))
    report = evaluate(lambda: Scripted(lambda n: turns[n]), cases=[case])
    (sample,) = read(report, tmp_path / "x.eval").samples
    said = sample.messages
    assert [message.role for message in said] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert said[1].content == sample.input == case.prompt
    assert (said[2].content, said[2].tool_calls[0].function) == ("Let me look.", "list_stock")
    assert said[4].tool_calls[0].arguments == {"sku": "V", "quantity": 5}
    assert (said[3].function, said[3].tool_call_id, said[3].error) == ("list_stock", "a", None)
    assert (said[5].function, said[5].tool_call_id) == ("draft_order", "b")
    assert said[5].error.message == "V needs 6 tubs now, not 5"
    assert json.loads(said[3].content)["value"][0]["needed"] == 6
    assert sample.output.completion == "6 tubs of V, 1500 pence."
    assert len({message.id for message in said}) == 7


def test_what_nobody_knows_is_left_out(tmp_path: Path) -> None:
    inspect_log(every_ending(), tmp_path / "x.json")
    log = json.loads((tmp_path / "x.json").read_text("utf-8"))
    never = log["samples"][-1]
    assert {"total_time", "started_at", "model_usage", "output", "limit"} & set(never) == set()
    assert never["input"] == (
        "(the attempt never ran, and its report does not keep what would have been asked)"
    )
    assert "model_usage" not in log["stats"]
    assert "model_usage" not in log["samples"][4]  # its prompt was not counted, so 0 would stand in
    assert log["samples"][4]["metadata"]["output_tokens"] == 40
    assert "output_tokens" not in log["samples"][1]["metadata"]


def test_usage_that_is_known_is_told(tmp_path: Path) -> None:
    report = passing(2)
    for row, cached in zip(report["cases"], (30, None), strict=True):
        row |= {"output_tokens": 7, "prompt_tokens": 100, "cached_tokens": cached}
    log = read(report, tmp_path / "x.eval")
    used = [sample.model_usage["offline fixture"] for sample in log.samples]
    assert [(u.input_tokens, u.output_tokens, u.total_tokens) for u in used] == [
        (70, 7, 107),
        (100, 7, 107),
    ]
    assert [u.input_tokens_cache_read for u in used] == [30, None]
    total = log.stats.model_usage["offline fixture"]
    assert (total.input_tokens, total.output_tokens, total.total_tokens) == (170, 14, 214)


def test_a_reply_that_was_cut_off_has_its_own_limit(tmp_path: Path) -> None:
    def cut_off(_: int) -> ModelTurn:
        return ModelTurn("and so on", output_tokens=9, truncated=True)

    case = Case("opening", "development", (), ())
    (sample,) = read(evaluate(lambda: Scripted(cut_off), cases=[case]), tmp_path / "x.eval").samples
    assert (sample.limit.type, sample.limit.limit) == ("token", 1024)
    assert sample.limit.reason == "the reply was cut off, 1024 tokens were allowed"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "name",
    [
        "report-20261201T131103Z-687850cf6f36.json",
        "report-20261201T132913Z-4203918722fb.json",
        "requests",
        "every ending",
    ],
)
def test_inspect_writes_what_it_read(ending: str, name: str, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    if name == "every ending":
        report = every_ending()
    elif name == "requests":
        report = only(load_report(next(LIVE.glob("requests*.json"))), "constrained")
    else:
        report = load_report(LIVE / name)
    log = read(report, tmp_path / f"x{ending}")
    for other in ENDINGS:
        path = tmp_path / f"again{other}"
        write_eval_log(log, str(path))
        again = read_eval_log(str(path))
        assert again.model_dump(exclude={"location"}) == log.model_dump(exclude={"location"})


def test_inspect_lists_it_and_reads_it_in_parts(tmp_path: Path) -> None:
    from inspect_ai.log import (
        list_eval_logs,
        read_eval_log,
        read_eval_log_sample,
        read_eval_log_sample_summaries,
        read_eval_log_samples,
    )

    report = every_ending()
    path = str(tmp_path / "x.eval")
    inspect_log(report, path)
    inspect_log(report, tmp_path / "unlisted.json")
    inspect_log(report, tmp_path / "2026-12-01T10-00-00_x.json")
    assert sorted(Path(each.name).name for each in list_eval_logs(str(tmp_path))) == [
        "2026-12-01T10-00-00_x.json",
        "x.eval",
    ]
    header = read_eval_log(path, header_only=True)
    assert header.samples is None
    assert header.results is not None
    assert header.results.total_samples == 6
    whole = list(read_eval_log_samples(path, all_samples_required=False))
    assert [sample.id for sample in whole] == [row["case"] for row in report["cases"]]
    assert read_eval_log_sample(path, id="crashed", epoch=1).error is not None
    summaries = read_eval_log_sample_summaries(path)
    for short, sample in zip(summaries, whole, strict=True):
        made = sample.summary()
        for name in ("id", "epoch", "input", "target", "scores", "error", "limit", "total_time"):
            assert getattr(short, name) == getattr(made, name)
        assert short.completed
        assert short.message_count == made.message_count


def test_requests_are_a_log_a_candidate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = requests_of_all_sorts()
    saved, _ = save_report(tmp_path, report, name="requests.json")
    assert main(["export", str(saved), str(tmp_path / "x.eval")]) == 2
    assert capsys.readouterr().err == (
        "lab: a log of Inspect has one candidate; name it, --candidate: 'stock of vanilla',"
        " 'unlucky'\n"
    )
    assert not (tmp_path / "x.eval").exists()
    log = read(only(report, "unlucky"), tmp_path / "y.eval")
    assert (log.eval.task, log.eval.model, log.status) == ("lab_requests", "unlucky", "success")
    assert log.eval.tags is None
    assert "acceptance_status" not in log.eval.metadata
    stock, draft = sorted(log.samples, key=lambda sample: str(sample.id), reverse=True)
    assert (stock.id, stock.error.message) == ("stock", "OSError: no route")
    assert (draft.error, draft.output.completion) == (None, "{")
    assert draft.scores["passed"].explanation == (
        "schema; exact_decision, expected_events did not pass"
    )
    assert [message.role for message in draft.messages] == ["user", "assistant"]
    assert json.loads(draft.messages[0].content)["request"] == draft.input
    assert json.loads(draft.target) == {
        "action": "draft",
        "sku": "V",
        "events": [["draft", "V", 6, 1500]],
    }
    others = read(only(report, "stock of vanilla"), tmp_path / "z.eval").samples
    assert {each.id: each.scores["passed"].value for each in others} == {"stock": "C", "draft": "I"}
    assert (tmp_path / "y.eval").read_bytes() != (tmp_path / "z.eval").read_bytes()


def test_a_model_was_told_its_instruction(tmp_path: Path) -> None:
    report = only(load_report(next(LIVE.glob("requests*.json"))), "minimal")
    sample = read(report, tmp_path / "x.eval").samples[0]
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert sample.messages[0].content.startswith("You read one request from a shop owner")


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:20])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("make", [every_ending, requests_of_all_sorts])
def test_no_words_break_it(
    make: Callable[[], Report], ending: str, text: str, tmp_path: Path
) -> None:
    from inspect_ai.log import read_eval_log_sample

    report = poisoned(make(), text)
    report["provenance"]["created"] = "2026-12-01T10:00:00Z"
    if make is requests_of_all_sorts:
        report = only(report, f"{text}unlucky")
    path = tmp_path / f"x{ending}"
    log = read(report, path)
    assert len(log.samples) == len(report["cases"])
    for sample in log.samples:
        assert read_eval_log_sample(str(path), id=sample.id, epoch=sample.epoch).id == sample.id
    if ending == ".eval":
        names = zipfile.ZipFile(path).namelist()
        assert len(set(names)) == len(names) == len(log.samples) + 3
        assert all(name.count("/") <= 1 for name in names)


def test_a_case_called_like_a_path_stays_in_its_folder(tmp_path: Path) -> None:
    report = passing()
    report["cases"][0]["case"] = "../../x"
    read(report, tmp_path / "x.eval")
    names = zipfile.ZipFile(tmp_path / "x.eval").namelist()
    assert names[1].startswith("samples/.._.._x ")


def test_a_check_called_passed_is_a_score_of_its_own(tmp_path: Path) -> None:
    case = Case("opening", "development", (), ())
    report = evaluate(
        lambda: Scripted(lambda _: ModelTurn("Nothing.")),
        cases=[case],
        checks={"passed": lambda _: True, "never": lambda _: False},
    )
    log = read(report, tmp_path / "x.eval")
    assert {name: score.value for name, score in log.samples[0].scores.items()} == {
        "passed": "I",
        "completed": "C",
        "check passed": "C",
        "never": "I",
    }


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    report = passing()
    for name in ("a.eval", "b.eval"):
        inspect_log(report, tmp_path / name)
    assert (tmp_path / "a.eval").read_bytes() == (tmp_path / "b.eval").read_bytes()


def test_what_makes_no_log_is_refused(tmp_path: Path) -> None:
    report = passing()
    with pytest.raises(InputError, match=r"a log of Inspect ends in \.eval or \.json"):
        inspect_log(report, tmp_path / "x.txt")
    with pytest.raises(InputError, match=r"its ending tells no format; use one of"):
        export_report(report, tmp_path / "x.txt", as_format="inspect")
    report["provenance"]["created"] = "yesterday"
    with pytest.raises(InputError, match=r"provenance.created: 'yesterday' is no time"):
        inspect_log(report, tmp_path / "x.eval")
    report = passing()
    report["cases"][0]["transcript"][0]["role"] = "oracle"
    saved, _ = save_report(tmp_path, report, name="r.json")
    assert main(["export", str(saved), str(tmp_path / "x.eval")]) == 2
    assert not (tmp_path / "x.eval").exists()


def test_nothing_of_inspect_is_imported_to_write_one() -> None:
    for room in (Path(__file__).parents[2] / "lab").rglob("*.py"):
        assert "import inspect_ai" not in room.read_text("utf-8")
        assert "from inspect_ai" not in room.read_text("utf-8")
