"""Makes both editions of each unit from its one source: `python notebooks/build.py [--check]`.

A source is a jupytext percent file; a cell's title is its id. A cell tagged `learner` carries its
starter and its solution between marked lines, and each edition gets one of them:

    # starter
    return TODO
    # solution
    return 42
    # end

Each edition is executed and stored with its outputs. `--check` makes nothing and says which stored
notebook is not what its source would give, outputs aside (the tests re-execute those).
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
UNITS = tuple(sorted(path.stem for path in (HERE / "source").glob("unit_*.py")))
EDITIONS: dict["Edition", Path] = {"student": HERE, "solution": HERE / "solutions"}
Edition = Literal["student", "solution"]

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
PARTS = re.compile(
    r"^[ \t]*# starter\n(?P<student>.*?)^[ \t]*# solution\n(?P<solution>.*?)^[ \t]*# end\n?",
    re.DOTALL | re.MULTILINE,
)
MARK = re.compile(r"^[ \t]*# (starter|solution|end)$", re.MULTILINE)


def choose(source: str, edition: Edition, cell: str) -> str:
    """Return a learner's cell as one edition has it; ValueError where its marks do not pair up."""
    chosen, count = PARTS.subn(lambda found: found[edition], source + "\n")
    if count == 0 or MARK.search(chosen):
        raise ValueError(
            f"cell {cell}: `# starter`, `# solution`, `# end` must follow each other"
        )
    return re.sub(r"\n{4,}", "\n\n\n", chosen).strip("\n")


def assemble(unit: str, edition: Edition) -> Any:
    """Return a unit's notebook in one edition, not yet executed."""
    source = jupytext.read(HERE / "source" / f"{unit}.py", fmt="py:percent")
    cells = []
    for cell in source.cells:
        identity = cell.metadata.pop("title", None)
        if not identity:
            raise ValueError(f"{unit}: a cell has no title: {cell.source[:60]!r}")
        if "learner" in cell.metadata.get("tags", []):
            cell.source = choose(cell.source, edition, identity)
        elif MARK.search(cell.source):
            raise ValueError(
                f"{unit}: cell {identity} has marks and is not tagged learner"
            )
        cells.append({**cell, "id": identity, "metadata": dict(cell.metadata)})
    identities = [cell["id"] for cell in cells]
    if len(set(identities)) < len(identities):
        twice = {name for name in identities if identities.count(name) > 1}
        raise ValueError(f"{unit}: the same title twice: {', '.join(sorted(twice))}")
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    notebook = {
        "cells": cells,
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    made = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]
    nbformat.validate(made)
    return made


def execute(notebook: Any) -> Any:
    """Run a notebook from top to bottom, in a folder of its own; an error in it is raised."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"LAB_WORK_FOLDER": folder, "LAB_LIVE": "off"}
        NotebookClient(
            notebook,
            timeout=120,
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute()
    return notebook


def without_outputs(notebook: Any) -> list[dict[str, Any]]:
    """Return what a source settles of a notebook: every cell's id, kind, tags and text."""
    return [
        {
            "id": cell["id"],
            "kind": cell["cell_type"],
            "tags": cell["metadata"].get("tags", []),
            "source": cell["source"],
        }
        for cell in notebook["cells"]
    ]


def main() -> int:
    """Make every notebook, or check that each is what its source gives."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true")
    is_check = options.parse_args().check
    differing = []
    for unit in UNITS:
        for edition, folder in EDITIONS.items():
            path, made = folder / f"{unit}.ipynb", assemble(unit, edition)
            if is_check:
                stored = (
                    nbformat.read(path, as_version=4)
                    if path.exists()
                    else {"cells": []}
                )
                if without_outputs(stored) != without_outputs(made):
                    differing.append(path)
            else:
                folder.mkdir(exist_ok=True)
                nbformat.write(execute(made), path)
                print(path.relative_to(HERE.parent))
    for path in differing:
        print(
            f"{path.relative_to(HERE.parent)} differs from its source: run notebooks/build.py"
        )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
