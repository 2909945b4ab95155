"""A run's diary: every start and every finished attempt is on paper at once."""

import os
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from lab import plain
from lab.errors import InputError, LabError

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
        self._syncer = threading.Thread(target=self._sync_often, daemon=True)
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
        file is about something else, or where another process is writing it.
        """
        self._open()
        try:
            entries = self._read()
            if not entries:
                self._write({"kind": "began", "planned": planned, "fingerprint": fingerprint})
                return Past({}, {})
            self._refuse_another(entries[0], fingerprint)
            entries += [self._write({"kind": "interrupted", "attempt": n}) for n in _cut(entries)]
            return _past(entries)
        except (KeyError, TypeError, AttributeError):
            self._release()
            raise InputError(f"{self.path}: an entry is not a journal's") from None
        except LabError:
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
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            how = os.O_CREAT | exclusive | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, how, 0o600)
            _lock(self._descriptor)
        except FileExistsError:
            raise InputError(
                f"{self.path}: a journal is there already; go on with it with --resume"
                " (Journal.resume), or name a new one"
            ) from None
        except BlockingIOError:
            raise InputError(f"{self.path}: another run is writing this journal") from None
        except OSError as error:
            raise self._broken(error) from None
        self._syncer.start()

    def _read(self) -> list[Entry]:
        # Not through another descriptor: closing that one would give up the lock.
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        data = b"".join(iter(lambda: os.read(self._descriptor, 1 << 20), b""))
        entries, is_torn = parse(data, self.path)
        if is_torn:
            # A crash cut the last line: it stays as it is, and the next entry says so.
            self._write({"kind": "torn"}, after=b"" if data.endswith(b"\n") else b"\n")
        return entries

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
        self._closing.set()
        self._syncer.join()
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._broken(error) from None
        finally:
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
            if not line.startswith(ENTRY_START[: len(line)]):
                raise InputError(f"{path}, line {number}: not a journal's entry") from None
            torn = number
            continue
        if entry["kind"] == "torn":
            torn = 0
        elif torn:
            raise InputError(f"{path}, line {torn}: not a journal's entry")
        else:
            entries.append(entry)
    if entries and entries[0]["kind"] != "began":
        raise InputError(f"{path}: does not begin as a journal")
    return entries, bool(torn) or (bool(data) and not data.endswith(b"\n"))


def is_complete(path: Path) -> bool:
    """Say whether a journal's run came to its end, reading only the file's last bytes."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 200))
        return b'"complete":true' in file.read().rpartition(b'{"kind":"ended"')[2]


def _cut(entries: list[Entry]) -> list[int]:
    """Return the attempts that were started last of all and neither finished nor given up."""
    running: dict[int, None] = {}
    for entry in entries:
        if entry["kind"] == "started":
            running[entry["attempt"]] = None
        elif entry["kind"] in ("finished", "lost", "interrupted"):
            running.pop(entry["attempt"], None)
    return list(running)


def _past(entries: list[Entry]) -> Past:
    past = Past({}, {})
    started: dict[int, str] = {}
    for entry in entries:
        match entry["kind"]:
            case "started":
                started[entry["attempt"]] = entry["at"]
            case "interrupted":
                cut = {"started": started[entry["attempt"]], "noticed": entry["at"]}
                past.interruptions.setdefault(entry["attempt"], []).append(cut)
            case "finished" | "lost":
                past.finished[entry["attempt"]] = {**entry["row"], "resumed": True}
    return past


def _lock(descriptor: int) -> None:
    """Keep other processes off the file; a lock that a child would inherit is not wanted."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; the exclusive creation still holds there
        return
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def new_path(folder: Path) -> Path:
    """Return a path for a new run's journal in a folder, which no other run will choose."""
    return folder / f"journal-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}.jsonl"


def latest_unfinished(folder: Path) -> Path | None:
    """Return the newest journal in a folder whose run did not come to its end, if there is one."""
    cut_short = [path for path in folder.glob("journal-*.jsonl") if not is_complete(path)]
    return max(cut_short, key=lambda path: path.stat().st_mtime, default=None)
