"""An attempt as a page shows it: lines, pieces of an answer, calls beside what came of them."""

from typing import Any

from lab.findings import Finding
from lab.page.attempts import decision, detail, drafts, events, line, segments, turns
from tests.export.reports import every_ending, requests_of_all_sorts


def test_a_line_says_what_failed_and_what_can_be_searched() -> None:
    rows = every_ending()["cases"]
    right, crashed = line(1, rows[0]), line(3, rows[2])
    assert (right["status"], right["passed"], right["failed"]) == ("COMPLETED", True, [])
    assert right["said"] == "V: 6 tubs, 1500 pence GBP\nNothing was bought."
    assert (crashed["number"], crashed["case"], crashed["candidate"]) == (3, "crashed", None)
    assert crashed["failed"] == ["completed", "quantities", "grounded"]
    assert "boom" in crashed["said"]


def test_a_search_looks_through_the_beginning_of_long_words() -> None:
    [row, *_] = every_ending()["cases"]
    assert len(line(1, {**row, "answer": "x" * 5000})["said"]) == 300


def test_a_request_ends_as_it_failed() -> None:
    rows = requests_of_all_sorts()["cases"]
    told = [(each["candidate"], each["status"]) for each in map(line, range(1, 5), rows)]
    assert told == [
        ("stock of vanilla", "decided"),
        ("unlucky", "transport"),
        ("unlucky", "schema"),
        ("stock of vanilla", "wrong decision"),
    ]


def test_marks_cut_an_answer_also_where_they_overlap() -> None:
    found = [
        Finding("number", 2, 5, "cde", "why"),
        Finding("draft line", 4, 7, "efg", "why"),
    ]
    assert segments("abcdefgh", found) == [
        ("ab", []),
        ("cd", [1]),
        ("e", [1, 2]),
        ("fg", [2]),
        ("h", []),
    ]
    assert segments("", []) == []


def test_an_answer_of_many_marks_is_cut_once_over() -> None:
    answer = "77 " * 20_000
    found = [Finding("number", 3 * n, 3 * n + 2, "77", "why") for n in range(20_000)]
    pieces = segments(answer, found)
    assert len(pieces) == 40_000
    assert pieces[-2:] == [("77", [20_000]), (" ", [])]


def test_each_call_stands_beside_what_was_observed_of_it() -> None:
    def call(number: int) -> dict[str, object]:
        return {"id": f"c{number}", "function": {"name": f"tool {number}", "arguments": {}}}

    transcript: list[dict[str, Any]] = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "", "tool_calls": [call(1), call(2), call(3)]},
        {"role": "tool", "content": "second", "tool_call_id": "c2"},
        {"role": "tool", "content": "first", "tool_call_id": "c1"},
        {"role": "assistant", "content": "done"},
    ]
    steps = [
        {"kind": "model", "seconds": 1.0},
        {"kind": "tool", "seconds": 0.25},
        {"kind": "tool", "seconds": 0.5},
        {"kind": "model", "seconds": 2.0},
    ]
    asked, called, done = turns(transcript, steps)
    assert (asked["seconds"], called["seconds"], done["seconds"]) == (None, 1.0, 2.0)
    assert [(each["name"], each["observed"]) for each in called["calls"]] == [
        ("tool 1", {"content": "first", "seconds": 0.5}),
        ("tool 2", {"content": "second", "seconds": 0.25}),
        ("tool 3", None),
    ]
    assert [turn["seconds"] for turn in turns(transcript, ())] == [None, None, None]


def test_an_observation_answers_the_call_it_follows_and_no_later_one_of_its_id() -> None:
    def asked(name: str) -> dict[str, Any]:
        call = {"id": "c1", "function": {"name": name, "arguments": "{}"}}
        return {"role": "assistant", "content": "", "tool_calls": [call]}

    answer = {"role": "tool", "content": "stock", "tool_call_id": "c1"}
    first, second = turns([asked("list_stock"), answer, asked("draft_order")], ())
    assert first["calls"][0]["observed"] == {"content": "stock", "seconds": None}
    assert (second["calls"][0]["name"], second["calls"][0]["observed"]) == ("draft_order", None)


def test_what_is_unknown_is_not_nothing() -> None:
    assert drafts(None) == "unknown"
    assert drafts([]) == "nothing to draft"
    assert drafts([["V", 6], ["M", 1]]) == "6 × V\n1 × M"
    assert decision(None) == "no decision"
    assert decision({"action": "ask", "sku": None}) == "ask"
    assert decision({"action": "draft", "sku": "V"}) == "draft V"
    assert events([]) == "no event"
    assert events([["draft", "V", 6, None]]) == "event: draft V 6"


def test_an_attempt_that_never_ran_has_nothing_and_says_so() -> None:
    shown = detail(6, every_ending()["cases"][5])
    assert shown["answer"] is None
    assert shown["turns"] == []
    assert shown["beside"] == [
        ("expected", "6 × V"),
        ("observed", "unknown: it requested no draft and did not come to an end"),
        ("baseline", "unknown"),
    ]
    assert shown["timing"] == [("script", [None, None, None]), ("agent", [None, None, None])]
