"""What one seat hears at a table, written down: for bots to be tried on without an arena."""

import dataclasses
import functools
import random
from hashlib import sha256

from arena.games import GAMES
from arena.model import HOUSE, Answer, Board, Clock, Entrant, Question, SeatFault, TableJob
from arena.seats.local import Local
from arena.table import play_table
from protocol.codec import encode
from protocol.messages import ArenaMessage, Bye, Decide, End, Start, TimeLeft, Welcome

QUESTIONS = 40
"""At most, of a table: enough to come past the first phases of every game."""


class _Recorder(Local):
    """Plays by chance, so that much comes about, and keeps what it hears."""

    def __init__(self, game: str) -> None:
        self.heard: list[ArenaMessage] = []
        self._asked = 0
        self._chance = random.Random(game)  # noqa: S311 - the same at any time

    def ready(self, welcome: Welcome) -> SeatFault | None:
        self.heard.append(welcome)
        return None

    def start(self, start: Start) -> None:
        self.heard.append(start)

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        self._asked += 1
        if self._asked <= QUESTIONS:
            left = TimeLeft(Clock().move_ms, int(question.bank_ms))
            self.heard.append(
                Decide(match, question.turn, question.view, question.events, question.legal, left)
            )
        return Answer(self._chance.choice(question.legal), wall_ms=0.0)

    def end(self, end: End) -> None:
        self.heard.append(end)


@functools.cache
def recorded(game: str) -> str:
    """The messages of a table to one seat, each a line; the same at any time."""
    seats = min(GAMES[game].players)
    recorder = _Recorder(game)
    job = TableJob(
        key=f"recorded-{game}",
        game=game,
        options=dataclasses.asdict(GAMES[game].options()),
        seating=(Entrant("recorder", "recorder-1"), *[HOUSE] * (seats - 1)),
        boards=(Board(1, sha256(f"recorded {game}".encode()).digest()),),
        clock=Clock(),
        sandbox="plain",
        submissions="",
    )
    play_table(job, guests={0: recorder})
    lines = (encode(message) for message in (*recorder.heard, Bye("the table has ended")))
    return "".join(f"{line.decode()}\n" for line in lines)
