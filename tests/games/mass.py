"""Random matches by the thousand: they end, lose no card, and go through JSON at random points.

.venv/bin/python tests/games/mass.py --matches 10000 [GAME]
"""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from arena.games import GAMES
from arena.games.base import Game, State, average_ranks, parse_options
from arena.games.cards import NAMES

MOST_DECISIONS = 200_000
"""Of one match: far above what any cap lets through."""

CHECKED = 0.05
"""Share of the moments of a match at which the cards are counted and the position goes through JSON."""

OTHER_OPTIONS = 0.5
"""Share of the matches that are not played with the default options."""

PICKS_UP = 0.05
"""How often the pile is taken although something else is legal: shedding games end the later, the more."""


class Played(NamedTuple):
    """Counts of one match or of many."""

    deals: int = 0
    decisions: int = 0
    checked: int = 0


def in_zones(*zones: str) -> Callable[[dict[str, Any]], Iterator[str]]:
    """All cards of these zones of a position."""
    return lambda position: (card for zone in zones for card in flat(position[zone]))


def flat(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from flat(part)
    elif value in NAMES:
        yield value


def of_imperial(position: dict[str, Any]) -> Iterator[str]:
    """With three, the turned card is one of the dealer's hand."""
    yield from in_zones("hands", "talon", "trick", "played")(position)
    if position["players"] == 2:
        yield position["turned"]


CARDS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "idiot": in_zones("hands", "open", "hidden", "stock", "pile", "burnt"),
    "imp": in_zones("hands", "open", "hidden", "stock", "pile", "graveyard"),
    "imperial": of_imperial,
    "mpirimpa": in_zones("hands", "packets", "stock", "discard", "melds"),
}
"""By game: every card of a position once, wherever it lies."""


def play_match(game: Game, number: int) -> Played:
    """One match, the same for the same number; raises AssertionError when something is wrong."""
    rng = Random(f"{game.name} {number}")
    players = game.players[number % len(game.players)]
    options = some_options(game, rng) if rng.random() < OTHER_OPTIONS else game.options()
    deck = game.deck(options, players)
    state = game.new(options, players, rng.randrange(players))
    deals = decisions = checked = 0
    while not state.over():
        if state.to_act() is None:
            state.deal(rng.sample(deck, len(deck)))
            deals += 1
        else:
            state.play(some_action(state, rng))
            decisions += 1
            assert decisions < MOST_DECISIONS, "no end in sight"
        if rng.random() < CHECKED:
            state = checked_copy(game, state, deck)
            checked += 1
    assert average_ranks(state.places()) == state.places()
    assert len(state.scores()) == len(game.sides(players)) == len(state.places())
    return Played(deals, decisions, checked)


def some_options(game: Game, rng: Random) -> Any:
    """Any of the small kinds, and numbers that end a match sooner or later than by default."""

    def some(field: Any) -> Any:
        if isinstance(field.default, bool):
            return rng.random() < 0.5
        if "choices" in field.metadata:
            return rng.choice(field.metadata["choices"])
        low, high = field.metadata["range"]
        return rng.randint(low, min(high, max(field.default, low + 5)))

    return parse_options(game.options, {field.name: some(field) for field in fields(game.options)})


def some_action(state: State, rng: Random) -> str:
    legal = state.legal()
    forward = [action for action in legal if action != "pickup"]
    return rng.choice(forward if forward and rng.random() > PICKS_UP else legal)


def checked_copy(game: Game, state: State, deck: Sequence[int]) -> State:
    """The state as it comes back from JSON, to be played on with; between deals no cards are counted."""
    position = state.position()
    if state.to_act() is not None:
        assert Counter(CARDS[game.name](position)) == Counter(NAMES[card] for card in deck)
    copy = game.from_position(json.loads(json.dumps(position)))
    assert copy.position() == position
    assert (copy.to_act(), copy.legal()) == (state.to_act(), state.legal())
    return copy


def play_matches(game: Game, matches: int) -> Played:
    """The first so many matches of a game; the number of one that fails is in a note."""
    total = Played()
    for number in range(matches):
        try:
            played = play_match(game, number)
        except Exception as error:
            error.add_note(f"{game.name}: match {number}")
            raise
        total = Played(*map(sum, zip(total, played, strict=True)))
    return total


def main() -> None:
    parser = ArgumentParser(description="Play random matches and check that they run clean.")
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)}; all when none is named"
    )
    parser.add_argument("--matches", type=int, default=10_000, help="of each game")
    asked = parser.parse_args()
    unknown = [name for name in asked.games if name not in GAMES]
    if unknown:
        parser.error(f"{unknown[0]!r} is no game; there are {', '.join(GAMES)}")
    for name in asked.games or GAMES:
        started = perf_counter()
        played = play_matches(GAMES[name], asked.matches)
        sys.stdout.write(
            f"{name}: {asked.matches} matches clean: {played.deals} deals, {played.decisions} decisions,"
            f" {played.checked} positions checked, {perf_counter() - started:.0f} s\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
