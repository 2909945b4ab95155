"""Submissions: Unit A's solution with something replaced in it, and bare ones that only read."""

import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from lab.lessons.unit import Unit

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def hand_in(folder: Path, name: str, old: str = "", new: str = "") -> Path:
    """Hand in under a name, with something replaced in the notebook."""
    unit = Unit("unit_a", folder / f"work-{name}")
    unit.predict("counts", [16, 8])
    unit.note("recall", "<script>alert(1)</script>")
    unit.check("reservation", (("Q", 4),))
    unit.check("artefact", "case")
    unit.check("attempted", {"allowed_operations", "no_tool_errors", "quantities", "grounded"})
    unit.check("establishes", "c")
    notebook = folder / f"{name}.ipynb"
    text = (NOTEBOOKS / "solutions" / "unit_a.ipynb").read_text("utf-8")
    assert old in text
    notebook.write_text(text.replace(old, new), "utf-8")
    target = folder / "class" / name
    target.parent.mkdir(exist_ok=True)
    unit.submit(notebook).rename(target)
    return target


def change_cell(submission: Path, cell: str, old: str, new: str) -> None:
    """Replace something in a cell of what was handed in, and hand it in again."""
    path = submission / "notebook.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    [found] = [each for each in notebook["cells"] if each["id"] == cell]
    source = "".join(found["source"])
    assert old in source
    found["source"] = source.replace(old, new)
    path.write_text(json.dumps(notebook), "utf-8")
    manifest = json.loads((submission / "manifest.json").read_text("utf-8"))
    manifest["files"]["notebook.ipynb"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (submission / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def whole(unit: str = "unit_a", created: str = "2026-11-01T10:00:00+00:00") -> dict[str, bytes]:
    """Return the files of the smallest submission that can be read."""
    files = {"notebook.ipynb": b"{}", "answers.json": b"{}"}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    manifest = {"unit": unit, "created": created, "files": digests}
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def packed(path: Path, members: dict[str, bytes]) -> Path:
    """Write a zip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def folder(path: Path, members: dict[str, bytes] | None = None) -> Path:
    """Write a folder."""
    path.mkdir(parents=True)
    for name, data in (whole() if members is None else members).items():
        (path / name).write_bytes(data)
    return path
