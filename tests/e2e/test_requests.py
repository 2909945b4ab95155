"""`lab requests`, `lab timing` and `lab effort` as a person or a script meets them."""

import io
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from lab.cli import main
from lab.evidence import load_report
from lab.interpretation import keywords, run_requests
from lab.request_tables import show_requests
from tests.e2e.test_cli import lab, only_report
from tests.openai_server import openai_server
from tests.shop.hostile_server import HostileServer, completion, reply

RIGHT = '{"action":"stock","sku":"V"}'


def test_offline_the_keywords_and_two_that_never_listen(tmp_path: Path) -> None:
    path = tmp_path / "requests.json"
    ran = lab("requests", "--repeats", "2", "--output", path)
    assert ran.returncode == 0, ran.stderr
    said = " ".join(ran.stdout.split())
    for words in (
        "quoted public_transfer 1 wrong decision unrequested draft wrong decision",
        "keywords 26/28 [0.69, 0.99] 1.46 x 0/28 [0.00, 0.22] 0/28 [0.00, 0.22]",
        "always_draft 8/28 [0.12, 0.55] 1.35 x 2/28 [0.01, 0.31] 18/28 [0.39, 0.84]",
        "14 distinct cases; 95 % intervals",
        "keywords: development 12/12 [0.61, 1.00], public_transfer 14/16 [0.53, 0.98]",
        "keywords failed: wrong decision 2/28 [0.01, 0.31]",
        "With 14 cases it takes 6 won and none lost",
        "keywords or always_draft: p = 0.0039; only keywords: stock, purchase, ambiguous,",
        "Published 2026-09-09 of qwen3, 8.2B parameters, Q4_K_M, figures without attempts:",
        "This compares candidates; it accepts none.",
        str(path),
    ):
        assert words in said
    report = load_report(path)
    assert report["counts"]["keywords"]["passed"] == 26
    again = lab("requests", "--output", path)
    assert again.returncode == 2
    assert f"{path}: is there already" in again.stderr
    assert load_report(path) == report


def test_a_file_without_a_name_gets_one(tmp_path: Path) -> None:
    assert lab("requests", cwd=tmp_path).returncode == 0
    (path,) = (tmp_path / "lab-reports").glob("requests-*.json")
    assert load_report(path)["kind"] == "requests"


