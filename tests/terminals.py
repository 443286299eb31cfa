"""A terminal that a test sits at: types into a program and reads its screen."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

WAIT_S = 60.0
AGAIN_S = 2.0
PROGRAM = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "from arena.cli import main; main(sys.argv[1:])"
)
"""Makes the terminal the one whose Ctrl-C it hears."""


class Terminal:
    """A running command of the arena and its screen."""

    def __init__(self, process: "subprocess.Popen[bytes]", end: int) -> None:
        self.process = process
        self._end = end
        self.shown = ""
        self._read = 0

    def until(self, *texts: str) -> str:
        """Read on until one of these texts is shown; gives it."""
        while True:
            fresh = self.shown[self._read :]
            found = [(fresh.index(text), text) for text in texts if text in fresh]
            if found:
                place, text = min(found)
                self._read += place + len(text)
                return text
            assert self._more(), f"{texts} not shown; the last was {self.shown[-2000:]}"

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def ended(self) -> int:
        """Read to the end; gives the exit code."""
        while self._more():
            pass
        return self.process.wait(WAIT_S)

    def leave(self, text: str) -> int:
        """Type this until the program ends; gives the exit code.

        A Ctrl-C that comes just before Python begins to wait for a line is noticed with the next key.
        """
        while self.process.poll() is None:
            self.type(text)
            while self._more(AGAIN_S):
                pass
        return self.ended()

    def _more(self, wait_s: float = WAIT_S) -> bool:
        if not select.select([self._end], [], [], wait_s)[0]:
            return False
        try:
            data = os.read(self._end, 65_536)
        except OSError:  # the end of a terminal
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)


@contextmanager
def terminal(*words: str, env: Mapping[str, str], columns: int = 80) -> Iterator[Terminal]:
    """A command that runs in a terminal of its own; whatever it is doing, it is ended with it."""
    near, far = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdin=far,
        stdout=far,
        stderr=far,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns), **env},
    )
    os.close(far)
    try:
        yield Terminal(process, near)
    finally:
        process.kill()
        process.wait(WAIT_S)
        os.close(near)


def left(mark: str, wait_s: float = 10.0) -> list[str]:
    """Processes that have the mark in their environment and do not end in a while."""
    deadline = time.monotonic() + wait_s
    while (found := [*_marked(mark)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def _marked(mark: str) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile, or somebody else's
            if mark.encode() in (process / "environ").read_bytes():
                yield (process / "cmdline").read_text().replace("\0", " ")
