"""Workers as fresh Pythons, for whoever may not fork any: `python -m arena.league.hands`.

The process of a Dask worker is full of threads and often daemonic, and those may not have children by
`multiprocessing`. A hand plays in its main thread and has a fork server of its own, for its wardens.
"""

import subprocess
import sys
from multiprocessing.connection import Connection

from arena.league.workers import serve
from arena.seats import folders

MODULE = "arena.league.hands"


class Hand:
    """Such a process, as `Workers` starts it."""

    def __init__(self, name: str, calls: Connection, life: Connection) -> None:
        """Start it; the name is only shown."""
        ends = (calls.fileno(), life.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE, *map(str, ends), name],
            pass_fds=ends,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt from the terminal is for the Dask worker alone
        )

    @property
    def pid(self) -> int | None:
        """Its number."""
        return self._process.pid

    @property
    def exitcode(self) -> int | None:
        """None while it runs; below zero the signal that ended it."""
        return self._process.poll()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, or so many seconds."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def close(self) -> None:
        """Do nothing: an ended one holds nothing."""


def main(calls: str, life: str, *_name: str) -> None:
    """Serve on two descriptors that were handed down."""
    folders.hold_fork_servers()
    serve(Connection(int(calls)), Connection(int(life), writable=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
