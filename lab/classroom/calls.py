"""System calls that no submission needs, refused by the kernel.

What is left out holds memory that belongs to no process, and so to no limit and no watch; or it
makes namespaces, in which somebody without rights has some again; or it looks into other processes.
Memory that processes share is of the first kind: what was written stays when nobody maps it.
"""

import errno
import platform
import struct
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from lab.errors import UnavailableError

ARCHITECTURES: Mapping[str, tuple[int, int]] = {
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
}
"""What the kernel calls a machine (linux/audit.h), and which of the two tables of calls it has."""
REFUSED: Mapping[str, tuple[int, int]] = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "ptrace": (101, 117),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "fsopen": (430, 430),
}
"""Numbers from asm/unistd_64.h and asm-generic/unistd.h."""
MMAP, SHARED = (9, 222), 0x1
"""The call that maps memory, by table, and the flag of what is shared (MAP_SHARED)."""
OTHER_ABI = 0x40000000
"""From here on x86_64 takes the same calls by other numbers (__X32_SYSCALL_BIT)."""

LOAD, EQUAL, AT_LEAST, HAS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FLAGS = 0, 4, 40  # where a filter is shown them (struct seccomp_data)
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def refuse_unknown_machine() -> None:
    """UnavailableError on a machine whose system calls nobody has listed here."""
    if platform.machine() not in ARCHITECTURES:
        raise UnavailableError(
            f"submissions are run in a sandbox only, and none is known for {platform.machine()};"
            f" use a machine of {', '.join(ARCHITECTURES)}"
        )


@contextmanager
def filter_file() -> Iterator[int]:
    """Yield a descriptor with the filter, as bubblewrap's --seccomp reads it."""
    with tempfile.TemporaryFile() as file:
        file.write(_program(*ARCHITECTURES[platform.machine()]))
        file.seek(0)
        yield file.fileno()


def _program(architecture: int, table: int) -> bytes:
    """Return the filter: instructions of (code, steps if so, steps if not, operand)."""
    numbers = [by[table] for by in REFUSED.values()]
    shared = [(EQUAL, 0, 2, MMAP[table]), (LOAD, 0, 0, FLAGS), (HAS, 1, 0, SHARED)]
    left = len(numbers) + len(shared) + 1  # steps to the last instruction
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, left, 0, OTHER_ABI),
        *((EQUAL, left - n, 0, number) for n, number in enumerate(numbers, start=1)),
        *shared,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
