"""Control groups around a box: its memory and its processes as one sum, and a stop for all of it.

Each box has a group of its own wherever this machine keeps the controller and lets us write:

    version 2   <mount>/card-arena-PID-START.N             started as root
                <our own group>/card-arena-PID-START.N     where that was given to us and holds nobody else
    version 1   <mount of memory, of pids>/card-arena-...  started as root

PID and START (its start time, which no second process with that number has) name the process that made the
group. It removes the group with the box; what it left when it was killed, `sweep` removes.

The freezer is that of version 2 alone: what version 1 froze does not die by SIGKILL, so that the box of a
killed warden would stay for ever.
"""

import contextlib
import functools
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.sandbox.base import Limits, SandboxError
from arena.sandbox.memory import BOUNDS, GroupMemory, write

SWITCH = "ARENA_CGROUPS"
"""Set to "no" where control groups are not to be used."""
MEMORY, PIDS, FREEZER = "memory", "pids", "freezer"
OURS = "card-arena"
"""Where we ourselves move to in a group that was given to us: version 2 wants processes in leaves alone."""
PREFIX = f"{OURS}-"
EMPTY_WAIT_S = 5.0
"""Bound on the wait for a group whose processes are dying; mostly there is none."""


class Place(msgspec.Struct, frozen=True):
    """Where groups for one controller are made."""

    version: int
    folder: str

    def __str__(self) -> str:
        """Give what is stamped on results."""
        return f"cgroup v{self.version}"


@functools.cache
def places() -> dict[str, Place]:
    """Find the places by controller; empty where we may not write anywhere."""
    found: dict[str, Place] = {}
    if os.environ.get(SWITCH) == "no":
        return found
    for folder, kind, options in mounts():
        if kind == "cgroup":
            found |= {
                name: Place(1, folder) for name in (MEMORY, PIDS) if name in options and writable(folder)
            }
        elif (home := home_in(Path(folder))) is not None:
            enabled = Path(home, "cgroup.subtree_control").read_text("ascii").split()
            here = {FREEZER, *enabled} & {MEMORY, PIDS, FREEZER}  # to stop a group needs no controller
            found |= {name: Place(2, str(home)) for name in here}
    return found


def mounts() -> Iterator[tuple[str, str, list[str]]]:
    """Give folder, kind and options of what is mounted of control groups."""
    for line in Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines():
        _, folder, kind, options, *_ = line.split(" ")
        if kind in ("cgroup", "cgroup2"):
            yield folder, kind, options.split(",")


def writable(folder: str | Path) -> bool:
    """Whether we may make groups there, and move processes out of it."""
    return os.access(folder, os.W_OK) and os.access(Path(folder, "cgroup.procs"), os.W_OK)


def home_in(mount: Path) -> Path | None:
    """Give the group of version 2 in which ours are made: the top for root, else one that we were given."""
    if writable(mount):
        return mount
    lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
    own = next((Path(f"{mount}{line[3:]}") for line in lines if line.startswith("0::")), mount)
    if own.name == OURS and writable(own.parent):  # an ancestor of this process has been here
        return own.parent
    with contextlib.suppress(OSError):
        if writable(own) and Path(own, "cgroup.procs").read_text("ascii").split() == [str(os.getpid())]:
            settle(own)
            return own
    return None


def settle(own: Path) -> None:
    """Move ourselves, alone in the group, into a leaf of it, and hand its controllers down."""
    leaf = own / OURS
    leaf.mkdir(exist_ok=True)
    write(leaf / "cgroup.procs", str(os.getpid()))
    there = Path(own, "cgroup.controllers").read_text("ascii").split()
    for name in {MEMORY, PIDS}.intersection(there):
        write(own / "cgroup.subtree_control", f"+{name}")


_numbers = itertools.count(1)


class Groups:
    """The groups of one box, as many as there are places; none is fine, too."""

    def __init__(self, limits: Limits) -> None:
        """Make them. Raises `SandboxError` when that fails where it should not."""
        name = f"{PREFIX}{maker(os.getpid())}.{next(_numbers)}"
        self._folders = {kind: Path(place.folder, name) for kind, place in places().items()}
        self._stop: int | None = None
        self.memory: GroupMemory | None = None
        """None where nobody but a watchdog can bound the sum."""
        try:
            self._make(limits)
        except OSError as error:
            self.remove()
            raise SandboxError(
                f"cannot make a control group ({error})", remedy=f"to do without, type: export {SWITCH}=no"
            ) from None

    def _make(self, limits: Limits) -> None:
        for folder in set(self._folders.values()):
            folder.mkdir()
        if PIDS in self._folders:
            write(self._folders[PIDS] / "pids.max", str(limits.processes))
        if MEMORY in self._folders:
            bounded = BOUNDS[places()[MEMORY].version]
            self.memory = bounded(self._folders[MEMORY], limits.memory_mib)
        if FREEZER in self._folders:
            self._stop = os.open(self._folders[FREEZER] / "cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)

    @property
    def clock(self) -> Path | None:
        """The group that keeps the CPU time of all that was in it; None where there is none."""
        return self._folders.get(FREEZER)  # each of version 2 does

    def admit(self, pid: int) -> None:
        """Put a process in, and by that all that it starts from now on; nothing when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            for folder in set(self._folders.values()):
                write(folder / "cgroup.procs", str(pid))

    def freeze(self) -> bool:
        """Stop all that is in them, without waiting until it stands; False where we cannot."""
        if self._stop is None:
            return False
        os.pwrite(self._stop, b"1", 0)
        return True

    def thaw(self) -> None:
        """Let it go on."""
        if self._stop is not None:
            os.pwrite(self._stop, b"0", 0)

    def remove(self) -> None:
        """Remove them, once they are empty. Idempotent."""
        if self._stop is not None:
            os.close(self._stop)
            self._stop = None
        for folder in set(self._folders.values()):
            removed(folder)
        self._folders = {}


# What was left behind


def started(pid: int) -> str | None:
    """Give the start time of a process in clock ticks; None when it has ended, reaped or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def maker(pid: int) -> str:
    """Name a process so that no later one is taken for it."""
    return f"{pid}-{started(pid)}"


def runs(named: str) -> bool:
    """Whether the process that `maker` named so still runs."""
    pid, _, start = named.partition("-")
    return not pid.isdigit() or started(int(pid)) == start


def stale() -> list[Path]:
    """Give the groups whose makers are gone."""
    folders = {Path(place.folder) for place in places().values()}
    return sorted(
        group for folder in folders for group in folder.glob(f"{PREFIX}*") if not has_maker(group.name)
    )


def has_maker(name: str) -> bool:
    """Whether the process that a group is named by still runs."""
    return runs(name.removeprefix(PREFIX).partition(".")[0])


def sweep() -> None:
    """Remove the groups of killed makers; their boxes died with them, or are about to."""
    for group in stale():
        removed(group)


def removed(group: Path) -> None:
    """Remove a group as soon as it is empty; one that stays populated is left to the next sweep."""
    deadline = time.monotonic() + EMPTY_WAIT_S
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # busy: what is in it is dying
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)  # nothing says when, in version 1
        else:
            return
