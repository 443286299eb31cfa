"""Worker processes behind the Executor interface, of which each may die alone.

Each slot is a thread that talks with one process over one pipe. A process that dies fails the one call it
was working on, and its slot gets a new process with the next call.

Processes are forked from a fork server that has imported what they need: they start in milliseconds and hold
no thread, lock or socket of the coordinator. (Whoever may not fork brings another way to start them.)
Parent-death signals do not follow a fork server, so every process watches a pipe of which the coordinator
holds the only other end. When that closes, because the coordinator let go or because it is gone, the process
ends its work in order, or is ended after a grace.
"""

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec

from arena.model import UserError
from arena.sandbox import orphans
from arena.seats import folders
from arena.seats.remote import without_interrupts

P = ParamSpec("P")
T = TypeVar("T")

PRELOAD = ("arena.table", "arena.seats.preload", "click")
"""Imported once, by the fork server. `click`, because each process imports the program's main script anew."""

GRACE_S = 5.0
"""How long a worker that is let go may take to end its wardens and remove its table's folder."""


class WorkerLost(Exception):  # noqa: N818 - reads as what happened
    """A worker process ended before it gave its result: our failure, never a bot's."""


class WorkersGone(UserError):  # noqa: N818 - reads as what happened
    """Nobody is left who could take a call, and nobody will come; says what to do about it."""


class Process(Protocol):
    """A started process, as `multiprocessing` has it."""

    @property
    def pid(self) -> int | None:
        """Its number."""

    @property
    def exitcode(self) -> int | None:
        """None while it runs; below zero the signal that ended it."""

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, or so many seconds."""

    def kill(self) -> None:
        """End it at once."""

    def close(self) -> None:
        """Let go of what is known of an ended one."""


Launch = Callable[[str, Connection, Connection], Process]
"""Starts a process under a name that lives as `serve` on these two ends."""

Work = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function and what it is called with."""


def forked(preload: Sequence[str]) -> Launch:
    """Processes from a fork server that has imported these modules."""
    folders.hold_fork_servers()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))

    def launch(name: str, calls: Connection, life: Connection) -> Process:
        process = context.Process(target=serve, args=(calls, life), name=name)
        with without_interrupts():
            process.start()
        return process

    return launch


class _Call(msgspec.Struct, frozen=True):
    future: Future[Any]
    work: Work


class _Worker(msgspec.Struct, frozen=True):
    """The coordinator's end of one process."""

    process: Process
    calls: Connection
    life: Connection
    """Nothing is ever written here; the process ends when it closes."""


