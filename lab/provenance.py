"""Where a report comes from: what ran, on what, from which source, so that a change shows."""

import functools
import hashlib
import inspect
import platform
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CellType, CodeType
from typing import Any

import lab
from lab import plain
from lab.journal import now


def provenance() -> dict[str, Any]:
    """Return when and on what a report was made; `git_commit` is None outside a checkout."""
    return {
        "created": now(),
        "lab_version": lab.__version__,
        "lab_sha256": lab_digest(),
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


def identity(function: Callable[..., Any], depth: int = 3) -> dict[str, Any]:
    """Return what tells one function, class or callable object from another.

    That is its name, a digest of its source (of a class, its bases' too), and the plain values it
    carries: defaults, what it closes over, the globals it names, a partial's arguments, an object's
    attributes; functions among them to a `depth`, since one may name itself. Of a class its name
    counts, of other values the type, and an API key never does. A `fingerprint` attribute says it
    all instead.
    """
    if hasattr(function, "fingerprint"):
        return {"fingerprint": function.fingerprint}
    if isinstance(function, functools.partial):
        arguments: dict[Any, Any] = dict(enumerate(function.args)) | function.keywords
        return {**identity(function.func, depth), "arguments": _values(arguments, depth)}
    if not hasattr(function, "__qualname__"):
        attributes = getattr(function, "__dict__", {})
        return {**identity(type(function), depth), "attributes": _values(attributes, depth)}
    return {
        "name": f"{function.__module__}.{function.__qualname__}",
        "sha256": _source_digest(function),
        "carries": _values(_carried(function), depth),
    }


def _carried(function: Callable[..., Any]) -> dict[str, Any]:
    if not inspect.isfunction(function):
        return {}
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return {
        "defaults": function.__defaults__,
        "keyword_defaults": function.__kwdefaults__,
        **{name: _contents(cell) for name, cell in cells},
        **{n: function.__globals__[n] for n in sorted(_names(code)) if n in function.__globals__},
    }


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # what it names has not been given a value yet
        return None


def _names(code: CodeType) -> set[str]:
    inner = (_names(value) for value in code.co_consts if isinstance(value, CodeType))
    return set(code.co_names).union(*inner)


def _values(carried: Mapping[Any, Any], depth: int) -> dict[str, str]:
    return {str(name): _value(value, depth) for name, value in carried.items() if name != "api_key"}


def _value(value: Any, depth: int) -> str:
    try:
        return plain.shorten(plain.dumps(value), 2000)
    except (TypeError, ValueError):
        if isinstance(value, re.Pattern):
            return repr((value.pattern, value.flags))
        if depth and inspect.isfunction(value):
            return plain.digest(identity(value, depth - 1))
        named = value if inspect.isclass(value) else type(value)
        return f"{named.__module__}.{named.__qualname__}"


@functools.lru_cache(maxsize=256)
def _source_digest(function: Callable[..., Any]) -> str:
    family = getattr(function, "__mro__", [function])
    parts = [part for part in family if _package(part) == _package(function)]
    return hashlib.sha256("".join(map(_source, parts)).encode()).hexdigest()


def _package(function: Callable[..., Any]) -> str:
    return (function.__module__ or "").partition(".")[0]  # None for what exec made


def _source(function: Callable[..., Any]) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # typed into a console, or built in
        source = ""
    code = getattr(function, "__code__", None)
    if code is None:
        return source
    # Two lambdas on one line have the same source.
    constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
    return source + repr((code.co_code, code.co_names, constants))


@functools.cache
def lab_digest(room: str = ".") -> str:
    """Return a digest of the source of the lab, or of one room of it, file by file."""
    root = Path(__file__).parent / room
    files = sorted(path for path in root.rglob("*.py"))
    return plain.digest({str(path.relative_to(root)): path.read_text("utf-8") for path in files})
