"""The real model in the box, through the command line; a few tokens of it are enough here."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.evidence import load_report
from lab.shop import local

pytestmark = pytest.mark.skipif(
    local.installed() is None, reason="the model in the box is not here: lab model install"
)

FEW_TOKENS = ("--limit", "output_tokens=12", "--limit", "model_calls=2", "--split", "held-out")
Lab = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def lab() -> Lab:
    pytest.importorskip("xllamacpp")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "lab", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=240)

    return run


@pytest.mark.parametrize("constrained", [False, True])
def test_evaluate_live_keeps_what_a_real_model_did(
    lab: Lab, tmp_path: Path, constrained: bool
) -> None:
    more = ["--constrained"] if constrained else []
    ran = lab("evaluate", "--live", *more, *FEW_TOKENS, "--output", str(tmp_path), "--json")
    assert ran.returncode == 1, ran.stderr
    assert "The model is shown its tools" in ran.stderr
    printed = json.loads(ran.stdout)
    assert printed["acceptance"]["status"] == "REJECTED"
    assert printed["counts"]["attempts"] == 2
    assert printed["totals"]["output_tokens"] > 0
    rows = load_report(printed["report"], printed["sha256"])["cases"]
    for row in rows:
        assert row["model"]["name"] == "SmolLM2-135M-Instruct-Q4_1"
        assert row["model"]["adapter"] == ("ConstrainedModel" if constrained else "HTTPModel")
        assert row["model"]["environment"]["model_sha256"].startswith("b179c952")
        assert row["model"]["environment"]["template"] == "smollm2_tools.jinja"
        assert row["transcript"][2]["role"] == "assistant"


def test_serve_is_a_server_like_any_other(
    lab: Lab, tmp_path: Path, heeded_interrupts: None
) -> None:
    serve = [sys.executable, "-m", "lab", "model", "serve"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        name, *_, url = server.stdout.readline().partition(" until")[0].split()
        checked = lab("model", "check", "--url", url, "--model", name)
        ran = lab("evaluate", "--url", url, "--model", name, *FEW_TOKENS, "--output", str(tmp_path))
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
    assert "The server answers." in checked.stdout
    assert "The model is shown its tools" in checked.stdout
    assert ran.returncode == 1, ran.stderr
    assert "REJECTED" in ran.stdout
