"""What survives: a report becomes one new file, whole or not at all."""

import contextlib
import errno
import hashlib
import math
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lab import plain
from lab.counts import baseline_totals, counts, totals
from lab.errors import InputError, LabError

Report = dict[str, Any]
SCHEMA = 3


def save_report(directory: str | Path, report: Report) -> tuple[Path, str]:
    """Write a report to a new file in `directory` and return its path and digest.

    The digest is the sha256 hex of the exact bytes. It proves later that they are still those,
    not that the grading was right or that anybody reviewed it. The file is readable by its owner
    alone and gets its name only when every byte has reached the disk, so a crash leaves no part
    of it and no other file is touched. File modes and the folder's own flush exist on POSIX only.

    Raises InputError for a report that is not plain data, LabError when it cannot be written.
    """
    directory = Path(directory)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _unnamed(directory) as (file, publish):
            digest = _write(file, report)
            path = publish(f"report-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{digest[:12]}")
        flush_folder(directory)
    except OSError as error:
        raise LabError(
            f"{directory}: the report could not be saved: {error.strerror}; free space or choose"
            " another folder with --output, the journal still has every finished attempt"
        ) from None
    except (TypeError, ValueError) as error:
        raise InputError(f"the report is not plain data: {plain.reason(error)}") from None
    return path, digest


def _write(descriptor: int, report: Report) -> str:
    digest = hashlib.sha256()
    with os.fdopen(os.dup(descriptor), "wb") as file:
        for part in _pieces(report):
            data = part.encode()
            digest.update(data)
            file.write(data)
        file.flush()
        os.fsync(file.fileno())  # the bytes are on the disk before the name is
    return digest.hexdigest()


def _pieces(report: Report) -> Iterator[str]:
    """Yield the report as JSON, one attempt a line, so that a large one is never held twice."""
    yield "{"
    for number, (key, value) in enumerate(dict(report).items()):
        if not isinstance(key, str):
            raise TypeError(f"a field is named {plain.show(key)}, which is not text")
        yield f"{',' if number else ''}\n{plain.dumps(key)}: "
        if key == "cases" and isinstance(value, list):
            yield "["
            yield from (f"{',' if n else ''}\n{plain.dumps(row)}" for n, row in enumerate(value))
            yield "\n]"
        else:
            yield plain.dumps(value)
    yield "\n}\n"


@contextlib.contextmanager
def _unnamed(folder: Path) -> Iterator[tuple[int, Callable[[str], Path]]]:
    """Give a file that has no name yet, and the function that gives it one nobody else has.

    On Linux the file has no name at all until then; elsewhere it has a hidden one meanwhile.
    """
    temporary = None
    try:
        os.stat("/proc/self/fd")  # noqa: PTH116  (a sandbox may lack it; publishing goes through it)
        file = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except (AttributeError, OSError):  # another system, or a file system that cannot
        file, temporary = tempfile.mkstemp(prefix=".saving-", dir=folder)

    def publish(stem: str) -> Path:
        for name in (stem, *(f"{stem}-{secrets.token_hex(4)}" for _ in range(8))):
            path = folder / f"{name}.json"
            with contextlib.suppress(FileExistsError):
                if temporary is not None:
                    os.link(temporary, path)
                else:
                    # A directory descriptor, though unused, is what makes Python follow the link.
                    os.link(f"/proc/self/fd/{file}", path, src_dir_fd=file, follow_symlinks=True)
                return path
        raise FileExistsError(errno.EEXIST, "every name that was tried is taken")

    try:
        yield file, publish
    finally:
        os.close(file)
        if temporary is not None:
            os.unlink(temporary)  # noqa: PTH108


