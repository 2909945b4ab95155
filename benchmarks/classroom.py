"""A class of two hundred at the instructor's desk, hidden trials included, beside bare start-ups.

The class is made of the two good submissions, each with a mistake that people make. Linux, with
bubblewrap.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from lab.classroom.desk import check_class, pool
from lab.classroom.found import Found
from lab.classroom.holdouts import load_holdouts, save_holdouts
from lab.classroom.rubric import Rubric
from lab.classroom.samples import GOOD, write_samples

JOBS = 2
SANDBOXES = 4
"""Of one submission: two functions, each on public trials, and apart from them on hidden ones."""
MISTAKES = (
    ("if missing > 0", "if missing >= 0"),
    ("if missing > 0", "if missing > 1"),
    ("(on_hand - reserved)", "on_hand"),
    ("(sku, missing)", "[missing, sku]"),
    ("return needs", "print(needs)"),
    ("return needs", "    return needs"),
    ('row[\\"promised\\"]', 'row[\\"reserved\\"]'),
    ("len(rows)", "len(rows) - 1"),
    ("is not None", "is None"),
    ("sum(not row", "sum(row"),
    ('sum(row[\\"passed\\"]', 'len(row[\\"passed\\"]'),
    ("[^']*", "[^']+"),
    ("{**payload, ", "{"),
    ("needs = []", "while missing: pass"),
)


def class_of(number: int, folder: Path) -> list[Found]:
    """Write a class, and return its submissions."""
    write_samples(folder / "samples")
    made = []
    for n in range(number):
        good = folder / "samples" / GOOD[n % 2]
        files = {path.name: path.read_bytes() for path in good.iterdir()}
        old, new = MISTAKES[n // 2 % len(MISTAKES)]
        notebook = files["notebook.ipynb"].replace(old.encode(), new.encode())
        manifest = json.loads(files["manifest.json"])
        manifest["files"]["notebook.ipynb"] = sha256(notebook).hexdigest()
        changed = {"notebook.ipynb": notebook, "manifest.json": json.dumps(manifest).encode()}
        learner = folder / "class" / f"learner-{n:03d}"
        learner.mkdir(parents=True)
        for name, data in (files | changed).items():
            (learner / name).write_bytes(data)
        made.append(Found(learner.name, learner))
    return made


def bare(number: int) -> float:
    """Return the seconds that as many interpreters take which start, and do nothing."""
    command = [sys.executable, "-P", "-s", "-S", "-B", "-c", "pass"]
    started = time.perf_counter()
    with ThreadPoolExecutor(JOBS) as threads:
        list(threads.map(lambda _: subprocess.run(command, check=True), range(number)))
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="only see that it runs")
    number = 4 if options.parse_args().quick else 200
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        submissions = class_of(number, folder)
        save_holdouts(folder / "hidden.json", 1)
        hidden = load_holdouts(folder / "hidden.json")
        started = time.perf_counter()
        with pool(JOBS) as executor:
            check_class(folder / "books", submissions, Rubric(), hidden, executor=executor)
        seconds = time.perf_counter() - started
    idle = bare(number * SANDBOXES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{number} submissions, {JOBS} at a time: {seconds:.1f} s,"
        f" {seconds / number * 1000:.0f} ms each, {peak:.0f} MB at the most"
    )
    print(
        f"{number * SANDBOXES} interpreters that do nothing, the most it starts: {idle:.1f} s;"
        f" the class takes {seconds / idle:.1f} x"
    )


if __name__ == "__main__":
    main()
