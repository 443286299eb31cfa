"""Golden playthroughs: one seeded match a table, as text, in tests/golden.

Write them anew, to be reviewed like code:

    .venv/bin/python tests/games/golden.py
"""

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from arena import deals
from arena.games import GAMES
from arena.games.base import Game

FOLDER = Path(__file__).parent.parent / "golden"

MATCHES = {"idiot": 285, "imp": 410, "imperial": 122, "mpirimpa": 8}
"""Number of a match that shows much: quads, burns, failed flips, early outs, imperials, packets; else 0."""

SHOWN = 120
SHOWN_OF_FOUR = 50
"""Decisions that are printed; the rest of the match is played, and its end printed."""

RELUCTANT = ("pickup", "discard")

FORWARD = 0.97
"""How often these are passed over when something else is legal: else the last phases come late."""


def tables() -> dict[str, tuple[Game, int, int]]:
    """Game, player count and decisions to print, by the name of the file."""
    found = {name: (game, 3 if 3 in game.players else game.players[0], SHOWN) for name, game in GAMES.items()}
    return found | {"mpirimpa_2v2": (GAMES["mpirimpa"], 4, SHOWN_OF_FOUR)}


def playthrough(game: Game, players: int, shown: int) -> str:
    """One match with the default options: each state, each seat's view, legal actions, the chosen one."""
    board = sha256(f"{game.name} {MATCHES.get(game.name, 0)}".encode()).digest()
    rng, options = Random(game.name), game.options()
    state = game.new(options, players, players - 1)
    page = Page()
    page.lines.append(f"# {game.name}, {players} players; after the first, only the fields that changed")
    dealt = decisions = 0
    while not state.over():
        seat = state.to_act()
        if seat is None:
            events = state.deal(deals.deck(board, dealt, game.deck(options, players)))
            dealt += 1
            page.lines += ["", f"deal {dealt}", f"  events {json.dumps(events)}"]
            continue
        legal = state.legal()
        forward = [action for action in legal if not action.startswith(RELUCTANT)] or legal
        pool = forward if rng.random() < FORWARD else legal
        action = pool[int(rng.random() * len(pool))]
        decisions += 1
        if decisions <= shown:
            page.lines += ["", f"decision {decisions}"]
            page.state(state, players)
            page.lines += [f"  legal {json.dumps(legal)}", f"  seat {seat}: {action}"]
        events = state.play(action)
        if decisions <= shown:
            page.lines.append(f"  events {json.dumps(events)}")
    page.lines += ["", f"over after {decisions} decisions and {dealt} deals"]
    page.state(state, players)
    page.lines.append(f"  places {list(state.places())} scores {list(state.scores())}")
    return "\n".join(page.lines) + "\n"


class Page:
    """Lines of a playthrough, and what was printed last under each heading."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last: dict[str, dict[str, Any]] = {}

    def state(self, state: Any, players: int) -> None:
        self._changes("position", state.position())
        for seat in range(players):
            self._changes(f"view {seat}", state.view(seat))

    def _changes(self, heading: str, fields: dict[str, Any]) -> None:
        last = self.last.get(heading, {})
        changed = {key: value for key, value in fields.items() if key not in last or last[key] != value}
        self.lines.append(f"  {heading} {json.dumps(changed)}")
        self.last[heading] = fields


def write_all() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, table in tables().items():
        (FOLDER / f"{name}.txt").write_text(playthrough(*table), "utf-8")


if __name__ == "__main__":
    write_all()
