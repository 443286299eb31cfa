"""A workspace with matches that nobody played, whose bots put hostile text wherever they can."""

from pathlib import Path

import msgspec

from arena import deals, transcript
from arena.games import GAMES
from arena.games.base import parse_options
from arena.model import (
    Board,
    Circumstances,
    Clock,
    Decision,
    Entrant,
    Extension,
    FaultKind,
    FaultRecord,
    Late,
    League,
    Load,
    MatchRecord,
    Measurement,
    Outcome,
    TableJob,
    TableResult,
)
from arena.store import Store
from arena.transcript import Transcript

ANN, BAD = Entrant("Ann", "a" * 64), Entrant("\x1b[2Jbad", "b" * 64)
BOARDS = tuple(Board(number, bytes([number]) * 32) for number in (1, 2))
LEAGUE = League("cup", "idiot", 2, {}, Clock(), 2, "bwrap", (Extension((ANN, BAD), 2, bytes(32)),))
CRASH = FaultRecord(1, FaultKind.CRASH, 3)
MEASURED = Circumstances(12.25, 1_000.0, 5.5, 0.75, -11, Load(1.5, 3, 2, 12.5))
SENT = b"\xff\x1b[2J" + b"x" * 2_000


def first_legal(seed: bytes, decisions: int, note: str | None = None) -> Transcript:
    """The beginning of a match of idiot in which everybody plays the first action there is."""
    game = GAMES["idiot"]
    options = parse_options(game.options, {})
    state = game.new(options, 2, 1)
    state.deal(deals.deck(seed, 0, game.deck(options, 2)))
    played = []
    for _ in range(decisions):
        played.append(Decision(state.to_act(), state.legal()[0], note))
        state.play(played[-1].action)
    return Transcript("idiot", 2, {}, 1, seed, (ANN, BAD), tuple(played), (CRASH,))


def record(board: Board, outcome: Outcome, kept: Transcript) -> MatchRecord:
    cost = Measurement(
        wall_ms=9.0,
        seats_wall_ms=(5.4, 2.0),
        seats_cpu_ms=(None, None),
        slowest_ms=(3.6, 1.0),
        fault_details=tuple("exit code \x1b 1" for _ in outcome.faults),
        logs=("hello\nworld\x1b", "".join(f"line {number}\u202e\n" for number in range(20))),
        circumstances=tuple(MEASURED for _ in outcome.faults),
        sent=tuple(SENT for _ in outcome.faults),
    )
    return MatchRecord(board.number, outcome, cost, transcript.write(kept))


def two_matches(folder: Path, *, void: tuple[Late, ...] = ()) -> Path:
    """A clean one of three decisions, and one that ends by a crash after three; gives the workspace."""
    job = TableJob("t1", "idiot", {}, (ANN, BAD), BOARDS, Clock(), "bwrap", "/nowhere")
    clean = Outcome((1.0, 2.0), (9.0, 1.5), 3)
    forfeit = Outcome((1.0, 2.0), None, 3, (CRASH,))
    matches = (
        record(BOARDS[0], clean, msgspec.structs.replace(first_legal(BOARDS[0].seed, 3), faults=())),
        record(BOARDS[1], forfeit, first_legal(BOARDS[1].seed, 3, "so\u202ewhat")),
    )
    with Store.open(folder) as store:
        store.create_league(LEAGUE)
        store.commit("cup", job, TableResult("t1", matches, layers=("seccomp", "namespaces"), void=void))
    return folder
