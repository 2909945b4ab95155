"""A run's diary: every start and every finished attempt is on paper at once."""

import os
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from lab import plain
from lab.errors import InputError, LabError
from lab.evidence import flush_folder
from lab.shapes import check_row

Row = dict[str, Any]
Entry = dict[str, Any]
SYNC_SECONDS = 0.1
ENTRY_START = b'{"kind":"'


def now() -> str:
    """Return the time in UTC, ISO 8601 with Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Past(NamedTuple):
    """What earlier sittings of a run left, by an attempt's place in the plan, from 0."""

    finished: dict[int, Row]
    interruptions: dict[int, list[dict[str, str]]]

    def interrupt(self, attempt: int, started: str, noticed: str) -> None:
        """Add that an attempt was cut off, when it was started and when that was noticed."""
        cuts = self.interruptions.setdefault(attempt, [])
        cuts.append({"started": started, "noticed": noticed})


class Journal:
    """An append-only JSONL file of one run.

    Each entry reaches the kernel when it is written, and the disk within 100 ms and at the end.
    `Journal.create` wants a path where nothing is; `Journal.resume` goes on with what it finds
    there: finished attempts are kept, one that had started and not finished is marked as
    interrupted. No byte that was written is ever changed.
    """

    def __init__(self, path: str | Path, *, resumed: bool) -> None:
        self.path = Path(path)
        self._resumed = resumed
        self._descriptor = -1
        self._closing = threading.Event()
        self._syncer: threading.Thread | None = None
        self._failure: OSError | None = None

    @classmethod
    def create(cls, path: str | Path) -> Self:
        """Return the journal of a new run; its file is made when the run begins."""
        return cls(path, resumed=False)

    @classmethod
    def resume(cls, path: str | Path) -> Self:
        """Return the journal of a run to go on with; a missing or empty file is a new run."""
        return cls(path, resumed=True)

    def begin(self, fingerprint: dict[str, Any], planned: int) -> Past:
        """Open the file and return what an earlier sitting left in it.

        `fingerprint` says what is being evaluated. InputError, naming what differs, where the
        file is about something else or another run is writing it; it is left as it was.
        """
        self._open()
        try:
            self._claim()
            return self._go_on(fingerprint, planned)
        except BaseException:
            self._release()
            raise

    def note(self, event: str, attempt: int, row: Row | None = None) -> None:
        """Write down that an attempt (its place in the plan) `started`, was `interrupted`, or
        was `finished` or `lost` with the row that keeps it."""
        entry: Entry = {"kind": event, "attempt": attempt}
        self._write(entry if row is None else {**entry, "row": row})

    def close(self, *, complete: bool) -> None:
        """Note whether the run is complete, flush everything to the disk, close the file."""
        try:
            self._write({"kind": "ended", "complete": complete})
        finally:
            self._release()

    def _open(self) -> None:
        exclusive = 0 if self._resumed else os.O_EXCL
        how = os.O_CREAT | exclusive | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._broken(error) from None
        try:
            self._descriptor = os.open(self.path, how, 0o600)
        except FileExistsError:
            raise InputError(
                f"{self.path}: a journal is there already; go on with it with --resume"
                " (Journal.resume), or name a new one"
            ) from None
        except OSError as error:
            raise self._broken(error) from None
        _being_written.add(self._descriptor)

    def _claim(self) -> None:
        try:
            _lock(self._descriptor)
            flush_folder(self.path.parent)
        except BlockingIOError:
            raise InputError(f"{self.path}: another run is writing this journal") from None
        except OSError as error:
            raise self._broken(error) from None

    def _go_on(self, fingerprint: dict[str, Any], planned: int) -> Past:
        data = b"".join(iter(lambda: os.read(self._descriptor, 1 << 20), b""))
        entries, is_torn = parse(data, self.path)
        if entries:
            self._refuse_another(entries[0], fingerprint)
        past, running = _past(entries, planned, self.path)
        # Not a byte is added before all that is there has been found good.
        self._failure = None
        self._closing.clear()
        self._syncer = threading.Thread(target=self._sync_often, daemon=True)
        self._syncer.start()
        if is_torn:
            # A crash cut the last line: it stays as it is, and the next entry says so.
            self._write({"kind": "torn"}, after=b"" if data.endswith(b"\n") else b"\n")
        if not entries:
            self._write({"kind": "began", "planned": planned, "fingerprint": fingerprint})
        for attempt, started in running.items():
            entry = self._write({"kind": "interrupted", "attempt": attempt})
            past.interrupt(attempt, started, entry["at"])
        return past

    def _refuse_another(self, began: Entry, fingerprint: dict[str, Any]) -> None:
        theirs = began["fingerprint"]
        differing = [name for name, ours in fingerprint.items() if theirs.get(name) != ours]
        if differing:
            raise InputError(
                f"{self.path}: this journal is of another run: {', '.join(differing)} differ;"
                " resume with the same options, or start a new run without --resume"
            )

    def _write(self, entry: Entry, after: bytes = b"") -> Entry:
        if self._failure is not None:
            raise self._broken(self._failure)
        entry = {**entry, "at": now()}
        data = after + plain.dumps(entry).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise self._broken(error) from None
        return entry

    def _sync_often(self) -> None:
        last_size = 0
        while not self._closing.wait(SYNC_SECONDS):
            try:
                size = os.fstat(self._descriptor).st_size
                if size != last_size:
                    os.fsync(self._descriptor)
                    last_size = size
            except OSError as error:  # told to the run at its next entry
                self._failure = error
                return

    def _release(self) -> None:
        if self._syncer is not None:
            self._closing.set()
            self._syncer.join()
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._broken(error) from None
        finally:
            _being_written.discard(self._descriptor)
            os.close(self._descriptor)

    def _broken(self, error: OSError) -> LabError:
        return LabError(
            f"{self.path}: the journal cannot be written: {error.strerror};"
            " free space or choose another place, then --resume"
        )


