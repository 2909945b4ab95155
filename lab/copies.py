"""A learner's own copy of a notebook: made once, never written over, the old one kept."""

import contextlib
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from lab.errors import InputError, LabError

UNITS = ("unit_a", "unit_b")
_HERE = Path(__file__).parent


def original(unit: str) -> Path:
    """Return the notebook as it came: inside an installed lab, or in the checkout."""
    if unit not in UNITS:
        raise InputError(f"notebook: {unit!r} is not one of {', '.join(UNITS)}")
    inside = _HERE / "shelf" / "notebooks" / f"{unit}.ipynb"
    return inside if inside.exists() else _HERE.parent / "notebooks" / f"{unit}.ipynb"


def copy_of(unit: str, folder: Path, *, fresh: bool = False) -> Path:
    """Return the learner's copy in a folder, made where there is none.

    With `fresh` the one that is there is kept under a name with the time, and a new one made.
    """
    whole = original(unit).read_bytes()
    path = folder / f"{unit}.ipynb"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if fresh and path.exists():
            path.rename(folder / f"{unit}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.ipynb")
        if not path.exists():
            _write_new(path, whole)
    except OSError as error:
        raise LabError(f"{path}: the copy could not be made: {error.strerror}") from None
    return path


def _write_new(path: Path, whole: bytes) -> None:
    """Write a file that is there as a whole or not at all, and never over another."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".copying-") as place:
        beside = Path(place) / path.name
        beside.write_bytes(whole)
        with contextlib.suppress(FileExistsError):  # somebody else was as quick
            path.hardlink_to(beside)
