"""A bot of the SDK against recorded tables, in its author's own tests: no arena, no process, no socket.

    from protocol.rehearsal import rehearse
    from my_bot import choose

    def test_it_answers_with_what_is_legal():
        rehearse(choose, "idiot")

The tables are `protocol/transcripts/<game>.jsonl`: what the arena said to one seat, a line a message. Beside
each stands `<game>.answers.jsonl`, what that seat said. Bots in other languages read the same files.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.client import Bot, Choose, play

TRANSCRIPTS = Path(__file__).with_name("transcripts")


class Mistake(AssertionError):  # noqa: N818 - reads as what it is
    """An answer that the arena would not take; the text says to which question, and what was allowed."""


def games() -> list[str]:
    """Games of which there is a recorded table."""
    return sorted(path.name.split(".")[0] for path in TRANSCRIPTS.glob("*.answers.jsonl"))


def messages(game: str) -> list[dict[str, Any]]:
    """What the arena said at the recorded table of a game, from welcome to bye."""
    path = TRANSCRIPTS / f"{game}.jsonl"
    if not path.exists():
        raise ValueError(f"no table of {game!r} was recorded; there are {', '.join(games())}")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def rehearse(bot: Bot | Choose, game: str) -> list[str]:
    """Put every question of a recorded table to a bot; gives its actions.

    Raises Mistake for the first answer that is not in the question's legal list, and lets through what the
    bot raises itself. A bot that plays what is legal though not listed has to look itself.
    """
    wire = _Recorded(messages(game))
    play(bot, wire)
    return wire.actions


class _Recorded:
    """A wire on which a recorded table is heard."""

    def __init__(self, heard: list[dict[str, Any]]) -> None:
        self._heard: Iterator[dict[str, Any]] = iter(heard)
        self._question: dict[str, Any] = {}
        self.actions: list[str] = []

    def receive(self) -> bytes:
        self._question = next(self._heard)
        return json.dumps(self._question).encode()

    def send(self, data: bytes) -> None:
        action, legal = json.loads(data)["action"], self._question["legal"]
        if action not in legal:
            raise Mistake(
                f"question {self._question['turn']} of match {self._question['match']}: found {action!r}, "
                f"allowed are {', '.join(legal)}"
            )
        self.actions.append(action)
