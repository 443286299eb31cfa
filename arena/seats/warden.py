"""The warden: a small trusted process between one bot and the referee.

    referee --packets--> WARDEN --unix socket, ZMTP--> bot in its box
                        |    |  (or lines on pipes)
                        |    +--log pipe---- its stdout and stderr
                        +--pidfd------------ whether the box is still there

Theory of operation. One process, one thread, one poller. A warden is in one of these states:

    HELLO --a message--> IDLE --Ask--> ANSWER --a message--> IDLE ... --Expel--> LEAVING --> GONE
      |                   |              |                                          |
      +-------------------+--------------+--a fault--> BROKEN --Expel---------------+

It reads no JSON: whether a message is in form and in its place is the referee's matter. A fault in HELLO or
ANSWER is told at once, one in IDLE when the referee asks next: so what a bot does out of its turn is seen at
the same point of the match whenever it does it. The first cause counts. A message nobody asked for is kept
and given as the (early) answer to the next question; until then nothing more is read from the bot.

A bot is at rest while it is not its turn, where the machine can stop a box: from a moment after its answer to
the next question, or to its goodbye. Its clock starts when it was woken. While it runs, its memory is looked
at now and then, where the kernel does not do that by itself.

It ends when the link closes, of which the referee's process holds the only other end: whoever lets go, or
dies, takes the box and its socket along.
"""

import contextlib
import errno
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path

import msgspec

from arena.model import Circumstances, FaultKind, ended
from arena.sandbox import BACKENDS, Box, Boxed, SandboxError
from arena.sandbox.load import load
from arena.sandbox.usage import Usage, since
from arena.seats.channel import PIECE, Channel, Closed
from arena.seats.headtail import HeadTail
from arena.seats.lines import Lines
from arena.seats.link import Ask, Broken, Command, Expel, Heard, Line, Log, Refused, Report, Tell
from arena.seats.wire import MAX_BYTES, WireViolation
from arena.seats.zmtp import Zmtp
from protocol.text import escaped

MAX_OUTPUT = 16 * 1024 * 1024
"""Bytes of stdout and stderr that one process may write."""
MAX_UNREAD = 512 * 1024
"""Bytes that may wait for a bot that does not read; a question and all that goes before it is less."""
REST_AFTER_NS = 1_000_000
"""From an answer to the rest. In a quick exchange nobody is put to rest, which costs both sides about 50 us
a time; and a bot that works on meanwhile takes no more than this, and what its timer is late."""
TIMER_SLACK_NS = 3_000_000
"""By so much our timers may be late: a rest, a look, the end of a bot's time. They go off with the kernel's
next tick, and none has to be set for the rest that each answer begins and the next question ends; setting
one is an eighth of a decision on a virtual machine."""
NEVER = sys.maxsize
EXIT_WAIT_NS = 200_000_000
"""How long a closed connection waits for the exit that it is probably part of."""
GAUGE_PART, GAUGE_NS = 100, 1_000_000
"""After this part of its time, and not before a millisecond of it, what a bot has had of the processor is
looked at, to be compared if it is late. Quick answers cost nothing by that."""
LAST_WORDS = 200
"""Characters of a bot's last line of output that the detail of its end repeats."""
MEMORY_BYTES = 256 * 1024 * 1024
"""Address space of a warden, which uses a tenth of it."""
DESCRIPTORS = 64
"""Open files of a warden; it needs about 20."""
OVER_ITS_LIMITS = 75
"""Exit code of a warden that ran into one of these, which only its bot can bring about."""


class Plan(msgspec.Struct, frozen=True):
    """Everything a warden needs to know."""

    name: str
    """What `ps` shows behind "warden": its seat, and the number of the process in that seat."""
    folder: str
    """The table's own, where its sockets lie."""
    backend: str
    box: Box
    start_ms: int
    cores: tuple[int, ...]
    """Where it runs, and its bot."""


class State(Enum):
    """What a warden waits for."""

    HELLO = auto()
    IDLE = auto()
    ANSWER = auto()
    BROKEN = auto()
    LEAVING = auto()
    GONE = auto()


class Bot(msgspec.Struct, frozen=True):
    """The warden's ends of everything that leads to a started bot."""

    boxed: Boxed
    log: int
    listener: socket.socket | None
    """Where a ZeroMQ bot connects; None for a bot on pipes."""
    channel: Channel | None
    """None until a ZeroMQ bot has connected."""


