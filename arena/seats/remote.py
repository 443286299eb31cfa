"""The referee's end of a seat whose bot runs in a box, behind a warden."""

import contextlib
import multiprocessing
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from arena.model import Answer, Circumstances, Clock, FaultKind, Question, SeatFault
from arena.sandbox import Box, SandboxError, orphans
from arena.seats import folders, warden
from arena.seats.link import (
    Ask,
    Broken,
    Command,
    Expel,
    Heard,
    Link,
    Log,
    Refused,
    Reply,
    Report,
    Tell,
    WardenLost,
    pair,
)
from protocol.codec import encode, encode_together
from protocol.messages import MAX_BYTES, Bye, Decide, End, Fault, Hello, Start, TimeLeft, Welcome
from protocol.session import Session, Violation
from protocol.text import escaped_lines

PRELOAD = ("arena.seats.preload",)
"""What the fork server imports once, so that a warden is there in milliseconds."""
LAUNCH_S = 30.0
"""On top of a bot's own time to start: the first fork server and the walls, on a loaded machine."""
REPLY_S = 10.0
"""On top of a warden's own deadline: far more than a reply takes; only a warden that hangs misses it."""
GRACE_MS = 500.0
"""How long a bot may take to end by itself when it was told goodbye; most take 20 ms."""
FAULT_GRACE_MS = 100.0
"""The same after a fault: enough to read why."""
JOIN_S = 10.0
"""How long a warden may take to end when it was let go; it waits for the kernel to end the box."""
CRASHES = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV}
"""Ends of a warden that its bot has brought about: nobody kills by these."""
LOG_CHARACTERS = 100_000
"""Above what is kept of a log, also when each byte needs an escape or two."""

_context = multiprocessing.get_context("forkserver")


