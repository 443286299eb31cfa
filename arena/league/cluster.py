"""Tables on the machines of a Dask cluster, for the runner as local workers are.

Dask knows who is there, and carries calls and results. What is played where is decided here, as simply as
between local workers: each hired Dask worker has a slot for each of its threads, and each slot takes the
next table of one queue. No task may run but on the worker it was given to, so Dask repeats none by itself.

    submit --> queue --> slot of a hired worker --task--> Dask worker (`arena.league.hired`) --> result
                          |  the worker is gone: its tables fail with WorkerLost, each alone
                          |  the scheduler is gone, or nobody can play for a while: all fail with WorkersGone

All of it happens in one thread with an event loop; the runner's only puts tables into the queue.
"""

import asyncio
import concurrent.futures
import hashlib
import logging
import pickle
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, Self, TypeVar
from uuid import uuid4

import dask
import msgspec
from distributed import Client

from arena import __version__
from arena.grid import counted
from arena.league import hired
from arena.league.hired import Hiring, Unhired
from arena.league.runner import Tell
from arena.league.workers import WorkerLost, WorkersGone, outcome
from arena.model import League, TableJob, TableResult, UserError
from arena.store import Store
from arena.submissions.parcels import packed

P = ParamSpec("P")
T = TypeVar("T")
Play = Callable[[TableJob], TableResult]

LOOK_S = 1.0
"""How often to look who is there."""
CLOSE_S = 5.0
"""For saying goodbye to the scheduler."""
LARGE = {"distributed.admin.large-graph-warning-threshold": "64MiB"}
"""Above the largest parcel: Dask would warn of those that are much smaller."""


class Patience(msgspec.Struct, frozen=True):
    """How long to wait for others."""

    scheduler_s: float = 20.0
    """For it to answer at first, and whenever it is asked who is there."""
    workers_s: float = 60.0
    """While nobody is there who can play."""


USUAL = Patience()


class _Call(msgspec.Struct, frozen=True):
    future: Future[TableResult]
    play: Play
    job: TableJob


