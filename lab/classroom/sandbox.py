"""A submission's function in a sandbox: no network, no files, no other processes, not for ever.

bubblewrap gives it a file system with an interpreter and two files of ours, and namespaces of its
own; the kernel's limits bind it, since it never runs as root; what it cannot need, it cannot call;
and the parent watches its memory and its processor time.
Only inputs go in. What is expected stays with the parent.
"""

import atexit
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from lab import plain
from lab.classroom.calls import filter_file, refuse_unknown_machine
from lab.classroom.outcomes import FORGED, broken, read_outcomes
from lab.classroom.tree import Use, tree_use
from lab.errors import UnavailableError
from lab.lessons.probe import Outcome

Ended = Literal["RAN", "BROKEN", "TIME_LIMIT", "MEMORY_LIMIT", "OUTPUT_LIMIT", "CRASHED"]

CPU_SECONDS = 2
"""Of the whole process tree: what a function needs, however busy the machine is."""
SECONDS = 60.0
"""Wall time for all inputs of one function: generous, since a busy machine is nobody's fault."""
IDLE_LOOKS = 500
"""Looks in a row at which nothing had been done since the last one: it waits, and not for us."""
MEMORY_BYTES = 512 * 1024 * 1024
"""Of the whole process tree; each process is bound to it as well."""
OUTPUT_BYTES = 1024 * 1024
TEMPORARY_BYTES = 16 * 1024 * 1024
WATCH_SECONDS = 0.02
KILLED = 128 + signal.SIGKILL
"""What bubblewrap ends with where a worker was killed: the kernel does, when its CPU time is up."""
FIRST_UID, UIDS = 61_000, 4_000
"""Nobody's: a number apart for each sandbox at work, since the kernel counts processes by user.

Another lab at work on the same machine begins at another number.
"""
LIMITS = {
    "RLIMIT_AS": MEMORY_BYTES,
    "RLIMIT_CPU": CPU_SECONDS + 1,  # of each process, should nobody have looked
    "RLIMIT_NPROC": 16,
    "RLIMIT_FSIZE": TEMPORARY_BYTES,
    "RLIMIT_NOFILE": 64,
    "RLIMIT_CORE": 0,
}
ISOLATION = (
    "bubblewrap: own file system, network, processes; unprivileged; kernel limits; system calls"
    " filtered"
)


@dataclass(frozen=True)
class Run:
    """How a function's run ended, and what it did on the inputs that it came to."""

    ended: Ended
    outcomes: list[Outcome]
    why: str | None = None


def refuse_without() -> None:
    """UnavailableError, with what to do, where there is no sandbox; there is no second-best."""
    missing = [name for name in ("bwrap", "setpriv") if shutil.which(name) is None]
    if not sys.platform.startswith("linux") or missing:
        told = ", ".join(missing) or "Linux"
        raise UnavailableError(
            f"submissions are run in a sandbox only, and {told} is missing; on Debian or Ubuntu:"
            " apt-get install bubblewrap util-linux"
        )
    refuse_unknown_machine()
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise UnavailableError(
            "submissions are run in a sandbox only, and this kernel does not say which processes"
            " belong to which (CONFIG_PROC_CHILDREN), so that nobody could watch their memory"
        )


def run_function(
    source: str,
    name: str,
    inputs: Sequence[Any],
    *,
    slot: int = 0,
    seconds: float = SECONDS,
) -> Run:
    """Run the function `name` of a source on each input, in a sandbox made for it, and tell.

    `inputs` are plain data as `trying.given` reads it. `slot` tells sandboxes that run at the same
    time apart. UnavailableError where there is no sandbox.
    """
    refuse_without()
    task = {"source": source, "name": name, "inputs": list(inputs), "limits": LIMITS}
    with (
        filter_file() as calls,
        subprocess.Popen(  # noqa: S603
            command(slot, calls),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},  # not what is ours: the sandbox's first process shows what it began with
            start_new_session=True,
            pass_fds=[calls],
        ) as process,
    ):
        try:
            with contextlib.suppress(BrokenPipeError):
                assert process.stdin is not None
                process.stdin.write(plain.dumps(task).encode())
                process.stdin.close()
            begun = perf_counter()
            ended, data = _listen(process, begun + seconds)
            if ended == "RAN" and process.returncode == KILLED:
                ended = "TIME_LIMIT" if perf_counter() - begun >= CPU_SECONDS else "CRASHED"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return _read(ended, data, len(inputs))


