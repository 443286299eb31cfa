"""Plays what a league is missing: one coordinator, its crew, and a store that only the coordinator writes.

Tables are handed out in the order of the schedule, but never two at a time that have a deal in common
(`arena.league.waiting`), and committed as they finish, each in one transaction. What stands in the store is
never played again, so the same call goes on wherever an earlier one was stopped.

    tables that are missing --submit--> workers --done--> commit --> progress
             ^                             |
             +------ lost or failed <------+     three times: the league stops with the reason
"""

import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import msgspec

from arena.league.course import Course, course_of
from arena.league.schedule import size_of
from arena.league.waiting import Waiting, enough_ahead
from arena.league.workers import Workers, WorkersGone
from arena.model import League, TableJob, TableResult, UserError
from arena.overload import reason
from arena.store import Store
from arena.table import play_fairly

TRIES = 3
"""How often a table is tried before its failure, which is ours and not a bot's, stops the league."""

QUEUED_PER_WORKER = 2
"""Tables handed out at a time: one that is played and one that waits, so that no worker ever does."""


class LeagueStopped(Exception):  # noqa: N818 - reads as what happened
    """The league cannot go on through a failure of ours; what was reported is kept, the rest not scored."""


class Progress(msgspec.Struct, frozen=True):
    """How far a run is, after each table."""

    done: int
    """Tables that stand in the store, those of earlier runs included."""
    total: int
    played: int
    """Tables of this run."""
    elapsed_s: float
    at_most: bool = False
    """Whether the league may end before so many tables as `total` says."""
    void: int = 0
    """Tables of this run that were played twice, since the machine was to blame the first time."""

    @property
    def tables_per_s(self) -> float:
        """Mean over this run; 0.0 before its first table."""
        return self.played / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Time to the end at this rate, at most where the league may end before; None without a rate."""
        rate = self.tables_per_s
        return (self.total - self.done) / rate if rate else None


class Ran(msgspec.Struct, frozen=True):
    """How a run ended that did not fail."""

    progress: Progress
    end: str | None
    """Why the league ended; None when Ctrl-C ended the run before."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it before its last table."""
        return self.end is None


class Listener(Protocol):
    """Who is told how a run goes on; called from the coordinator's thread."""

    def progress(self, progress: Progress) -> None:
        """Hear of a table that was committed; called once before the first one, too."""

    def say(self, sentence: str) -> None:
        """Hear of what a user should know now: a table played again, an interruption."""


class Crew(AbstractContextManager[Any], Protocol):
    """Who plays the tables: an executor of which each call may fail alone.

    Left as a context it waits for all that was submitted.
    """

    @property
    def most(self) -> int:
        """Tables that it will ever play at a time."""

    def slots(self) -> int:
        """Tables that it can play at a time as it is now; none while nobody is there."""

    def submit(self, play: Callable[[TableJob], TableResult], job: TableJob, /) -> Future[TableResult]:
        """Queue a table; where nobody is left to play it, the future fails with WorkersGone."""

    def stop(self) -> None:
        """Let go at once: running tables fail, queued ones are cancelled."""


Tell = Callable[[str], None]
"""Takes a sentence for the listener, in any thread."""


def local(jobs: int, tell: Tell) -> Crew:
    """Processes of this machine."""
    del tell
    return Workers(jobs)


class _Attempt(msgspec.Struct, frozen=True):
    job: TableJob
    number: int


class _Interrupt:
    """Ctrl-C, in the queue of events."""


class _News(msgspec.Struct, frozen=True):
    """What the crew tells."""

    sentence: str


Events = queue.SimpleQueue[Future[TableResult] | _Interrupt | _News]


def run(  # noqa: PLR0913 - which league, who plays it, who is told
    store: Store,
    name: str,
    *,
    jobs: int,
    listener: Listener,
    play: Callable[[TableJob], TableResult] = play_fairly,
    crew: Callable[[int, Tell], Crew] = local,
) -> Ran:
    """Play all tables of a league that are missing, at most so many at a time.

    The results depend neither on how many there are nor on how often this was interrupted. The first Ctrl-C
    lets the running tables finish, the second discards them. Raises LeagueStopped; UserError when the league
    is not there or is being run by another process.
    """
    with store.running(name):
        league = store.chosen_league(name)
        try:
            coordinator = _Coordinator(store, league, listener, lambda tell: crew(jobs, tell), play)
        except WorkersGone as gone:
            raise LeagueStopped(str(gone)) from gone
        return coordinator.run(course_of(store, league))


