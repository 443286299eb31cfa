"""What a Dask worker does for a league: it keeps the bots, and hands tables to processes of its own.

    Dask worker --thread of a task--> this module --pipe--> hand: plays the table, with wardens and boxes

Nothing is played in the Dask worker itself: it is full of threads, and a box dies with the thread that put it
up. Its tasks only wait for a hand; as many may run as the worker has threads. When the scheduler takes a task
back, because the coordinator let go or is gone, the table's hand ends, and all its processes with it.

The functions below `hired` are what a coordinator calls (`arena.league.cluster`), each within a task.
"""

import atexit
import concurrent.futures
import contextlib
import functools
import hashlib
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from distributed import get_worker

import arena
import protocol
from arena.league.hands import Hand
from arena.league.workers import WorkerLost, Workers
from arena.model import HOUSE, Entrant, TableJob, TableResult, UserError
from arena.sandbox import require
from arena.seats import folders
from arena.submissions import check_built, check_kept
from arena.submissions.kept import changed
from arena.submissions.parcels import unpack

T = TypeVar("T")

KEPT_BYTES = 512 << 20
"""Of bots that no league of now needs; above it they make room when a league comes."""
LIVE_S = 3_600.0
"""A league that asked for nothing for so long is not of now: its coordinator is gone."""
ENDING_S = 30.0
"""For a table to end that nobody waits for."""
IDLE_S = 60.0
"""Hands that had nothing to do for so long are let go."""
LOOK_S = 1.0
"""How often a task looks whether anybody still waits for it."""
AT_WORK = ("executing", "long-running")
"""States of a task that is wanted."""
OPEN = ("running", "paused", "closing_gracefully")
"""States of a Dask worker that may finish its tasks."""


class Unhired(WorkerLost):
    """This process does not know the league: it was started anew since it was hired."""


class Hiring(msgspec.Struct, frozen=True):
    """What a worker is hired for."""

    run: str
    """Names this run of the league."""
    league: str
    """Names the league among all of all machines."""
    sandbox: str
    entrants: tuple[Entrant, ...]

    @property
    def versions(self) -> tuple[str, ...]:
        """Of all bots whose files are needed."""
        return tuple(dict.fromkeys(each.version for each in self.entrants if each != HOUSE))


