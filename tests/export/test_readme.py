"""The README's commands for other formats do what it says."""

import re
from pathlib import Path

import pytest

from lab.cases import load_cases
from lab.cli import main
from lab.evidence import save_report
from lab.interpretation import REQUEST_CASES, keywords, run_requests
from tests.export.reports import passing

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
SECTION = README.partition("## The formats the field already reads")[2].partition("\n## ")[0]


def test_its_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.log import list_eval_logs

    monkeypatch.chdir(tmp_path)
    save_report(tmp_path, passing(), name="REPORT")
    save_report(
        tmp_path, run_requests({"keywords": keywords}, cases=REQUEST_CASES[:1]), name="REQUESTS"
    )
    Path("dataset.jsonl").write_text(
        re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)[0], "utf-8"
    )
    [block] = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert len(commands) == 5
    for _, *arguments in commands:
        assert main(arguments) == 0
    for name in ("report.xml", "report.csv", "report.eval", "keywords.eval"):
        assert Path(name).stat().st_size > 0
    logs = sorted(Path(log.name).name for log in list_eval_logs(str(tmp_path)))
    assert logs == ["keywords.eval", "report.eval"]


def test_its_data_set_is_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)[0], "utf-8")
    [case] = load_cases(path)
    assert (case.name, case.split, case.expected) == ("friday", "development", (("P", 7),))
