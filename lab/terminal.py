"""What a person meets in a terminal: text that does no harm, progress, where a report is."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from lab.errors import LabError
from lab.grading import Row

PROGRESS_SECONDS = 2.0


def printable(value: object) -> Text:
    """Return text in which a control character, or markup, from elsewhere does nothing."""
    return Text("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(value)))


class _Console(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """Print text as it is: no word of a report is markup, or drives the terminal."""
        super().print(*(printable(o) if isinstance(o, str) else o for o in objects), **options)

    def on_broken_pipe(self) -> None:
        """Leave it to `unheard`: Rich would exit 1, which here would read as a verdict."""
        raise BrokenPipeError


def console() -> Console:
    """Return standard output, wide enough for the table where nobody says how wide it is."""
    return _Console(width=None if sys.stdout.isatty() else 120, highlight=False)


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Go on where nobody reads standard output any more, as after `| head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise LabError(f"standard output: cannot be written: {error.strerror}") from None


class Pace:
    """Says on standard error, every few seconds, how far a long run is and how long it may take."""

    def __init__(self, things: str) -> None:
        self._things = things
        self._begun = self._last = time.monotonic()

    def __call__(self, done: int, planned: int, last: str) -> None:
        now = time.monotonic()
        if now - self._last >= PROGRESS_SECONDS:
            self._last = now
            left = (now - self._begun) / done * (planned - done)
            note = f"{done}/{planned} {self._things} done, about {left:.0f} s to go, last: {last}"
            print(printable(note), file=sys.stderr, flush=True)


class ProgressLine:
    """The pace of a run of attempts."""

    def __init__(self) -> None:
        self._pace = Pace("attempts")

    def __call__(self, done: int, planned: int, row: Row) -> None:
        ended = row["loop_status"] if "loop_status" in row else row["mechanism"] or "passed"
        self._pace(done, planned, f"{row['case']} {ended}")


def mark(judgement: bool) -> Text:
    """A judgement as a word."""
    return Text("ok", "green") if judgement else Text("NO", "bold red")


def show_saved(path: Path, digest: str) -> None:
    """Say where a report is and what its bytes are known by."""
    out = console()
    out.print("report            ", printable(path), soft_wrap=True)
    out.print(f"sha256             {digest}", soft_wrap=True)
