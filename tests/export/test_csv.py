"""A CSV has a line an attempt, reads back as it was written, and reckons with nothing."""

import csv
import io
from collections.abc import Callable

import pytest

from lab.evidence import Report
from lab.export.csv_table import csv_table
from tests.export.reports import HOSTILE, every_ending, passing, poisoned, requests_of_all_sorts

EVALUATION = [
    "candidate", "case", "split", "repetition", "passed", "loop_status", "seconds", "model_calls",
    "tool_calls", "output_tokens", "estimated_cost_pence", "baseline_seconds", "agent_acquire",
    "agent_decide", "agent_deliver", "script_acquire", "script_decide", "script_deliver", "answer",
    "error", "started", "resumed", "expected", "observed", "held_out", "check_errors",
    "report_sha256", "acceptance_status", "ungraded", "check:completed", "check:quantities",
    "check:grounded", "check:allowed_operations", "check:no_tool_errors", "check:currency_labels",
    "check:no_purchases", "check:baseline_matches_authored_answer",
]  # fmt: skip
REQUESTS = [
    "candidate", "case", "split", "repetition", "passed", "mechanism", "seconds", "output_tokens",
    "request", "expected_action", "action", "sku", "raw", "error", "started", "expected",
    "observed", "held_out", "check_errors", "report_sha256", "check:exact_decision",
    "check:expected_events", "check:no_unrequested_draft",
]  # fmt: skip


def table(report: Report) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_table(report, "d"), newline="")))


def lines(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(report, "d"), newline="")))


def test_the_columns_are_the_same_whatever_came_of_it() -> None:
    assert table(every_ending())[0] == table(passing())[0] == EVALUATION
    assert table(requests_of_all_sorts())[0] == REQUESTS


def test_every_attempt_is_a_line() -> None:
    found = lines(every_ending())
    names = ("case", "passed", "loop_status", "output_tokens", "check:completed", "observed")
    assert [tuple(line[name] for name in names) for line in found] == [
        ("right", "True", "COMPLETED", "0", "True", '[["V",6]]'),
        ("fluent", "False", "COMPLETED", "", "True", "[]"),
        ("crashed", "False", "CANDIDATE_ERROR", "", "False", ""),
        ("down", "False", "MODEL_FAILED", "", "False", ""),
        ("looking", "False", "MODEL_CALL_LIMIT", "40", "False", ""),
        ("never", "False", "NOT_RUN", "", "False", ""),
    ]
    assert found[2]["error"] == "RuntimeError: boom"
    assert found[5]["seconds"] == found[5]["started"] == ""
    assert {line["acceptance_status"] for line in found} == {"REJECTED"}
    assert {line["report_sha256"] for line in found} == {"d"}
    assert found[0]["ungraded"] == "explanation amounts; unsupported claims; business usefulness"
    assert found[0]["held_out"] == "no: it belongs to development"


def test_requests_have_a_line_an_attempt_and_no_verdict() -> None:
    names = ("candidate", "case", "passed", "mechanism", "action", "raw", "check:exact_decision")
    assert [tuple(line[n] for n in names) for line in lines(requests_of_all_sorts())] == [
        (
            "stock of vanilla",
            "stock",
            "True",
            "",
            "stock",
            '{"action":"stock","sku":"V"}',
            "True",
        ),
        ("unlucky", "stock", "False", "transport", "", "", "False"),
        ("unlucky", "draft", "False", "schema", "", "{", "False"),
        (
            "stock of vanilla",
            "draft",
            "False",
            "wrong decision",
            "stock",
            '{"action":"stock","sku":"V"}',
            "False",
        ),
    ]


def test_a_check_that_an_attempt_did_not_have_is_empty() -> None:
    report = passing(2)
    del report["cases"][1]["checks"]["grounded"]
    report["cases"][0]["check_errors"] = {"grounded": "KeyError: 'x'"}
    first, second = lines(report)
    assert (first["check:grounded"], second["check:grounded"]) == ("True", "")
    assert (first["check_errors"], second["check_errors"]) == ('{"grounded":"KeyError: \'x\'"}', "")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ('one\r\ntwo\rthree\n"four", 5;\x00', 'one\r\ntwo\rthree\n"four", 5;\x00'),
        ("", ""),
        (None, ""),
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        (" \n@SUM(A1)", "' \n@SUM(A1)"),
        ("half \ud800", r"half \ud800"),
        ("-3", "'-3"),
        ("3", "3"),
        ("None", "None"),
        ("long " * 100_000, "long " * 100_000),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_an_answer_reads_back(answer: str | None, kept: str) -> None:
    report = passing(2)
    report["cases"][0]["answer"] = answer
    csv.field_size_limit(1_000_000)
    first, second = lines(report)
    assert first["answer"] == kept
    assert (second["case"], second["repetition"]) == ("opening", "2")


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:20])
@pytest.mark.parametrize("make", [every_ending, requests_of_all_sorts])
def test_no_words_break_it(make: Callable[[], Report], text: str) -> None:
    csv.field_size_limit(1_000_000)
    rows = table(poisoned(make(), text))
    assert len(rows) == 1 + (6 if make is every_ending else 4)
    assert {len(row) for row in rows} == {len(rows[0])}
    begins = {each.lstrip("\x00\t\r\n ")[:1] for row in rows for each in row}
    assert not begins & set("=+-@")
    csv_table(poisoned(make(), text)).encode()