def test_json_has_the_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.json"
    assert main(["requests", "--json", "--output", str(path)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["report"] == str(path)
    assert "cases" not in said
    passed = said["rates"]["keywords"]["passed"]
    assert (passed["passed"], passed["attempts"], passed["cases"]) == (13, 14, 14)
    assert passed["low"] == pytest.approx(0.6853, abs=5e-5)
    assert main(["evaluate", "--json", "--output", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["rates"]["passed"]["attempts"] == 8


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--timeout", "0"], "timeout: 0.0 is not a number of seconds above 0 and at most 60"),
        (["--timeout", "60.5"], "timeout: 60.5"),
        (["--timeout", "nan"], "timeout: nan"),
        (["--repeats", "4"], "repeats: 4 is not an integer from 1 to 3"),
        (["--url", "http://127.0.0.1:9/v1"], "--url needs --model"),
        (["--url", "http://127.0.0.1:9/v1", "--model", "m"], "is it running"),
    ],
)
def test_bad_input_exits_2_and_saves_nothing(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["requests", "--output", str(tmp_path / "r.json"), *options]) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["/dev/null/x.json", "/proc/x/y.json", "x" * 300])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lab.interpretation.run_requests", None)
    assert main(["requests", "--output", name]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_long_name_leaves_the_figures_readable(tmp_path: Path) -> None:
    report = run_requests({"k" * 300: keywords}, repeats=1)
    with pytest.MonkeyPatch.context() as patch, io.StringIO() as out:
        patch.setattr("sys.stdout", out)
        show_requests(report)
        assert "13/14 [0.69, 0.99]" in out.getvalue()


@pytest.mark.parametrize("command", ["regrade", "timing"])
def test_a_badly_made_report_is_the_reports_fault(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "--output", str(tmp_path)]) == 0
    path = only_report(tmp_path)
    text = path.read_text()
    for old, new in (
        ('"acquire":', '"acquire":"x'),
        ('"role":"tool","tool_call_id"', '"role":"tool","id"'),
        ('"allowed":', '"allowance":'),
    ):
        path.write_text(text.replace(old, new).replace('"x0', '"x",'))
        main([command, str(path)])
        assert "fault in the lab" not in capsys.readouterr().err


def test_a_model_by_its_address(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with HostileServer(reply(completion(RIGHT))) as server:
        ran = lab(
            "requests", "--url", server.base_url, "--model", "m", "--output", path,
            "--no-preflight", "--timeout", "9",
            env={**os.environ, "LAB_API_KEY": "sk-secret"},
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    report = load_report(path)
    assert list(report["counts"]) == [
        "keywords",
        "always_draft",
        "always_clarify",
        "minimal",
        "contrast",
        "constrained",
    ]
    # It says "stock V" to everything: right for stock, negative, paraphrase and quoted.
    for name in ("minimal", "contrast", "constrained"):
        assert report["counts"][name]["passed"] == 4
        assert report["counts"][name]["output_tokens"] == 14 * 7
        assert report["candidates"][name]["timeout"] == 9.0
        assert report["candidates"][name]["model"]["environment"]["base_url"] == server.base_url
    assert server.requests[0].headers["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in path.read_text() + ran.stdout + ran.stderr


def test_ctrl_c_saves_what_there_is(tmp_path: Path, heeded_interrupts: None) -> None:
    path = tmp_path / "r.json"

    def slow(exchange: Any) -> None:
        if len(server.requests) > 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        reply(completion(RIGHT))(exchange)

    with HostileServer(slow) as server:
        options = ["--url", server.base_url, "--model", "m", "--no-preflight"]
        assert main(["requests", *options, "--output", str(path)]) == 130
    report = load_report(path)
    assert sum(count["attempts"] for count in report["counts"].values()) == 14 * 6
    kept = [row for row in report["cases"] if row["mechanism"] != "not run"]
    assert 2 < len(kept) < 14


def test_verify_and_regrade_know_both_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.json"
    assert main(["requests", "--output", str(path)]) == 0
    capsys.readouterr()
    assert main(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert "keywords: 13/14 [0.69, 0.99] passed" in said
    assert "nothing of whether the grading was right" in said
    assert main(["regrade", str(path)]) == 0
    text = path.read_text().replace(
        '"no_unrequested_draft":true', '"no_unrequested_draft":false', 1
    )
    path.write_text(text)
    assert main(["verify", str(path)]) == 2
    assert "cases.0.passed is True" in capsys.readouterr().err


def test_timing_says_what_it_cannot_show(tmp_path: Path) -> None:
    with openai_server() as url:
        options = ["--url", url, "--model", "m", "--repeats", "2", "--split", "held-out"]
        assert lab("evaluate", *options, "--output", tmp_path).returncode == 0
    ran = lab("timing", only_report(tmp_path))
    assert ran.returncode == 0
    said = " ".join(ran.stdout.split())
    for words in (
        "seconds of 4/4 attempts, 0 of them failed",
        "acquire decide deliver whole original field",
        "script, least",
        "agent, most",
        "baseline.seconds",
        "At most 2 repetitions of a case.",
        "They cannot show how much they usually do",
    ):
        assert words in said


def test_effort_is_recorded_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "effort.jsonl"
    nothing = lab("effort", "show", path)
    assert (nothing.returncode, path.exists()) == (0, False)
    assert "Nothing has been recorded yet" in nothing.stdout
    typed = "draft\nvanilla\n\n"
    form = lab("effort", "record", path, "--case", "draft", "--person", "A", input=typed)
    assert form.returncode == 0, form.stderr
    rule = lab("effort", "record", path, "--case", "quoted", "--way", "keywords", input="\n")
    assert rule.returncode == 0, rule.stderr
    shown = lab("effort", "show", path)
    said = " ".join(shown.stdout.split())
    assert "form 1/1 [0.21, 1.00]" in said
    assert "keywords 0/1 [0.00, 0.79]" in said  # the person approved a wrong proposal
    assert "2 observations by 2 person(s) on 2 request(s)" in said
    given_up = lab("effort", "record", path, "--case", "draft", input="draft\n")
    assert given_up.returncode == 130
    assert len(path.read_text().splitlines()) == 3
    assert lab("effort", "record", path, "--case", "none such").returncode == 2
