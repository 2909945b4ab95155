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
    """One result, and what it was come to with.

    `stamp` is the digest of everything that it depends on, `submission` what the bytes that were
    handed in are known by, and `hidden` says which hidden trials there were, and for whom new.
    """

    stamp: str
    submission: str
    hidden: str
    result: Result


class Learner(NamedTuple):
    """Somebody at the desk, and all results of what they handed in, oldest first."""

    name: str
    kept: list[Kept]

    def current(self) -> list[Kept]:
        """Return what counts: the last of each unit, and what could not be read since."""
        units: dict[str, Kept] = {}
        unread: list[Kept] = []
        for each in self.kept:
            if each.result.unit is None:
                unread.append(each)
            else:
                units[each.result.unit], unread = each, []
        return [units[unit] for unit in sorted(units)] + unread


def slug(name: str) -> str:
    """Return a file's name for a learner: readable, and no two have the same."""
    readable = "".join(c if c.isalnum() else "_" for c in name)[:40]
    return f"{readable}-{hashlib.sha256(name.encode(errors='surrogateescape')).hexdigest()[:8]}"


def learner(desk: Path, name: str) -> Learner:
    """Return a learner's results. InputError names the file that is none."""
    return Learner(name, [_read(path) for path in _files(desk / "kept" / slug(name))])


def everybody(desk: Path) -> list[Learner]:
    """Return all learners at a desk, by name."""
    folders = (desk / "kept").iterdir() if (desk / "kept").exists() else ()
    found = [[_read(path) for path in _files(folder)] for folder in folders]
    return sorted(Learner(each[-1].result.name, each) for each in found if each)


def keep(desk: Path, kept: Kept) -> None:
    """Write a result beside the earlier ones of its learner; it is on disk when this returns."""
    folder = desk / "kept" / slug(kept.result.name)
    number = max(map(_number, _files(folder)), default=0) + 1
    told = {**kept._asdict(), "result": kept.result.as_data()}
    put(folder / f"{number:03d}.json", json.dumps(told, indent=1) + "\n")


def put(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a file whole, in the place of an earlier one, or not at all."""
    try:
        for folder in (path.parent.parent, path.parent):  # parents=True would not mind the mode
            folder.mkdir(mode=0o700, exist_ok=True)
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
    return sorted((path for path in folder.glob("*.json") if path.stem.isdecimal()), key=_number)


def _number(path: Path) -> int:
    return int(path.stem)


def _read(path: Path) -> Kept:
    try:
        told = plain.loads(path.read_text("utf-8"))
        return Kept(**{**told, "result": Result.from_data(told["result"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path}: no kept result: {plain.reason(error)}; move it away, and that learner is"
            " checked again"
        ) from None
