"""A started box, from outside: its pid 1, the bot in it, how it ended."""

import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import time
from pathlib import Path

from arena.sandbox import orphans, watchdog
from arena.sandbox.base import SandboxError, cpu_ms
from arena.sandbox.cgroups import Groups
from arena.sandbox.memory import Guard
from arena.sandbox.mounts import call
from arena.sandbox.usage import Usage, processes_of, usage

SETUP_WAIT_S = 10.0
"""Bound on putting up a box, which takes milliseconds."""
DEATH_WAIT_S = 5.0
"""Bound on the end of a killed box; giving back much memory takes it some hundred milliseconds."""

BOT_INSIDE = "2"
"""Pid of the bot in its box; higher ones are its children, which pid 1 inherits when it ends."""

PIDFD_GET_INFO = 0xC040FF0B
PIDFD_INFO_EXIT = 1 << 3
"""From linux/pidfd.h; Linux 6.15 and later keep the exit status for who holds a pidfd."""
EXIT_CODE_OFFSET = 60

PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""


class Status:
    """What bubblewrap reports of a box: the pid of its pid 1, and at its end the bot's exit code."""

    def __init__(self, descriptor: int) -> None:
        """Take over the reading end of the status pipe."""
        self._descriptor = descriptor
        self._text = b""
        os.set_blocking(descriptor, False)

    def first_pid(self, deadline: float) -> int | None:
        """Wait for the pid of the box's pid 1, as the host counts; None when there will be none."""
        while b"\n" not in self._text:
            left_ms = (deadline - time.monotonic()) * 1_000
            poller = select.poll()
            poller.register(self._descriptor, select.POLLIN)
            if left_ms <= 0 or not poller.poll(left_ms):
                raise TimeoutError
            if not self._read():
                return None
        return int(self._reports()["child-pid"])

    def exit_code(self) -> int | None:
        """Exit code of the bot, 128 + n for signal n; None when it was never started. Asked after the end."""
        while self._read():
            pass
        return self._reports().get("exit-code")

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._descriptor)

    def _read(self) -> bool:
        try:
            data = os.read(self._descriptor, 4096)
        except BlockingIOError:
            return False
        self._text += data
        return bool(data)

    def _reports(self) -> dict[str, int]:
        """All of them but one that bubblewrap was killed over."""
        reports: dict[str, int] = {}
        for line in self._text.splitlines(keepends=True):
            if line.endswith(b"\n"):
                reports |= json.loads(line)
        return reports


