"""What survives: a report becomes one new file, whole or not at all."""

import contextlib
import errno
import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab import plain
from lab.errors import InputError, LabError
from lab.shapes import check_report

Report = dict[str, Any]

BADLY_MADE = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
"""What fields of another shape than the lab gives them end in."""


def save_report(
    directory: str | Path, report: Report, *, name: str | None = None
) -> tuple[Path, str]:
    """Write a report to a new file in `directory` and return its path and digest.

    The file has the `name` asked for, or one of its own; where that is taken, a longer one.

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
            own = f"report-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{digest[:12]}.json"
            path = publish(name or own, 8)
        flush_folder(directory)
    except OSError as error:
        raise LabError(
            f"{directory}: the report could not be saved: {error.strerror}; free space, or save it"
            " somewhere else (a journal, where one was kept, still has every finished attempt)"
        ) from None
    except (TypeError, ValueError) as error:
        raise InputError(f"the report is not plain data: {plain.reason(error)}") from None
    return path, digest


def report_digest(report: Report) -> str:
    """Return the digest that a report will have when it is saved as it is."""
    found = hashlib.sha256()
    for part in _pieces(report):
        found.update(part.encode())
    return found.hexdigest()


def refuse_unwritable(path: Path) -> None:
    """InputError where a file is there already, or could not be made, before any work is done."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        is_there = _is_there(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}; name another") from None
    if is_there:
        raise InputError(f"{path}: is there already and stays as it is; name a new file")


def save_new(path: Path, pieces: Iterable[bytes]) -> None:
    """Write bytes, a piece at a time, to a new file: whole or not at all, its owner's alone.

    Raises InputError where something has that name already, LabError where it cannot be written.
    """
    refuse_unwritable(path)
    try:
        with _unnamed(path.parent) as (file, publish):
            with os.fdopen(os.dup(file), "wb") as out:
                out.writelines(pieces)
                out.flush()
                os.fsync(out.fileno())
            publish(path.name, 0)
        flush_folder(path.parent)
    except FileExistsError:
        raise InputError(f"{path}: is there by now and stays as it is; name a new file") from None
    except OSError as error:
        raise LabError(
            f"{path}: could not be written: {error.strerror}; free space, or name a file elsewhere"
        ) from None


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Blame a report, and not the lab, for what a digest would have told to be badly made."""
    try:
        yield
    except BADLY_MADE as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: badly made: {plain.reason(error)}") from None


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


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
def _unnamed(folder: Path) -> Iterator[tuple[int, Callable[[str, int], Path]]]:
    """Give a file that has no name yet, and the function that gives it one nobody else has.

    That one takes the name wished for, and how many longer ones to try where it is taken. On
    Linux the file has no name at all until then; elsewhere it has a hidden one meanwhile.
    """
    temporary = None
    try:
        os.stat("/proc/self/fd")  # noqa: PTH116  (a sandbox may lack it; publishing goes through it)
        file = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except (AttributeError, OSError):  # another system, or a file system that cannot
        file, temporary = tempfile.mkstemp(prefix=".saving-", dir=folder)

    def publish(name: str, others: int) -> Path:
        wished = folder / name
        longer = (f"{wished.stem}-{secrets.token_hex(4)}{wished.suffix}" for _ in range(others))
        for path in (wished, *map(folder.joinpath, longer)):
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
    """Return a saved report, as `read_report` reads it."""
    return read_report(path, digest)[0]


def read_report(path: str | Path, digest: str | None = None) -> tuple[Report, str]:
    """Return a saved report and the digest of its bytes, having checked its shape and its sums.

    With a `digest`, the bytes have to be those of it.

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
    if digest is not None and not re.fullmatch(r"\s*[0-9a-fA-F]{64}\s*", digest):
        raise InputError(f"{plain.show(digest)} is no sha256, which has 64 hex digits")
    if digest is not None and found != digest.strip().lower():
        raise InputError(f"{path}: its digest is {found}, not {digest}: the bytes have changed")
    if data.startswith(b'{"kind":"began"'):
        raise InputError(f"{path}: is a journal; its report is saved beside it when the run ends")
    try:
        report = plain.loads(data.decode())
    except ValueError as error:
        raise InputError(f"{path}: not a report: {error}") from None
    try:
        check_report(report)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    return dict(report), found