def flush_folder(folder: Path) -> None:
    """Have the names in a folder reach the disk, where there is a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system, of a network say, that has no such thing
            raise
    finally:
        os.close(descriptor)


def load_report(path: str | Path, digest: str | None = None) -> Report:
    """Read a saved report back, checking its digest (when given), its shape and its sums.

    Raises InputError that names the file and what is wrong: the bytes are not those of the
    digest, it is not JSON, a field is missing or of the wrong type, or a verdict, count or total is
    not what the attempts add up to.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    found = hashlib.sha256(data).hexdigest()
    if digest is not None and found != digest.strip().lower():
        raise InputError(f"{path}: its digest is {found}, not {digest}: the bytes have changed")
    try:
        report = plain.loads(data.decode())
        _Report.model_validate(report)
    except ValidationError as error:
        raise InputError(f"{path}: {_first(error, 'the report')}") from None
    except ValueError as error:
        raise InputError(f"{path}: not a report: {error}") from None
    for problem in _contradictions(report):
        raise InputError(f"{path}: {problem}: it was changed after it was saved, or badly made")
    return dict(report)


def check_row(row: object) -> None:
    """Raise ValueError, naming the field, where this is not an attempt as a report keeps it."""
    try:
        _Row.model_validate(row)
    except ValidationError as error:
        raise ValueError(_first(error, "row")) from None


def _first(error: ValidationError, whole: str) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


class _Baseline(_Shape):
    error: str | None
    seconds: float | None
    model_calls: int | None


class _Row(_Shape):
    model: dict[str, Any]
    case: str
    split: str
    repetition: int
    checks: dict[str, bool]
    check_errors: dict[str, str]
    passed: bool
    loop_status: str
    started: str | None
    error: str | None
    seconds: float | None
    model_calls: int | None
    tool_calls: int | None
    output_tokens: int | None
    estimated_cost_pence: int | None
    expected: list[list[Any]]
    observed: list[list[Any]] | None
    baseline: _Baseline
    spans: dict[str, Any]
    transcript: list[dict[str, Any]]
    answer: str | None


class _Acceptance(_Shape):
    status: str
    ungraded: list[str] = Field(min_length=1)  # what no check looked at never goes unsaid
    meaning: str


class _Report(_Shape):
    schema_: int = Field(alias="schema")
    acceptance: _Acceptance
    passed: bool
    cases: list[_Row]
    counts: dict[str, Any]
    totals: dict[str, Any]
    baseline_totals: dict[str, Any]
    settings: dict[str, Any]
    skills: list[dict[str, Any]]
    candidate: dict[str, Any] | None
    criteria: dict[str, Any] | None
    scope: str
    limits: list[str]
    caveats: list[str]
    provenance: dict[str, Any]


def _contradictions(report: Report) -> Iterator[str]:
    """Yield each verdict, count or total that the attempts themselves contradict."""
    rows = report["cases"]
    for number, row in enumerate(rows):
        passed = bool(row["checks"]) and all(row["checks"].values())
        if row["passed"] is not passed:
            yield f"cases.{number}.passed is {row['passed']}, its checks say {passed}"
    counted = counts(rows)
    everything = counted["passed"] == counted["attempts"] > 0
    status = "REVIEW_REQUIRED" if everything else "REJECTED"
    for name, stated, real in (
        ("schema", report["schema"], SCHEMA),
        ("passed", report["passed"], everything),
        ("acceptance.status", report["acceptance"]["status"], status),
        ("counts", report["counts"], counted),
        ("totals", report["totals"], totals(rows)),
        ("baseline_totals", report["baseline_totals"], baseline_totals(rows)),
    ):
        yield from _differences(name, stated, real)


def _differences(place: str, stated: Any, real: Any) -> Iterator[str]:
    if isinstance(stated, dict) and isinstance(real, dict):
        for name in {**real, **stated}:
            yield from _differences(f"{place}.{name}", stated.get(name), real.get(name))
    elif type(stated) is not type(real) or not (stated == real or _is_near(stated, real)):
        yield f"{place} is {plain.shorten(str(stated))}, the attempts say {real}"


def _is_near(stated: Any, real: Any) -> bool:
    # Another Python may have added the same seconds up to another last digit.
    return isinstance(real, float) and math.isclose(stated, real)
