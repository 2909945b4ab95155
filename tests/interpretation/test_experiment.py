"""The experiment: who passes what, in which order, and what is kept of it."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.errors import InputError
from lab.evidence import load_report, save_report
from lab.interpretation import (
    MECHANISMS,
    REQUEST_CASES,
    Decision,
    Infer,
    Instructed,
    Product,
    Rule,
    always_clarify,
    always_draft,
    keywords,
    regrade,
    run_case,
    run_requests,
)

STOCK, DRAFT, PURCHASE = REQUEST_CASES[:3]
OFFLINE = {
    "keywords": keywords,
    "always_draft": always_draft,
    "always_clarify": always_clarify,
}


def passed(report: Any, name: str) -> list[str]:
    rows = [row for row in report["cases"] if row["candidate"] == name]
    return list(dict.fromkeys(row["case"] for row in rows if row["passed"]))


def test_the_keywords_pass_26_of_28_and_miss_the_quotation() -> None:
    report = run_requests({"keywords": keywords}, repeats=2)
    counts = report["counts"]["keywords"]
    assert (counts["passed"], counts["attempts"], counts["distinct_cases"]) == (26, 28, 14)
    assert counts["by_split"] == {
        "development": {"passed": 12, "attempts": 12},
        "public_transfer": {"passed": 14, "attempts": 16},
    }
    assert (counts["errors"], counts["unrequested_drafts"]) == (0, 0)
    assert counts["by_mechanism"] == {"wrong decision": 2}
    missed = [row for row in report["cases"] if not row["passed"]]
    assert [row["case"] for row in missed] == ["quoted", "quoted"]
    assert [row["decision"] for row in missed] == [{"action": "refuse", "sku": None}] * 2


def test_two_that_never_listen_pass_what_they_must_and_no_more() -> None:
    report = run_requests(OFFLINE, repeats=2)
    assert passed(report, "always_draft") == [
        "draft",
        "indirect",
        "negated_purchase",
        "new_product",
    ]
    assert passed(report, "always_clarify") == ["ambiguous", "unknown", "no_product"]
    draft, clarify = (report["counts"][name] for name in ("always_draft", "always_clarify"))
    assert (draft["passed"], draft["attempts"]) == (8, 28)
    assert draft["by_split"]["development"] == {"passed": 2, "attempts": 12}
    # Of the ten other requests one has no product to draft, and nine get a draft.
    assert draft["by_mechanism"] == {"unrequested draft": 18, "meaning": 2}
    assert (draft["errors"], draft["unrequested_drafts"]) == (2, 18)
    assert (clarify["passed"], clarify["attempts"]) == (6, 28)
    # No event is right for the two refusals as well; the decision is not.
    assert clarify["by_check"]["expected_events"] == {"passed": 10, "attempts": 28}
    assert clarify["by_check"]["exact_decision"] == {"passed": 6, "attempts": 28}


def test_another_candidate_goes_first_each_time_and_the_report_keeps_the_order() -> None:
    report = run_requests(OFFLINE, cases=[STOCK, DRAFT], repeats=2)
    assert [(row["case"], row["repetition"], row["candidate"]) for row in report["cases"]] == [
        ("stock", 1, "keywords"),
        ("stock", 1, "always_draft"),
        ("stock", 1, "always_clarify"),
        ("stock", 2, "always_draft"),
        ("stock", 2, "always_clarify"),
        ("stock", 2, "keywords"),
        ("draft", 1, "always_draft"),
        ("draft", 1, "always_clarify"),
        ("draft", 1, "keywords"),
        ("draft", 2, "always_clarify"),
        ("draft", 2, "keywords"),
        ("draft", 2, "always_draft"),
    ]


class Falsy(Exception):
    def __len__(self) -> int:
        return 0


class Liar(Exception):
    def __bool__(self) -> bool:
        raise RuntimeError("not even this")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("nor this")


def raises(error: BaseException) -> Infer:
    def infer(payload: Any) -> Any:
        raise error

    return infer


@pytest.mark.parametrize(
    ("infer", "mechanism", "error"),
    [
        (raises(RuntimeError("no")), "candidate", "RuntimeError: no"),
        (raises(ValueError("no")), "candidate", "ValueError: no"),
        (raises(SystemExit(0)), "candidate", "SystemExit: 0"),
        (raises(TimeoutError("slow")), "transport", "TimeoutError: slow"),
        (raises(ConnectionResetError("gone")), "transport", "ConnectionResetError: gone"),
        (raises(Falsy("no")), "candidate", "Falsy: no"),
        (raises(Liar("no")), "candidate", "Liar: no"),
        (lambda payload: ("{}", 10**5000), "candidate", "ValueError: "),
        (lambda payload: payload["expected"], "candidate", "KeyError: 'expected'"),
        (lambda payload: '{"action":"stock","sku":"V"}', "candidate", "TypeError: a candidate"),
        (lambda payload: ({"action": "stock"}, 1), "candidate", "TypeError: a reply is text"),
        (lambda payload: ('{"action":"stock","sku":"V"}', -1), "candidate", "ValueError: -1"),
        (lambda payload: ('{"action":"stock","sku":"V"}', True), "candidate", "ValueError: True"),
        (lambda payload: (None, None), "empty", "ValidationError: the reply"),
        (lambda payload: ("", 0), "empty", "ValidationError: the reply"),
        (lambda payload: ("{}", 0), "schema", "ValidationError: action: Field required"),
        (lambda payload: ('{"action":"stock","sku":"Z"}', 0), "meaning", "MeaningError: stock of"),
        (lambda payload: ('{"action":"refuse"}', 0), "wrong decision", None),
        (lambda payload: ('{"action":"draft","sku":"V"}', 0), "unrequested draft", None),
        (lambda payload: ('{"action":"stock","sku":"V"}', 0), None, None),
    ],
)
def test_whatever_a_candidate_does_is_one_attempt_with_its_reason(
    infer: Any, mechanism: str | None, error: str | None
) -> None:
    row = run_case(STOCK, "mine", infer)
    assert row["mechanism"] == mechanism
    assert row["passed"] is (mechanism is None)
    assert mechanism is None or mechanism in MECHANISMS
    assert (row["error"] or "").startswith(error or "")
    assert (row["error"] is None) is (error is None)
    assert row["seconds"] > 0


def test_no_events_are_no_answer_where_there_was_an_error() -> None:
    row = run_case(PURCHASE, "mine", raises(RuntimeError("no")))
    assert (row["events"], row["expected"]["events"]) == ([], [])
    assert row["checks"] == {
        "exact_decision": False,
        "expected_events": False,
        "no_unrequested_draft": True,
    }


def test_right_decision_and_falsified_events_fail_by_their_own_name() -> None:
    falsified = replace(STOCK, expected_events=(("stock", "V", 3, None),))
    row = run_case(falsified, "keywords", keywords)
    assert (row["passed"], row["mechanism"]) == (False, "wrong events")
    assert row["checks"]["exact_decision"] is True


def test_a_draft_of_another_product_was_not_requested() -> None:
    both = (*DRAFT.catalog, Product("M", "mango", 5, 1, 9, 125))
    case = replace(DRAFT, catalog=both)
    row = run_case(case, "mine", lambda payload: ('{"action":"draft","sku":"M"}', 0))
    assert row["mechanism"] == "unrequested draft"
    assert row["checks"]["no_unrequested_draft"] is False
    assert run_case(case, "keywords", keywords)["passed"] is True


def test_a_candidate_that_cannot_be_described_is_refused_before_it_is_asked() -> None:
    asked: list[Any] = []

    class Odd:
        instruction = frozenset({1, 2})

        def __call__(self, payload: Any) -> Any:
            asked.append(payload)

    with pytest.raises(InputError, match="candidates: 'odd': cannot be described: TypeError"):
        run_requests({"odd": Odd()})
    assert asked == []


def test_a_name_that_has_no_value_yet_is_no_obstacle() -> None:
    def infer(payload: Any) -> Any:
        return later(payload)

    report = run_requests({"mine": infer}, cases=[STOCK])
    assert report["cases"][0]["error"].startswith("NameError")

    def later(payload: Any) -> Any:
        return keywords(payload)


def test_a_candidate_cannot_take_another_out_while_it_runs() -> None:
    candidates: dict[str, Any] = {}

    def greedy(payload: Any) -> Any:
        candidates.clear()
        return '{"action":"clarify"}', 0

    candidates |= {"greedy": greedy, "keywords": keywords}
    assert set(run_requests(candidates)["counts"]) == {"greedy", "keywords"}


def test_a_candidate_cannot_reach_the_case_through_its_input() -> None:
    def greedy(payload: Any) -> Any:
        assert set(payload) == {"request", "catalog"}
        payload["catalog"][0]["on_hand"] = 99
        payload["catalog"].append("more")
        return '{"action":"stock","sku":"V"}', 0

    row = run_case(STOCK, "greedy", greedy)
    assert row["events"] == [["stock", "V", 2, None]]
    assert row["passed"] is True


def test_every_attempt_counts_in_seconds_tokens_and_denominators() -> None:
    replies: dict[str, Any] = {
        STOCK.request: ('{"action":"stock","sku":"V"}', 5),
        DRAFT.request: ("", None),
    }

    def infer(payload: Any) -> Any:
        time.sleep(0.05 if payload["request"] == DRAFT.request else 0)
        return replies[payload["request"]]

    report = run_requests({"mine": infer}, cases=[STOCK, DRAFT, PURCHASE])
    counts = report["counts"]["mine"]
    assert (counts["passed"], counts["attempts"]) == (1, 3)
    assert (counts["output_tokens"], counts["unknown_usage_attempts"]) == (5, 2)
    assert counts["errors"] == 2  # an empty reply, and a KeyError for the purchase
    assert counts["by_mechanism"] == {"empty": 1, "candidate": 1}
    seconds = sorted(row["seconds"] for row in report["cases"])
    assert counts["seconds"] == {"median": seconds[1], "max": seconds[2], "attempts": 3}
    assert counts["seconds"]["max"] >= 0.05


def test_interrupted_it_reports_what_did_not_run_as_failed() -> None:
    asked: list[str] = []

    def infer(payload: Any) -> Any:
        asked.append(payload["request"])
        if len(asked) == 3:
            raise KeyboardInterrupt
        return '{"action":"clarify"}', 0

    report = run_requests({"mine": infer}, repeats=2)
    counts = report["counts"]["mine"]
    assert counts["attempts"] == 28
    assert counts["by_mechanism"]["not run"] == 26
    assert counts["seconds"]["attempts"] == 2
    assert [row["started"] is None for row in report["cases"]] == [False] * 2 + [True] * 26
    assert report["cases"][2]["error"] == "NotRun: the run was cut short"


def test_the_report_says_what_was_asked_of_whom() -> None:
    class Silent:
        name = "silent"

        def complete(self, *_: Any, **__: Any) -> Any:
            raise TimeoutError

    told = {"a": Instructed(Silent(), "Do this."), "b": Instructed(Silent(), "Do that.")}
    report = run_requests(told, cases=[STOCK], repeats=1)
    assert report["candidates"]["a"]["instruction"] == "Do this."
    assert report["candidates"]["a"]["model"]["name"] == "silent"
    assert report["candidates"]["a"]["timeout"] == 15.0
    assert report["candidates"]["a"]["sha256"] != report["candidates"]["b"]["sha256"]
    digests = report["provenance"]["digests"]
    assert set(digests) == {"cases", "prompts", "source"}
    changed = {**told, "a": Instructed(Silent(), "Do this!")}
    after = run_requests(changed, cases=[replace(STOCK, split="fresh")])["provenance"]["digests"]
    assert after["prompts"] != digests["prompts"]
    assert after["cases"] != digests["cases"]
    assert after["source"] == digests["source"]


def test_it_is_saved_and_loaded_like_any_evidence(tmp_path: Path) -> None:
    report = run_requests(OFFLINE, repeats=2)
    path, digest = save_report(tmp_path, report, name="requests.json")
    assert path == tmp_path / "requests.json"
    assert load_report(path, digest) == report
    other, _ = save_report(tmp_path, report, name="requests.json")
    assert other != path
    assert other.name.startswith("requests-")
    assert load_report(path, digest) == report


@pytest.mark.parametrize(
    ("alter", "told"),
    [
        (lambda r: r["cases"][0].update(passed=False), "cases.0.passed is False"),
        (lambda r: r["cases"][0].update(mechanism="schema"), "cases.0.mechanism is schema"),
        (lambda r: r["cases"][0].update(error="made up"), "cases.0.passed is True"),
        (lambda r: r["cases"].pop(), "attempt mine .* is not there once|counts.mine"),
        (
            lambda r: r["cases"].append(dict(r["cases"][0])),
            "attempt mine stock 1 is not there once",
        ),
        (lambda r: r["cases"][0].update(repetition=2), "attempt mine stock 1 is not there once"),
        (lambda r: r["cases"][0].update(candidate="his"), "attempt mine stock 1 is not there once"),
        (lambda r: r["settings"].update(repeats=2), "attempt mine stock 2 is not there once"),
        (lambda r: r.update(candidates={}), "attempt mine stock 1 was not planned"),
        (lambda r: r.update(cases=[]), "cases: List should have at least 1 item"),
        (lambda r: r["cases"][0].update(raw=None), "cases.0.passed is True without a reply"),
        (lambda r: r["cases"][0].update(seconds=-1.0), "cases.0.seconds"),
        (lambda r: r["cases"][0]["expected"].clear(), "cases.0.expected.action: Field required"),
        (lambda r: r["cases"][0]["catalog"][0].update(more=1), "cases.0.catalog.0.more"),
        (
            lambda r: r["cases"][0].update(mechanism="sunspots", passed=False, error="x"),
            "mechanism is sunspots, which is none of them",
        ),
        (lambda r: r["counts"]["mine"].update(passed=28), "counts.mine.passed is 28"),
        (lambda r: r["counts"]["mine"].update(unrequested_drafts=-1), "unrequested_drafts is -1"),
        (lambda r: r["counts"].update(other=r["counts"]["mine"]), "counts.other"),
        (lambda r: r["cases"][0]["checks"].pop("no_unrequested_draft"), "no_unrequested_draft"),
        (lambda r: r["cases"][0].pop("raw"), r"cases.0.raw: Field required"),
        (lambda r: r.pop("candidates"), "candidates: Field required"),
        (lambda r: r.update(schema=2), "schema is 2, the attempts say 1"),
    ],
)
def test_what_was_changed_after_it_was_saved_is_noticed(
    alter: Any, told: str, tmp_path: Path
) -> None:
    report = run_requests({"mine": keywords}, cases=REQUEST_CASES[:3])
    alter(report)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(report))
    with pytest.raises(InputError, match=told):
        load_report(path)


def test_kept_replies_can_be_judged_again() -> None:
    report = run_requests({**OFFLINE, "broken": raises(RuntimeError("no"))})
    rows = report["cases"]
    assert regrade(rows) == []
    forged = [dict(row, decision={"action": "buy", "sku": None}, events=[]) for row in rows[:1]]
    assert [found["check"] for found in regrade(forged)] == ["decision", "events"]
    first = next(row for row in rows if (row["candidate"], row["case"]) == ("keywords", "stock"))
    first["checks"]["exact_decision"] = False
    assert regrade(rows) == [
        {
            "candidate": "keywords",
            "case": "stock",
            "repetition": 1,
            "check": "exact_decision",
            "kept": False,
            "now": True,
        }
    ]


def test_a_strangers_rule_is_plugged_in() -> None:
    def stranger(payload: Any) -> Decision:
        known = {product["name"]: product["sku"] for product in payload["catalog"]}
        for word in payload["request"].lower().replace(".", " ").replace("?", " ").split():
            if word in known:
                return Decision(action="stock", sku=known[word])
        return Decision(action="clarify")

    report = run_requests({"stranger": Rule(stranger)})
    # Right where stock of a named product is asked for, or no product is known: 5 + 3.
    assert passed(report, "stranger") == [
        "stock",
        "ambiguous",
        "negative",
        "unknown",
        "paraphrase",
        "quoted",
        "new_stock",
        "no_product",
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"candidates": {}}, "candidates: there are none"),
        ({"candidates": [keywords]}, "candidates: give a dict of names"),
        ({"cases": [1]}, "cases: give a list of RequestCase objects"),
        ({"cases": STOCK}, "cases: give a list of RequestCase objects"),
        ({"candidates": {"": keywords}}, "candidates: '': give each a name"),
        ({"candidates": {"mine": "keywords"}}, "candidates: 'mine': .* a function"),
        ({"cases": []}, "cases: there are none"),
        ({"cases": [STOCK, STOCK]}, "cases: the name 'stock' is used 2 times"),
        ({"repeats": 0}, "repeats: 0 is not an integer from 1 to 3"),
        ({"repeats": 4}, "repeats: 4"),
        ({"repeats": True}, "repeats: True"),
    ],
)
def test_an_experiment_without_meaning_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        run_requests(**{"candidates": {"mine": keywords}, **options})