def parse(data: bytes, path: Path) -> tuple[list[Entry], bool]:
    """Return a journal's entries in order, and whether the last line was torn by a crash.

    InputError where a line cannot have been an entry, where one is unreadable and neither the last
    nor followed by a `torn` entry, or where the file does not begin as a journal.
    """
    entries: list[Entry] = []
    torn = 0
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            entry = plain.loads(line.decode())
        except ValueError:
            # A disk that lost its power may have left zeros where the rest should be.
            if not ENTRY_START.startswith(line.rstrip(b"\0")[: len(ENTRY_START)]):
                raise InputError(f"{path}, line {number}: not a journal's entry") from None
            torn = number
            continue
        if not isinstance(entry, dict) or "kind" not in entry:
            raise InputError(f"{path}, line {number}: not a journal's entry")
        if entry["kind"] == "torn":
            torn = 0
        elif torn:
            raise InputError(f"{path}, line {torn}: not a journal's entry")
        else:
            entries.append(entry)
    began = entries[0] if entries else {"kind": "began", "fingerprint": {}}
    if began["kind"] != "began" or not isinstance(began.get("fingerprint"), dict):
        raise InputError(f"{path}: does not begin as a journal")
    return entries, bool(torn) or (bool(data) and not data.endswith(b"\n"))


def is_complete(path: Path) -> bool:
    """Say whether a journal's run came to its end, reading only the file's last bytes."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 200))
        return b'"complete":true' in file.read().rpartition(b'{"kind":"ended"')[2]


def _past(entries: list[Entry], planned: int, path: Path) -> tuple[Past, dict[int, str]]:
    """Return what came to an end, and the attempts that did not with the times of their starts."""
    past, running = Past({}, {}), dict[int, str]()
    for number, entry in enumerate(entries, start=1):
        try:
            _follow(entry, past, running, planned)
        except (KeyError, TypeError, ValueError) as error:
            told = f"{path}: entry {number} is not a journal's: {plain.reason(error)}"
            raise InputError(told) from None
    return past, running


def _follow(entry: Entry, past: Past, running: dict[int, str], planned: int) -> None:
    match entry["kind"]:
        case "started":
            attempt = entry["attempt"]
            if attempt in running or attempt in past.finished or attempt not in range(planned):
                raise ValueError(f"attempt {attempt} cannot be started here")
            running[attempt] = entry["at"]
        case "interrupted":
            past.interrupt(entry["attempt"], running.pop(entry["attempt"]), entry["at"])
        case "finished" | "lost":
            del running[entry["attempt"]]
            check_row(entry["row"])
            past.finished[entry["attempt"]] = {**entry["row"], "resumed": True}


_being_written: set[int] = set()
"""The descriptors of the journals that this process is writing."""


def _close_in_child() -> None:
    while _being_written:
        os.close(_being_written.pop())


if hasattr(os, "register_at_fork"):
    # A forked worker that outlives this process must not keep its journal locked.
    os.register_at_fork(after_in_child=_close_in_child)


def _lock(descriptor: int) -> None:
    """Keep every other run off the file, one in this process too, until it is closed."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; the exclusive creation still holds there
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def new_path(folder: Path) -> Path:
    """Return a path for a new run's journal in a folder, which no other run will choose."""
    return folder / f"journal-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}.jsonl"


def latest_unfinished(folder: Path) -> Path | None:
    """Return the newest journal in a folder whose run did not come to its end, if there is one."""
    cut_short = [path for path in folder.glob("journal-*.jsonl") if not is_complete(path)]
    return max(cut_short, key=lambda path: path.stat().st_mtime, default=None)