class Remote:
    """A `Seat` behind a warden. After a fault it can be called again: with a fresh process."""

    def __init__(
        self, folder: Path, seat: int, box: Callable[[str], Box], *, backend: str, clock: Clock
    ) -> None:
        """Prepare; `folder` is for sockets, `box` gives the box for a process whose socket has that path."""
        self._folder = folder
        self._seat = seat
        self._box = box
        self._backend = backend
        self._clock = clock
        self._calls = 0
        self._session = Session()
        self._hello: Hello | None = None
        self._link: Link | None = None
        """None when no bot is there. While one is, its warden lives as long as this is open."""
        self._dismissed = False
        self._felled: Broken | None = None
        """What is told of a bot that took its own warden down."""
        self._processes: list[ForkServerProcess] = []
        """Wardens that were started and whose end was not waited for."""

    def call(self) -> None:
        """Start a warden, which starts the bot."""
        assert self._link is None
        self._calls += 1
        name = f"{self._seat}.{self._calls}"  # of its own, also for a second process of the same seat
        plan = warden.Plan(
            name=name,
            folder=str(self._folder),
            backend=self._backend,
            box=self._box(str(self._folder / name)),
            start_ms=self._clock.start_ms,
            cores=tuple(os.sched_getaffinity(0)),
        )
        self._session, self._dismissed, self._felled = Session(), False, None
        self._link, theirs = pair()
        with theirs, without_main(), without_interrupts():
            orphans.begin_run()
            folders.of_fork_servers()
            _context.set_forkserver_preload(list(PRELOAD))
            process = _context.Process(target=warden.run, args=(plan, theirs), name=f"warden {name}")
            process.start()
            self._processes.append(process)

    def ready(self, welcome: Welcome) -> SeatFault | None:
        """Wait for the hello and answer it."""
        head, payload = self._reply(self._clock.start_ms / 1_000 + LAUNCH_S)
        if isinstance(head, Broken):
            return _broken(head, payload)
        assert isinstance(head, Heard)
        try:
            self._hello = self._session.hello(payload)
        except Violation as violation:
            return _violated(violation, head, payload)
        self.tell(encode(welcome))
        return None

    def simultaneous(self) -> int:
        """What its hello said."""
        assert self._hello is not None, "it has not said hello"
        return self._hello.simultaneous

    def start(self, start: Start) -> None:
        """Announce a match."""
        self.tell(encode(start))

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Put a question; the warden keeps the time."""
        self._session.asked(match, question.turn)
        self._send(Ask(question.limit_ms), self._decide(match, question))
        head, payload = self._reply(question.limit_ms / 1_000 + REPLY_S)
        if isinstance(head, Broken):
            return _broken(head, payload)
        assert isinstance(head, Heard)
        try:
            action = self._session.answer(payload, before_question=head.early)
        except Violation as violation:
            return _violated(violation, head, payload)
        return Answer(action.action, wall_ms=head.wall_ms, cpu_ms=head.cpu_ms, note=action.note, sent=payload)

    def ask_together(self, questions: Sequence[tuple[int, Question]]) -> list[Answer] | SeatFault:
        """Put several questions in as few messages as have room for them."""
        answers: list[Answer] = []
        for group in self._groups(questions):
            if len(group) == 1:
                reply = self.ask(*group[0][:2])
                found = reply if isinstance(reply, SeatFault) else [reply]
            else:
                found = self._ask_group(group)
            if isinstance(found, SeatFault):
                return found
            answers += found
        return answers

    def _ask_group(self, group: Sequence[tuple[int, Question, bytes]]) -> list[Answer] | SeatFault:
        """Put questions in one message; each answer is charged with its part of the time, by their limits."""
        self._session.asked_together([(match, question.turn) for match, question, _ in group])
        limits_ms = [question.limit_ms for _, question, _ in group]
        limit_ms = sum(limits_ms)
        self._send(Ask(limit_ms), encode_together([data for _, _, data in group]))
        head, payload = self._reply(limit_ms / 1_000 + REPLY_S)
        if isinstance(head, Broken):
            return _broken(head, payload)
        assert isinstance(head, Heard)
        try:
            actions = self._session.answers(payload, before_question=head.early)
        except Violation as violation:
            return _violated(violation, head, payload)
        cpu_ms = head.cpu_ms
        return [
            Answer(
                action.action,
                wall_ms=head.wall_ms * share_ms / limit_ms,
                cpu_ms=None if cpu_ms is None else cpu_ms * share_ms / limit_ms,
                note=action.note,
            )
            for action, share_ms in zip(actions, limits_ms, strict=True)
        ]

    def _groups(
        self, questions: Sequence[tuple[int, Question]]
    ) -> Iterator[list[tuple[int, Question, bytes]]]:
        """Questions with their bytes, as many together as fit into one message."""
        group: list[tuple[int, Question, bytes]] = []
        size = len("[]")
        for match, question in questions:
            data = self._decide(match, question)
            if group and size + len(data) + 1 > MAX_BYTES:
                yield group
                group, size = [], len("[]")
            group.append((match, question, data))
            size += len(data) + 1
        yield group

    def _decide(self, match: int, question: Question) -> bytes:
        return encode(
            Decide(
                match=match,
                turn=question.turn,
                view=question.view,
                events=question.events,
                legal=question.legal,
                clock=TimeLeft(self._clock.move_ms, int(question.bank_ms)),
            )
        )

    def tell(self, message: bytes) -> None:
        """Hand the bot a message of any kind."""
        self._send(Tell(), message)

    def end(self, end: End) -> None:
        """Announce the end of a match."""
        self.tell(encode(end))

    def report(self) -> str:
        """Log of the match; a dismissed bot's comes when it is gone."""
        if not self._dismissed:
            self._send(Report())
        head, payload = self._reply(REPLY_S + JOIN_S)
        assert isinstance(head, Log | Broken)
        if self._dismissed:
            self.release()
        return escaped_lines(payload, LOG_CHARACTERS)

    def dismiss(self, fault: SeatFault | None) -> None:
        """Send the bot away; `report` then waits for its end."""
        if self._link is not None and not self._dismissed:
            self._dismissed = True
            if fault is None:
                self._send(Expel(GRACE_MS), encode(Bye("the table has ended")))
            else:
                turn, match = self._session.turn or None, self._session.match or None
                notice = Fault(fault.kind, fault.detail, match, turn)
                self.tell(encode(notice))
                self._send(Expel(FAULT_GRACE_MS), encode(Bye("a fault forfeits the match")))

    def release(self) -> None:
        """Let go of the warden, which ends with its box, whatever it is doing."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def close(self) -> None:
        """Let go, and wait for the end of every warden that there was."""
        self.release()
        while self._processes:
            process = self._processes.pop()
            process.join(JOIN_S)
            if process.exitcode is None:
                process.kill()  # hangs: the walls of its bot end with it
                process.join()
            process.close()

    def _open(self) -> Link:
        assert self._link is not None, "nobody was called to this seat"
        return self._link

    def _send(self, command: Command, payload: bytes = b"") -> None:
        try:
            self._open().send(command, payload)
        except WardenLost as lost:
            self._blame(lost)

    def _reply(self, wait_s: float) -> tuple[Reply, bytes]:
        try:
            head, payload = self._open().receive(wait_s)
        except WardenLost as lost:
            return self._blame(lost), b""
        if isinstance(head, Refused):
            raise SandboxError(head.reason)
        return head, payload

    def _blame(self, lost: WardenLost) -> Broken:
        """What is told of a bot whose warden is gone by its doing; raises where it was not."""
        if self._felled is None:
            process = self._processes[-1]
            process.join(JOIN_S)
            if process.exitcode == warden.OVER_ITS_LIMITS:
                end = "ran into its own limits"
            elif process.exitcode is not None and -process.exitcode in CRASHES:
                end = f"was ended by {signal.Signals(-process.exitcode).name}"
            else:
                raise WardenLost(f"{lost} ({process.name}, exit code {process.exitcode})") from None
            detail = f"took its own warden down, which {end} over what it did"
            self._felled = Broken(FaultKind.MALFORMED, detail, Circumstances())
        return self._felled


def _broken(head: Broken, payload: bytes) -> SeatFault:
    return SeatFault(head.kind, head.detail, sent=payload, circumstances=head.circumstances)


def _violated(violation: Violation, head: Heard, payload: bytes) -> SeatFault:
    measured = Circumstances() if head.early else Circumstances(wall_ms=head.wall_ms, cpu_ms=head.cpu_ms)
    return SeatFault(violation.kind, violation.detail, sent=payload, circumstances=measured)


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Within, a started process does not import the program's main script, which it has no use for.

    It would do so each time, and take longer than everything else about its start.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Within, a started process is deaf to Ctrl-C from its first instruction on; here it comes afterwards.

    The fork server makes itself deaf too, but only when it has imported what it preloads.
    """
    resource_tracker.ensure_running()  # starting it would let signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
