"""Random playouts and clones of every registered game, beside a bare loop of the same run.

    .venv/bin/python benchmarks/bench_engines.py

One table: actions a second (legal actions listed, one chosen, played), the same with the view of the seat
to move, the median time of a clone, and how often the bare loop turns for each action. The loop lists two
strings, chooses one and notes it: what a playout costs before there is a game. Numbers move with the machine,
the ratios less.
"""

import os
import platform
import time
from random import Random
from statistics import median

from tabulate import tabulate

from arena import deals
from arena.games import GAMES
from arena.games.base import Game, State

ROUNDS = 7
"""Interleaved, so that a slow moment of the machine meets all rows alike."""

ROUND_S = 0.15
CLONES = 2_000


def bare_loop(rng: Random) -> float:
    """Turns a second."""
    turns, noted, started = 0, [""] * 64, time.process_time()
    while (elapsed := time.process_time() - started) < ROUND_S:
        for _ in range(1_000):
            legal = ["one", "other"]
            noted[turns & 63] = legal[int(rng.random() * len(legal))]
            turns += 1
    return turns / elapsed


def playouts(game: Game, players: int, rng: Random, *, views: bool) -> float:
    """Actions a second, whole matches with their deals."""
    actions, options, started = 0, game.options(), time.process_time()
    cards = game.deck(options, players)
    while (elapsed := time.process_time() - started) < ROUND_S:
        state, board, dealt = game.new(options, players, players - 1), rng.randbytes(32), 0
        while not state.over():
            seat = state.to_act()
            if seat is None:
                state.deal(deals.deck(board, dealt, cards))
                dealt += 1
                continue
            if views:
                state.view(seat)
            legal = state.legal()
            state.play(legal[int(rng.random() * len(legal))])
            actions += 1
    return actions / elapsed


def clone_us(state: State) -> float:
    """Time of one clone in microseconds."""
    started = time.process_time()
    for _ in range(CLONES):
        state.clone()
    return (time.process_time() - started) / CLONES * 1e6


def halfway(game: Game, players: int) -> State:
    """A state in the middle of a deal."""
    options = game.options()
    state, rng = game.new(options, players, players - 1), Random(1)
    state.deal(deals.deck(bytes(32), 0, game.deck(options, players)))
    for _ in range(20):
        if state.to_act() is not None:
            legal = state.legal()
            state.play(legal[int(rng.random() * len(legal))])
    return state


def main() -> None:
    """Measure all rows in turns, print the medians."""
    rng = Random(1)
    rows = [(game, players) for game in GAMES.values() for players in (game.players[0], game.players[-1])]
    bare: list[float] = []
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {(g.name, n): [] for g, n in rows}
    for _ in range(ROUNDS):
        bare.append(bare_loop(rng))
        for game, players in rows:
            plain = playouts(game, players, rng, views=False)
            viewed = playouts(game, players, rng, views=True)
            found[game.name, players].append((plain, viewed, clone_us(halfway(game, players))))
    table = []
    for (name, players), measured in found.items():
        plain, viewed, clone = (median(column) for column in zip(*measured, strict=True))
        turns = median(bare)
        table.append((name, players, round(plain), round(viewed), clone, turns / plain, turns / viewed))
    headers = ("game", "players", "actions/s", "with view/s", "clone us", "bare/action", "bare/with view")
    print(tabulate(table, headers, floatfmt=("", "", ",.0f", ",.0f", ".2f", ".1f", ".1f"), intfmt=","))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"\nbare loop {median(bare):,.0f} turns/s; medians of {ROUNDS} interleaved rounds")
    print(f"{python}, {platform.machine()}, {platform.system()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
