"""The recorded runs of a real model, by name, as they were saved."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from lab import plain
from lab.errors import InputError
from lab.evidence import Report, load_report

_HERE = Path(__file__).parent


def shelf() -> Path:
    """Return where the recorded runs lie: inside an installed lab, or in the checkout."""
    inside = _HERE / "shelf" / "live"
    return inside if inside.exists() else _HERE.parent / "fixtures" / "live"


def runs() -> dict[str, dict[str, Any]]:
    """Return each recorded run's entry (file, digest, adapter, command) by its name."""
    told = tomllib.loads((shelf() / "environment.toml").read_text("utf-8"))
    return {run["name"]: run for run in told["run"]}


def recorded_calibration() -> dict[str, Any]:
    """Return what each reviewer, the model in the box among them, came to on the answers."""
    told = tomllib.loads((shelf() / "environment.toml").read_text("utf-8"))["calibration"][0]
    data = (shelf() / told["report"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != told["sha256"]:
        raise InputError(f"recorded: {told['report']}: the bytes are not those that were saved")
    return dict(plain.loads(data.decode()))


def recorded(name: str) -> Report:
    """Return one recorded report, its digest checked. InputError, with the names, for another."""
    known = runs()
    if name not in known:
        raise InputError(f"recorded: {name!r} is not one of: {'; '.join(known)}")
    return load_report(shelf() / known[name]["report"], known[name]["sha256"])
