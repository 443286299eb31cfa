"""What a decision costs through box and warden, against bare ZeroMQ with the same bytes.

Both sides are pinned to one core, as a table is. The bot is the same on both: a pyzmq DEALER that answers
without looking at more than match and turn; with 16 at once it gets them in one message, as a bot that said
`simultaneous` does. Rounds are interleaved; the table shows medians. Without a process the house bot plays
whole matches of Idiot, with the codec as if it were asked over the wire. Whole tables are of Idiot between
two bots of the SDK: one at a time, on one core (where bots can be stopped) and on any, and two.

Example:
  python -m benchmarks.bench_table --rounds 9 --decisions 1000 --backend bwrap
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import zmq

from arena import deals, referee, runtimes, table
from arena.games import GAMES
from arena.league.workers import Workers
from arena.model import Answer, Board, Clock, Entrant, Question, TableJob, TableResult
from arena.sandbox import Box, Limits
from arena.seats.local import Local
from arena.seats.remote import Remote
from benchmarks import common
from protocol import messages
from protocol.codec import decode_bot, encode

CLOCK = Clock()
AT_ONCE = 16
BOT = """
import os, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.linger = 0
socket.connect(os.environ["ARENA_ENDPOINT"])
socket.send(b'{"type":"hello","protocol":1,"name":"bench","simultaneous":16}')


def answer(question):
    begin = question.index(b'"match":')
    place = question[begin : question.index(b",", question.index(b'"turn":', begin))]
    return b'{"type":"action",' + place + b',"action":"pickup"}'


while True:
    question = socket.recv()
    if question.startswith(b'{"type":"decide"'):
        socket.send(answer(question))
    elif question.startswith(b"["):
        socket.send(b"[" + b",".join(map(answer, question.split(b'{"type":"decide"')[1:])) + b"]")
"""
ANSWER = encode(messages.Action(1, 1, "pickup"))


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
    with (
        tempfile.TemporaryDirectory() as folder,
        zmq.Context() as context,
        context.socket(zmq.ROUTER) as router,
    ):
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
def seats(backend: str, number: int) -> Iterator[list[Remote]]:
    """Seats as a table has them, before anybody was called; each bot is `BOT`."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o711)
        program = folder / "bot"
        program.mkdir()
        (program / "main.py").write_text(BOT, "utf-8")
        manifest = runtimes.read_manifest(program)
        walled, limits = backend != "plain", Limits(cpu_s=1_000)

        def seat(number: int) -> Remote:
            def box(path: str) -> Box:
                return runtimes.box(manifest, program, walled=walled, limits=limits, socket=path, seat=number)

            return Remote(folder, number, box, backend=backend, clock=CLOCK)

        made = [seat(number) for number in range(number)]
        for each in made:
            stack.callback(each.close)
        yield made


def seated(made: list[Remote]) -> None:
    """Call the seats together and welcome them, as a table does."""
    clock = messages.Clock(CLOCK.move_ms, CLOCK.bank_ms, CLOCK.start_ms)
    for seat in made:
        seat.call()
    for seat in made:
        assert seat.ready(messages.Welcome(1, "idiot", {}, 2, clock, 1)) is None


def asked(seat: Remote, question: Question, turn: int, at_once: int = 1) -> None:
    now = Question(0, turn, question.view, question.events, question.legal, 11_000.0, 10_000.0)
    if at_once == 1:
        assert isinstance(seat.ask(1, now), Answer)
    else:
        answers = seat.ask_together([(match, now) for match in range(1, at_once + 1)])
        assert isinstance(answers, list), answers


