"""What the README shows is what comes out."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from lab.attacks import CATALOGUE, MUTANTS
from lab.baselines import baseline
from lab.calibration import calibrate
from lab.cases import load_cases
from lab.classroom.rubric import load_rubric
from lab.rates import text
from lab.recorded import recorded_calibration
from lab.reviewers import REVIEWERS

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_python_example_says_what_it_says() -> None:
    code, _, _ = blocks("python")
    shown: dict[str, Any] = {}
    exec(code, shown)
    counts = shown["report"]["counts"]
    assert (counts["passed"], counts["attempts"], counts["distinct_cases"]) == (16, 16, 8)
    assert "# (16, 16, 8)" in code
    failed = [name for name, passed in shown["row"]["checks"].items() if not passed]
    assert failed == ["quantities", "grounded"]
    assert "# ['quantities', 'grounded']" in code


def test_the_attacked_instrument_says_what_it_says() -> None:
    _, code, _ = blocks("python")
    shown: dict[str, Any] = {}
    exec("from lab import *\n" + code.replace("evaluate(", "report = evaluate("), shown)
    assert shown["report"] is True
    kinds = Counter(str(attack.kind) for attack in CATALOGUE)
    assert f"`lab attack` runs {len(CATALOGUE)} candidates" in README
    told = "{caught} are caught. {blind spot} are **blind spots**"
    assert told.format(**kinds) in README
    assert f"{kinds['false alarm']} are **false alarms**" in README
    assert f"wants every one of the {len(MUTANTS)} noticed" in README
    aids = calibrate(REVIEWERS["aids"])
    assert f"The aids find {text(aids['sensitivity'])} of what is wrong" in README
    model = recorded_calibration()["reviewers"]["model"]
    assert [sum(replies.values()) for replies in model["confusion"].values()] == [17, 24, 4]
    assert all(row["reply"] == "good" for row in model["rows"])


def test_the_requests_example_says_what_it_says() -> None:
    _, _, code = blocks("python")
    shown: dict[str, Any] = {}
    exec(code, shown)
    *_, statements = code.partition("report = ")
    said = dict(line.split("  # ") for line in statements.splitlines() if "  # " in line)
    values = {call: eval(call, shown) for call in said}
    interval, pair, certain, misses, holds, fewest = values.values()
    assert (interval.passed, interval.attempts) == (16, 28)
    assert rates_text(interval.interval) == "[0.33, 0.79]"
    assert f"{interval.times_wider:.1f}" == "1.3"
    assert pair == ("quoted",)
    assert certain == (1.0, 1.0)
    assert (f"{misses:.2f}", f"{holds:.2f}", fewest) == ("0.56", "0.96", 6)
    for comment, shown_in_it in zip(
        said.values(),
        ("16/28: [0.33, 0.79], 1.3", "('quoted',)", "(1.0, 1.0)", "0.56", "0.96", "6"),
        strict=True,
    ):
        assert comment.startswith(shown_in_it)


def rates_text(interval: Any) -> str:
    return f"[{interval.low:.2f}, {interval.high:.2f}]"


def test_the_case_file_can_be_read(tmp_path: Path) -> None:
    text, _ = blocks("toml")
    (tmp_path / "mine.toml").write_text(text)
    (case,) = load_cases(tmp_path / "mine.toml")
    assert case.expected == (("P", 7),)
    assert baseline(case) == [("P", 7)]


def test_the_rubric_can_be_read(tmp_path: Path) -> None:
    _, text = blocks("toml")
    (tmp_path / "rubric.toml").write_text(text)
    rubric = load_rubric(tmp_path / "rubric.toml")
    assert rubric.weights == {"baseline": 3, "report": 1}
    assert rubric.read == {"unit_a": {"recall": 2}}


def test_the_first_screen_has_the_commands() -> None:
    assert blocks("sh")[1] == "pip install -e '.[notebooks]' && lab notebook\n"
    commands = blocks("sh")[0].splitlines()
    assert commands == [
        "python3 -m venv .venv && . .venv/bin/activate && pip install -e . && lab evaluate",
        "pip install -e '.[test]' && pytest",
        "pip install -e '.[live]' && lab model install && lab evaluate --live",
    ]
    assert README.index(commands[2]) < 1000
