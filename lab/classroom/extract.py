"""A learner's functions out of a notebook, as source, without running anything of it."""

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lab import plain
from lab.classroom.collect import Unreadable
from lab.interpretation import grammar

CELLS: Mapping[str, tuple[str, str]] = {
    "baseline": ("a-baseline", "my_baseline"),
    "deficits": ("a-transfer", "deficits"),
    "recount": ("b-recount", "recount"),
    "quotation": ("b-rule", "my_rule"),
}
"""Where each task's function stands: the cell's id, and the function's name."""

STAND_IN = """

class Absent:
    def __init__(self, error):
        self.__dict__["error"] = error

    def __getattr__(self, name):
        raise self.error

    def __call__(self, *args, **named):
        raise self.error


class Decision:
    def __init__(self, action, sku=None):
        self.action, self.sku = action, sku

    def __iter__(self):
        return iter((("action", self.action), ("sku", self.sku)))


def keyword_decision(payload):
    return Decision(*read(payload))


TODO = "TODO"
"""

ANNOTATIONS = "from __future__ import annotations"
"""So that a type that is not there, such as the lab's Case, does no harm where it is only named.

No other future changes anything by now, so that this one stands for whichever a cell imports.
"""
MOST_CELLS, LONGEST_SOURCE = 1000, 100_000
"""Cells of a notebook, and characters of its code in all: reading it takes 500 bytes for each."""
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
"""What a notebook takes beside Python, at the beginning of a line."""
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading a source raises: the last two where it is nested too deeply."""
DEFINITIONS = (
    *(ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign),
)


class Extracted(NamedTuple):
    """A function's source, with what it may need around it; and what was odd about finding it."""

    source: str
    function: str
    notes: list[str]


def extract(notebook: Mapping[str, Any], task: str) -> Extracted | None:
    """Return a task's function; None where nobody wrote one.

    It is looked for in its cell, by the cell's id, and, where that cell is gone, by its name.
    Around it comes what the other cells define, as far as it can be had without the lab.
    Unreadable, with the reason, for a cell that is no Python.
    """
    identity, name = CELLS[task]
    cells = list(_code(notebook))
    mine = [source for found, source in cells if found == identity]
    notes = [f"{len(mine)} cells have the id {identity}; the last is read"] if mine[1:] else []
    if not mine:
        mine = [source for _, source in cells if f"def {name}" in source or f"{name} =" in source]
        notes = [f"the cell {identity} is gone; {name} is read where it stands"] if mine else []
    if not mine:
        return None
    if not re.search(rf"lessons\.check\(\s*['\"]{task}['\"]\s*,\s*{name}\s*\)", mine[-1]):
        notes.append(f"{task}: its cell no longer checks {name}; here it is checked all the same")
    try:
        own = [part for part in ast.parse(mine[-1]).body if _defines(part)]
        if not any(name in _names(part) for part in own):
            return None
        kept = [_own(part) for part in own]
    except NO_PYTHON as error:
        raise Unreadable(f"{name} is no Python: {plain.reason(error)}") from None
    read = Path(grammar.__file__).read_text("utf-8")
    around = [part for _, source in cells if source not in mine for part in _around(source)]
    return Extracted("\n\n".join([ANNOTATIONS, read, STAND_IN, *around, *kept, ""]), name, notes)


def cells_of(notebook: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of a notebook. Unreadable where it has no list of them, or a huge one."""
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("notebook.ipynb has no list of cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"notebook.ipynb has more than {MOST_CELLS} cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def _code(notebook: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    total = 0
    for cell in cells_of(notebook):
        if cell.get("cell_type") == "code":
            source = cell.get("source", "")
            text = "".join(map(str, source)) if isinstance(source, list) else str(source)
            total += len(text)
            if total > LONGEST_SOURCE:
                raise Unreadable(f"its cells have more than {LONGEST_SOURCE} characters of code")
            yield str(cell.get("id", "")), MAGIC.sub("", text)


def _around(source: str) -> list[str]:
    """Return what a cell defines for others, but for what is no Python that can be read."""
    found = list[str]()
    with contextlib.suppress(*NO_PYTHON):
        for part in filter(_defines, ast.parse(source).body):
            with contextlib.suppress(*NO_PYTHON):
                found.append(_tried(part))
    return found


def _defines(part: ast.stmt) -> bool:
    """Say whether a statement is for others to use: what a cell does beside that is left out."""
    return isinstance(part, DEFINITIONS) and not _is_imported_elsewhere(part)


def _own(part: ast.stmt) -> str:
    may_fail = isinstance(part, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom)
    return _tried(part) if may_fail else ast.unparse(part)


def _tried(part: ast.stmt) -> str:
    """Return a definition that may need what is not there: whoever uses it is told, then."""
    told = f"for _each in {sorted(_names(part))}: globals().setdefault(_each, Absent(_why))"
    left_out = ast.ExceptHandler(ast.Name("Exception"), "_why", ast.parse(told).body)
    return ast.unparse(ast.fix_missing_locations(ast.Try([part], [left_out], [], [])))


def _is_imported_elsewhere(part: ast.stmt) -> bool:
    """Say whether it imports the lab, which is not there, or a future, which comes first there."""
    names = [alias.name for alias in part.names] if isinstance(part, ast.Import) else []
    module = part.module if isinstance(part, ast.ImportFrom) else None
    is_lab = any(name.split(".")[0] == "lab" for name in [*names, module or ""])
    return is_lab or module == "__future__"


def _names(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {part.name}
    if isinstance(part, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in part.names} - {"*"}
    targets = part.targets if isinstance(part, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}
