"""All submissions of a class, one after another or several at a time, and the books on them."""

import hashlib
import queue
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lab.classroom import books
from lab.classroom.check import Holdouts, Result, check_submission
from lab.classroom.sandbox import ISOLATION, refuse_without
from lab.errors import InputError, LabError

MOST_JOBS = 32
Progress = Callable[[int, int, str], None]
"""Called with (submissions done, submissions in all, the name of the one just finished)."""


def check_all(
    paths: Iterable[Path],
    holdouts: Holdouts | None = None,
    *,
    jobs: int = 2,
    progress: Progress | None = None,
) -> list[Result]:
    """Check submissions, `jobs` at a time, and return a result for each in the order of names.

    A bad one has its result like any other. UnavailableError, before anything is read, where there
    is no sandbox.
    """
    refuse_without()
    if type(jobs) is not int or not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"jobs: {jobs!r} is not an integer from 1 to {MOST_JOBS}")
    chosen = sorted(set(paths), key=lambda path: (path.name, str(path)))
    if not chosen:
        raise InputError("there are no submissions: give folders or zips, or a folder of them")
    slots: queue.SimpleQueue[int] = queue.SimpleQueue()
    for slot in range(jobs):
        slots.put(slot)

    def check(path: Path) -> Result:
        slot = slots.get()
        try:
            return check_submission(path, holdouts or {}, slot)
        finally:
            slots.put(slot)

    results = []
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(check, chosen):
            results.append(result)
            if progress:
                progress(len(results), len(chosen), result.name)
    return _told_apart(results)


def _told_apart(results: Sequence[Result]) -> list[Result]:
    """Give two submissions of one name two names, so that no page is written over another."""
    seen: Counter[str] = Counter()
    for result in results:
        seen[result.name] += 1
        if seen[result.name] > 1:
            result.name = f"{result.name} ({seen[result.name]})"
    return list(results)


def found_in(paths: Iterable[Path]) -> list[Path]:
    """Return the submissions among paths; a folder without a manifest holds one in each entry."""
    found = []
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: there is nothing there")
        if path.is_dir() and not (path / "manifest.json").exists():
            found += [each for each in path.iterdir() if not each.name.startswith(".")]
        else:
            found.append(path)
    return found


def write_books(
    folder: Path, results: Sequence[Result], weights: Mapping[str, float], holdouts: Path | None
) -> None:
    """Write gradebook, results, overview and a page for each learner to a new folder.

    InputError where the folder is there already: earlier results are kept.
    """
    digest = hashlib.sha256(holdouts.read_bytes()).hexdigest() if holdouts else None
    told: dict[str, Any] = {"isolation": ISOLATION, "holdouts": digest}
    try:
        folder.mkdir(mode=0o700, parents=True)
        (folder / "gradebook.csv").write_text(books.gradebook(results, weights), "utf-8-sig")
        (folder / "results.json").write_text(books.results_json(results, told), "utf-8")
        (folder / "overview.html").write_text(books.overview_html(results, told), "utf-8")
        pages = folder / "feedback"
        pages.mkdir()
        for number, result in enumerate(results, start=1):
            name = f"{number:03d}-{''.join(c if c.isalnum() else '_' for c in result.name)[:60]}"
            (pages / f"{name}.md").write_text(books.feedback_markdown(result), "utf-8")
            (pages / f"{name}.html").write_text(books.feedback_html(result), "utf-8")
    except FileExistsError:
        raise InputError(f"{folder}: is there already and is kept; name a new folder") from None
    except OSError as error:
        raise LabError(f"{folder}: the books could not be written: {error.strerror}") from None
