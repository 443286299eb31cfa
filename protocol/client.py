"""The Python SDK: everything a bot needs to play.

    from protocol.client import run

    def choose(decision):
        return decision.legal[0]

    run(choose)

Standard library and pyzmq alone; a bot over stdio needs not even pyzmq. Print or use `logging` as you like:
what a bot writes to stdout and stderr goes to its log. `protocol.views` has the views of the games as types,
`protocol.cards` helpers for cards.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol, cast

PROTOCOL = 1
MAX_NOTE = 500
"""Characters; the arena refuses longer notes, so they are cut here."""
AT_ONCE = 16
"""Matches that a function is asked about at once."""
TURN_BITS = 32
STDIO = "stdio:"


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins."""

    match: int
    seat: int
    side: int
    seed: int
    """`random` has just been seeded with it: the same seed, the same play. Of a bot that is a function it is
    seeded anew before each question."""
    game: str
    options: dict[str, Any]
    players: int
    matches: int
    """How many matches this table plays."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The time for one decision, all of it together at most `move_ms` + `bank_ms`."""

    move_ms: int
    """What costs nothing."""
    bank_ms: int
    """What is left in the bank of this match."""
    asked_s: float = field(default_factory=time.monotonic, compare=False, repr=False)
    """When the question came, on the monotonic clock."""

    def left_ms(self) -> float:
        """Milliseconds from now to the deadline, the bank included; what it takes to send is not in it."""
        return self.move_ms + self.bank_ms - self.spent_ms()

    def spent_ms(self) -> float:
        """Milliseconds since the question came; up to `move_ms` of them cost nothing."""
        return (time.monotonic() - self.asked_s) * 1e3


@dataclass(frozen=True, slots=True)
class Decision:
    """A question to the bot."""

    match: int
    turn: int
    seat: int
    side: int
    view: Any
    """All that the seat may know: a dictionary, whose type in `protocol.views` says what it holds."""
    events: list[str]
    """What happened since this seat was last asked, oldest first."""
    legal: list[str]
    """Never empty."""
    clock: TimeLeft


@dataclass(frozen=True, slots=True)
class End:
    """A match has ended."""

    match: int
    seat: int
    side: int
    places: list[float]
    """By side, 1 is best; one's own is `places[side]`."""
    scores: list[float] | None
    events: list[str]


Choice = str | tuple[str, str | None]
"""An action, or an action and a note for one's own eyes that is kept with the match."""
Choose = Callable[[Decision], Choice]


class Bot(Protocol):
    """A bot as an object; it may also have `start(start: Start)` and `end(end: End)`."""

    def choose(self, decision: Decision) -> Choice:
        """Answer one question."""
        ...


def run(bot: Bot | Choose, *, simultaneous: int | None = None) -> None:
    """Play until the arena says bye or is gone, then return; the program should end there.

    `simultaneous` is how many matches the bot can hold at once. A function is taken to hold nothing between
    its questions, so unless told otherwise it gets several in one message, which saves most of the way there
    and back; before each, `random` is seeded anew, from the match and the question. An object gets one match
    after the other, unless it says that it can tell them apart.

    An exception of the bot goes through, so that its traceback stands in the log and the exit code is 1.
    """
    endpoint = os.environ.get("ARENA_ENDPOINT")
    if endpoint is None:
        sys.exit("ARENA_ENDPOINT is not set: the arena starts a bot: arena match GAME ./my_bot.py house")
    wire = _claimed or (_StdioWire() if endpoint == STDIO else _ZmqWire(endpoint))
    held = simultaneous or (1 if hasattr(bot, "choose") else AT_ONCE)
    try:
        wire.send(_packed({"type": "hello", "protocol": PROTOCOL, "name": "python", "simultaneous": held}))
        play(bot, wire)
    except _Lost:
        return


def play(bot: Bot | Choose, wire: "Wire") -> None:
    """Play over a wire on which hello was said, until the arena says bye."""
    table = _Table(bot)
    while True:
        message = json.loads(wire.receive())
        if isinstance(message, list):
            wire.send(b"[" + b",".join(map(table.answer, message)) + b"]")
        elif message["type"] == "decide":
            wire.send(table.answer(message))
        elif message["type"] == "bye":
            return
        else:
            table.hear(message)


