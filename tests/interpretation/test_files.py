"""Requests from a file, with the same refusals as those written in Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.cli import main
from lab.errors import InputError
from lab.evidence import load_report
from lab.interpretation import Product, RequestCase, load_request_cases

TOML = """
[[cases]]
name = "friday"
split = "fresh"
request = "Report the pistachio stock."
catalog = [["P", "pistachio", 3, 1, 9, 200]]
expected_action = "stock"
expected_sku = "P"
expected_events = [["stock", "P", 3]]

[[cases]]
name = "monday"
split = "fresh"
request = "Draft it."
catalog = [{sku = "P", name = "pistachio", on_hand = 3, reserved = 1, target = 9, unit_pence = 200}]
expected_action = "clarify"
expected_events = []
"""
PISTACHIO = (Product("P", "pistachio", 3, 1, 9, 200),)


def test_requests_are_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    events = (("stock", "P", 3, None),)
    request = "Report the pistachio stock."
    assert load_request_cases(path) == (
        RequestCase("friday", "fresh", request, PISTACHIO, "stock", "P", events),
        RequestCase("monday", "fresh", "Draft it.", PISTACHIO, "clarify", None, ()),
    )


ENTRY: dict[str, Any] = {
    "name": "a",
    "split": "fresh",
    "request": "Draft pistachio.",
    "catalog": [["P", "pistachio", 3, 1, 9, 200]],
    "expected_action": "draft",
    "expected_sku": "P",
    "expected_events": [["draft", "P", 7, 1400]],
}


def test_requests_are_read_from_json(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([ENTRY, {**ENTRY, "name": "b"}]))
    first, second = load_request_cases(path)
    assert first.expected_events == (("draft", "P", 7, 1400),)
    assert second.name == "b"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": "first"}, "entry 2: the name 'first' is used twice"),
        ({"more": 1}, "entry 2: case 'a': unknown field 'more'"),
        ({"catalog": {}}, "entry 2: request case 'a': catalog: {} is not a list of .sku, name"),
        ({"catalog": [["P"]]}, r"entry 2: catalog: \['P'\] is not .sku, name"),
        ({"catalog": [["P", "p", 3, 1, 9, 2.5]]}, "entry 2: product 'P': unit_pence: 2.5"),
        ({"expected_action": "buy"}, "entry 2: request case 'a': expected_action: 'buy'"),
        ({"expected_events": "none"}, "entry 2: request case 'a': expected_events: 'none'"),
        ({"expected_events": [["draft", "P"]]}, "entry 2: request case 'a': expected_events"),
        ({"expected_events": [7]}, "entry 2: request case 'a': expected_events"),
    ],
)
def test_what_cannot_be_a_request_is_refused_with_its_place(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{**ENTRY, "name": "first"}, {**ENTRY, **change}]))
    with pytest.raises(InputError, match=rf"mine.json, {told}"):
        load_request_cases(path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{k: v for k, v in ENTRY.items() if k != "request"}]))
    with pytest.raises(InputError, match="entry 1: case 'a': request: is missing"):
        load_request_cases(path)


def test_the_command_line_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "mine.toml", tmp_path / "r.json"
    path.write_text(TOML)
    assert main(["requests", "--cases", str(path), "--output", str(out)]) == 0
    report = load_report(out)
    assert report["counts"]["keywords"]["passed"] == 2
    assert report["counts"]["keywords"]["by_split"] == {"fresh": {"passed": 2, "attempts": 2}}
    assert main(["requests", "--cases", str(path), "--case", "sunday"]) == 2
    assert "--case sunday: the requests are friday, monday" in capsys.readouterr().err
