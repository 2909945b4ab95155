"""The benchmarks still run; what they take is nobody's business here."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.classroom.handing_in import needs_sandbox
from tests.page.browser import needs_chromium

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["attempt", "--quick"], "evaluated, in memory"),
        (["many", "--quick"], "10 attempts (2 cases x 5)"),
        (["importing", "--quick"], "with it:\n[]"),
        (["concurrency", "--quick"], "2 at a time"),
        pytest.param(["classroom", "--quick"], "4 submissions, 2 at a time", marks=needs_sandbox),
        pytest.param(["page", "--quick"], "first view", marks=needs_chromium),
        (["side_by_side"], "--install fetches them"),
    ],
)
def test_a_benchmark_runs(arguments: list[str], said: str) -> None:
    name, *rest = arguments
    command = [sys.executable, "-m", f"benchmarks.{name}", *rest]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    assert said in ran.stdout
