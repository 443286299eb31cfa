"""The arena's end of one real bot process, for tests of the SDK and of the sample bots."""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import zmq

from protocol.codec import decode_bot, encode
from protocol.messages import (
    VERSION,
    Action,
    ArenaMessage,
    Clock,
    Decide,
    End,
    Hello,
    Start,
    TimeLeft,
    Welcome,
)

ROOT = Path(__file__).parent.parent
PATIENCE_S = 20
"""More than any step takes on a loaded machine; a step that takes it has failed."""

PYTHON = (sys.executable, "-B")
OURS = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
"""Environment in which a bot finds the SDK."""


class Wire(Protocol):
    def send(self, data: bytes) -> None: ...
    def receive(self) -> bytes: ...
    def close(self) -> None: ...


class ZmqWire:
    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self.socket = socket
        self.peer = b""

    def send(self, data: bytes) -> None:
        self.socket.send_multipart([self.peer, data])

    def receive(self) -> bytes:
        self.peer, data = self.socket.recv_multipart()
        return data

    def close(self) -> None:
        self.socket.close(linger=0)


class PipeWire:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.buffer = b""

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")

    def receive(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
            assert ready, "the bot says nothing"
            piece = os.read(self.process.stdout.fileno(), 65536)
            assert piece, "the bot closed its output"
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


class Peer:
    """One bot, as the arena sees it."""

    def __init__(self, process: "subprocess.Popen[bytes]", wire: Wire, log: Path) -> None:
        self.process = process
        self.wire = wire
        self.log = log

    def say(self, *messages: ArenaMessage) -> None:
        for message in messages:
            self.wire.send(encode(message))

    def hear(self) -> Hello | Action:
        return decode_bot(self.wire.receive())

    def welcome(self, *, game: str = "idiot", players: int = 2) -> None:
        """Greet it, and begin match 1 with it in seat 0."""
        hello = self.hear()
        assert isinstance(hello, Hello)
        self.say(Welcome(VERSION, game, {}, players, Clock(1000, 10000, 10000), 1), start())

    def ask(self, question: Decide) -> Action:
        self.say(question)
        answer = self.hear()
        assert isinstance(answer, Action)
        return answer

    def hang_up(self) -> None:
        self.wire.close()

    def exit_code(self) -> int:
        return self.process.wait(PATIENCE_S)

    def written(self) -> str:
        """What the bot wrote to its log, once it has ended."""
        self.exit_code()
        return self.log.read_text("utf-8")


def start(match: int = 1, *, seed: int = 7) -> Start:
    return Start(match, 0, 0, seed)


def decide(*legal: str, match: int = 1, turn: int = 1, view: dict[str, object] | None = None) -> Decide:
    return Decide(match, turn, view or {}, (), legal, TimeLeft(1000, 10000))


def end(match: int = 1) -> End:
    return End(match, (1.0, 2.0), None, ("0 out 1",))


@contextmanager
def bot_over(
    transport: str, argv: Sequence[str], *, folder: Path, env: Mapping[str, str] = OURS
) -> Iterator[Peer]:
    """Start a bot in a folder, and see to it that nothing of it is left."""
    with {"zmq": _over_zmq, "stdio": _over_stdio}[transport](argv, folder, env) as peer:
        yield peer


@contextmanager
def _over_zmq(argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Peer]:
    with tempfile.TemporaryDirectory(prefix="bot-") as own, zmq.Context() as context:
        router = context.socket(zmq.ROUTER)
        router.rcvtimeo = router.sndtimeo = PATIENCE_S * 1000
        endpoint = f"ipc://{own}/s"
        router.bind(endpoint)
        log = Path(own) / "log"
        with (
            log.open("wb") as out,
            _started(
                argv,
                folder,
                {**env, "ARENA_ENDPOINT": endpoint},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            ) as process,
        ):
            wire = ZmqWire(router)
            yield Peer(process, wire, log)
            wire.close()


@contextmanager
def _over_stdio(argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Peer]:
    with tempfile.TemporaryDirectory(prefix="bot-") as own:
        log = Path(own) / "log"
        pipe = subprocess.PIPE
        with (
            log.open("wb") as out,
            _started(
                argv, folder, {**env, "ARENA_ENDPOINT": "stdio:"}, stdin=pipe, stdout=pipe, stderr=out
            ) as process,
        ):
            yield Peer(process, PipeWire(process), log)


@contextmanager
def _started(
    argv: Sequence[str], folder: Path, env: Mapping[str, str], **streams: object
) -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(argv, cwd=folder, env=env, bufsize=0, **streams)
    with process:
        try:
            yield process
        finally:
            process.kill()
