"""Which submission is whose: as learning platforms export them, one of each unit a learner."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.classroom.collect import MOST_FILES, Submission, collect, entries, is_folder
from lab.errors import InputError

APPLE = "._"
"""What begins the name of a file that macOS puts beside another."""


class Found(NamedTuple):
    """A submission: whose it is, where it lies, and what was passed over for it."""

    learner: str
    path: Path
    notes: tuple[str, ...] = ()


def found_in(paths: Iterable[Path]) -> list[Found]:
    """Return the submissions among paths, by learner.

    A path is a submission, or a folder with one entry for each learner, named after them: a zip, a
    submission, or a folder of their submissions. Of two of one unit in a learner's own folder the
    one that was made last counts. InputError where there is nothing, and where two places have the
    same unit of the same learner: who that is, only a person knows.
    """
    found: set[Found] = set()
    for path in paths:
        try:
            path.stat()
            is_class = path.is_dir() and not (path / "manifest.json").exists()
            inside = entries(path) if is_class else []
        except FileNotFoundError:
            raise InputError(f"{path}: there is nothing there") from None
        except OSError as error:
            raise InputError(f"{path}: cannot be opened: {error.strerror}") from None
        for each in inside:
            found.update(_of_learner(each))
        if not is_class:
            found.add(Found(_name(path), path))
    if not found:
        raise InputError("there are no submissions: give folders or zips, or a folder of them")
    everything = sorted(found)
    _refuse_twins(everything)
    return everything


def passed_over(paths: Iterable[Path]) -> list[Path]:
    """Return folders and zips that are taken for no submission, since a dot begins their name."""
    classes = [path for path in paths if path.is_dir()]
    inside = [each for path in classes for each in _listed(path) if not each.name.startswith(".")]
    return [
        each
        for folder in [*classes, *filter(is_folder, inside)]
        for each in _listed(folder)
        if each.name.startswith(".") and not each.name.startswith(APPLE)
        if is_folder(each) or each.suffix.lower() == ".zip"
    ]


def _listed(folder: Path) -> list[Path]:
    """Return what lies in a folder of submissions; nothing of one that is a submission itself."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [] if folder / "manifest.json" in found else found


def _name(path: Path) -> str:
    return path.name if is_folder(path) else path.stem


def _of_learner(path: Path) -> Iterator[Found]:
    """Yield what a learner handed in: the newest of each unit, and all that cannot be read."""
    inside = _submissions(path)
    if len(inside) == 1:
        yield Found(_name(path), inside[0])
        return
    newest: dict[str, list[tuple[str, Path]]] = {}
    for each in inside:
        read = _read(each)
        if read is None:
            yield Found(_name(path), each)
        else:
            newest.setdefault(read.unit, []).append((read.created, each))
    for made in newest.values():
        *earlier, (_, last) = sorted(made)
        notes = [f"{each.name} was made earlier, and is passed over" for _, each in earlier]
        yield Found(_name(path), last, tuple(notes))


def _submissions(path: Path) -> list[Path]:
    """Return the submissions in a learner's folder; the folder itself where it is one, or none."""
    try:
        if not is_folder(path) or (path / "manifest.json").exists():
            return [path]
        inside = [each for each in entries(path) if each.is_dir() or each.suffix.lower() == ".zip"]
        has_link = any(each.is_symlink() for each in inside)  # it may lead to another learner's
    except OSError:
        return [path]
    return [path] if has_link or not 0 < len(inside) <= MOST_FILES else inside


def _read(path: Path) -> Submission | None:
    try:
        return collect(path)
    except Exception:  # noqa: BLE001  (why it cannot be read is told when it is checked)
        return None


def _refuse_twins(found: Sequence[Found]) -> None:
    by_learner: dict[str, list[Found]] = {}
    for each in found:
        by_learner.setdefault(each.learner, []).append(each)
    twins = []
    for learner, theirs in by_learner.items():
        seen: dict[str, Path] = {}
        for each in theirs if len(theirs) > 1 else ():
            read = _read(each.path)
            if read is not None and read.unit in seen:
                first = seen[read.unit]
                twins.append(f"{learner}: handed in {read.unit} in {first} and in {each.path}")
            elif read is not None:
                seen[read.unit] = each.path
    if twins:
        raise InputError(
            f"{'; '.join(twins)}: if these are two people, rename one; if it is one, give the path"
            " that counts"
        )