class _Table:
    """A bot, and what it has to know of the matches that are on."""

    def __init__(self, bot: Bot | Choose) -> None:
        self._bot = bot
        self._object = hasattr(bot, "choose")
        self._choose: Choose = getattr(bot, "choose", None) or cast("Choose", bot)
        self._welcome: dict[str, Any] = {}
        self._seated: dict[int, dict[str, Any]] = {}
        """By match: how it was announced."""

    def hear(self, message: dict[str, Any]) -> None:
        """Take in what asks for no answer; a type that is not known is a later arena's."""
        match message["type"]:
            case "welcome":
                self._welcome = message
            case "start":
                self._start(message)
            case "end":
                self._end(message)
            case "fault":
                sys.stderr.write(f"fault {message['kind']}: {message['detail']}\n")

    def _start(self, message: dict[str, Any]) -> None:
        self._seated[message["match"]] = message
        random.seed(message["seed"])
        hook: Callable[[Start], None] | None = getattr(self._bot, "start", None)
        if hook is not None:
            start = Start(
                match=message["match"],
                seat=message["seat"],
                side=message["side"],
                seed=message["seed"],
                game=self._welcome["game"],
                options=self._welcome["options"],
                players=self._welcome["players"],
                matches=self._welcome["matches"],
            )
            hook(start)

    def _end(self, message: dict[str, Any]) -> None:
        seated = self._seated.pop(message["match"])
        hook: Callable[[End], None] | None = getattr(self._bot, "end", None)
        if hook is not None:
            end = End(
                match=message["match"],
                seat=seated["seat"],
                side=seated["side"],
                places=message["places"],
                scores=message["scores"],
                events=message["events"],
            )
            hook(end)

    def answer(self, message: dict[str, Any]) -> bytes:
        """Have one question answered; the message that says it."""
        seated = self._seated[message["match"]]
        if not self._object:  # whichever other matches are on, it draws the same in this one
            random.seed(seated["seed"] << TURN_BITS | message["turn"])
        decision = Decision(
            match=message["match"],
            turn=message["turn"],
            seat=seated["seat"],
            side=seated["side"],
            view=message["view"],
            events=message["events"],
            legal=message["legal"],
            clock=TimeLeft(message["clock"]["move_ms"], message["clock"]["bank_ms"]),
        )
        choice = self._choose(decision)
        action, note = choice if isinstance(choice, tuple) else (choice, None)
        if not isinstance(action, str):
            raise TypeError(
                f"choose gave {choice!r}, allowed is an action (str) or a tuple of action and note"
            )
        answer = {"type": "action", "match": decision.match, "turn": decision.turn, "action": action}
        return _packed(answer if note is None else {**answer, "note": str(note)[:MAX_NOTE]})


def _packed(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


class _Lost(Exception):  # noqa: N818 - an event, not an error
    """The arena is gone: time to end."""


class Wire(Protocol):
    """How messages come and go."""

    def receive(self) -> bytes:
        """Wait for one message; raises _Lost."""
        ...

    def send(self, data: bytes) -> None:
        """Hand over one message; raises _Lost."""
        ...


class _ZmqWire:
    """One DEALER socket with the one connection that the arena allows."""

    def __init__(self, endpoint: str) -> None:
        import zmq  # noqa: PLC0415 - a bot over stdio starts without it

        self._zmq = zmq
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = 0
        self._socket.reconnect_ivl = -1  # a second connection would be a fault
        # libzmq does not tell a DEALER that its peer is gone; its monitor does.
        ends = zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_CONNECT_RETRIED
        failures = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
        self._monitor = self._socket.get_monitor_socket(ends | failures)
        self._socket.connect(endpoint)

    def receive(self) -> bytes:
        while True:
            try:
                return self._socket.recv(self._zmq.NOBLOCK)
            except self._zmq.Again:
                self._wait(self._zmq.POLLIN)

    def send(self, data: bytes) -> None:
        while True:
            try:
                self._socket.send(data, self._zmq.NOBLOCK)
            except self._zmq.Again:
                self._wait(self._zmq.POLLOUT)
            else:
                return

    def _wait(self, wanted: int) -> None:
        """Return when the socket is ready; raises _Lost when it never will be."""
        poller = self._zmq.Poller()
        poller.register(self._socket, wanted)
        poller.register(self._monitor, self._zmq.POLLIN)
        ready = dict(poller.poll())
        if self._socket in ready:
            return
        # The last message may have come between the two looks: it was there before the monitor spoke.
        if not self._socket.poll(0, wanted):
            raise _Lost


class _StdioWire:
    """JSON lines on private copies of stdin and stdout; the bot's own are turned away from the wire."""

    def __init__(self) -> None:
        self._input: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._output: BinaryIO = os.fdopen(os.dup(1), "wb")
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - pathlib would be one more import
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    def receive(self) -> bytes:
        line = self._input.readline()
        if not line.endswith(b"\n"):
            raise _Lost
        return line

    def send(self, data: bytes) -> None:
        try:
            self._output.write(data + b"\n")
            self._output.flush()
        except BrokenPipeError:
            raise _Lost from None


# Claimed as soon as the SDK is imported: a print between the import and `run` is a log line already.
_claimed: Wire | None = _StdioWire() if os.environ.get("ARENA_ENDPOINT") == STDIO else None
