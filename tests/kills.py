"""A league that is killed while it is played, and run again until it is whole."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from random import Random

import msgspec

from arena.store import Store
from tests import trees
from tests.trees import Process

LAST = 0.9
"""Part of the tables at which kills are due."""
PAUSE_S = 0.4
COMMIT_BYTES = 60_000
"""About as many as a commit writes."""
LOOK_S = 0.02
COMMIT = "in a commit"
"""A kill by the kernel, in the middle of a write to the database."""

MORTAL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
from arena.cli import main
main(sys.argv[1:])
"""
"""The arena, but a file that grows beyond RLIMIT_FSIZE ends the process at that byte instead of failing."""


class Kills:
    """When and whom: due at a number of finished tables, then after a random pause."""

    def __init__(self, victims: Sequence[str], number: int, tables: int, seed: int) -> None:
        self._random = Random(seed)
        self._victims = list(islice(cycle(victims), number))
        self._random.shuffle(self._victims)
        last = LAST * tables
        self._due = [int((place + self._random.random()) * last / number) for place in range(number)]
        self._at: float | None = None
        self.made: Counter[str] = Counter()

    @property
    def left(self) -> int:
        return len(self._due) - self.made.total()

    @property
    def victim(self) -> str:
        return self._victims[self.made.total()]

    def ready(self, tables: int) -> bool:
        """Whether the next one is to be made now."""
        if not self.left or tables < self._due[self.made.total()]:
            return False
        if self._at is None:
            self._at = time.monotonic() + self._random.uniform(0, PAUSE_S)
        return time.monotonic() >= self._at

    def byte(self) -> int:
        """How far a commit gets."""
        return self._random.randrange(COMMIT_BYTES)

    def among(self, found: list[Process]) -> Process:
        return self._random.choice(found)

    def count(self) -> None:
        self.made[self.victim] += 1
        self._at = None

    def check(self) -> None:
        """A kill that was due near the end may have come too late."""
        assert self.left <= max(1, len(self._due) // 50), (self.left, self.made)


class Ran(msgspec.Struct, frozen=True):
    """A league that was played to its end, whatever happened on the way."""

    starts: int
    again: int
    """Tables that were told to be played again."""
    said: str
    memory: tuple[tuple[int, int], ...]
    """(finished tables, KiB) of the coordinator that played most of them."""
    page: str
    seconds: float


class Here(msgspec.Struct, frozen=True):
    """Where leagues are played, with a temporary folder that nobody else uses."""

    folder: Path
    sandbox: str

    @property
    def workspace(self) -> Path:
        return self.folder / "results"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"


@contextmanager
def place(sandbox: str) -> Iterator[Here]:
    here = Here(Path(tempfile.mkdtemp(prefix="soak-", dir="/tmp")), sandbox)
    here.temporary.mkdir()
    try:
        yield here
    finally:
        shutil.rmtree(here.folder)


def finished(here: Here) -> int:
    with Store.open(here.workspace, read_only=True) as store:
        return store.activity("soak", now=datetime.now(UTC)).tables if store.leagues() else 0


class League:
    """A league as it is run, killed, and run again until it is whole."""

    def __init__(self, here: Here, words: Sequence[str], kills: Kills) -> None:
        self._here, self._words, self._kills = here, words, kills
        self._pending = 0
        """Tables that were finished when a kill in a commit was prepared, and one more; 0 without one."""
        self._memory: list[list[tuple[int, int]]] = []
        self._said = here.folder / "said"

    def play(self) -> Ran:
        began = time.monotonic()
        code, page = 1, ""
        self._said.unlink(missing_ok=True)
        while code:
            code, page = self._live()
        text = self._said.read_text("utf-8")
        return Ran(
            starts=len(self._memory),
            again=text.count(" is played again: "),
            said=text,
            memory=tuple(max(self._memory, key=len)),
            page=page,
            seconds=time.monotonic() - began,
        )

    def _live(self) -> tuple[int, str]:
        """One process of the coordinator; gives how it ended and what it showed."""
        self._memory.append([])
        self._pending = 0
        environment = os.environ | {
            "TMPDIR": str(self._here.temporary),
            "ARENA_WORKSPACE": str(self._here.workspace),
        }
        with self._said.open("a") as said, (self._here.folder / "page").open("w+") as page:
            before = said.tell()
            process = subprocess.Popen(
                [sys.executable, "-c", MORTAL, "run", "soak", *self._words],
                env=environment,
                stdout=page,
                stderr=said,
                start_new_session=True,
            )
            try:
                while process.poll() is None:
                    self._look(process.pid)
                    time.sleep(LOOK_S)
            finally:
                process.kill()  # whatever failed here
                process.wait()
            trees.reap(but=process.pid)
            page.seek(0)
            self._judge(process.returncode, self._said.read_text("utf-8")[before:])
            return process.returncode, page.read()

    def _look(self, coordinator: int) -> None:
        """Note the memory, and kill when it is time to."""
        trees.reap(but=coordinator)
        done = finished(self._here)
        self._memory[-1].append((done, trees.anonymous_kib(coordinator)))
        if self._pending:
            if done > self._pending + 2:  # it writes elsewhere by now: the next byte, wherever it is
                _limit(coordinator, 1)
        elif self._kills.ready(done):
            self._kill(coordinator, done)

    def _kill(self, coordinator: int, done: int) -> None:
        if self._kills.victim == COMMIT:
            log = self._here.workspace / "arena.db-wal"
            _limit(coordinator, (log.stat().st_size if log.exists() else 0) + self._kills.byte())
            self._pending = done + 1
            return
        found = [process for process in trees.family(coordinator) if process.role == self._kills.victim]
        if found and trees.kill(self._kills.among(found)):
            self._kills.count()

    def _judge(self, code: int, said: str) -> None:
        """Whether it may have ended so."""
        if code == -signal.SIGXFSZ:
            self._kills.count()
        stopped = code == 1 and "could not be played in 3 tries" in said
        assert stopped or code in (0, -signal.SIGKILL, -signal.SIGXFSZ), (code, said[-4000:])


def _limit(pid: int, size: int) -> None:
    with suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
