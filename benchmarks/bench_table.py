"""What a decision costs through box and warden, against bare ZeroMQ with the same bytes.

    python benchmarks/bench_table.py [--rounds 9] [--decisions 1000] [--backend bwrap]

Both sides are pinned to one core, as a table is. The bot is the same on both: a pyzmq DEALER that answers
without looking at more than the turn. Rounds are interleaved; the table shows medians.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import zmq
from tabulate import tabulate

from arena import deals, referee, runtimes
from arena.games import GAMES
from arena.model import Answer, Clock, Question
from arena.sandbox import Limits
from arena.seats.base import Seat
from arena.seats.local import Local
from arena.seats.remote import Remote
from protocol import messages
from protocol.codec import encode

CLOCK = Clock()
BOT = '''
import os, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.linger = 0
socket.connect(os.environ["ARENA_ENDPOINT"])
socket.send(b'{"type":"hello","protocol":1,"name":"bench"}')
while True:
    question = socket.recv()
    if question.startswith(b'{"type":"decide"'):
        turn = question[question.index(b'"turn":') + 7 :].split(b",", 1)[0]
        socket.send(b'{"type":"action","match":1,"turn":' + turn + b',"action":"pickup"}')
'''


def sample() -> Question:
    """A question of middling size from a real match of Idiot."""
    game = GAMES["idiot"]
    options = game.options()
    cards = game.deck(options, 2)
    match = referee.play(
        game, game.new(options, 2, 1), players=2, deck=lambda k: deals.deck(bytes(32), k, cards), clock=CLOCK
    )
    question = next(match)
    for _ in range(20):
        question = match.send(Answer(question.legal[0], wall_ms=0))
    return question


def decide(question: Question, turn: int) -> bytes:
    left = messages.TimeLeft(CLOCK.move_ms, CLOCK.bank_ms)
    return encode(messages.Decide(1, turn, question.view, question.events, question.legal, left))


@contextmanager
def bare(question: Question) -> Iterator[Callable[[int], float]]:
    """DEALER and ROUTER alone; the question is made once."""
    with tempfile.TemporaryDirectory() as folder, zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        endpoint = f"ipc://{folder}/s"
        router.linger = 0
        router.bind(endpoint)
        bot = subprocess.Popen([sys.executable, "-c", BOT], env=os.environ | {"ARENA_ENDPOINT": endpoint})
        peer, _ = router.recv_multipart()
        asked = 0

        def ask(decisions: int) -> float:
            nonlocal asked
            asked += 1
            payload = decide(question, asked)
            began = time.perf_counter()
            for _ in range(decisions):
                router.send_multipart([peer, payload])
                router.recv_multipart()
            return (time.perf_counter() - began) / decisions * 1e6

        yield ask
        bot.kill()
        bot.wait()


@contextmanager
def walled(question: Question, backend: str) -> Iterator[Callable[[int], float]]:
    """A seat as a table has it: codec, warden, box."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        program = folder / "bot"
        program.mkdir()
        (program / "main.py").write_text(BOT, "utf-8")
        manifest = runtimes.read_manifest(program)
        seat: Seat = Remote(
            folder,
            0,
            lambda path: runtimes.box(
                manifest, program, walled=backend != "plain", limits=Limits(cpu_s=1_000), socket=path, seat=0
            ),
            backend=backend,
            clock=CLOCK,
        )
        stack.callback(seat.close)
        seat.call()
        clock = messages.Clock(CLOCK.move_ms, CLOCK.bank_ms, CLOCK.start_ms)
        assert seat.ready(messages.Welcome(1, "idiot", {}, 2, clock, 1)) is None
        asked = 0

        def ask(decisions: int) -> float:
            nonlocal asked
            began = time.perf_counter()
            for _ in range(decisions):
                asked += 1
                turn = Question(0, asked, question.view, question.events, question.legal, 11_000.0, 10_000.0)
                assert isinstance(seat.ask(1, turn), Answer)
            return (time.perf_counter() - began) / decisions * 1e6

        yield ask


def inside(decisions: int) -> float:
    """Referee, engine and view alone, with the house bot on both seats of Idiot."""
    game = GAMES["idiot"]
    options = game.options()
    cards = game.deck(options, 2)
    seat = Local()
    played = 0
    began = time.perf_counter()
    board = 0
    while played < decisions:
        board += 1
        seed = board.to_bytes(32, "big")
        match = referee.play(
            game, game.new(options, 2, 1), players=2, deck=lambda k, s=seed: deals.deck(s, k, cards), clock=CLOCK
        )
        question = next(match)
        try:
            while True:
                question = match.send(seat.ask(1, question))
                played += 1
        except StopIteration:
            pass
    return (time.perf_counter() - began) / played * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--decisions", type=int, default=1_000)
    parser.add_argument("--backend", default="bwrap")
    wanted = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    question = sample()
    times: dict[str, list[float]] = {}
    with bare(question) as alone, walled(question, wanted.backend) as seated:
        runs = {
            "bare DEALER-ROUTER": alone,
            f"seat through {wanted.backend} and warden": seated,
            "referee, engine and view, no bot process": inside,
        }
        for run in runs.values():
            run(wanted.decisions // 5)
        for _ in range(wanted.rounds):
            for name, run in runs.items():
                times.setdefault(name, []).append(run(wanted.decisions))
    base = times["bare DEALER-ROUTER"]
    rows = [
        (
            name,
            statistics.median(found),
            statistics.median(mine / bare for mine, bare in zip(found, base, strict=True)),
        )
        for name, found in times.items()
    ]
    print(f"{platform.machine()}, Python {platform.python_version()}, libzmq {zmq.zmq_version()}, one core")
    print(f"question of {len(decide(question, 1))} bytes, {wanted.rounds} rounds of {wanted.decisions}")
    print(tabulate(rows, ("path", "us per decision", "ratio to bare"), floatfmt=".2f"))


if __name__ == "__main__":
    main()
