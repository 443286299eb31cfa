"""The processes that descend from this one, orphans included: walked, told apart, killed one by one.

Never by name: on one machine other leagues may run, whose processes are called the same.
"""

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

PR_SET_CHILD_SUBREAPER = 36


class Role(StrEnum):
    """What a process is in a league."""

    COORDINATOR = "coordinator"
    FORK_SERVER = "fork server"
    """Of the coordinator: workers are its children."""
    WORKER = "worker"
    NURSERY = "fork server of a worker"
    """Wardens are its children."""
    WARDEN = "warden"
    BOX = "box"
    BOT = "bot"
    OTHER = "other"


class Process(msgspec.Struct, frozen=True):
    pid: int
    started: str
    """In clock ticks: no second process with this number has it."""
    role: Role


def adopt_orphans() -> None:
    """From now on whatever loses its parent below us is our child: nothing that was started gets lost."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot adopt orphans")


def family(coordinator: int) -> list[Process]:
    """All that descend from us, with what each is in the league of that coordinator."""
    return [*_below(os.getpid(), Role.OTHER, coordinator)]


def _below(pid: int, role: Role, coordinator: int) -> Iterator[Process]:
    for child in children(pid):
        with contextlib.suppress(OSError):  # gone meanwhile
            line = Path(f"/proc/{child}/cmdline").read_bytes()
            own = Role.COORDINATOR if child == coordinator else _role(role, line, _comm(child))
            yield Process(child, _started(child), own)
            yield from _below(child, own, coordinator)


def _role(parent: Role, line: bytes, comm: str) -> Role:
    """What a process is, by its parent's role and what it shows of itself."""
    if parent is Role.NURSERY or comm.startswith("warden"):
        return Role.WARDEN
    if parent in (Role.WARDEN, Role.BOX):
        return Role.BOX if comm == "bwrap" else Role.BOT
    if parent is Role.FORK_SERVER:
        return Role.WORKER
    if b"forkserver" in line:
        return {Role.COORDINATOR: Role.FORK_SERVER, Role.WORKER: Role.NURSERY}.get(parent, Role.OTHER)
    return Role.OTHER


def children(pid: int) -> list[int]:
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in listed.read_text("ascii").split()]
    return found


def kill(process: Process) -> bool:
    """Kill exactly this one; False when it is gone, even if another has its number by now."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        if _started(process.pid) != process.started:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def reap(*, but: int = 0) -> None:
    """Take note of the adopted that have ended; `but` is waited for elsewhere."""
    for pid in children(os.getpid()):
        if pid != but:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def anonymous_kib(pid: int) -> int:
    """Memory that a process has for itself alone."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon:")), 0)


def _comm(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()


def _started(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