class Cluster:
    """Whoever of a cluster can play a league; they may come and go meanwhile."""

    def __init__(  # noqa: PLR0913 - where, what, and who is told
        self,
        address: str,
        hiring: Hiring,
        *,
        submissions: Path,
        jobs: int,
        tell: Tell,
        patience: Patience,
    ) -> None:
        """Reach the scheduler, or raise WorkersGone.

        `tell` hears in another thread who came, and who cannot play.
        """
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is said in our words
        dask.config.set(LARGE)
        self._address, self._hiring, self._submissions = address, hiring, submissions
        self._tell, self._patience = tell, patience
        self.most = jobs
        self._slots = self._preparing = 0
        self._edition = hired.edition()
        self._lock = threading.Lock()
        self._open: set[Future[TableResult]] = set()
        self._gone: WorkersGone | None = None
        self._closed = False
        self._staff: dict[str, asyncio.Task[None]] = {}
        """Of each worker that is there: its hiring, and then its slots."""
        self._idle: dict[str, str] = {}
        """Workers that play nothing, and why not."""
        self._reached: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="cluster", daemon=True)
        self._thread.start()
        self._reached.result()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the cluster once all that was submitted is done."""
        with self._lock:
            self._closed = True
        concurrent.futures.wait(list(self._open))
        self._end()

    def slots(self) -> int:
        """Tables that can be played at a time, as it is now."""
        return min(self._slots, self.most)

    def submit(self, play: Play, job: TableJob) -> Future[TableResult]:
        """Queue a table. The future may fail with WorkerLost or WorkersGone."""
        future: Future[TableResult] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("this cluster is let go")
            if self._gone:
                future.set_exception(self._gone)
                return future
            self._open.add(future)
            self._loop.call_soon_threadsafe(self._queue.put_nowait, _Call(future, play, job))
        future.add_done_callback(self._open.discard)
        return future

    def stop(self) -> None:
        """Let go at once: running tables fail with WorkerLost, queued ones are cancelled."""
        with self._lock:
            self._closed = True
        for future in list(self._open):
            future.cancel()
        self._end()

    def _end(self) -> None:
        with suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    # From here on all is in the thread of the loop.

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[_Call] = asyncio.Queue()
        self._ending = asyncio.Event()
        self._room = asyncio.Semaphore(self.most)
        try:
            client = await self._connected()
        except WorkersGone as gone:
            self._reached.set_exception(gone)
            return
        self._reached.set_result(None)
        looking = asyncio.create_task(self._look_after(client))
        ending = asyncio.create_task(self._ending.wait())
        await asyncio.wait({looking, ending}, return_when=asyncio.FIRST_COMPLETED)
        if looking.done():
            with self._lock:
                self._gone = _gone(looking.exception())
        await _cancelled(looking, ending, *self._staff.values())
        while not self._queue.empty():
            call = self._queue.get_nowait()
            if call.future.set_running_or_notify_cancel():
                call.future.set_exception(self._gone or WorkerLost("the cluster was let go"))
        await _closed(client)

    async def _connected(self) -> Client:
        within_s = self._patience.scheduler_s
        client = Client(
            self._address, asynchronous=True, timeout=within_s, set_as_default=False, name="arena"
        )
        try:
            await client
        except (OSError, TypeError, ValueError, RuntimeError) as error:
            await _closed(client)
            raise WorkersGone(
                f"no scheduler of a Dask cluster could be reached at {self._address} within "
                f"{within_s:.0f} s ({error}); on the machine of that address type: dask scheduler"
            ) from None
        return client

    async def _look_after(self, client: Client) -> None:
        """Hire who comes; ends only by raising WorkersGone."""
        last = time.monotonic()
        while True:
            await self._look(client)
            if self._slots or self._preparing:
                last = time.monotonic()
            elif time.monotonic() - last >= self._patience.workers_s:
                raise WorkersGone(self._nobody())
            await asyncio.sleep(LOOK_S)

    async def _look(self, client: Client) -> None:
        """Employ who is there and was not, and let go of who was there and is not."""
        there = await self._there(client)
        for address in self._staff.keys() - there:
            self._staff.pop(address).cancel()
            self._idle.pop(address, None)
        for address in there.keys() - self._staff:
            self._staff[address] = asyncio.create_task(self._employ(client, address, there[address]))

    async def _there(self, client: Client) -> dict[str, int]:
        """Ask who is there, with how many threads."""
        asked = asyncio.create_task(client.nthreads())
        deadline = time.monotonic() + self._patience.scheduler_s
        try:
            while client.status == "running" and not asked.done() and time.monotonic() < deadline:
                await asyncio.wait({asked}, timeout=LOOK_S)
            if client.status == "running" and asked.done() and not asked.exception():
                return dict(asked.result())
        finally:
            await _cancelled(asked)
        raise WorkersGone(f"the scheduler at {self._address} is gone, and with it the workers")

    def _nobody(self) -> str:
        waited = f"for {self._patience.workers_s:.0f} s there was no worker at {self._address} that can play"
        if not self._idle:
            return f"{waited}; on each machine that is to play type: dask worker {self._address}"
        return "; ".join([waited, *(f"{address} {why}" for address, why in sorted(self._idle.items()))])

    async def _employ(self, client: Client, address: str, threads: int) -> None:
        self._idle[address] = "has not answered yet, and may be busy with other work"
        try:
            await self._hire(client, address)
        except Exception as error:  # noqa: BLE001 - whatever is wrong there, the league goes on with the others
            self._idle[address] = f"cannot play: {_reason(error)}"
            self._tell(f"worker {address} {self._idle[address]}")
            return
        del self._idle[address]
        self._slots += threads
        self._tell(f"worker {address} plays {counted(threads, 'table')} at a time")
        try:
            async with asyncio.TaskGroup() as slots:
                for _ in range(threads):
                    slots.create_task(self._serve(client, address))
        except* Unhired:
            self._staff.pop(address, None)
        finally:
            self._slots -= threads

    async def _hire(self, client: Client, address: str) -> None:
        """Make a worker ready; raises UserError, or what else keeps it from playing."""
        theirs = await self._edition_of(client, address)
        if theirs != self._edition:
            raise UserError(f"it has card-arena {theirs}, and here is {self._edition}; {INSTALL}")
        self._preparing += 1
        try:
            for version in await _call(client, address, hired.enter, self._hiring):
                parcel = await asyncio.to_thread(packed, self._submissions / version)
                await _call(client, address, hired.take, self._hiring.run, version, parcel)
            await _call(client, address, hired.prepare, self._hiring.run)
        finally:
            self._preparing -= 1

    async def _edition_of(self, client: Client, address: str) -> str:
        try:
            return await _call(client, address, hired.edition)
        except (ImportError, AttributeError) as error:
            raise UserError(f"it has no card-arena {__version__} with Dask ({error}); {INSTALL}") from None

    async def _serve(self, client: Client, address: str) -> None:
        """Life of a slot: one table after the other."""
        while True:
            async with self._room:
                call = await self._queue.get()
                if call.future.set_running_or_notify_cancel():
                    await self._play(client, address, call)

    async def _play(self, client: Client, address: str, call: _Call) -> None:
        try:
            result = await _call(client, address, hired.play, self._hiring.run, call.play, call.job)
        except asyncio.CancelledError:
            call.future.set_exception(self._gone or WorkerLost(f"worker {address} is gone"))
            raise
        except Unhired as unhired:
            call.future.set_exception(unhired)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was belongs to whoever holds the future
            call.future.set_exception(error)
        else:
            call.future.set_result(result)


def crew(address: str, store: Store, league: League) -> Callable[[int, Tell], Cluster]:
    """Whoever of the cluster at an address can play a league, for `runner.run`."""
    place = f"{socket.gethostname()}\0{store.workspace.resolve()}\0{league.name}"
    hiring = Hiring(
        run=uuid4().hex,
        league=hashlib.sha256(place.encode()).hexdigest(),
        sandbox=league.sandbox,
        entrants=league.extensions[-1].entrants,
    )

    def hire(jobs: int, tell: Tell) -> Cluster:
        return Cluster(address, hiring, submissions=store.submissions, jobs=jobs, tell=tell, patience=USUAL)

    return hire


ANSWER = "__import__('arena.league.workers', fromlist=['answer']).answer(work)"
INSTALL = f"type there: pip install 'card-arena[cluster]=={__version__}', and start it again"


async def _call(
    client: Client, address: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function in a thread of a Dask worker and nowhere else; taken back when this is cancelled."""
    future = client.submit(
        eval,  # a task whose function is not to be found there would end the whole Dask worker
        ANSWER,
        {"work": pickle.dumps((function, args, kwargs))},
        key=f"arena-{uuid4().hex}",
        workers=[address],
        allow_other_workers=False,
        retries=0,
    )
    try:
        result: T = outcome(await future)
    except concurrent.futures.CancelledError:
        raise WorkerLost(f"worker {address} is gone") from None
    finally:
        future.release()
    return result


async def _closed(client: Client) -> None:
    with suppress(OSError, TimeoutError):
        await asyncio.wait_for(client.close(), CLOSE_S)


async def _cancelled(*tasks: "asyncio.Task[object]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _gone(error: BaseException | None) -> WorkersGone:
    return error if isinstance(error, WorkersGone) else WorkersGone(f"the cluster was lost: {error!r}")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