class Walled:
    """A box that bubblewrap is putting up, or has: the outer process, pid 1 of the box, the bot itself."""

    def __init__(
        self, outer: subprocess.Popen[bytes], status: Status, groups: Groups, *, hold: int, memory_mib: int
    ) -> None:
        """Take over a bubblewrap that was just started, the pipe on which it reports, and its box's groups.

        The box waits until `hold` is closed.
        """
        self._outer = outer
        self._status = status
        self._groups = groups
        self._hold: int | None = hold
        self._memory_mib = memory_mib
        self._guard: Guard | None = groups.memory
        self._first: int | None = None
        self._bot: int | None = None
        self._bot_pidfd: int | None = None
        self._returncode: int | None = None
        self._killed = self._closed = False
        self.pidfd = os.pidfd_open(outer.pid)

    def stands(self) -> bool:
        """Wait until the bot is being started, which is after all walls; False when setting up failed."""
        deadline = time.monotonic() + SETUP_WAIT_S
        self._first = first = self._status.first_pid(deadline)
        inner = None if first is None else pidfd_of_child(first, self._outer.pid)
        if first is None or inner is None:
            return self._was_started()
        self.pidfd, unused = inner, self.pidfd
        os.close(unused)
        self._admit(first)
        self._bot = self._await_bot(first, deadline)
        self._bot_pidfd = None if self._bot is None else pidfd_of_child(self._bot, first)
        return self._was_started() if readable(self.pidfd) or self._outer.poll() is not None else True

    def poll(self) -> int | None:
        """Exit code or -signal of the bot; None while it runs."""
        if self._returncode is None and self._ended():
            self._returncode = self._true_status(self._status.exit_code())
        return self._returncode

    def kill(self) -> None:
        """Kill pid 1 of the box; the kernel kills the rest."""
        if not self._closed:
            self._killed = True
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def cpu_ms(self) -> float | None:
        """CPU time of the bot's main process."""
        if self._closed or self._bot is None or self._bot_pidfd is None:
            return None
        used = cpu_ms(self._bot)
        try:
            signal.pidfd_send_signal(self._bot_pidfd, 0)
        except ProcessLookupError:  # gone: the number may be somebody else's
            return None
        return used

    def usage(self) -> Usage | None:
        """Usage of the whole box."""
        if self._closed or self._first is None:
            return None
        return usage(processes_of(self._first), group=self._groups.clock)

    @property
    def watch_ms(self) -> float | None:
        """How often to ask for its memory; see `Boxed`."""
        return None if self._guard is None else self._guard.watch_ms

    def over_memory(self) -> str | None:
        """Found and allowed memory, when it is too much."""
        if self._closed or self._guard is None:
            return None
        found = self._guard.over()
        watched = self._guard is not self._groups.memory
        return None if watched and readable(self.pidfd) else found  # gone: the number may be somebody else's

    def freeze(self) -> bool:
        """Stop the box; it can still be killed."""
        return not self._closed and self._groups.freeze()

    def thaw(self) -> None:
        """Let it go on."""
        self._groups.thaw()

    def close(self) -> None:
        """Kill the box, wait for its end, remove its groups, close every descriptor."""
        if self._closed:
            return
        self._let_go()
        self.kill()
        readable(self.pidfd, DEATH_WAIT_S)
        self._outer.wait(DEATH_WAIT_S)
        if self._first is None:
            orphans.reap()  # we never heard whether there was a pid 1 already
        self._reap_first()
        adopt_orphans(yes=False)  # of boxes alone: a runner would gather those of killed workers
        self.poll()
        self._closed = True
        self._status.close()
        self._groups.remove()
        for descriptor in (self.pidfd, self._bot_pidfd):
            if descriptor is not None:
                os.close(descriptor)

    def _admit(self, first: int) -> None:
        """Put the box into its groups and let it go on to the bot."""
        self._groups.admit(first)
        if self._guard is None and watchdog.possible():
            self._guard = watchdog.Watchdog(first, self._memory_mib)
        self._let_go()

    def _let_go(self) -> None:
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None

    def _reap_first(self) -> None:
        """Reap pid 1 of the box where it came to us: its parent, the outer process, ended before it."""
        adopted = None if self._first is None else pidfd_of_child(self._first, os.getpid())
        if adopted is not None:
            readable(adopted, DEATH_WAIT_S)
            os.waitid(os.P_PIDFD, adopted, os.WEXITED | os.WNOHANG)
            os.close(adopted)

    def _await_bot(self, first: int, deadline: float) -> int | None:
        """Wait for the child of pid 1; None when either came and went, or where /proc hides them."""
        while self._outer.poll() is None:
            try:
                children = Path(f"/proc/{first}/task/{first}/children").read_text("ascii").split()
            except OSError:
                return None
            if children:
                return int(children[0]) if pid_inside(children[0]) == BOT_INSIDE else None
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.0005)  # nothing says when; it takes some milliseconds
        return None

    def _was_started(self) -> bool:
        self._outer.wait(DEATH_WAIT_S)
        return self._status.exit_code() is not None

    def _ended(self) -> bool:
        if self._outer.poll() is None and readable(self.pidfd):
            self._outer.wait(DEATH_WAIT_S)  # the box is gone, its outer process is about to notice
        return self._outer.returncode is not None

    def _true_status(self, code: int | None) -> int:
        """Tell an exit code above 128 from a signal: by the kernel's word, else taken for a signal."""
        if not self._killed and self._groups.memory is not None and self._groups.memory.robbed():
            raise SandboxError("the kernel killed a bot because the machine ran out of memory")
        if code is None:
            if not self._killed:
                raise SandboxError(
                    "the box ended before the bot was started in it, or was ended from outside"
                )
            return -signal.SIGKILL
        exact = None if self._bot_pidfd is None else kernel_status(self._bot_pidfd)
        if exact is not None:
            return exact
        return 128 - code if 128 < code <= 128 + signal.SIGRTMAX else code


def adopt_orphans(*, yes: bool) -> None:
    """Have what our children leave behind come to us, to be reaped, or to whoever comes next above us.

    Bubblewrap's outer process may end a moment before pid 1 of its box does, which would stay a zombie
    wherever the machine's pid 1 reaps nobody: in a container, most often.
    """
    call("prctl", PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)


def pidfd_of_child(pid: int, parent: int) -> int | None:
    """Open a pidfd on a child of `parent`; None when it is gone and its number perhaps given away."""
    descriptor = pidfd(pid)
    if descriptor is None or parent_of(pid) == parent:
        return descriptor
    os.close(descriptor)
    return None


def pidfd(pid: int) -> int | None:
    """Open a pidfd; None when the process is gone."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def parent_of(pid: int) -> int | None:
    """Give the parent's pid; None when the process is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[1])


def pid_inside(pid: str) -> str | None:
    """Give the pid that a process has in its own box; None when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    except OSError:
        return None
    return next((line.split()[-1] for line in status.splitlines() if line.startswith("NSpid:")), None)


def readable(descriptor: int, wait_s: float = 0.0) -> bool:
    """Whether a pidfd says that its process is gone, within the wait."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(wait_s * 1_000))


def kernel_status(descriptor: int) -> int | None:
    """Exit code or -signal of a reaped process by its pidfd; None where the kernel does not say."""
    answer = bytearray(64)
    struct.pack_into("=Q", answer, 0, PIDFD_INFO_EXIT)
    try:
        fcntl.ioctl(descriptor, PIDFD_GET_INFO, answer)
    except OSError:
        return None
    if not struct.unpack_from("=Q", answer)[0] & PIDFD_INFO_EXIT:
        return None
    status: int = struct.unpack_from("=i", answer, EXIT_CODE_OFFSET)[0]
    return os.waitstatus_to_exitcode(status)
