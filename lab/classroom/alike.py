"""What is alike: as a fact for a person, who knows what was worked on together."""

import ast
import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lab.classroom.kept import Kept
from lab.classroom.verdicts import Result

LONGEST = 500_000
"""Characters of a source that is looked into: to read it takes 500 bytes for each."""


class Group(NamedTuple):
    """Learners whose work on a task is the same, or the same but for names and layout."""

    task: str
    learners: list[str]
    is_identical: bool


def digests(source: str, name: str) -> list[str]:
    """Return two digests of the function `name` of a source: as it is, and without its words.

    Layout and comments are in neither; the second also leaves out docstrings, annotations and
    what the function calls its own variables. Nothing where the source holds no such function, or
    is longer than anybody writes.
    """
    if len(source) > LONGEST:
        return []
    try:
        found = [node for node in ast.walk(ast.parse(source)) if _is_called(node, name)]
        if not found:
            return []
        exact = ast.dump(found[-1])
        return [_sha256(exact), _sha256(ast.dump(_Plain(found[-1]).visit(found[-1])))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def alike(results: Iterable[Result]) -> list[Group]:
    """Return the groups of two or more: identical ones first, and small before large."""
    members: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for result in results:
        for task, (exact, plainly) in result.functions.items():
            members.setdefault((task, plainly), []).append((result.name, exact))
    groups = [
        Group(task, [name for name, _ in group], len({exact for _, exact in group}) == 1)
        for (task, _), group in members.items()
        if len(group) > 1
    ]
    return sorted(groups, key=lambda g: (not g.is_identical, len(g.learners), g.task, g.learners))


def copies(everything: Iterable[Kept]) -> list[Group]:
    """Return whole submissions that several learners handed in alike, byte for byte."""
    members: dict[tuple[str, str], set[str]] = {}
    for kept in everything:
        if kept.result.unit is not None:  # of what cannot be read, reasons may be alike
            key = (kept.result.unit, kept.submission)
            members.setdefault(key, set()).add(kept.result.name)
    return sorted(
        Group(unit, sorted(names), True) for (unit, _), names in members.items() if len(names) > 1
    )


class _Plain(ast.NodeTransformer):
    """Gives a function's own names numbers, in the order in which they turn up."""

    def __init__(self, function: ast.AST) -> None:
        own = [node.arg for node in ast.walk(function) if isinstance(node, ast.arg)]
        own += [
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        self.names: Mapping[str, str] = {name: f"_{n}" for n, name in enumerate(dict.fromkeys(own))}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.names[node.arg])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node


def _is_called(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == name


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
