"""What one seat hears and says at a table, written down: for bots to be tried on without an arena.

`python -m arena.starters.recording` writes `protocol/transcripts` anew.
"""

import dataclasses
import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from arena.games import GAMES
from arena.model import HOUSE, Answer, Board, Clock, Entrant, Question, SeatFault, TableJob
from arena.seats.local import Local
from arena.starters import TRANSCRIPTS
from arena.table import play_table
from protocol.codec import encode
from protocol.messages import (
    VERSION,
    Action,
    ArenaMessage,
    BotMessage,
    Bye,
    Decide,
    End,
    Hello,
    Start,
    TimeLeft,
    Welcome,
)

QUESTIONS = 40
"""At most, of a table: enough to come past the first phases of every game."""


class _Recorder(Local):
    """Plays by chance, so that much comes about, and keeps what it hears."""

    def __init__(self, game: str) -> None:
        self.heard: list[ArenaMessage] = []
        self.said: list[BotMessage] = [Hello(VERSION, "recorder")]
        self._asked = 0
        self._chance = random.Random(game)  # noqa: S311 - the same at any time

    def ready(self, welcome: Welcome) -> SeatFault | None:
        self.heard.append(welcome)
        return None

    def start(self, start: Start) -> None:
        self.heard.append(start)

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        self._asked += 1
        action = self._chance.choice(question.legal)
        if self._asked <= QUESTIONS:
            self.said.append(Action(match, question.turn, action))
            left = TimeLeft(Clock().move_ms, int(question.bank_ms))
            self.heard.append(
                Decide(match, question.turn, question.view, question.events, question.legal, left)
            )
        return Answer(action, wall_ms=0.0)

    def end(self, end: End) -> None:
        self.heard.append(end)


def recorded(game: str) -> tuple[str, str]:
    """The messages of a table to one seat and from it, each a line; the same at any time."""
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
    return _lines((*recorder.heard, Bye("the table has ended"))), _lines(recorder.said)


def _lines(messages: Iterable[ArenaMessage | BotMessage]) -> str:
    return "".join(f"{encode(message).decode()}\n" for message in messages)


def files() -> dict[Path, str]:
    """Every file of `protocol/transcripts`, with its text."""
    found = {}
    for game in GAMES:
        heard, said = recorded(game)
        found[TRANSCRIPTS / f"{game}.jsonl"] = heard
        found[TRANSCRIPTS / f"{game}.answers.jsonl"] = said
    return found


if __name__ == "__main__":
    TRANSCRIPTS.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, "utf-8")
