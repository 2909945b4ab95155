"""The floors of the house: an import points down, or sideways without a circle."""

import ast
import subprocess
import sys
from pathlib import Path

LAB = Path(__file__).parents[1] / "lab"

FLOORS = [
    floor.split()
    for floor in (
        "errors plain cells",
        "shop cases inspect_dataset statistics counts shapes evidence execution journal chain",
        "attempt baselines grading provenance timing findings ledger watch rates",
        "plan report evaluation interpretation",
        "attacks checkpoint candidates recorded copies effort desk frames comparison"
        " review calibration reviewers",
        "terminal options choices charts lessons"
        " tables request_tables attack_tables review_tables review_desk compare_tables export page",
        "classroom cli people exporting showing comparing __main__",
    )
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room(module: str) -> str:
    return module.removeprefix("lab.").partition(".")[0]


def imported(path: Path) -> set[str]:
    """The rooms of the lab that a file imports from."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "lab":
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lab."):
            found.add(room(str(node.module)))
        elif isinstance(node, ast.Import):
            found.update(room(a.name) for a in node.names if a.name.startswith("lab."))
    return found


def rooms() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in LAB.rglob("*.py"):
        if path.parent == LAB and path.stem == "__init__":
            continue
        name = path.stem if path.parent == LAB else path.parent.name
        found.setdefault(name, set()).update(imported(path) - {name})
    return found


def test_every_room_has_its_floor_and_looks_down() -> None:
    found = rooms()
    assert sorted(found) == sorted(FLOOR_OF)
    up = [(a, b) for a, below in found.items() for b in below if FLOOR_OF[b] > FLOOR_OF[a]]
    assert up == []


def test_there_is_no_circle() -> None:
    found = rooms()
    while free := [name for name, below in found.items() if not below & found.keys()]:
        for name in free:
            del found[name]
    assert found == {}


def test_the_agent_cannot_know_that_it_is_examined() -> None:
    assert rooms()["shop"] == {"errors", "plain"}


def test_an_attempt_knows_no_case() -> None:
    assert rooms()["attempt"] == {"plain", "shop"}


def test_importing_the_lab_brings_nothing_heavy() -> None:
    heavy = "pydantic httpx rich sqlite3 asyncio xllamacpp distributed concurrent.futures"
    heavy += " numpy scipy pandas matplotlib"
    code = f"import sys, lab; print([n for n in '{heavy}'.split() if n in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_file_is_one_idea_of_about_three_hundred_lines() -> None:
    long = {p.name: n for p in LAB.rglob("*.py") if (n := len(p.read_text().splitlines())) > 310}
    assert long == {}
