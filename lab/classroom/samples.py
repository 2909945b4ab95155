"""Submissions to try the desk on: a good one of each unit; hostile and broken ones made of them."""

import hashlib
import io
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lab.errors import InputError, LabError

Files = dict[str, bytes]
GOOD = ("good-unit_a", "good-unit_b")


def write_samples(folder: Path) -> dict[str, dict[str, str]]:
    """Write all samples to a new folder; return by name what is other than for a good one.

    InputError where the folder is there already.
    """
    try:
        folder.mkdir(mode=0o700, parents=True)
        for name in GOOD:
            shutil.copytree(_shelf() / name, folder / name, copy_function=shutil.copyfile)
        entries = _entries()
        for entry in entries:
            _write(folder / entry["name"], entry)
    except FileExistsError:
        raise InputError(f"{folder}: is there already; name a new folder") from None
    except OSError as error:
        raise LabError(f"{folder}: the samples could not be written: {error.strerror}") from None
    good: dict[str, dict[str, str]] = {name: {} for name in GOOD}
    return good | {entry["name"]: entry["expect"] for entry in entries}


def _entries() -> list[dict[str, Any]]:
    return list(tomllib.loads((_shelf() / "others.toml").read_text("utf-8"))["submission"])


def good_notebook(unit: str) -> bytes:
    """Return the notebook of a unit's good sample."""
    return (_shelf() / f"good-{unit}" / "notebook.ipynb").read_bytes()


def _shelf() -> Path:
    package = Path(__file__).parents[1]
    inside = package / "shelf" / "submissions"
    return inside if inside.exists() else package.parent / "fixtures" / "submissions"


def _write(target: Path, entry: Mapping[str, Any]) -> None:
    good = _shelf() / f"good-{entry.get('unit', 'unit_a')}"
    files = {path.name: path.read_bytes() for path in good.iterdir()}
    make = entry.get("make", "")
    if make in PACKED:
        target.with_suffix(".zip").write_bytes(PACKED[make](files))
        return
    if not make:
        _change_cell(files, entry["cell"], lambda cell: [{**cell, "source": entry["source"]}])
    else:
        CHANGES[make](files, entry)
    if not make or entry.get("forged"):
        _sign(files)
    target.mkdir()
    for name, data in files.items():
        (target / name).write_bytes(data)
    if make == "link":
        (target / "notes.txt").symlink_to("/etc/hostname")


def _sign(files: Files) -> None:
    """Make a manifest for what is there now."""
    manifest = json.loads(files.pop("manifest.json"))
    manifest["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    files["manifest.json"] = json.dumps(manifest).encode()


Cell = dict[str, Any]


def _change_cell(files: Files, identity: str, change: Callable[[Cell], list[Cell]]) -> None:
    notebook = json.loads(files["notebook.ipynb"])
    cells = [change(cell) if cell["id"] == identity else [cell] for cell in notebook["cells"]]
    notebook["cells"] = [cell for some in cells for cell in some]
    files["notebook.ipynb"] = json.dumps(notebook).encode()


def _changed_answers(files: Files, entry: Mapping[str, Any]) -> None:
    files["answers.json"] = files["answers.json"].replace(b"(('Q', 4),)", b"(('Q', 5),)")


def _changed_report(files: Files, entry: Mapping[str, Any]) -> None:
    [name] = [name for name in files if name.startswith("report-")]
    report = json.loads(files.pop(name))
    report["cases"][0]["checks"]["grounded"] = False
    files["report.json"] = json.dumps(report).encode()


def _changed_table(files: Files, entry: Mapping[str, Any]) -> None:
    def change(cell: Cell) -> list[Cell]:
        text = re.sub(r"(attempts\W+)16", r"\g<1>160", json.dumps(cell))
        return [json.loads(text)]

    _change_cell(files, "a-run", change)


def _changed_diary(files: Files, entry: Mapping[str, Any]) -> None:
    lines = files["diary.jsonl"].splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"predicted"' in line)
    lines[at] = lines[at].replace(b"[16,8]", b"[17,8]")
    files["diary.jsonl"] = b"".join(lines)


def _other_line_ends(files: Files, entry: Mapping[str, Any]) -> None:
    for name in files:
        files[name] = files[name].replace(b"\n", b"\r\n")


def _huge_notebook(files: Files, entry: Mapping[str, Any]) -> None:
    files["notebook.ipynb"] = files["notebook.ipynb"].ljust(50 * 1024 * 1024)


def _no_json(files: Files, entry: Mapping[str, Any]) -> None:
    files["notebook.ipynb"] = b"<html>Sign in to download this file</html>"


def _utf_16(files: Files, entry: Mapping[str, Any]) -> None:
    files["notebook.ipynb"] = files["notebook.ipynb"].decode().encode("utf-16")


CHANGES: Mapping[str, Callable[[Files, Mapping[str, Any]], None]] = {
    "without_cell": lambda files, entry: _change_cell(files, entry["cell"], lambda cell: []),
    "cell_twice": lambda files, entry: _change_cell(files, entry["cell"], lambda cell: [cell] * 2),
    "changed_answers": _changed_answers,
    "changed_report": _changed_report,
    "changed_table": _changed_table,
    "changed_diary": _changed_diary,
    "other_line_ends": _other_line_ends,
    "huge_notebook": _huge_notebook,
    "no_json": _no_json,
    "utf_16": _utf_16,
    "link": lambda files, entry: None,
}


def _packed(files: Files, folder: str = "") -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(f"{folder}{name}"), data, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _elsewhere(files: Files) -> bytes:
    beside = {f"__MACOSX/submission/._{name}": b"\0" for name in files}
    inside = {f"submission/{name}": data for name, data in files.items()}
    return _packed({**inside, **beside, "submission/.DS_Store": b"\0"})


PACKED: Mapping[str, Callable[[Files], bytes]] = {
    "packed_elsewhere": _elsewhere,
    "absolute_path": lambda files: _packed({**files, "/etc/cron.d/lab": b""}),
    "leads_out": lambda files: _packed({**files, "../others.txt": b""}),
    "zip_bomb": lambda files: _packed({**files, "notes.txt": bytes(10**8)}),
    "nested_zip": lambda files: _packed({"submission.zip": _packed(files)}),
    "empty_zip": lambda files: _packed({}),
    "no_zip": lambda files: b"see my e-mail",
}
