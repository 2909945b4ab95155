"""Where a report comes from: what ran, on what, from which source, so that a change shows."""

import functools
import hashlib
import inspect
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lab
from lab.journal import now


def provenance() -> dict[str, Any]:
    """Return when and on what a report was made; `git_commit` is None outside a checkout."""
    return {
        "created": now(),
        "lab_version": lab.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_commit": git_commit(),
    }


@functools.cache
def git_commit() -> str | None:
    """Return the commit of the lab's own checkout, `-dirty` added where files differ from it."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.strip()


def identity(function: Callable[..., Any]) -> dict[str, Any]:
    """Return a name and a digest of the source that tell one function or class from another.

    A callable with a `fingerprint` attribute says for itself what it is; the arguments of a
    partial belong to its identity, an API key does not.
    """
    if hasattr(function, "fingerprint"):
        return {"fingerprint": function.fingerprint}
    if isinstance(function, functools.partial):
        keywords = {name: repr(v) for name, v in function.keywords.items() if name != "api_key"}
        return {
            **identity(function.func),
            "arguments": [repr(v) for v in function.args],
            "keywords": keywords,
        }
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return {"name": f"{function.__module__}.{name}", "sha256": _source_digest(function)}


@functools.lru_cache(maxsize=256)
def _source_digest(function: Callable[..., Any]) -> str | None:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # typed into a console, or an instance
        code = getattr(function, "__code__", None)
        if code is None:
            return None
        constants = [value for value in code.co_consts if not hasattr(value, "co_code")]
        source = repr((code.co_code, code.co_names, constants))
    return hashlib.sha256(source.encode()).hexdigest()
