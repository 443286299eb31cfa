"""No walls: the bot runs as whoever started the arena, and can do whatever they can. For trusted bots."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from arena.sandbox import orphans
from arena.sandbox.base import Box, Boxed, Check, SandboxError, cpu_ms
from arena.sandbox.usage import Usage, usage

DEATH_WAIT_S = 5.0
"""How long `close` waits for a killed process: only one stuck in the kernel needs more."""


class PlainBoxed:
    """A bot in a process group of its own, which is all that holds it together.

    `pidfd` is that of the bot itself: what it left behind in other groups is not seen. The bot is
    reaped by `close` alone, so that its number cannot belong to somebody else's group before.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Take over a process that leads its own session."""
        self._process = process
        self._closed = False
        self.pidfd = os.pidfd_open(process.pid)
        self.watch_ms: float | None = None

    def poll(self) -> int | None:
        """Exit code or -signal of the bot, None while it runs."""
        if self._closed:
            return self._process.returncode
        ended = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def kill(self) -> None:
        """Kill the process group, also after its leader ended."""
        if not self._closed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def cpu_ms(self) -> float | None:
        """CPU time of the bot's process."""
        return None if self._closed else cpu_ms(self._process.pid)

    def usage(self) -> Usage | None:
        """Usage of the bot's own process."""
        return None if self._closed else usage([Path(f"/proc/{self._process.pid}")])

    def over_memory(self) -> str | None:
        """Never: nothing is counted."""

    def freeze(self) -> bool:
        """Let it run."""
        return False

    def thaw(self) -> None:
        """Nothing to do: it runs."""

    def close(self) -> None:
        """Kill the group, reap its leader, close the pidfd."""
        if not self._closed:
            self.kill()
            self._process.wait(DEATH_WAIT_S)
            self._closed = True
            os.close(self.pidfd)


class Plain:
    """The backend without walls."""

    name = "plain"

    def layers(self) -> tuple[str, ...]:
        """Say what held: nothing."""
        return ("no walls",)

    def freezes(self) -> bool:
        """Let bots run, whoever's turn it is."""
        return False

    def tidy(self) -> None:
        """Nothing to do: nothing is made but the processes."""

    def check(self) -> tuple[Check, ...]:
        """Find nothing missing: it needs nothing."""
        return ()

    def prepare(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def launch(self, box: Box, *, stdin: int, stdout: int, stderr: int) -> Boxed:
        """Start the bot in a session of its own, in its folder, with the environment of the box alone."""
        run = {orphans.RUN: os.environ[orphans.RUN]} if orphans.RUN in os.environ else {}
        endpoint = "stdio:" if box.socket is None else f"ipc://{box.socket}"
        try:
            process = subprocess.Popen(
                # By env: a program that is not there is its bot's fault, exit code 127.
                ("/usr/bin/env", "--", *box.argv),
                cwd=box.folder,
                env={**box.env, **run, "ARENA_ENDPOINT": endpoint},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"cannot start a process ({error})") from None
        return PlainBoxed(process)


PLAIN = Plain()