@contextmanager
def through_walls(question: Question, backend: str, at_once: int = 1) -> Iterator[Callable[[int], float]]:
    """A seat as a table has it, with so many matches on: codec, warden, box."""
    with seats(backend, 1) as (seat,):
        seated([seat])
        turn = 0

        def ask(decisions: int) -> float:
            nonlocal turn
            began = time.perf_counter()
            for _ in range(decisions // at_once):
                turn += 1
                asked(seat, question, turn, at_once)
            return (time.perf_counter() - began) / (decisions // at_once * at_once) * 1e6

        yield ask


def start_ms(question: Question, backend: str) -> float:
    """Two seats, from nothing to the first answer."""
    with seats(backend, 2) as made:
        began = time.perf_counter()
        seated(made)
        asked(made[0], question, 1)
        return (time.perf_counter() - began) * 1e3


def bare_start_ms() -> float:
    """An interpreter that imports zmq and ends."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import zmq"], check=True)
    return (time.perf_counter() - began) * 1e3


def inside(decisions: int, *, codec: bool) -> float:
    """Referee, engine and view alone, with the house bot on both seats of Idiot.

    With `codec`, each question is made bytes and an answer read from bytes, too.
    """
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
            game,
            game.new(options, 2, 1),
            players=2,
            deck=lambda k, s=seed: deals.deck(s, k, cards),
            clock=CLOCK,
        )
        question = next(match)
        try:
            while True:
                if codec:
                    decide(question, question.turn)
                    decode_bot(ANSWER)
                question = match.send(seat.ask(1, question))
                played += 1
        except StopIteration:
            pass
    return (time.perf_counter() - began) / played * 1e6


SDK_BOT = "from protocol.client import run\nrun(lambda decision: decision.legal[0])\n"


@contextmanager
def tables(backend: str) -> Iterator[TableJob]:
    """A table between two bots that use the SDK, to be played again and again."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        program = Path(folder, "bot")
        program.mkdir()
        (program / "main.py").write_text(SDK_BOT, "utf-8")
        boards = tuple(Board(number, number.to_bytes(32, "big")) for number in range(1, 5))
        two = (Entrant("bot", "bot"),) * 2
        yield TableJob("table", "idiot", {}, two, boards, CLOCK, backend, folder)


def us_of(played: TableResult) -> float:
    """What a decision took at a table, without the start of its bots."""
    wall_ms = sum(match.measurement.wall_ms for match in played.matches)
    return wall_ms / sum(match.outcome.decisions for match in played.matches) * 1e3


def at_a_time(workers: Workers, job: TableJob) -> float:
    """What a decision takes with a table for each worker, all together."""
    futures = [workers.submit(table.play_table, job) for _ in range(workers.most)]
    return 1 / sum(1 / us_of(future.result()) for future in futures)


def anywhere(play: Callable[[], float]) -> float:
    """Play without choosing a core."""
    choose, table.one_core = table.one_core, lambda: nullcontext(False)
    try:
        return play()
    finally:
        table.one_core = choose


def exchanges(backend: str, rounds: int, decisions: int) -> None:
    """What one question and its answer cost; on the core that this process has."""
    question = sample()
    through = f"seat through {backend} and warden"
    together, inner = f"{through}, {AT_ONCE} at once", "referee, engine, view and codec, no process"
    with (
        bare(question) as alone,
        through_walls(question, backend) as seat,
        through_walls(question, backend, AT_ONCE) as many,
    ):
        runs: dict[str, Callable[[], float]] = {
            "bare DEALER-ROUTER": lambda: alone(decisions),
            through: lambda: seat(decisions),
            together: lambda: many(decisions),
            inner: lambda: inside(decisions, codec=True),
            inner.replace(", view and codec", " and view"): lambda: inside(decisions, codec=False),
        }
        found = common.in_turns(runs, rounds)
    goals = {through: 2.2, together: 0.6, inner: 0.6}
    print(common.compared(f"a decision, question of {len(decide(question, 1))} bytes", "us", found, goals))
    bare_us, *others = found.values()
    plain = statistics.median(bare_us)
    for what, found_us in (
        ("a decision through box and warden", others[0]),
        (f"one of {AT_ONCE} at once", others[1]),
        ("the referee's part of it, a move of Idiot with its view and codec,", others[2]),
    ):
        costs, times = statistics.median(found_us), common.ratio(found_us, bare_us)
        common.in_short(
            f"{what} takes {costs:.0f} us, "
            f"bare ZeroMQ with the same bytes {plain:.0f} us ({times.median:.2f} times)."
        )


def starts(backend: str, rounds: int) -> None:
    """What it takes until a table's bots play."""
    question, ours = sample(), f"two seats in {backend}, to the first answer"
    runs: dict[str, Callable[[], float]] = {
        'python -c "import zmq"': bare_start_ms,
        ours: lambda: start_ms(question, backend),
    }
    print(common.compared("a start", "ms", common.in_turns(runs, rounds), {ours: 2.5}))


def whole_tables(backend: str, rounds: int, cores: int) -> None:
    """What a decision costs when real bots play whole tables, on cores that the tables choose."""
    with tables(backend) as job, Workers(1) as one, Workers(2) as two:
        runs: dict[str, Callable[[], float]] = {
            "on one core": lambda: at_a_time(one, job),
            f"on any of {cores}": lambda: anywhere(lambda: us_of(table.play_table(job))),
        }
        two_at_once = "two tables at once, each on its core"
        if cores > 1:
            runs[two_at_once] = lambda: at_a_time(two, job)
        found = common.in_turns(runs, rounds)
    print(common.compared("a decision at tables of two", "us", found, {two_at_once: 1 / 1.9}))


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--decisions", type=int, default=1_000)
    parser.add_argument("--backend", default="bwrap")
    wanted = parser.parse_args()
    cores = os.sched_getaffinity(0)
    whole_tables(wanted.backend, wanted.rounds, len(cores))  # first, while the fork server has all cores, too
    os.sched_setaffinity(0, {min(cores)})
    print()
    exchanges(wanted.backend, wanted.rounds, wanted.decisions)
    print()
    starts(wanted.backend, wanted.rounds)
    os.sched_setaffinity(0, cores)
    print(
        f"\n{wanted.rounds} rounds in turns of {wanted.decisions} decisions, "
        f"libzmq {zmq.zmq_version()}; {common.machine()}"
    )


if __name__ == "__main__":
    main()
