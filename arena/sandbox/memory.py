"""The memory of a box, bounded by the kernel through a control group of either version."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

MIB = 1024 * 1024
WATCH_MS = 50.0
"""How often version 1 is asked: it kills one process, and the rest of the box may live on."""
PEAKS = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")
"""Of version 1, without swap and with it; its memory.failcnt stays at 0 in new kernels (seen with 6.18)."""
NEAR = MIB
"""How far below the bound the peak stays when more was asked for: the kernel charges in small lots."""


class Guard(Protocol):
    """Whoever knows what memory a box took."""

    @property
    def watch_ms(self) -> float | None:
        """How often it has to be asked while the box runs; None when nobody has to."""

    def over(self) -> str | None:
        """Say what was found and what is allowed when it is too much; else None."""


class GroupMemory:
    """The memory of a group whose bound the kernel keeps."""

    def __init__(
        self, allowed_mib: int, *, kills: Callable[[], int], met: Callable[[], bool], watch_ms: float | None
    ) -> None:
        """`kills` counts what the kernel killed in the group, `met` says whether the bound was met."""
        self._allowed_mib = allowed_mib
        self._kills, self._met = kills, met
        self.watch_ms = watch_ms

    def over(self) -> str | None:
        """Say what was found and what is allowed when the kernel killed for this bound; else None."""
        if self._kills() == 0 or not self._met():
            return None
        allowed = f"{self._allowed_mib} MiB"
        return f"found {allowed} in its box and more asked for, at most {allowed} allowed"

    def robbed(self) -> bool:
        """Whether the kernel killed here though this bound was kept: the machine itself was full."""
        return self._kills() > 0 and not self._met()


def version1(folder: Path, allowed_mib: int) -> GroupMemory:
    """Set the bound; swap counts where the kernel counts it at all."""
    write(folder / "memory.limit_in_bytes", str(allowed_mib * MIB))
    with contextlib.suppress(FileNotFoundError):
        write(folder / "memory.memsw.limit_in_bytes", str(allowed_mib * MIB))
    return GroupMemory(
        allowed_mib,
        kills=lambda: counted(folder / "memory.oom_control", "oom_kill"),
        met=lambda: max(peaks(folder)) > allowed_mib * MIB - NEAR,
        watch_ms=WATCH_MS,
    )


def peaks(folder: Path) -> list[int]:
    """The most that the group had, as far as the kernel counts it."""
    return [int((folder / name).read_text("ascii")) for name in PEAKS if (folder / name).exists()]


def version2(folder: Path, allowed_mib: int) -> GroupMemory:
    """Set the bound, without swap; the kernel kills all of the box at once."""
    write(folder / "memory.max", str(allowed_mib * MIB))
    write(folder / "memory.oom.group", "1")
    with contextlib.suppress(FileNotFoundError):
        write(folder / "memory.swap.max", "0")
    return GroupMemory(
        allowed_mib,
        kills=lambda: counted(folder / "memory.events", "oom_kill"),
        met=lambda: counted(folder / "memory.events", "oom") > 0,
        watch_ms=None,
    )


BOUNDS = {1: version1, 2: version2}
"""Version of control groups -> how it bounds the memory of one."""


def counted(path: Path, name: str) -> int:
    """Read one number of a file that has a name and a number on each line."""
    pairs = (line.split() for line in path.read_text("ascii").splitlines())
    return next((int(number) for key, number in pairs if key == name), 0)


def write(path: Path, text: str) -> None:
    """Write one value into a file of the kernel's, which is neither made nor cut off."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)
