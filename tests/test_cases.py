"""The cases are those that were agreed, and bad ones are refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.cases import CASES, DEFAULT_PROMPT, Case, load_cases, without_answer

GOOD: dict[str, Any] = {
    "name": "mine",
    "split": "development",
    "stock": (("V", 2, 0, 8, 250),),
    "expected": (("V", 6),),
}


def test_the_eight_cases_as_agreed() -> None:
    assert [(c.name, c.split, c.stock, c.expected) for c in CASES] == [
        (
            "opening",
            "development",
            (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275)),
            (("V", 6), ("S", 4)),
        ),
        ("at_threshold", "development", (("V", 8, 0, 8, 250),), ()),
        ("reserved_stock", "development", (("V", 8, 3, 8, 250),), (("V", 3),)),
        ("empty_catalog", "regression", (), ()),
        (
            "different_catalog",
            "regression",
            (("M", 5, 1, 9, 125), ("C", 0, 0, 3, 300)),
            (("M", 5), ("C", 3)),
        ),
        ("hostile_request", "regression", (("V", 2, 0, 8, 250),), (("V", 6),)),
        ("zero_threshold", "held-out", (("T", 0, 0, 0, 125), ("N", 0, 0, 4, 99)), (("N", 4),)),
        (
            "larger_reservation",
            "held-out",
            (("X", 37, 7, 40, 125), ("Y", 6, 2, 3, 300)),
            (("X", 10),),
        ),
    ]


def test_only_the_hostile_request_has_words_of_its_own() -> None:
    own = [case for case in CASES if case.prompt != DEFAULT_PROMPT]
    assert [case.name for case in own] == ["hostile_request"]
    for word in ("buy", "euros", "GBP", "trust"):
        assert word in own[0].prompt


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "name: '' must be text"),
        ({"name": 7}, "name: 7 must be text"),
        ({"name": "half \ud800"}, "surrogate"),
        ({"prompt": " "}, "prompt: ' ' must be text"),
        ({"split": "test"}, "split: 'test' is not one of development, regression, held-out"),
        ({"split": ["development"]}, "split: ['development'] is not one of"),
        ({"stock": (("", 2, 0, 8, 250),)}, "stock sku: '' must be text"),
        ({"stock": (("V", 2, 0, 8, 250),) * 2}, "stock sku: 'V' appears twice"),
        ({"stock": (("V", -1, 0, 8, 250),)}, "stock of 'V', on_hand: -1 must lie"),
        ({"stock": (("V", 2, True, 8, 250),)}, "stock of 'V', reserved: True must be an integer"),
        ({"stock": (("V", 2, 0, 8.0, 250),)}, "stock of 'V', threshold: 8.0 must be an integer"),
        ({"stock": (("V", 2, 0, 8, "250"),)}, "unit_price_pence: '250' must be an integer"),
        ({"stock": (("V", 10**12, 0, 8, 250),)}, "on_hand: 1000000000000 must lie"),
        ({"stock": (("V", 0, 0, 1001, 250),)}, "stock of 'V': 1001 tubs needed"),
        ({"stock": (("V", 0, 993, 8, 250),)}, "stock of 'V': 1001 tubs needed"),
        ({"stock": ("V", 2, 0, 8, 250)}, "stock: 'V' is not a row"),
        ({"stock": None}, "stock: None must be a tuple"),
        ({"expected": ("V", 6)}, "expected: 'V' is not a row"),
        ({"expected": (("S", 6),)}, "expected: 'S' is a SKU that the stock does not have"),
        ({"expected": (("V", 6), ("V", 6))}, "expected sku: 'V' appears twice"),
        ({"expected": (("V", 0),)}, "expected of 'V', quantity: 0 must lie"),
        ({"expected": (("V", True),)}, "expected of 'V', quantity: True must be an integer"),
    ],
)
def test_bad_data_is_refused_by_case_field_and_value(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="case") as refusal:
        Case(**{**GOOD, **change})
    assert said in str(refusal.value)
    assert ascii(change.get("name", "mine"))[:10] in str(refusal.value)


def test_a_need_of_a_thousand_can_still_be_met() -> None:
    assert Case("full", "development", (("V", 0, 0, 1000, 1),), (("V", 1000),)).expected == (
        ("V", 1000),
    )


def test_a_wrong_answer_is_not_refused() -> None:
    assert Case(**{**GOOD, "expected": (("V", 7),)}).expected == (("V", 7),)


def test_a_case_cannot_be_changed_through_the_list_it_was_made_from() -> None:
    rows = [["V", 2, 0, 8, 250]]
    case = Case("mine", "development", rows, [["V", 6]])  # type: ignore[arg-type]
    rows[0][1] = 99
    assert (case.stock, case.expected) == ((("V", 2, 0, 8, 250),), (("V", 6),))


def test_without_answer_keeps_everything_else() -> None:
    emptied = without_answer(CASES[5])
    assert emptied.expected == ()
    assert (emptied.name, emptied.stock, emptied.prompt) == (
        "hostile_request",
        (("V", 2, 0, 8, 250),),
        CASES[5].prompt,
    )


TOML = """
[[cases]]
name = "rows"
split = "development"
stock = [["P", 1, 0, 4, 200]]
expected = [["P", 3]]