class _Post:
    """All that one Dask worker keeps for the arena."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        stack = contextlib.ExitStack()
        self.submissions = stack.enter_context(folders.of_cache()) / "submissions"
        self.submissions.mkdir()
        self.close = stack.close
        """Remove all that is kept."""
        self.lock = threading.Lock()
        """Held by who changes what is kept."""
        self._hands_lock = threading.Lock()
        self._hands: Workers | None = None
        self._used = 0.0
        self._calls: dict[Future[Any], str] = {}
        """What the hands do, each with the run for which."""
        self._runs: dict[str, tuple[Hiring, float]] = {}
        """The leagues of now, each with the time of its last call."""

    def enter(self, hiring: Hiring) -> tuple[str, ...]:
        """Take a league in; gives the versions that are missing here."""
        self._end_earlier(hiring.league)
        with self._hands_lock:
            now = time.monotonic()
            busy = set(self._calls.values())
            self._runs = {
                run: (each, seen)
                for run, (each, seen) in self._runs.items()
                if run in busy or now - seen < LIVE_S
            }
            self._runs[hiring.run] = (hiring, now)
            needed = {version for each, _ in self._runs.values() for version in each.versions}
        self._make_room(needed)
        return tuple(version for version in hiring.versions if changed(self.submissions / version))

    def _end_earlier(self, league: str) -> None:
        """End the tables that an earlier run of the same league has here: no deal is at two at a time."""
        with self._hands_lock:
            runs = [run for run, (each, _) in self._runs.items() if each.league == league]
            for run in runs:
                del self._runs[run]
            calls = [future for future, run in self._calls.items() if run in runs]
            for future in calls:
                assert self._hands is not None
                self._hands.abandon(future)
        if concurrent.futures.wait(calls, ENDING_S).not_done:
            raise UserError(
                f"tables of an earlier run of this league have not ended here in {ENDING_S:.0f} s"
            )

    def hiring(self, run: str) -> Hiring:
        """Give what a run is about; raises Unhired."""
        with self._hands_lock:
            if run not in self._runs:
                raise Unhired("this process was not asked to play this league")
            hiring, _ = self._runs[run]
            self._runs[run] = (hiring, time.monotonic())
        return hiring

    def by_hand(self, run: str, function: Callable[..., T], *args: object) -> T:
        """Let a hand do something, for as long as it is wanted. Raises WorkerLost."""
        wanted = _wanted()
        with self._hands_lock:
            hands = self._there()
            future = hands.submit(function, *args)
            self._calls[future] = run
        try:
            while not concurrent.futures.wait([future], LOOK_S).done:
                if not wanted():
                    hands.abandon(future)
            return future.result()
        except concurrent.futures.CancelledError:
            raise WorkerLost("nobody waits for this any more") from None
        finally:
            with self._hands_lock:
                del self._calls[future]
                self._used = time.monotonic()

    def _there(self) -> Workers:
        if self._hands is None:
            self._hands = Workers(self._slots, launch=Hand)
            threading.Thread(target=self._let_rest, args=(self._hands,), daemon=True).start()
        return self._hands

    def _let_rest(self, hands: Workers) -> None:
        """Let the hands go when nobody needs them any more."""
        while self._hands is hands:
            threading.Event().wait(IDLE_S)
            with self._hands_lock:
                if not self._calls and time.monotonic() - self._used >= IDLE_S:
                    self._hands = None
        hands.shutdown()

    def _make_room(self, needed: set[str]) -> None:
        kept = sorted(self.submissions.glob("[!.]*"), key=lambda path: path.stat().st_mtime)
        builds = self.submissions.parent / "builds"
        sizes = {path: _bytes_in(path) + _bytes_in(builds / path.name) for path in kept}
        idle = [path for path in kept if path.name not in needed]
        left = sum(sizes[path] for path in idle)
        for path in idle:
            if left > KEPT_BYTES:
                left -= sizes[path]
                shutil.rmtree(path)
                shutil.rmtree(builds / path.name, ignore_errors=True)


def _bytes_in(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def _wanted() -> Callable[[], bool]:
    """Give what tells whether this thread's task is still waited for."""
    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return worker.status.name in OPEN and task is not None and task.state in AT_WORK

    return wanted


_making = threading.Lock()


def _post() -> _Post:
    with _making:
        return _made()


@functools.cache
def _made() -> _Post:
    post = _Post(get_worker().state.nthreads)
    atexit.register(post.close)
    return post


@functools.cache
def edition() -> str:
    """Give the version of card-arena and a digest of all its programs: both are to agree.

    They are read once: a process goes on with what it has, whatever is installed meanwhile.
    """
    whole = hashlib.sha256()
    for package in (arena, protocol):
        top = Path(package.__path__[0])
        for path in sorted(top.rglob("*.py")):
            whole.update(f"{path.relative_to(top)}\0".encode() + path.read_bytes() + b"\0")
    return f"{arena.__version__} ({whole.hexdigest()[:12]})"


def enter(hiring: Hiring) -> tuple[str, ...]:
    """Begin to play for a league; gives the versions that are missing. Raises SandboxError without walls."""
    post = _post()
    with post.lock:
        missing = post.enter(hiring)
        post.by_hand(hiring.run, require, hiring.sandbox)
    return missing


def take(run: str, version: str, parcel: bytes) -> None:
    """Keep a version that was missing. Raises BadSubmission when it is not what its name says."""
    post = _post()
    post.hiring(run)
    with post.lock:
        if changed(post.submissions / version):
            unpack(parcel, post.submissions, version)


def prepare(run: str) -> None:
    """See to it that all bots are there and built. Raises UserError."""
    post = _post()
    hiring = post.hiring(run)
    with post.lock:
        check_kept(post.submissions, hiring.entrants)
        ready = functools.partial(check_built, sandbox=hiring.sandbox)
        post.by_hand(run, ready, post.submissions, hiring.entrants)


def play(run: str, function: Callable[[TableJob], TableResult], job: TableJob) -> TableResult:
    """Play a table with the bots that are kept here."""
    post = _post()
    post.hiring(run)
    here = msgspec.structs.replace(job, submissions=str(post.submissions))
    return post.by_hand(run, function, here)
