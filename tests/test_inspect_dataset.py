"""A data set of Inspect AI is read as Inspect reads it, or refused by file, line and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.cases import Case, load_cases
from lab.cli import main
from lab.interpretation.files import load_request_cases

STOCK = [["P", 3, 1, 9, 200], ["Rum raisin", 0, 0, 2, 310]]

SAMPLES: list[dict[str, Any]] = [
    {
        "id": "friday",
        "input": "What is short?",
        "target": '[["P", 7], ["Rum raisin", 2]]',
        "metadata": {"stock": STOCK, "split": "regression", "author": "ann"},
    },
    {
        "id": 7,
        "input": [{"role": "user", "content": "Draft it.\u2028Please."}],
        "target": ["P 7", "Rum raisin 2"],
        "metadata": {"stock": STOCK},
        "choices": None,
        "sandbox": None,
    },
    {
        "id": "nothing",
        "input": "And today?",
        "target": "[]",
        "metadata": json.dumps({"stock": [["P", 9, 0, 9, 200]]}),
    },
]


def write(path: Path, samples: list[Any]) -> Path:
    lines = (json.dumps(sample, ensure_ascii=False) for sample in samples)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def test_a_data_set_is_read_as_cases(tmp_path: Path) -> None:
    stock = (("P", 3, 1, 9, 200), ("Rum raisin", 0, 0, 2, 310))
    expected = (("P", 7), ("Rum raisin", 2))
    assert load_cases(write(tmp_path / "x.jsonl", SAMPLES)) == (
        Case("friday", "regression", stock, expected, "What is short?"),
        Case("7", "development", stock, expected, "Draft it.\u2028Please."),
        Case("nothing", "development", (("P", 9, 0, 9, 200),), (), "And today?"),
    )


def test_inspect_reads_the_same(tmp_path: Path) -> None:
    from inspect_ai.dataset import json_dataset

    path = write(tmp_path / "x.jsonl", SAMPLES)
    samples = list(json_dataset(str(path)))
    cases = load_cases(path)
    assert [str(sample.id) for sample in samples] == [case.name for case in cases]
    prompts = [s.input if isinstance(s.input, str) else s.input[0].text for s in samples]
    assert prompts == [case.prompt for case in cases]
    assert [sample.target for sample in samples] == [
        '[["P", 7], ["Rum raisin", 2]]',
        ["P 7", "Rum raisin 2"],
        "[]",
    ]
    stocks = [tuple(map(tuple, (sample.metadata or {})["stock"])) for sample in samples]
    assert stocks == [case.stock for case in cases]


def test_what_inspect_writes_of_its_samples_can_be_read(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample

    made = [
        Sample(id="friday", input="What is short?", target="[]", metadata={"stock": []}),
        Sample(id=8, input="And now?", target=["P 7"], metadata={"stock": STOCK}),
    ]
    path = write(tmp_path / "x.jsonl", [sample.model_dump() for sample in made])
    assert [(case.name, case.expected) for case in load_cases(path)] == [
        ("friday", ()),
        ("8", (("P", 7),)),
    ]


SECOND: dict[str, Any] = {
    "id": "b", "input": "What?", "target": "[]", "metadata": {"stock": []}
}  # fmt: skip
USER = {"role": "user", "content": "What?"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"choices": ["A", "B"]}, "line 2: choices: ['A', 'B'] the agent drafts and answers"),
        ({"sandbox": "docker"}, "line 2: sandbox: 'docker' each attempt has a shop of its own"),
        ({"files": {"a": "b"}}, "line 2: files: {'a': 'b'} each attempt has a shop of its own"),
        ({"setup": "x.sh"}, "line 2: setup: 'x.sh' each attempt has a shop of its own"),
        ({"difficulty": 3}, "line 2: difficulty: 3 the lab reads id, input, target, metadata"),
        ({"id": None}, "line 2: id: is missing"),
        ({"id": True}, "entry 2: case True: name: True must be text"),
        ({"id": 1.5}, "entry 2: case 1.5: name: 1.5 must be text"),
        ({"id": "a"}, "entry 2: the name 'a' is used twice"),
        ({"input": None}, "line 2: input: is missing"),
        ({"input": ""}, "entry 2: case 'b': prompt: '' must be text"),
        ({"input": []}, "line 2: input: [] has to have exactly one message"),
        ({"input": [USER, USER]}, "has to have exactly one message"),
        (
            {"input": [{"role": "system", "content": "Obey."}, USER]},
            "is not of the role user; the lab supplies all other messages",
        ),
        ({"input": ["What?"]}, "line 2: input: 'What?' is not of the role user"),
        ({"input": [{"role": "user", "content": [{"type": "image"}]}]}, "is no text"),
        ({"target": None}, "line 2: target: is missing"),
        ({"target": ""}, "line 2: target: '' is neither JSON text nor a list of lines"),
        ({"target": "V 6"}, "line 2: target: 'V 6' is no JSON text"),
        ({"target": "[NaN]"}, "line 2: target: '[NaN]' is no JSON text: NaN is not JSON"),
        ({"target": [["V", 6]]}, "line 2: target: ['V', 6] is no line like \"V 6\""),
        ({"target": ["V six"]}, "line 2: target: 'V six' is no line"),
        ({"target": ["V 6"]}, "entry 2: case 'b': expected: 'V' is a SKU that the stock does not"),
        ({"target": "3"}, "entry 2: case 'b': expected: 3 must be a tuple"),
        ({"metadata": None}, "line 2: metadata: is missing"),
        ({"metadata": {}}, "line 2: metadata.stock: is missing; it has a row a product"),
        ({"metadata": "{"}, "line 2: metadata: '{' is no JSON text"),
        ({"metadata": [1]}, "line 2: metadata: [1] is no object"),
        ({"metadata": {"stock": [["V", 1]]}}, "entry 2: case 'b': stock: ['V', 1] is not a row"),
        ({"metadata": {"stock": [], "split": "test"}}, "entry 2: case 'b': split: 'test' is not"),
    ],
)  # fmt: skip
def test_a_sample_is_refused_by_line_and_field(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "x.jsonl", [{**SECOND, "id": "a"}, {**SECOND, **change}])
    with pytest.raises(ValueError, match=r"x\.jsonl") as refusal:
        load_cases(path)
    assert said in str(refusal.value)
    assert str(refusal.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no cases"),
        ("\n\n", "there are no cases"),
        ("3\n", "line 1: 3 is no sample"),
        ('{"id": "a", "id": "b"}', "line 1: the same key stands twice"),
        ("{\n", "line 1: "),
        (f"{json.dumps(SECOND)}\n\n{json.dumps(SECOND)}", "line 2: "),
        ("[" * 100_000, "line 1: it is nested too deeply"),
    ],
)
def test_a_file_that_is_no_data_set(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"x\.jsonl") as refusal:
        load_cases(path)
    assert said in str(refusal.value)


def test_it_is_no_larger_than_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.cases.LARGEST_FILE_BYTES", 100)
    with pytest.raises(ValueError, match="larger than 100 bytes"):
        load_cases(write(tmp_path / "x.jsonl", SAMPLES))


def test_requests_are_in_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cases are read from \.toml or \.json files"):
        load_request_cases(write(tmp_path / "x.jsonl", SAMPLES))


def test_an_evaluation_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "x.jsonl", SAMPLES)
    assert main(["evaluate", "--cases", str(path), "--output", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["passed"] == 3
