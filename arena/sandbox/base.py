"""What every backend takes and gives: a box to put up, and a handle on the processes inside it."""

import time
from typing import Protocol

import msgspec

from arena.model import UserError
from arena.sandbox.usage import Usage

INSIDE = "/bot"
"""Where a walled bot finds its own folder."""


class SandboxError(UserError):
    """The walls could not be put up: ours, never a bot's fault. The message holds the line to type."""

    def __init__(self, found: str, *, remedy: str = "") -> None:
        """Say what was found, and what to type about it."""
        super().__init__(f"{found}; {remedy}" if remedy else found)
        self.found = found
        self.remedy = remedy


class Bind(msgspec.Struct, frozen=True):
    """One file or folder of the host that the bot may read."""

    host: str
    inside: str


class Limits(msgspec.Struct, frozen=True):
    """What one box may use."""

    cpu_s: int
    """CPU seconds of each process; the caller derives it from the table's clocks."""
    memory_mib: int = 512
    """Memory of the whole box; each process may have as much of its own."""
    processes: int = 32
    """Processes and threads of the whole box, its reaper included."""
    files: int = 64
    """Open file descriptors of each process."""
    file_mib: int = 16
    """Size of one file."""
    tmp_mib: int = 16
    """Size of /tmp, which is gone with the box."""
    locks: bool = False
    """Whether files may be locked: with it two boxes can talk over a file that both may read."""


class Box(msgspec.Struct, frozen=True):
    """One bot process as it is to be started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    """The whole environment of the bot, but for `ARENA_ENDPOINT`, which the backend adds."""
    folder: str
    """Host path of the bot's tree: read-only at `/bot` behind walls, and its current directory."""
    binds: tuple[Bind, ...]
    limits: Limits
    socket: str | None
    """Host path of the unix socket of this process; None for a bot on stdin and stdout."""
    seat: int
    hidden: tuple[str, ...] = ()
    """Folders inside that are covered by an empty one, within what is bound."""


class Boxed(Protocol):
    """A started box."""

    @property
    def pidfd(self) -> int:
        """Readable exactly when everything in the box is gone. Closed by `close`."""

    def poll(self) -> int | None:
        """None while the bot runs; then its own exit code, or -signal.

        Raises `SandboxError` when the box broke before the bot was started in it.
        """

    def kill(self) -> None:
        """Kill everything in the box and return at once; harmless when it is gone already."""

    def cpu_ms(self) -> float | None:
        """CPU time of the bot's main process so far; None when it cannot be read (any more)."""

    def usage(self) -> Usage | None:
        """What all in the box had of the processor; None where nobody keeps it. Reads a file a thread."""

    @property
    def watch_ms(self) -> float | None:
        """How often `over_memory` is to be asked while the box runs; None when only after its end."""

    def over_memory(self) -> str | None:
        """What was found and what is allowed, when the box took more memory than that; else None.

        Such a box is to be killed by the caller, where the kernel has not done it.
        """

    def freeze(self) -> bool:
        """Stop everything in the box until `thaw`; False where we cannot. A stopped box can be killed."""

    def thaw(self) -> None:
        """Let the box go on; harmless when it was not stopped."""

    def close(self) -> None:
        """Kill what is left, wait for its end and close every descriptor. Idempotent."""


class Check(msgspec.Struct, frozen=True):
    """What the doctor found out about one layer, by trying it."""

    layer: str
    ok: bool
    found: str
    remedy: str = ""
    """What to type, where something is missing."""


class Backend(Protocol):
    """One way to start bots."""

    @property
    def name(self) -> str:
        """Its key in `BACKENDS`."""

    def layers(self) -> tuple[str, ...]:
        """The walls that it puts up, for the stamp on the results."""

    def freezes(self) -> bool:
        """Whether its boxes can be stopped."""

    def tidy(self) -> None:
        """Remove what killed launchers left behind on this machine; soon done when it is nothing."""

    def check(self) -> tuple[Check, ...]:
        """Try what it needs of the machine, up to the first that is missing; takes some milliseconds."""

    def prepare(self) -> None:
        """Do once what every launch needs, so that forks of this process have it; may be left out."""

    def launch(self, box: Box, *, stdin: int, stdout: int, stderr: int) -> Boxed:
        """Start a box on three descriptors of the caller, which stay the caller's to close.

        Called from the main thread of a process with one thread: the box dies with that thread.
        Raises `SandboxError` when the walls cannot be put up.
        """


def cpu_ms(pid: int) -> float | None:
    """CPU time of a process, read from its clock; None when it is gone or not ours to read."""
    try:
        # The id of a process's CPU clock as clock_getcpuclockid(3) makes it; Python has only the threads'.
        return time.clock_gettime(~pid << 3 | 2) * 1_000
    except OSError:
        return None
