"""The memory of a box as one sum, taken from outside where no control group bounds it.

It counts each process's share of memory (what several share is divided among them), the files in /tmp and
/dev/shm, a kilobyte of the kernel's for the name of each, and the tables of its pages, which a process can
have without number and without one page. So it comes to what a control group would
count, but for buffers of pipes and sockets, which are few. It looks every now and then: what grows fast
is found above the bound, and one process can outgrow it between two looks by what the processor can write.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from arena.sandbox.memory import MIB
from arena.sandbox.usage import processes_of, root_of

WATCH_MS = 25.0
NAME_BYTES = 1024
"""Of the kernel's memory, for one inode of tmpfs and its name."""
WRITABLE = ("tmp", "dev/shm")
CAP_SYS_PTRACE = 1 << 19


def possible() -> bool:
    """Whether we may look into boxes: their owner may, and a root that was not robbed of the right."""
    if os.geteuid() != 0:
        return True
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return any(line.startswith("CapEff:") and int(line.split()[1], 16) & CAP_SYS_PTRACE for line in lines)


class Watchdog:
    """Looks at one box, from its pid 1."""

    watch_ms: float | None = WATCH_MS

    def __init__(self, first: int, allowed_mib: int) -> None:
        """Look at the box of that pid 1, as the host counts."""
        self._first = first
        self._allowed_mib = allowed_mib

    def over(self) -> str | None:
        """Say what was found and what is allowed when it is too much; else None."""
        allowed, files = self._allowed_mib * MIB, self._files()
        if files + self._sum(resident) <= allowed:  # which is never less than the shares, and soon read
            return None
        found = files + self._sum(share)
        if found <= allowed:
            return None
        return f"found {found / MIB:.0f} MiB in its box, at most {self._allowed_mib} MiB allowed"

    def _sum(self, measure: Callable[[Path], int]) -> int:
        """Add up over all processes of the box."""
        total = 0
        for process in processes_of(self._first):
            with contextlib.suppress(OSError):  # one that just ended
                total += measure(process)
        return total

    def _files(self) -> int:
        total = 0
        for folder in WRITABLE:
            with contextlib.suppress(OSError):
                found = os.statvfs(root_of(self._first) / folder)
                total += (found.f_blocks - found.f_bfree) * found.f_frsize
                total += (found.f_files - found.f_ffree) * NAME_BYTES
        return total


def resident(process: Path) -> int:
    """Memory that a process has, shared or not, in use or swapped out."""
    return named_kib((process / "status").read_bytes(), b"VmRSS", b"VmSwap", b"VmPTE") * 1024


def share(process: Path) -> int:
    """Memory of a process, with its part of what it shares."""
    tables = named_kib((process / "status").read_bytes(), b"VmPTE")
    return (tables + named_kib((process / "smaps_rollup").read_bytes(), b"Pss", b"SwapPss")) * 1024


def named_kib(text: bytes, *names: bytes) -> int:
    """Sum of the lines of these names, in a file of the kernel's that gives a process's memory."""
    pairs = (line.split(b":", 1) for line in text.splitlines() if b":" in line)
    return sum(int(value.split()[0]) for name, value in pairs if name in names)
