"""What a box had of the processor, and how long it stood ready for a core and had none.

Read now and then, never for each decision: it looks at every thread. The kernel keeps both numbers for each;
where a control group keeps the time of all that ever was in it, that is taken instead of their sum.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

TICK_MS = 1_000 / os.sysconf("SC_CLK_TCK")


class Usage(msgspec.Struct, frozen=True):
    """Since the start of each."""

    cpu_ms: float = 0.0
    """Of the whole box, those that ended included."""
    waited_ms: dict[str, float] = {}
    """By thread that is there: how long it stood ready for a core and had none."""


def since(before: Usage, now: Usage) -> tuple[float, float | None]:
    """Give the CPU time of the box between the two, and the wait of the thread that waited longest."""
    waited = (ms - before.waited_ms.get(thread, 0.0) for thread, ms in now.waited_ms.items())
    return max(0.0, now.cpu_ms - before.cpu_ms), max(waited, default=None)


def usage(processes: Iterable[Path], *, group: Path | None = None) -> Usage | None:
    """Read it of processes, by their folders in a /proc; None where that cannot be."""
    found = list(processes)
    if not found and group is None:
        return None
    try:
        return Usage(
            cpu_ms=sum(map(spent_ms, found)) if group is None else group_ms(group),
            waited_ms={thread: ms for process in found for thread, ms in waits(process)},
        )
    except OSError:
        return None


def root_of(first: int) -> Path:
    """Give the file system that the box with that pid 1 sees."""
    return Path("/proc", str(first), "root")


def processes_of(first: int) -> Iterator[Path]:
    """Give all processes of the box with that pid 1, as its own /proc has them."""
    inside = root_of(first) / "proc"
    with contextlib.suppress(OSError):  # the box is gone
        yield from (inside / name for name in os.listdir(inside) if name.isdigit())  # noqa: PTH208 - a third of the time


def group_ms(group: Path) -> float:
    """Give the CPU time of all that is and was in a group of version 2."""
    return int((group / "cpu.stat").read_bytes().split()[1]) / 1_000


def spent_ms(process: Path) -> float:
    """Give the CPU time of a process and of the children that it saw end; 0 when it is gone."""
    try:
        fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) * TICK_MS


def waits(process: Path) -> Iterator[tuple[str, float]]:
    """Give how long each thread of a process waited for a core so far."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in (process / "task").iterdir():
            yield str(thread), int((thread / "schedstat").read_bytes().split()[1]) / 1e6