def run(plan: Plan, end: socket.socket) -> None:
    """Live a warden's life; the target of its process. `end` is its end of the link."""
    _settle(plan)
    with contextlib.ExitStack() as stack:
        try:
            bot = _launch(plan, stack)
        except SandboxError as error:
            bot, problem = None, str(error)
        _limit()
        line = Line(end)
        if bot is None:
            line.send(Refused(problem))
            return
        warden = Warden(bot, line, start_ms=plan.start_ms)
        with _limits_told():
            warden.serve()
    if warden.state is not State.GONE:  # the table did not end in order: nobody else may be left to clean up
        shutil.rmtree(plan.folder, ignore_errors=True)


def _settle(plan: Plan) -> None:
    os.setsid()  # an interrupt from the terminal is for the runner alone
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # the bot's mask is to be as ever
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    os.sched_setaffinity(0, plan.cores)  # the fork server runs anywhere
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(f"warden {plan.name}"[:15], "ascii")  # what ps and top show


def _limit() -> None:
    """Bound ourselves; after the box was started, which would inherit it."""
    for kind, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_NOFILE, DESCRIPTORS)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/timerslack_ns").write_text(str(TIMER_SLACK_NS), "ascii")


@contextlib.contextmanager
def _limits_told() -> Iterator[None]:
    """Within, running into the limits ends the process with an exit code of its own."""
    try:
        yield
    except MemoryError:
        sys.exit(OVER_ITS_LIMITS)
    except OSError as error:
        if error.errno == errno.EMFILE:
            sys.exit(OVER_ITS_LIMITS)
        raise


def _launch(plan: Plan, stack: contextlib.ExitStack) -> Bot:
    """Start the bot; the stack takes everything down again."""
    with contextlib.ExitStack() as given:  # the bot's ends, of which it has copies
        log, log_end = os.pipe()
        stack.callback(os.close, log)
        given.callback(os.close, log_end)
        os.set_blocking(log, False)
        listener, channel = None, None
        if plan.box.socket is not None:
            listener = _listen(plan.box.socket, stack)
            stdin, stdout = os.open(os.devnull, os.O_RDONLY), log_end
        else:
            stdin, questions = os.pipe()
            answers, stdout = os.pipe()
            given.callback(os.close, stdout)
            channel = Channel(answers, questions, Lines())
        given.callback(os.close, stdin)
        boxed = BACKENDS[plan.backend].launch(plan.box, stdin=stdin, stdout=stdout, stderr=log_end)
        stack.callback(boxed.close)
    return Bot(boxed, log, listener, channel)


def _listen(path: str, stack: contextlib.ExitStack) -> socket.socket:
    listener = stack.enter_context(socket.socket(socket.AF_UNIX))
    listener.setblocking(False)
    try:
        listener.bind(path)
        stack.callback(Path(path).unlink, missing_ok=True)
        Path(path).chmod(0o600)  # a backend that starts the bot as somebody else hands it over
    except OSError as error:  # the disk is full, or the table was given up meanwhile
        raise SandboxError(f"no socket can be made at {path}: {error.strerror}") from None
    listener.listen()
    return listener