def command(slot: int, calls: int) -> list[str]:
    """Return the command line of one sandbox; `calls` is the descriptor of its filter."""
    is_root = os.geteuid() == 0
    python = Path(sys.base_prefix).resolve()
    executable = python / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    inside = executable if python == Path("/usr") else Path("/python/bin") / executable.name
    binds = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64", "sbin"):
        binds += ["--symlink", f"usr/{name}", f"/{name}"]
    if inside != executable:
        binds += ["--ro-bind", str(python), "/python"]
    for packages in _packages(python):
        # Whatever is installed there stays outside.
        binds += ["--tmpfs", packages, "--remount-ro", packages]
    apart = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    keep = ["--cap-drop", "ALL"]
    if is_root:
        for needed in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # to become nobody, for good
            keep += ["--cap-add", needed]
    else:
        apart += ["--unshare-user"]
    uid = str(FIRST_UID + (os.getpid() * 97 + slot) % UIDS)
    drop = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups"] if is_root else ["setpriv"]
    return [
        shutil.which("bwrap") or "bwrap",
        *apart,
        *keep,
        *binds,
        *["--die-with-parent", "--new-session", "--seccomp", str(calls)],
        *["--ro-bind", _stage(), "/stage"],
        *["--clearenv", "--setenv", "PYTHONHASHSEED", "0"],  # so that a set is told alike twice
        *["--proc", "/proc", "--dev", "/dev", "--size", str(TEMPORARY_BYTES), "--perms", "1777"],
        *["--tmpfs", "/tmp", "--dir", "/home"],  # noqa: S108  (its own, and all it can write to)
        *["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"],  # noqa: S108
        *drop,
        *["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"],
        *[str(inside), "-P", "-s", "-S", "-B", "/stage/worker.py"],
    ]


def _packages(python: Path) -> Iterator[str]:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    seen = Path("/usr") if python == Path("/usr") else Path("/python")
    for real, inside in (
        (python / "lib" / version / "site-packages", seen / "lib" / version / "site-packages"),
        (Path("/usr/local/lib"), Path("/usr/local/lib")),
        (Path("/usr/lib/python3/dist-packages"), Path("/usr/lib/python3/dist-packages")),
    ):
        if real.is_dir():
            yield str(inside)


@cache
def _stage() -> str:
    """Return a folder with the two files that the sandbox sees of the lab, readable by anybody."""
    folder = tempfile.mkdtemp(prefix="lab-stage-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Path(folder).chmod(0o755)
    here = Path(__file__).parent
    for source in (here / "worker.py", here.parent / "lessons" / "trying.py"):
        copied = Path(folder) / source.name
        copied.write_bytes(source.read_bytes())
        copied.chmod(0o644)
    return folder


def _listen(process: "subprocess.Popen[bytes]", deadline: float) -> tuple[Ended, bytes]:
    """Gather what comes out until it ends, or has to be ended."""
    assert process.stdout is not None
    pipe, data, is_open = process.stdout.fileno(), b"", True
    before, idle = Use(0, 0.0), 0
    while True:
        if is_open and select.select([pipe], [], [], WATCH_SECONDS)[0]:
            part = os.read(pipe, 1 << 16)
            data, is_open = data + part, bool(part)
        elif not is_open:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(WATCH_SECONDS)
                return "RAN", data
        if len(data) > OUTPUT_BYTES:
            return "OUTPUT_LIMIT", data
        use = tree_use(process.pid)
        if use.memory > MEMORY_BYTES:
            return "MEMORY_LIMIT", data
        idle = 0 if use.cpu != before.cpu else idle + 1
        before = use
        if use.cpu > CPU_SECONDS or idle > IDLE_LOOKS or perf_counter() > deadline:
            return "TIME_LIMIT", data


def _read(ended: Ended, data: bytes, planned: int) -> Run:
    lines = data.split(b"\n")[1:-1]  # after READY, and without what was cut off
    try:
        if ended == "RAN" and lines and (why := broken(lines[0])) is not None:
            return Run("BROKEN", [], why)
        outcomes = read_outcomes(lines[:planned])
    except (ValueError, RecursionError):
        return Run("CRASHED", [], FORGED)
    if any((outcome.raised or "").startswith("MemoryError") for outcome in outcomes):
        return Run("MEMORY_LIMIT", outcomes, "it asked for more memory than there is")
    if ended == "RAN" and len(outcomes) < planned:
        return Run("CRASHED", outcomes, "its process ended before it had answered")
    return Run(ended, outcomes)
