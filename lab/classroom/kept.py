"""Results on disk, each as soon as it is there: a run that is killed goes on, none is lost.

Each learner has a folder, each result a file in it; the last is the one that counts.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from lab import plain
from lab.classroom.verdicts import Result
from lab.errors import InputError, LabError


class Kept(NamedTuple):
    """One result, and the digest of everything that it depends on."""

    stamp: str
    result: Result


def slug(name: str) -> str:
    """Return a file's name for a learner: readable, and no two have the same."""
    readable = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40]
    return f"{readable}-{hashlib.sha256(name.encode(errors='surrogateescape')).hexdigest()[:8]}"


def history(desk: Path, name: str) -> list[Kept]:
    """Return a learner's results, oldest first. InputError names the file that is none."""
    return [_read(path) for path in _files(desk / "kept" / slug(name))]


def everybody(desk: Path) -> list[list[Kept]]:
    """Return the results of all learners, by name."""
    folders = (desk / "kept").iterdir() if (desk / "kept").exists() else ()
    found = [[_read(path) for path in _files(folder)] for folder in folders]
    return sorted((each for each in found if each), key=lambda each: each[-1].result.name)


def keep(desk: Path, kept: Kept) -> None:
    """Write a result beside the earlier ones of its learner; it is on disk when this returns."""
    folder = desk / "kept" / slug(kept.result.name)
    number = len(_files(folder)) + 1
    told = {"stamp": kept.stamp, "result": kept.result.as_data()}
    put(folder / f"{number:03d}.json", json.dumps(told, indent=1) + "\n")


def put(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a file whole, in the place of an earlier one, or not at all."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, beside = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(file, "w", encoding=encoding, newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LabError(
            f"{path}: could not be written: {error.strerror}; what was checked so far is kept,"
            " and the same command goes on from there"
        ) from None


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9]*.json")) if folder.is_dir() else []


def _read(path: Path) -> Kept:
    try:
        told = plain.loads(path.read_text("utf-8"))
        return Kept(str(told["stamp"]), Result.from_data(told["result"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path}: no kept result: {plain.reason(error)}; move it away, and that learner is"
            " checked again"
        ) from None
