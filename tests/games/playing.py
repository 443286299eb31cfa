"""How the tests of the games play: seeded decks and choices, and what each seat is sent."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from random import Random
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from arena import deals
from arena.games import GAMES
from arena.games.base import Game, State, parse_options

steady = settings(max_examples=20, database=None, derandomize=True)

seeds = st.integers(0, 2**32)

TABLES = [(name, players) for name, game in GAMES.items() for players in game.players]


def option_sets(game: Game) -> st.SearchStrategy[Any]:
    """Options of a game: every bool and choice, and small values of numbers, which end a match soon."""

    def values(field: Any) -> list[Any]:
        if isinstance(field.default, bool):
            return [False, True]
        if "choices" in field.metadata:
            return list(field.metadata["choices"])
        low, high = field.metadata["range"]
        return sorted({field.default, low, low + 1} | ({low + 30} if high > 1_000 else set()))

    chosen = st.fixed_dictionaries(
        {field.name: st.sampled_from(values(field)) for field in fields(game.options)}
    )
    return chosen.map(lambda given: parse_options(game.options, given))


def decks(game: Game, options: Any, players: int, seed: int) -> Iterator[list[int]]:
    board = seed.to_bytes(32, "big")
    k = 0
    while True:
        yield deals.deck(board, k, game.deck(options, players))
        k += 1


def choose(state: State, rng: Random) -> str:
    """A random action that mostly does not pick up: else the shedding games never come to their ends."""
    legal = state.legal()
    forward = [action for action in legal if action != "pickup"]
    pool = forward if forward and rng.random() < 0.9 else legal
    return pool[int(rng.random() * len(pool))]


class Moment(NamedTuple):
    state: State
    events: list[str]
    """Of what led here: a deal or an action."""


def moments(game: Game, options: Any, players: int, seed: int) -> Iterator[Moment]:
    """One match from its first deck to its end, seen before each deal and decision and at the end."""
    source, rng = decks(game, options, players, seed), Random(seed)
    state = game.new(options, players, players - 1)
    yield Moment(state, [])
    while not state.over():
        events = state.deal(next(source)) if state.to_act() is None else state.play(choose(state, rng))
        yield Moment(state, events)


def some_moment(game: Game, options: Any, players: int, seed: int) -> State:
    """A state at a random moment of a match, the beginning and the end included."""
    wanted = int(Random(~seed).random() ** 2 * 200)
    state = game.new(options, players, players - 1)
    for number, moment in enumerate(moments(game, options, players, seed)):
        state = moment.state
        if number == wanted:
            break
    return state


def finish(game: Game, state: State, seed: int) -> list[str]:
    """Play a state to its end; gives all events."""
    position, rng, events = state.position(), Random(seed), []
    source = decks(game, parse_options(game.options, position["options"]), position["players"], seed)
    while not state.over():
        events += state.deal(next(source)) if state.to_act() is None else state.play(choose(state, rng))
    return events


class Sent(NamedTuple):
    """One question as a seat sees it."""

    turn: int
    view: dict[str, Any]
    events: tuple[str, ...]
    legal: tuple[str, ...]


def streams(state: State, answer: Callable[[State], str | None]) -> dict[int, list[Sent]]:
    """What each seat is sent while `answer` plays on: until it gives None, or nobody is to act."""
    players = state.position()["players"]
    sent: dict[int, list[Sent]] = {seat: [] for seat in range(players)}
    waiting: dict[int, list[str]] = {seat: [] for seat in range(players)}
    while (seat := state.to_act()) is not None:
        sent[seat].append(
            Sent(len(sent[seat]) + 1, state.view(seat), tuple(waiting[seat]), tuple(state.legal()))
        )
        waiting[seat].clear()
        action = answer(state)
        if action is None:
            break
        events = state.play(action)
        for queue in waiting.values():
            queue.extend(events)
    return sent
