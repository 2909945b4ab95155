"""A learner's functions out of a notebook, as source, without running anything of it."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

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

class Decision:
    def __init__(self, action, sku=None):
        self.action, self.sku = action, sku

    def __iter__(self):
        return iter((("action", self.action), ("sku", self.sku)))


def keyword_decision(payload):
    return Decision(*read(payload))


TODO = "TODO"
"""


class Extracted(NamedTuple):
    """A function's source, with what it may need around it; and what was odd about finding it."""

    source: str
    function: str
    notes: list[str]


def extract(notebook: Mapping[str, Any], task: str) -> Extracted | None:
    """Return a task's function; None where nobody wrote one.

    It is looked for in its cell, by the cell's id, and, where that cell is gone, by its name.
    Around it come the imports, functions, classes and plain constants of the other cells.
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
    around = [source for _, source in cells if source not in mine]
    kept = [part for source in around for part in _harmless(source)]
    try:
        body = ast.parse(mine[-1]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"{name} is no Python: {type(error).__name__}: {error}") from None
    own = [part for part in body if not _calls_the_lab(part)]
    if not any(name in _names(part) for part in own):
        return None
    source = "\n\n".join(ast.unparse(part) for part in [*kept, *own])
    read = Path(grammar.__file__).read_text("utf-8")
    return Extracted(f"{read}{STAND_IN}\n{source}\n", name, notes)


def _code(notebook: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("notebook.ipynb has no cells")
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            text = "".join(map(str, source)) if isinstance(source, list) else str(source)
            yield str(cell.get("id", "")), text


def _harmless(source: str) -> Iterator[ast.stmt]:
    """Yield what a cell defines: what it does, it does nowhere."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from (part for part in body if _defines(part) and not _imports_the_lab(part))


def _defines(part: ast.stmt) -> bool:
    if isinstance(part, ast.Assign):
        return _is_literal(part.value)
    return isinstance(part, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _imports_the_lab(part: ast.stmt) -> bool:
    names = [alias.name for alias in part.names] if isinstance(part, ast.Import) else []
    module = part.module if isinstance(part, ast.ImportFrom) else None
    return any(name.split(".")[0] == "lab" for name in [*names, module or ""])


def _calls_the_lab(part: ast.stmt) -> bool:
    is_call = isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)
    return is_call or _imports_the_lab(part)


def _names(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {part.name}
    targets = part.targets if isinstance(part, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
