"""What a process and everything below it use, as the kernel counts it."""

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

HELD = ("VmRSS:", "VmSwap:", "HugetlbPages:")
"""Where the memory of a process is: the kernel tells the three apart, in kilobytes."""


class Use(NamedTuple):
    """Bytes of memory held now, and seconds of processor time so far."""

    memory: int
    cpu: float


def tree_use(pid: int) -> Use:
    """Return what a process and everything below it use, and what has ended below it used.

    What ends while it is looked at counts nothing, and hides nothing else.
    """
    memory, cpu, threads = 0, 0.0, list[str]()
    with contextlib.suppress(OSError, ValueError, IndexError):
        memory, cpu = _memory(pid), _cpu(pid)
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208  (each lists what it forked)
    for thread in threads:
        with contextlib.suppress(OSError, ValueError):
            for child in Path(f"/proc/{pid}/task/{thread}/children").read_text().split():
                below = tree_use(int(child))
                memory, cpu = memory + below.memory, cpu + below.cpu
    return Use(memory, cpu)


def _memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_bytes().decode("ascii", "replace").splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(HELD))


def _cpu(pid: int) -> float:
    """Return the processor time of a process, and of what it waited for."""
    after_name = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK")