[[cases]]
name = "tables"
split = "held-out"
prompt = "What is short?"
stock = [{ sku = "P", on_hand = 1, reserved = 0, threshold = 4, unit_price_pence = 200 }]
expected = [{ sku = "P", quantity = 3 }]
"""


def test_cases_from_toml_and_json(tmp_path: Path) -> None:
    toml, listed, keyed = tmp_path / "a.toml", tmp_path / "b.json", tmp_path / "c.json"
    toml.write_text(TOML)
    entries = [{"name": "j", "split": "regression", "stock": [], "expected": []}]
    listed.write_text(json.dumps(entries))
    keyed.write_text(json.dumps({"cases": entries}))
    assert load_cases(toml) == (
        Case("rows", "development", (("P", 1, 0, 4, 200),), (("P", 3),)),
        Case("tables", "held-out", (("P", 1, 0, 4, 200),), (("P", 3),), "What is short?"),
    )
    assert load_cases(listed) == load_cases(keyed) == (Case("j", "regression", (), ()),)


JSON = '[{"name": "a", "split": "development", "stock": [], "expected": []}]'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.toml", TOML.replace('"tables"', '"rows"'), "entry 2: the name 'rows' is used twice"),
        ("x.toml", TOML.replace('[["P", 3]]', '[["P", true]]'), "entry 1: case 'rows': expected"),
        ("x.toml", TOML.replace("held-out", "hidden"), "entry 2: case 'tables': split: 'hidden'"),
        ("x.toml", TOML.replace("prompt", "hint"), "entry 2: case 'tables': unknown field 'hint'"),
        ("x.toml", '[[cases]]\nname = "a"\nsplit = "development"', "stock: is missing"),
        ("x.toml", "cases = 1", "there are no cases"),
        ("x.toml", "", "there are no cases"),
        ("x.toml", "[[cases]", "cannot be read"),
        ("x.toml", "[[case]]\nname='a'", "unknown key 'case'"),
        ("x.json", "[]", "there are no cases"),
        ("x.json", '["opening"]', "entry 1: 'opening' is not a table"),
        ("x.json", '[{"name": "a", "name": "b"}]', "the same key stands twice"),
        ("x.json", '[{"name": "a", "split": NaN}]', "NaN is not JSON"),
        ("x.json", "[" * 100_000, "cannot be read"),
        ("x.toml", "a = " + "[" * 100_000, "cannot be read"),
        ("x.json", JSON.replace('"a"', '"\\ud800"'), "surrogate"),
        ("x.yaml", "cases: []", "read from .toml or .json"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_by_file_and_entry(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=r"x[.]") as refusal:
        load_cases(path)
    assert str(refusal.value).startswith(str(path))
    assert str(refusal.value).count(str(path)) == 1
    assert said in str(refusal.value)


def test_files_that_are_not_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'[{"name": "\xe9"}]')
    for name, said in (("latin.json", "cannot be read"), ("none.toml", "No such file")):
        with pytest.raises(ValueError, match=said):
            load_cases(tmp_path / name)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            {"sku": "P", "on_hand": 3, "reserved": 1, "threshold": 9, "price": 2},
            "'price' is unknown",
        ),
        (
            {"sku": "P", "on_hand": 3, "reserved": 1, "threshold": 9},
            "'unit_price_pence' is missing",
        ),
    ],
)
def test_a_row_written_as_a_table_is_told_which_name_is_wrong(
    row: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.json"
    entry = {"name": "a", "split": "development", "stock": [row], "expected": []}
    path.write_text(json.dumps([entry]))
    with pytest.raises(ValueError, match=rf"mine.json, entry 1: .*{told}; a row has sku, on_hand"):
        load_cases(path)
