"""The command line as a person or a script meets it."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab.cli import main
from lab.evaluation import evaluate
from lab.evidence import load_report
from lab.grading import CHECKS
from lab.shop.database import Database
from lab.shop.folder import SESSION, SHOP_FILE
from tests.openai_server import openai_server


def lab(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lab", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def only_report(folder: Path) -> Path:
    (path,) = folder.glob("report-*.json")
    return path


def test_evaluate_says_everything_a_person_needs(tmp_path: Path) -> None:
    ran = lab("evaluate", "--repeats", "2", "--output", tmp_path)
    assert ran.returncode == 0, ran.stderr
    path = only_report(tmp_path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    said = " ".join(ran.stdout.split())
    for words in (
        "attempts passed 16/16 [0.68, 1.00], of 8 distinct cases",
        "by split development 6/6 [0.44, 1.00], regression 6/6 [0.44, 1.00],"
        " held-out (2 of 2 spent) 4/4 [0.34, 1.00]",
        "not held out zero_threshold, larger_reservation: published with the lab",
        "ended COMPLETED 16",
        "quantities 16/16 [0.68, 1.00]",
        "95 % intervals; repeats of one case are not counted as new cases",
        "passed True acceptance REVIEW_REQUIRED",
        "not graded explanation amounts, unsupported claims, business usefulness",
        "this tests the harness and is no evidence about a language model",
        "baseline",
        path.name,
        digest,
    ):
        assert words in said
    assert said.count("opening development") == 2
    assert ran.stdout.count("ok ok ok ok ok ok ok ok") == 16


def test_a_rejected_candidate_exits_1_and_is_marked_in_words(tmp_path: Path) -> None:
    ran = lab("evaluate", "--guided", "--split", "held-out", "--output", tmp_path)
    assert ran.returncode == 1
    assert "ok NO NO ok ok ok ok ok" in ran.stdout
    assert "REJECTED" in ran.stdout
    assert "held-out (2 of 2 spent) 0/2" in " ".join(ran.stdout.split())


@pytest.mark.parametrize(("candidate", "status"), [("--split", 0), ("--guided", 1)])
def test_a_reader_that_goes_away_changes_no_verdict(
    tmp_path: Path, candidate: str, status: int
) -> None:
    options = ["--split", "held-out"] if candidate == "--split" else [candidate]
    command = [sys.executable, "-m", "lab", "evaluate", "--output", str(tmp_path), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        run.stdout.close()
        assert run.wait(60) == status
        assert run.stderr is not None
        assert run.stderr.read() == b""
    load_report(only_report(tmp_path))


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["evaluate", "--json", "--output", str(tmp_path), "--max-seconds", "30"])
    printed = json.loads(capsys.readouterr().out)
    assert status == 0
    assert printed["acceptance"]["status"] == "REVIEW_REQUIRED"
    assert (printed["counts"]["passed"], printed["counts"]["attempts"]) == (8, 8)
    assert printed["report"] == str(only_report(tmp_path))
    assert load_report(printed["report"], printed["sha256"])["criteria"]["declared"] == {
        "required_checks": None,
        "max_seconds": 30.0,
        "max_cost_pence": None,
    }


def test_a_file_of_cases_and_a_skill(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases, skill = tmp_path / "mine.toml", tmp_path / "skill.toml"
    cases.write_text(
        '[[cases]]\nname = "friday"\nsplit = "regression"\n'
        'stock = [["P", 3, 1, 9, 200]]\nexpected = [["P", 7]]\n'
    )
    skill.write_text(
        'name = "mine"\nversion = 3\n'
        'content = "List the stock. Draft, mind reservations, answer in pence."\n'
    )
    common = ["--guided", "--json", "--output", str(tmp_path)]
    assert main(["evaluate", "--cases", str(cases), "--skill", str(skill), *common]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["candidate"]["version"] == 3
    assert load_report(printed["report"])["cases"][0]["observed"] == [["P", 7]]
    assert main(["evaluate", "--skill", "opening", *common]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repeats", "9"], "repeats: 9"),
        (["--cases", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--skill", "nowhere.toml"], "--skill nowhere.toml"),
        (["--limit", "seconds=fast"], "'fast' is not a number"),
        (["--limit", "speed=1"], "the limits are model_calls"),
        (["--limit", "tool_calls=0"], "tool_calls"),
        (["--url", "http://127.0.0.1:9/v1"], "--url needs --model"),
        (["--url", "http://me:pw@127.0.0.1/v1", "--model", "m"], "base_url"),
        (["--workers", "0"], "--workers 0"),
        (["--root", "nowhere"], "no shop here"),
        (["--max-seconds", "-1"], "max_seconds"),
    ],
)
def test_bad_input_exits_2_and_says_what(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    folder = tmp_path / "out"
    where = [] if "--root" in arguments else ["--output", str(folder)]
    assert main(["evaluate", *where, *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("report-*"))


def test_bad_usage_exits_2() -> None:
    for arguments in ([], ["evaluate", "--split", "test"], ["evaluate", "--live", "--guided"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2


def test_a_name_from_a_file_cannot_drive_the_terminal(tmp_path: Path) -> None:
    cases = tmp_path / "mine.json"
    cases.write_text(
        json.dumps([{"name": "[red]\x1b[2J", "split": "regression", "stock": [], "expected": []}])
    )
    ran = lab("evaluate", "--cases", cases, "--output", tmp_path)
    assert "\x1b" not in ran.stdout
    assert "[red]\\x1b[2J" in ran.stdout


def test_a_long_run_shows_what_failed_and_not_ten_thousand_lines(tmp_path: Path) -> None:
    cases = [
        {"name": f"case {n}", "split": "regression", "stock": [], "expected": []}
        for n in range(700)
    ]
    (tmp_path / "many.json").write_text(json.dumps(cases))
    many = ["evaluate", "--cases", str(tmp_path / "many.json"), "--output", str(tmp_path)]
    good, bad = lab(*many), lab(*many, "--guided", "--limit", "context_bytes=1")
    assert "0 of 700 attempts failed; 0 of those are shown:" in good.stdout
    assert "attempts passed    700/700" in good.stdout
    assert "700 of 700 attempts failed; 200 of those are shown:" in bad.stdout
    assert "and 500 more, in the report" in bad.stdout
    assert len(bad.stdout.splitlines()) < 450


def test_a_folder_that_cannot_be_written_exits_2(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = lab("evaluate", "--output", tmp_path / "file" / "reports")
    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr


def test_checkpoint_and_verify(tmp_path: Path) -> None:
    ran = lab("checkpoint", "--output", tmp_path)
    assert ran.returncode == 0, ran.stderr
    said = " ".join(ran.stdout.split())
    assert "correct fixture all 8, 16/16 [0.68, 1.00] nothing REVIEW_REQUIRED yes" in said
    assert "wrong amount opening nothing: a blind spot REVIEW_REQUIRED yes" in said
    assert said.count("REJECTED yes") == 6
    path = only_report(tmp_path)
    report = load_report(path)
    kept = {attack["name"]: attack for attack in report["checkpoint"]["attacks"]}
    assert "999999 pence GBP" in kept["wrong amount"]["row"]["answer"]

    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert lab("verify", path, "--digest", digest).returncode == 0
    assert lab("regrade", path).stdout.startswith("0 judgements")
    path.write_bytes(path.read_bytes().replace(b"999999", b"001500"))
    changed = lab("verify", path, "--digest", digest)
    assert changed.returncode == 2
    assert "the bytes have changed" in changed.stderr


def test_a_configured_model_stands_beside_the_checkpoint_and_decides_nothing(
    tmp_path: Path,
) -> None:
    with openai_server() as url:
        good = lab("checkpoint", "--url", url, "--model", "m", "--output", tmp_path / "good")
    nobody = ["--url", "http://127.0.0.1:9/v1", "--model", "m", "--no-preflight"]
    bad = lab("checkpoint", *nobody, "--output", tmp_path / "bad")
    assert (good.returncode, bad.returncode) == (0, 0)
    for name, passed in (("good", 16), ("bad", 0)):
        live = load_report(only_report(tmp_path / name))["checkpoint"]["live"]
        assert (live["counts"]["passed"], live["counts"]["attempts"]) == (passed, 16)
        assert live["candidate"]["name"] == "opening-procedure"
    assert "as written         True" in bad.stdout


def test_checkpoint_fails_when_an_attack_comes_out_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_weaker_check(*arguments: Any, **options: Any) -> Any:
        weaker = {**CHECKS, "currency_labels": lambda seen: True}
        return evaluate(*arguments, checks=weaker, **options)

    monkeypatch.setattr("lab.attacks.attack.evaluate", with_a_weaker_check)
    assert main(["checkpoint", "--output", str(tmp_path)]) == 1


def test_over_http_with_progress_and_the_key_nowhere(tmp_path: Path) -> None:
    key = "sk-very-secret-0123456789"
    with openai_server(seconds_a_reply=0.15) as url:
        ran = lab(
            "evaluate", "--url", url, "--model", "fixture", "--output", tmp_path,
            env={**os.environ, "LAB_API_KEY": key},
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "/8 attempts done" in ran.stderr
    report = load_report(only_report(tmp_path))
    model = report["cases"][0]["model"]
    assert (model["adapter"], model["name"], model["reasoning_effort"]) == (
        "HTTPModel",
        "fixture",
        "none",
    )
    assert model["environment"]["base_url"] == url
    assert model["environment"]["preflight"]["sees_tools"] is True
    assert "The model is shown its tools: 100 prompt tokens without tools, 220 with" in ran.stderr
    assert report["totals"]["output_tokens"] == 22 * 7
    for file in tmp_path.iterdir():
        assert key not in file.read_text()
    assert key not in ran.stdout + ran.stderr


def test_a_server_that_drops_tools_is_found_out(tmp_path: Path) -> None:
    with openai_server(tokens_a_tool=0) as url:
        server = ["--url", url, "--model", "m"]
        checked = lab("model", "check", *server)
        ran = lab("evaluate", *server, "--output", tmp_path)
    assert "CANNOT SEE its tools: 100 prompt tokens without tools, 100 with" in checked.stdout
    assert "The model cannot have seen its tools" in ran.stdout
    assert "cannot have seen its tools" in load_report(only_report(tmp_path))["caveats"][0]


def test_a_server_that_is_not_there_is_refused_before_anything_runs(tmp_path: Path) -> None:
    server = ["--url", "http://127.0.0.1:9/v1", "--model", "m", "--output", str(tmp_path)]
    refused = lab("evaluate", *server)
    assert refused.returncode == 2
    assert "is it running" in refused.stderr
    assert not list(tmp_path.iterdir())
    anyway = lab("evaluate", *server, "--no-preflight", "--split", "held-out")
    assert anyway.returncode == 1
    assert "MODEL_FAILED 2" in anyway.stdout


def test_workers_give_the_same_outcome(tmp_path: Path) -> None:
    ran = lab("evaluate", "--workers", "2", "--repeats", "2", "--output", tmp_path)
    assert ran.returncode == 0, ran.stderr
    report = load_report(only_report(tmp_path))
    assert report["settings"]["concurrency"] == 2
    assert report["counts"]["by_status"] == {"COMPLETED": 16}


def start_slow_run(url: str, folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lab", "evaluate", "--url", url, "--model", "m"]
    return subprocess.Popen(
        [*command, "--output", str(folder), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_finished(folder: Path, attempts: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        journals = list(folder.glob("journal-*.jsonl"))
        if journals and journals[0].read_text().count('"kind":"finished"') >= attempts:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not get that far")


def test_ctrl_c_saves_what_there_is_and_resume_goes_on(
    tmp_path: Path, heeded_interrupts: None
) -> None:
    with openai_server(seconds_a_reply=0.1) as url:
        run = start_slow_run(url, tmp_path)
        wait_for_finished(tmp_path, 2)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
        assert run.returncode == 130, err
        assert "attempts did not come to an end" in err
        assert "NOT_RUN" in out
        report = load_report(only_report(tmp_path))
        statuses = report["counts"]["by_status"]
        assert statuses["COMPLETED"] + statuses["NOT_RUN"] == 8
        assert report["acceptance"]["status"] == "REJECTED"

        again = start_slow_run(url, tmp_path, "--resume", "--json")
        out, err = again.communicate(timeout=60)
        assert again.returncode == 0, err
    resumed = load_report(json.loads(out)["report"])
    assert resumed["counts"]["by_status"] == {"COMPLETED": 8}
    assert [row["resumed"] for row in resumed["cases"]].count(True) == statuses["COMPLETED"]
    # The attempt that was cut off is in the record, and was started again.
    assert sum(len(row["interruptions"]) for row in resumed["cases"]) == 1


def test_kill_and_resume(tmp_path: Path) -> None:
    with openai_server(seconds_a_reply=0.05) as url:
        run = start_slow_run(url, tmp_path)
        wait_for_finished(tmp_path, 3)
        run.kill()
        run.communicate()
        other = lab("evaluate", "--resume", "--output", tmp_path)
        assert other.returncode == 2
        assert "this journal is of another run: model differ" in other.stderr
        again = start_slow_run(url, tmp_path, "--resume", "--json")
        out, err = again.communicate(timeout=60)
        assert again.returncode == 0, err
    report = json.loads(out)
    rows = load_report(report["report"])["cases"]
    assert [row["resumed"] for row in rows][:3] == [True, True, True]
    assert report["counts"]["attempts"] == 8


def test_an_agents_folder_brings_guidance_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    assert lab("shop", "init", root).returncode == 0
    shop = root / SHOP_FILE
    connection = sqlite3.connect(shop)
    connection.execute("INSERT INTO preferences VALUES (?, 'x', 'SENTINEL-P')", (SESSION,))
    connection.execute(
        "INSERT INTO history (session, role, content) VALUES (?, 'user', 'SENTINEL-H')", (SESSION,)
    )
    connection.execute("INSERT INTO preferences VALUES ('evaluation', 'x', 'SENTINEL-E')")
    connection.commit()
    connection.close()
    before = shop.read_bytes()

    ran = lab("evaluate", "--root", root, "--guided")
    assert ran.returncode == 0, ran.stderr
    saved = only_report(root / "reports").read_text()
    assert "Query the stock with list_stock" in saved
    assert "SENTINEL" not in saved
    assert shop.read_bytes() == before
    report = load_report(only_report(root / "reports"))
    with Database.open(shop) as database:
        assert [skill["version"] for skill in report["skills"]] == [
            version for _, version, _ in database.skills()
        ]

    refused = lab("evaluate", "--root", root, "--output", tmp_path)
    assert refused.returncode == 2
    assert "--output: with --root" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "--model", "qwen3"], "--model: names a model at --url, which is not given"),
        (["evaluate", "--live", "--model", "qwen3"], "--model: names a model at --url"),
        (["evaluate", "--constrained"], "--constrained: is of a model; add --live or --url"),
        (["evaluate", "--guided", "--no-preflight"], "--no-preflight: is of a model"),
        (["evaluate", "--system-proxies"], "--system-proxies: is of a model"),
        (["evaluate", "--reasoning-effort", "low"], "--reasoning-effort: is of a model"),
        (["checkpoint", "--constrained"], "--constrained: is of a model"),
        (["requests", "--model", "m"], "--model: names a model at --url"),
        (["requests", "--no-preflight"], "--no-preflight: is of a model"),
        (["model", "check", "--model", "m"], "--model: names a model at --url"),
        (
            ["model", "serve", "--url", "http://127.0.0.1:9/v1", "--model", "m"],
            "lab model serve is about the model in the box alone",
        ),
        (["model", "install", "--constrained"], "lab model install is about the model in the box"),
    ],
)
def test_no_option_of_a_model_goes_unread(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_criteria_are_answered_even_when_nothing_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "--guided", "--max-seconds", "5", "--output", str(tmp_path)]) == 1
    assert "max_seconds: no attempt passed, so there is none to answer" in capsys.readouterr().out


def test_a_skill_that_a_fixture_does_not_read_is_said_to_have_had_no_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deaf = "The fixture does not read what it is told: no skill had a part in this."
    assert main(["evaluate", "--skill", "opening", "--output", str(tmp_path)]) == 0
    assert deaf in capsys.readouterr().out
    assert main(["evaluate", "--guided", "--skill", "opening", "--output", str(tmp_path)]) == 0
    assert deaf not in capsys.readouterr().out
    assert main(["evaluate", "--output", str(tmp_path)]) == 0
    assert deaf not in capsys.readouterr().out


def test_verify_tells_a_journal_and_half_a_digest_from_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "--output", str(tmp_path)]) == 0
    path = only_report(tmp_path)
    (journal,) = tmp_path.glob("journal-*.jsonl")
    capsys.readouterr()
    assert main(["verify", str(journal)]) == 2
    assert "is a journal; its report is saved beside it" in capsys.readouterr().err
    assert main(["verify", str(path), "--digest", path.stem[-12:]]) == 2
    assert "is no sha256, which has 64 hex digits" in capsys.readouterr().err
    assert main(["verify", str(path)]) == 0
    assert "its attempts themselves may have been changed" in " ".join(
        capsys.readouterr().out.split()
    )