class Warden:
    """One bot process, from its start to its end."""

    def __init__(self, bot: Bot, line: Line, *, start_ms: int) -> None:
        """Take charge of a bot that was started just now."""
        self.state = State.HELLO
        self._boxed, self._line = bot.boxed, line
        self._log: int | None = bot.log
        self._listener, self._channel = bot.listener, bot.channel
        self._now = self._asked = time.monotonic_ns()
        self._asked_cpu_ms: float | None = None
        self._gauge_at: int | None = None
        self._gauged: tuple[float, Usage] | None = (0.0, Usage())
        """CPU time of the bot from the question to the look at its box, and what was seen; None before."""
        self._limit_ms: float = start_ms
        self._deadline: int | None = self._now + start_ms * 1_000_000
        self._watch_ns = None if bot.boxed.watch_ms is None else int(bot.boxed.watch_ms * 1e6)
        self._weigh_at: int | None = None
        self._rest_at: int | None = None
        self._rests = False
        self._greeted = self._closed = self._ended = False
        self._early: bytes | None = None
        self._broken: tuple[Broken | Refused, bytes] | None = None
        self._output = HeadTail()
        self._written = 0
        self._masks: dict[int, int] = {}
        self._poller = select.epoll()
        self._watch()
        self._wake()

    def serve(self) -> None:
        """Live until the referee lets go."""
        while True:
            # Who was stopped, and went on after its time, is told of no event by the first look.
            ready = dict(self._poller.poll(self._wait_s()) or self._poller.poll(0))
            self._now = time.monotonic_ns()
            self._look(ready)
            if self._line.fd in ready:
                command = self._line.receive()
                if command is None:
                    return
                self._obey(*command)
            if self._gauge_at is not None and self._now >= self._gauge_at:
                self._gauge()
            if self._deadline is not None and self._now >= self._deadline:
                self._too_late()
            if self._weigh_at is not None and self._now >= self._weigh_at:
                self._weigh()
            if self._rest_at is not None and self._now >= self._rest_at:
                self._rest()

    # What the referee says

    def _obey(self, command: Command, payload: bytes) -> None:
        match command:
            case Ask(limit_ms):
                self._ask(limit_ms, payload)
            case Tell() if self._greeted:
                self._hand(payload)
            case Report():
                self._drain()
                self._tell_log()
            case Expel(grace_ms):
                self._expel(grace_ms, payload)
            case _:
                pass  # news for a bot that never said hello

    def _ask(self, limit_ms: float, payload: bytes) -> None:
        idle = self.state is State.IDLE and self._early is None
        if idle and self._channel is not None and self._channel.unfinished():
            self._hear()  # the rest of what came before the question
        if self._broken is not None:
            self._line.send(*self._broken)
        elif self._early is not None:
            self._line.send(Heard(0.0, None, early=True), self._early)
        else:
            self.state, self._limit_ms, self._gauged = State.ANSWER, limit_ms, None
            self._wake()
            self._asked_cpu_ms = self._boxed.cpu_ms()
            self._asked = time.monotonic_ns()
            if not self._closed:  # else it is a matter of moments until we know how it ended
                self._deadline = self._asked + int(limit_ms * 1e6)
                self._gauge_at = self._asked + self._until_gauge_ns()
                self._hand(payload)

    def _hand(self, payload: bytes) -> None:
        """Hand a message to the bot, or as much of it as it takes now."""
        if self._closed or self._channel is None:
            return
        try:
            self._channel.send(payload)
        except Closed:
            self._hear()
            self._hang_up()
        if self._channel.unread():
            self._watch()
            if self._channel.unread() > MAX_UNREAD:
                self._fail(FaultKind.TIMEOUT, f"does not read: {self._channel.unread()} bytes wait for it")

    def _tell_log(self) -> None:
        self._line.send(Log(), self._output.text())
        self._output = HeadTail()

    def _expel(self, grace_ms: float, payload: bytes) -> None:
        """Let the bot hear why, and end by itself if it likes."""
        self.state = State.LEAVING
        self._deadline = self._now + int(grace_ms * 1e6)
        self._wake()
        if self._greeted:
            self._hand(payload)
        self._watch()
        if not self._greeted or self._closed or self._ended:
            self._leave()

    def _leave(self) -> None:
        """Take the box down and give the last report."""
        self._note_end()
        self._watch()
        self._boxed.close()
        self._drain_all()
        self._tell_log()
        self.state, self._deadline = State.GONE, None
        self._watch()

    # What the poller says

    def _look(self, ready: dict[int, int]) -> None:
        """See to what is ready: messages first and the end of the process last, whatever came in first."""
        if self._channel is not None and self._channel.reads in ready:
            self._hear()
        if self._channel is not None and ready.get(self._channel.writes, 0) & ~select.EPOLLIN:
            self._flush()
        if self._log in ready:
            self._drain()
        if self._listener is not None and self._listener.fileno() in ready:
            self._admit(self._listener)
        if not self._ended and self._boxed.pidfd in ready:
            self._see_end()

    def _hear(self) -> bool:
        """Take what one read brings; whether there may be more."""
        if self._channel is None or self._closed:
            return False
        try:
            for message in self._channel.messages():
                self._take(message)
        except WireViolation as violation:
            self._fail(FaultKind.MALFORMED, str(violation))
            return False
        except Closed:
            self._hang_up()
            return False
        if self._channel.unread():
            self._watch()
        return not self._channel.dry

    def _take(self, message: bytes) -> None:
        if self.state in (State.HELLO, State.ANSWER):
            # What is here when we look came in since we looked last, which was before the deadline: that we
            # come late ourselves, on a busy machine, is not charged to the bot.
            wall_ms = min((self._now - self._asked) / 1e6, self._limit_ms)
            self._greeted = True
            self.state, self._deadline, self._gauge_at = State.IDLE, None, None
            self._line.send(Heard(wall_ms, self._used_ms(), early=False), message)
            self._rest_at = self._now + REST_AFTER_NS
        elif self.state is State.IDLE and self._early is None:
            self._early = message
            self._watch()

    def _flush(self) -> None:
        """Hand over more of what waits for the bot."""
        if self._channel is not None and not self._closed:
            try:
                self._channel.flush()
            except Closed:
                self._hear()
                self._hang_up()
            self._watch()

    def _drain(self) -> bool:
        """Take what one read of the log brings; whether there may be more."""
        if self._log is None:
            return False
        try:
            data = os.read(self._log, PIECE)
        except BlockingIOError:
            return False
        self._written += len(data)
        self._output.add(data)
        if not data or self._written > MAX_OUTPUT:
            self._log = None
            self._watch()
        if self._written > MAX_OUTPUT:
            self._fail(FaultKind.OUTPUT, f"over {MAX_OUTPUT} bytes on stdout and stderr, the most allowed")
            self._boxed.kill()
        return self._log is not None

    def _drain_all(self) -> None:
        while self._drain():
            pass

    def _admit(self, listener: socket.socket) -> None:
        """Accept the one connection; any other is a fault."""
        try:
            connection, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # came and went
        if self._channel is not None:
            connection.close()
            self._fail(FaultKind.MALFORMED, "a second connection; one is allowed for the life of a process")
            return
        descriptor = connection.detach()
        self._channel = Channel(descriptor, descriptor, Zmtp())
        self._flush()

    def _hang_up(self) -> None:
        """Note that the connection is closed: mostly the process is ending, and its status says more."""
        if self._closed:
            return
        self._closed = True
        self._wake()  # so that it can end
        if self._listens():
            until = self._now + EXIT_WAIT_NS
            self._deadline = until if self._deadline is None else min(self._deadline, until)
        self._watch()

    def _see_end(self) -> None:
        """Everything in the box is gone: hear what it still said, then name the cause."""
        self._note_end()
        self._watch()
        if self.state is State.LEAVING:
            self._leave()
            return
        while self._listens() and self._hear():
            pass
        self._drain_all()
        try:
            self._fail(*self._cause_of_end())
        except SandboxError as error:
            self._conclude(Refused(str(error)), b"")

    def _too_late(self) -> None:
        if self.state is State.LEAVING:
            self._leave()
        elif self._closed:
            self._fail(FaultKind.CRASH, "closed its connection and ran on")
        else:
            self._fail(FaultKind.TIMEOUT, self._what_was_missing(), late=True)

    # What the clock says

    def _rest(self) -> None:
        """Stop the bot until it is woken."""
        self._rest_at = None
        self._rests = self._boxed.freeze()
        if self._rests:
            self._weigh_at = None

    def _wake(self) -> None:
        """Have the bot run, until it is put to rest."""
        self._rest_at = None
        if self._rests:
            self._boxed.thaw()
            self._rests = False
        self._weigh_later()

    def _weigh(self) -> None:
        """See whether the box has grown too large."""
        found = self._boxed.over_memory()
        if found is None:
            self._weigh_later()
        else:
            self._weigh_at = None
            self._fail(FaultKind.MEMORY, found)
            self._boxed.kill()

    def _weigh_later(self) -> None:
        if self._watch_ns is not None and not self._ended:
            self._weigh_at = self._now + self._watch_ns

    def _gauge(self) -> None:
        """See what the bot has had of the processor so far."""
        self._gauge_at = None
        seen = self._boxed.usage()
        self._gauged = None if seen is None else (self._used_ms() or 0.0, seen)

    def _until_gauge_ns(self) -> int:
        return max(GAUGE_NS, int(self._limit_ms * 1e6) // GAUGE_PART)

    def _note_end(self) -> None:
        """Nothing is left that could run."""
        self._ended, self._rests = True, False
        self._weigh_at = self._rest_at = None

    # Naming the cause

    def _fail(self, kind: FaultKind, detail: str, *, late: bool = False) -> None:
        """Note the first fault of the bot."""
        if not self._listens():
            return
        status = self._boxed.poll() if self._ended and kind is FaultKind.CRASH else None
        sent = b"" if self._channel is None else self._channel.rest()[:MAX_BYTES]
        if self.state is State.HELLO and kind in (FaultKind.CRASH, FaultKind.TIMEOUT):
            kind = FaultKind.START
        self._conclude(Broken(kind, detail, self._circumstances(status, late=late)), sent)

    def _circumstances(self, status: int | None, *, late: bool) -> Circumstances:
        """What can be measured of a fault that is seen now."""
        if self.state is State.IDLE:
            return Circumstances(exit=status)
        cpu_ms, waited_ms = self._used_ms(), None
        usage = self._boxed.usage()
        if self._gauged is not None and usage is not None:
            before_ms, before = self._gauged
            cpu_ms, waited_ms = since(before, usage)
            cpu_ms += before_ms
        return Circumstances(
            wall_ms=(self._now - self._asked) / 1e6,
            limit_ms=self._limit_ms if late else None,
            cpu_ms=cpu_ms,
            waited_ms=waited_ms,
            exit=status,
            load=load() if late else None,
        )

    def _conclude(self, verdict: Broken | Refused, sent: bytes) -> None:
        """Tell the referee, now or when it asks; nothing more is heard."""
        if self.state is not State.IDLE:
            self._line.send(verdict, sent)
        self._broken = verdict, sent
        self.state, self._deadline, self._gauge_at = State.BROKEN, None, None
        if not self._ended:
            self._rest_at = self._now + REST_AFTER_NS
        self._watch()

    def _cause_of_end(self) -> tuple[FaultKind, str]:
        found = self._boxed.over_memory()
        return (FaultKind.CRASH, self._how_it_ended()) if found is None else (FaultKind.MEMORY, found)

    def _how_it_ended(self) -> str:
        when = " before hello" if self.state is State.HELLO else ""
        words = escaped(self._output.last_line(), LAST_WORDS)
        return f"{ended(self._boxed.poll())}{when}" + (f"; last words: {words}" if words else "")

    def _what_was_missing(self) -> str:
        what = "hello" if self.state is State.HELLO else "answer"
        missing = f"no {what} within {self._limit_ms:.0f} ms"
        if self._channel is None:
            return f"{missing}: it never connected"
        if self._channel.unread():
            return f"{missing}: {self._channel.unread()} bytes wait to be read by it"
        if self._channel.unfinished():
            return f"{missing}: only {self._channel.unfinished()} bytes of an unfinished message"
        return missing

    # Housekeeping

    def _used_ms(self) -> float | None:
        before, now = self._asked_cpu_ms, self._boxed.cpu_ms()
        return None if before is None or now is None else now - before

    def _wait_s(self) -> float | None:
        """Seconds to whatever is due next, None when nothing is."""
        due = min(
            self._deadline or NEVER, self._gauge_at or NEVER, self._weigh_at or NEVER, self._rest_at or NEVER
        )
        return None if due == NEVER else max(0.0, (due - time.monotonic_ns()) / 1e9)

    def _listens(self) -> bool:
        """Whether anything the bot does can still matter."""
        return self.state in (State.HELLO, State.IDLE, State.ANSWER) and self._early is None

    def _wanted(self) -> dict[int, int]:
        """What to watch, by descriptor."""
        wanted = {self._line.fd: select.EPOLLIN}
        if self._log is not None:
            wanted[self._log] = select.EPOLLIN
        if not self._ended:
            wanted[self._boxed.pidfd] = select.EPOLLIN
        if self._closed:
            return wanted
        listens = self._listens()
        if listens and self._listener is not None:
            wanted[self._listener.fileno()] = select.EPOLLIN
        if self._channel is not None:
            if listens:
                wanted[self._channel.reads] = select.EPOLLIN
            if self._channel.unread():
                wanted[self._channel.writes] = wanted.get(self._channel.writes, 0) | select.EPOLLOUT
        return wanted

    def _watch(self) -> None:
        """Bring the poller up to what is wanted now."""
        wanted = self._wanted()
        for descriptor in self._masks.keys() - wanted.keys():
            self._poller.unregister(descriptor)
        for descriptor, mask in wanted.items():
            if descriptor not in self._masks:
                self._poller.register(descriptor, mask)
            elif self._masks[descriptor] != mask:
                self._poller.modify(descriptor, mask)
        self._masks = wanted