class _Coordinator:
    """One run. All of it happens in the calling thread; workers and signals only put events in its queue."""

    def __init__(
        self,
        store: Store,
        league: League,
        listener: Listener,
        hire: Callable[[Tell], Crew],
        play: Callable[[TableJob], TableResult],
    ) -> None:
        self._store = store
        self._league = league
        self._listener = listener
        self._play = play
        self._events: Events = queue.SimpleQueue()
        self._crew = hire(lambda sentence: self._events.put(_News(sentence)))
        self._out: dict[Future[TableResult], _Attempt] = {}
        self._played = 0
        self._void = 0
        self._interrupts = 0
        self._failure: LeagueStopped | None = None

    def run(self, course: Course) -> Ran:
        started, done, size = time.monotonic(), len(course.finished), size_of(self._league)

        def progress() -> Progress:
            elapsed_s = time.monotonic() - started
            return Progress(
                done + self._played, size.tables, self._played, elapsed_s, size.at_most, self._void
            )

        self._listener.progress(progress())
        with _interrupts_to(self._events), self._crew:
            try:
                ended = self._follow(course, lambda: self._listener.progress(progress()))
            except BaseException:
                self._crew.stop()
                raise
        if self._failure:
            raise self._failure
        end = self._store.ended(self._league.name, lambda: course.end.reason) if ended else None
        return Ran(progress(), end)

    def _follow(self, course: Course, committed: Callable[[], None]) -> bool:
        """Play batch after batch; says whether the last one was played wholly."""
        ahead = enough_ahead(self._crew.most * QUEUED_PER_WORKER, self._league.players)
        return all(self._loop(Waiting(batch, ahead=ahead), committed) for batch in course.batches())

    def _loop(self, waiting: Waiting, committed: Callable[[], None]) -> bool:
        """Play one batch; says whether it was played wholly."""
        while self._interrupts < 2:
            while not self._draining() and len(self._out) < self._window() and (job := waiting.take()):
                self._submit(_Attempt(job, 1))
            if not self._out:
                return self._failure is None and waiting.take() is None
            event = self._events.get()
            if isinstance(event, _Interrupt):
                self._interrupt()
                continue
            if isinstance(event, _News):
                self._listener.say(event.sentence)
                continue
            attempt = self._out.pop(event)
            if self._settle(event, attempt):
                waiting.done(attempt.job)
                committed()
        return False

    def _window(self) -> int:
        """How many tables may be out; one that waits for whoever comes, while nobody is there."""
        return max(self._crew.slots(), 1) * QUEUED_PER_WORKER

    def _draining(self) -> bool:
        return self._interrupts > 0 or self._failure is not None

    def _submit(self, attempt: _Attempt) -> None:
        future = self._crew.submit(self._play, attempt.job)
        self._out[future] = attempt
        future.add_done_callback(self._events.put)

    def _settle(self, future: Future[TableResult], attempt: _Attempt) -> bool:
        """Commit a table that was played, try one again that was not; says whether it was committed."""
        if future.cancelled():
            return False
        error = future.exception()
        if error is None:
            self._commit(attempt.job, future.result())
            return True
        if isinstance(error, WorkersGone):
            raise LeagueStopped(str(error)) from error
        self._assure_workspace()
        if attempt.number == TRIES:
            self._fail(attempt, error)
        elif not self._draining():
            self._listener.say(f"table {attempt.job.key} is played again: {_reason(error)}")
            self._submit(_Attempt(attempt.job, attempt.number + 1))
        return False

    def _assure_workspace(self) -> None:
        """A table cannot be played where the bots' programs are gone, however often it is tried."""
        try:
            self._store.assure_there()
        except UserError as error:
            raise LeagueStopped(str(error)) from error

    def _commit(self, job: TableJob, result: TableResult) -> None:
        try:
            self._store.commit(self._league.name, job, result)
        except UserError as error:
            raise LeagueStopped(f"table {job.key} could not be written: {error}") from error
        self._played += 1
        if result.void:
            self._void += 1
            why = reason(result.void[0], job.seating)
            self._listener.say(f"table {job.key} was void and was played again: {why}")

    def _fail(self, attempt: _Attempt, error: BaseException) -> None:
        seating = ", ".join(entrant.name for entrant in attempt.job.seating)
        failure = LeagueStopped(
            f"table {attempt.job.key} ({seating}) could not be played in {TRIES} tries: {_reason(error)}"
        )
        failure.__cause__ = error
        self._failure = self._failure or failure
        self._cancel_queued()

    def _interrupt(self) -> None:
        self._interrupts += 1
        self._cancel_queued()
        if self._interrupts > 1:
            self._crew.stop()
        elif self._out:
            running = sum(not future.done() for future in self._out)
            self._listener.say(f"finishing {running} running tables; Ctrl-C again discards them")

    def _cancel_queued(self) -> None:
        for future in list(self._out):
            future.cancel()


def _reason(error: BaseException) -> str:
    if isinstance(error, UserError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@contextmanager
def _interrupts_to(events: Events) -> Iterator[None]:
    """Turn Ctrl-C into an event; outside the main thread, where Python gives no signals, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGINT, lambda _number, _frame: events.put(_Interrupt()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)
