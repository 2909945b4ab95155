"""What a submission can do in the sandbox, which is next to nothing."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from lab.classroom.sandbox import run_function
from lab.errors import UnavailableError

needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


@needs_sandbox
@pytest.mark.parametrize(
    ("source", "ended", "told"),
    [
        ("def f(x): return x + 1", "RAN", 2),
        ("def f(x) return", "BROKEN", None),
        ("import lab\ndef f(x): return 1", "BROKEN", None),
        ("def g(x): return 1", "BROKEN", None),
        ("def f(x):\n while True: pass", "TIME_LIMIT", None),
        (
            "import os\ndef f(x):\n while True:\n  try: os.fork()\n  except OSError: 0",
            "TIME_LIMIT",
            0,
        ),
        ("def f(x): return len(bytearray(10 * 2**30))", "MEMORY_LIMIT", None),
        ("def f(x): return 'a' * 10**7", "OUTPUT_LIMIT", None),
        ("import os\ndef f(x): os._exit(0)", "CRASHED", None),
        ("import os\ndef f(x): os.closerange(0, 60)", "CRASHED", None),
        ("import mmap\ndef f(x): return len(mmap.mmap(-1, 9, mmap.MAP_PRIVATE))", "RAN", 9),
        ("import os\ndef f(x): return os.getuid() >= 61000 or os.getuid()", "RAN", True),
        ("import os\ndef f(x): return os.path.exists('/etc/passwd')", "RAN", False),
        ("import os\ndef f(x): return os.listdir('/tmp') + os.listdir('/home')", "RAN", []),
        (
            "import os\ndef f(x): return sorted(os.environ)",
            "RAN",
            ["LC_CTYPE", "PWD", "PYTHONHASHSEED"],
        ),
        (
            "import os\ndef f(x): return [p for p in os.listdir('/proc') if p.isdigit()][2:]",
            "RAN",
            [],
        ),
    ],
)
def test_what_comes_of_it(source: str, ended: str, told: Any) -> None:
    run = run_function(source, "f", [1])
    assert run.ended == ended, run
    if ended == "RAN":
        assert run.outcomes[0].returned == told


@needs_sandbox
@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("import socket\ndef f(x): socket.create_connection(('1.1.1.1', 80), 1)", "OSError"),
        ("def f(x): open('/usr/mine', 'w')", "OSError"),
        ("def f(x): open('/tmp/x', 'wb').write(b'a' * 10**8)", "OSError"),
        ("import os\ndef f(x): os.setuid(0)", "PermissionError"),
        ("import os\ndef f(x): os.kill(os.getppid(), 9)", "PermissionError"),
        ("import sys\ndef f(x): sys.exit(3)", "SystemExit"),
        ("import os\ndef f(x): os.memfd_create('memory of no process')", "PermissionError"),
        ("import mmap\ndef f(x): mmap.mmap(-1, 4096)", "PermissionError"),
        (
            "import mmap, os\ndef f(x): mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096)",
            "PermissionError",
        ),
    ],
)
def test_what_it_is_refused(source: str, raised: str) -> None:
    run = run_function(source, "f", [1])
    assert run.ended == "RAN"
    assert (run.outcomes[0].raised or "").startswith(raised)


@needs_sandbox
def test_a_process_limit_binds_it() -> None:
    source = """
import os, time
def f(x):
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(60)
            made += 1
    except OSError:
        return made
"""
    run = run_function(source, "f", [1])
    assert run.ended == "RAN"
    assert 0 < run.outcomes[0].returned < 16


@needs_sandbox
def test_what_is_slow_and_computes_little_comes_to_its_end() -> None:
    source = "for _ in range(11): time.sleep(1), sum(range(10**6))"  # as on a busy machine
    [outcome] = run_function(f"import time\ndef f(x):\n {source}\n return 1", "f", [1]).outcomes
    assert outcome.returned == 1


@needs_sandbox
@pytest.mark.parametrize(
    "source",
    [
        "while True:\n  os.fork() or [sum(range(10**7)), os._exit(0)]\n  os.wait()",
        "os.closerange(0, 60)\n while True: pass",
    ],
)
def test_processor_time_is_that_of_all_processes_to_the_end(source: str) -> None:
    begun = perf_counter()
    run = run_function(f"import os\ndef f(x):\n {source}", "f", [1], seconds=600)
    assert run.ended == "TIME_LIMIT"
    assert perf_counter() - begun < 300  # it was not how long it took that ended it


@needs_sandbox
@pytest.mark.parametrize("before", ["0", "os.closerange(0, 60)"])
def test_what_does_nothing_is_ended_sooner_than_what_is_slow(
    before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.classroom.sandbox.IDLE_LOOKS", 50)
    begun = perf_counter()
    source = f"import os, time\ndef f(x):\n {before}\n time.sleep(1000)"
    assert run_function(source, "f", [1], seconds=600).ended == "TIME_LIMIT"
    assert perf_counter() - begun < 300


@needs_sandbox
@pytest.mark.parametrize("how", ["many()", "threading.Thread(target=many).start()"])
def test_the_memory_of_all_its_processes_is_watched(how: str) -> None:
    source = f"""
import os, threading, time
def many():
    for _ in range(4):
        if os.fork() == 0:
            held = bytearray(150 * 2**20)
            time.sleep(30)
    time.sleep(30)
def f(x):
    {how}
    time.sleep(30)
"""
    assert run_function(source, "f", [1]).ended == "MEMORY_LIMIT"


@needs_sandbox
@pytest.mark.parametrize("call", ["shmget(0, 4096, 0o1600)", "unshare(0x10020000)"])
def test_it_makes_neither_memory_of_no_process_nor_namespaces(call: str) -> None:
    source = f"""
import ctypes, errno
def f(x):
    kernel = ctypes.CDLL(None, use_errno=True)
    return kernel.{call} == -1 and ctypes.get_errno() == errno.EPERM
"""
    assert run_function(source, "f", [1]).outcomes[0].returned is True


@needs_sandbox
def test_an_ordinary_user_has_the_same_sandbox() -> None:
    source = """
import os, time
def f(x):
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(60)
            made += 1
    except OSError:
        environment = open("/proc/1/environ").read()
        return [os.path.exists("/etc/passwd"), made < 16, environment]
"""
    ran = as_nobody(
        f"from lab.classroom.sandbox import run_function; import os; assert os.getuid() == 65534;"
        f" print(run_function({source!r}, 'f', [1]).outcomes[0].returned)"
    )
    assert (ran.stdout, ran.stderr) == ("[False, True, '']\n", "")


def as_nobody(code: str) -> "subprocess.CompletedProcess[str]":
    """Run code without rights, by the system's Python, which anybody can reach."""
    found = [str(Path(__file__).parents[2]), sysconfig.get_path("purelib")]
    become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"

    def run(code: str) -> "subprocess.CompletedProcess[str]":
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(found)}
        command = [*become, python, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, cwd="/", env=env)

    if os.geteuid() != 0 or not Path(python).exists():
        pytest.skip(f"needs root and {python}")
    if run("import lab.classroom.sandbox").returncode != 0:
        pytest.skip("nobody can reach the lab here")
    return run(code)


def test_on_an_unknown_machine_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(UnavailableError, match="none is known for vax"):
        run_function("def f(x): return x", "f", [1])


def test_without_a_sandbox_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UnavailableError, match="apt-get install bubblewrap"):
        run_function("def f(x): return x", "f", [1])