class Workers(Executor):
    """A fixed number of processes, whatever happens to them."""

    def __init__(self, jobs: int, *, preload: Sequence[str] = PRELOAD, launch: Launch | None = None) -> None:
        folders.sweep()
        orphans.begin_run()
        self._launch = launch or forked(preload)
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._workers: dict[int, _Worker] = {}
        self._running: dict[Future[Any], int] = {}
        """The calls that are worked on, with their slots."""
        self._lock = threading.Lock()
        self._closed = self._stopped = False
        self._slots = [
            threading.Thread(target=self._serve, args=(slot,), name=f"slot {slot}", daemon=True)
            for slot in range(jobs)
        ]
        for thread in self._slots:
            thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; both ways it is pickled. The future may fail with WorkerLost."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("these workers are shut down")
            self._calls.put(_Call(future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as Executor has it
        """Let the processes go once the queued calls are done, or the running ones with `cancel_futures`."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in self._slots:
                    self._calls.put(None)
        if cancel_futures:
            self._cancel_queued()
        if wait:
            for thread in self._slots:
                thread.join()

    def stop(self) -> None:
        """Shut down at once: running calls fail with WorkerLost, queued ones are cancelled."""
        self.shutdown(wait=False, cancel_futures=True)  # before any slot is free to take a queued one
        with self._lock:
            self._stopped = True
            for worker in self._workers.values():
                worker.life.close()
        self.shutdown()

    def abandon(self, future: Future[Any]) -> None:
        """Take a call back: from the queue, or by the end of its process, with which it fails as lost.

        Does nothing while its process is only being started; it may be called again.
        """
        if not future.cancel():
            with self._lock:
                worker = self._workers.get(self._running.get(future, -1))
                if worker:
                    worker.life.close()

    @property
    def most(self) -> int:
        """How many calls can be worked on at a time."""
        return len(self._slots)

    def slots(self) -> int:
        """The same, as they are always there."""
        return self.most

    def pids(self) -> list[int]:
        """Processes that are there now, by slot."""
        with self._lock:
            return [worker.process.pid or 0 for _, worker in sorted(self._workers.items())]

    def _cancel_queued(self) -> None:
        queued = []
        with contextlib.suppress(queue.Empty):
            while True:
                queued.append(self._calls.get_nowait())
        for call in queued:
            if call is None:
                self._calls.put(None)
            else:
                call.future.cancel()

    def _serve(self, slot: int) -> None:
        """Life of a slot's thread: one call after the other."""
        while (call := self._calls.get()) is not None:
            if not call.future.set_running_or_notify_cancel():
                continue
            self._running[call.future] = slot
            try:
                result = self._outcome(slot, call.work)
            except Exception as error:  # noqa: BLE001 - whatever it was belongs to whoever holds the future
                del self._running[call.future]
                call.future.set_exception(error)
            else:
                del self._running[call.future]
                call.future.set_result(result)
            del call
        self._let_go(slot)

    def _outcome(self, slot: int, call: Work) -> Any:
        work = pickle.dumps(call)
        worker = self._workers.get(slot) or self._start(slot)
        try:
            worker.calls.send_bytes(work)
            answered = worker.calls.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLost(self._let_go(slot)) from None
        return outcome(answered)

    def _start(self, slot: int) -> _Worker:
        with self._lock:
            if self._stopped:
                raise WorkerLost("the workers were stopped")
            calls, far_calls = multiprocessing.Pipe()
            far_life, life = multiprocessing.Pipe(duplex=False)
            with far_calls, far_life:
                process = self._launch(f"worker {slot}", far_calls, far_life)
            worker = self._workers[slot] = _Worker(process, calls, life)
        return worker

    def _let_go(self, slot: int) -> str:
        """End a slot's process, if it has one, and say how it ended."""
        with self._lock:
            worker = self._workers.pop(slot, None)
            if worker is None:
                return "no worker"
            worker.calls.close()
            worker.process.join(GRACE_S)
            worker.life.close()
            worker.process.join(2 * GRACE_S)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
            code, pid = worker.process.exitcode, worker.process.pid
            worker.process.close()
        return f"worker process {pid} {_ended(code)}"


def _ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    hint = "; was it killed because memory ran out?" if -code == signal.SIGKILL else ""
    return f"was ended by {name}{hint}"


def serve(calls: Connection, life: Connection) -> None:
    """Life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the coordinator decides
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    maker = os.getppid()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while os.getppid() == maker:  # without its fork server no warden could be started from here any more
            done = answer(calls.recv_bytes())
            if os.getppid() == maker:
                calls.send_bytes(done)


def _end_with(life: Connection) -> None:
    """End this process when the coordinator let go of it: first in order, then at once."""
    life.poll(None)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    threading.Event().wait(GRACE_S)
    os._exit(1)


def outcome(answered: bytes) -> Any:
    """What a call came to elsewhere: gives its result, or raises what it raised."""
    done, value = pickle.loads(answered)  # noqa: S301 - written by `answer`
    if not done:
        raise value
    return value


def answer(work: bytes) -> bytes:
    """Do the pickled work of another process; what it came to, for `outcome`."""
    try:
        function, args, kwargs = pickle.loads(work)  # noqa: S301 - written by our own coordinator
        return pickle.dumps((True, function(*args, **kwargs)))
    except Exception as error:  # noqa: BLE001 - raised again where the future is held
        error.add_note(f"In the worker:\n{traceback.format_exc()}")
        try:
            failed = pickle.dumps((False, error))
            pickle.loads(failed)  # noqa: S301 - tells whether it can be read there
        except Exception:  # noqa: BLE001 - an exception may refuse in any way it likes
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
        return failed
