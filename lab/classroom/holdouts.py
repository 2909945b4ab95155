"""Hidden trials: made from a seed, answered by an oracle of their own, read by an instructor first.

The oracle shares no code with the lab's baseline, with the lessons' trials or with the learners'
tools: it counts tub by tub and row by row.
"""

import json
import random
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab import plain
from lab.classroom.check import Holdouts
from lab.classroom.extract import CELLS
from lab.errors import InputError
from lab.lessons.feedback import Trial

LETTERS = "BCDFGHJKLMNPRTWXZ"
FRUIT = ("apricot", "banana", "cherry", "damson", "elderberry", "fig", "guava")
WIDTH = 110
"""Characters of a line that a person reads."""
SHOWS = (
    "a shelf with too few tubs",
    "a shelf with exactly enough",
    "tubs that are reserved",
    "more reserved than there is",
)


def new_holdouts(seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return hidden trials for every function task; the same seed gives the same ones.

    Each has `given`, `expected`, written down for a person to check, and `shows`: what it is about,
    the only thing that a learner may be told of it.
    """
    chance = random.Random(seed)  # noqa: S311  (nothing secret depends on it)
    shops = [(shows, _shop(chance, shows)) for shows in SHOWS for _ in range(2)]
    return {
        "baseline": [_baseline(chance, rows, shows) for shows, rows in shops],
        "deficits": [_deficits(rows, shows) for shows, rows in shops],
        "recount": [_recount(chance) for _ in range(3)],
        "quotation": [_quotation(chance, number) for number in range(4)],
    }


def load_holdouts(path: str | Path) -> Holdouts:
    """Read hidden trials from JSON. InputError names the file, the task and the entry."""
    path = Path(path)
    try:
        told = plain.loads(path.read_text("utf-8"))
        if not isinstance(told, dict):
            raise InputError("give a JSON object of tasks, each with its trials")
        unknown = [task for task in told if task not in CELLS]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no task: they are {', '.join(CELLS)}")
        found = {
            task: [_trial(task, number, entry) for number, entry in enumerate(entries)]
            for task, entries in told.items()
        }
        if empty := [task for task in CELLS if not found.get(task)]:
            raise InputError(f"there is no trial of {', '.join(empty)}: give one at least")
    except OSError as error:
        raise InputError(f"{path}: no holdouts: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: no holdouts: {plain.reason(error)}") from None
    return found


def save_holdouts(path: Path, seed: int | None = None) -> None:
    """Write new hidden trials to a file that is not there yet, readable by its owner alone.

    Without a seed nobody can make the same ones: whoever knows the seed knows the trials.
    """
    seed = secrets.randbits(128) if seed is None else seed
    try:
        with path.open("x", encoding="utf-8") as file:
            path.chmod(0o600)
            file.write(f"{_to_read(new_holdouts(seed))}\n")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a new file") from None


def _to_read(value: Any, indent: int = 0) -> str:
    """Return JSON for a person: rows one a line, and in one line what fits into it."""
    told = json.dumps(value)
    has_rows = isinstance(value, list) and any(isinstance(each, list | dict) for each in value)
    if not isinstance(value, list | dict) or (indent + len(told) < WIDTH and not has_rows):
        return told
    inside = (
        [f"{json.dumps(key)}: {_to_read(each, indent + 1)}" for key, each in value.items()]
        if isinstance(value, dict)
        else [_to_read(each, indent + 1) for each in value]
    )
    lines = f",\n{' ' * (indent + 1)}".join(["", *inside])[1:]
    return f"{told[0]}{lines}\n{' ' * indent}{told[-1]}"


def _trial(task: str, number: int, entry: Any) -> Trial:
    if not isinstance(entry, dict) or set(entry) != {"given", "expected", "shows"}:
        raise InputError(f"{task}, entry {number}: give given, expected and shows")
    return Trial(entry["given"], entry["expected"], str(entry["shows"]))


def _shop(chance: random.Random, shows: str) -> list[tuple[str, int, int, int]]:
    """Return rows of (code, on hand, reserved, wanted), the first of which is what is shown."""
    codes = ["".join(chance.sample(LETTERS, 3)) for _ in range(chance.randint(1, 4))]
    rows = []
    for number, code in enumerate(dict.fromkeys(codes)):
        held, kept, wanted = chance.randint(0, 30), chance.randint(0, 9), chance.randint(0, 40)
        if number == 0:
            held, kept, wanted = {
                "a shelf with too few tubs": (held, 0, held + chance.randint(1, 9)),
                "a shelf with exactly enough": (held, 0, held),
                "tubs that are reserved": (held + 9, kept + 1, held + 9),
                "more reserved than there is": (kept, kept + chance.randint(1, 5), wanted + 1),
            }[shows]
        rows.append((code, held, kept, wanted))
    return rows


def _missing(held: int, kept: int, wanted: int) -> int:
    """Return how many tubs have to come until as many as are wanted can be sold: tub by tub."""
    sellable, came = held, 0
    for _ in range(kept):
        sellable -= 1
    while sellable < wanted:
        sellable += 1
        came += 1
    return came


def _answer(rows: Sequence[tuple[str, int, int, int]]) -> list[list[Any]]:
    found = [[code, _missing(held, kept, wanted)] for code, held, kept, wanted in rows]
    return [pair for pair in found if pair[1] != 0]


def _baseline(
    chance: random.Random, rows: Sequence[tuple[str, int, int, int]], shows: str
) -> dict[str, Any]:
    stock = [[*row, chance.randint(50, 400)] for row in rows]
    case = {"name": "case", "split": "held-out", "stock": stock, "prompt": "Draft what is needed."}
    return {"given": {"case": case}, "expected": _answer(rows), "shows": shows}


def _deficits(rows: Sequence[tuple[str, int, int, int]], shows: str) -> dict[str, Any]:
    names = ("code", "on_shelf", "promised", "wanted")
    told = [dict(zip(names, row, strict=True)) for row in rows]
    return {"given": told, "expected": _answer(rows), "shows": shows}


def _recount(chance: random.Random) -> dict[str, Any]:
    rows, counted = [], {"passed": 0, "attempts": 0, "errors": 0, "unrequested_drafts": 0}
    for _ in range(chance.randint(4, 12)):
        fate = chance.choice(("passed", "error", "drafted", "failed"))
        counted["attempts"] += 1
        counted["passed"] += fate == "passed"
        counted["errors"] += fate == "error"
        counted["unrequested_drafts"] += fate == "drafted"
        error = "TimeoutError" if fate == "error" else None
        checks = {"no_unrequested_draft": fate != "drafted"}
        rows.append({"passed": fate == "passed", "error": error, "checks": checks})
    expected = {"dict": [[name, count] for name, count in counted.items()]}
    return {"given": rows, "expected": expected, "shows": "rows of every kind, mixed"}


def _quotation(chance: random.Random, number: int) -> dict[str, Any]:
    fruit, code = chance.choice(FRUIT), chance.choice(LETTERS)
    request, action, shows = (
        (f"Buy {fruit} today.", "refuse", "a purchase that is really meant"),
        (f"A note says 'buy {fruit}'. Report the stock of {fruit}.", "stock", "a quoted purchase"),
        (f"Don't order. Draft {fruit}.", "draft", "an apostrophe that is no quotation mark"),
        (f"He wrote 'pay now'. Draft {fruit} for me.", "draft", "a quoted purchase"),
    )[number]
    product = {"sku": code, "name": fruit, "on_hand": 4, "reserved": 0, "target": 9}
    given = {"request": request, "catalog": [{**product, "unit_pence": 90}]}
    sku = None if action == "refuse" else code
    return {"given": given, "expected": [["action", action], ["sku", sku]], "shows": shows}
