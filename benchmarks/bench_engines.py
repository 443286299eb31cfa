"""Random playouts of every game beside other libraries, in one run and one interpreter.

OpenSpiel and RLCard are installed into an environment of their own under the cache folder
(`~/.cache/card-arena/peers`, some 600 MB) the first time; `--alone` does without them.

Actions a second: legal actions listed, one chosen, played, whole matches with their deals; then the same with
the view of the seat to move. Chance is drawn in OpenSpiel's games as its documentation shows it, from
`chance_outcomes`; "quickest loop" is its games driven by less than that, and by numbers in place of texts.
RLCard's environment gives an observation with every step and cannot leave it out: so the playouts without
views drive the game inside it, 1.7 to 2.4 times as quick, and those with views the environment itself.

Example:
  python -m benchmarks.bench_engines --rounds 7
"""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from arena import deals
from arena.games import GAMES
from arena.games.base import Game, State

PEERS = ("open_spiel", "rlcard", "tabulate")
ROOT = Path(__file__).parent.parent
CLONES = 2_000
CHOSEN = "ARENA_BENCH_CHOSEN"
"""Set where the right interpreter runs already."""

Playouts = Callable[[float], float]
"""CPU seconds to play for -> actions a second."""


class Goal(NamedTuple):
    """One row: two playouts and how many times as many actions ours is to make."""

    ours: str
    peer: str
    least: float | None = None
    """None is for information."""


GOALS = (
    *(Goal(game, "crazy_eights", 1.2) for game in ("idiot", "imp")),
    *(Goal(game, "uno", 5.0) for game in ("idiot", "imp")),
    Goal("imperial", "hearts", 1.0),
    Goal("mpirimpa", "gin_rummy", 2.0),
    Goal("mpirimpa", "gin-rummy", 4.0),
    *(Goal(f"{game} with view", "crazy_eights with view", 0.9) for game in ("idiot", "imp")),
    *(Goal(f"{game} with view", "uno with view", 4.0) for game in ("idiot", "imp")),
    Goal("mpirimpa with view", "gin-rummy with view"),
    Goal("idiot", "crazy_eights, quickest loop"),
    Goal("imperial", "hearts, quickest loop"),
    Goal("mpirimpa", "gin_rummy, quickest loop"),
)
CLONE_GOALS = {"idiot": 3.0, "imp": 3.0, "imperial": 3.0, "mpirimpa": 6.0}
"""Microseconds at most."""


def ours(game: Game, seconds: float, *, views: bool) -> float:
    """Playouts of a game of this house, two seats."""
    rng, actions, options, started = Random(1), 0, game.options(), time.process_time()
    cards = game.deck(options, 2)
    while (elapsed := time.process_time() - started) < seconds:
        state, board, dealt = game.new(options, 2, 1), rng.randbytes(32), 0
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


def open_spiel(name: str, seconds: float, *, views: bool = False, quickest: bool = False) -> float:
    """Playouts of a game of OpenSpiel; a dealt card is no action."""
    import pyspiel  # noqa: PLC0415 - only the environment of the peers has it

    game, rng, actions, started = pyspiel.load_game(name), Random(1), 0, time.process_time()
    while (elapsed := time.process_time() - started) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                if quickest:
                    drawn = state.legal_actions()
                    state.apply_action(drawn[int(rng.random() * len(drawn))])
                else:
                    cards, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(cards, chances)[0])
                continue
            if views:
                state.observation_string(state.current_player())
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            actions += 1
    return actions / elapsed


def rlcard(name: str, seconds: float) -> float:
    """Playouts of a game of RLCard, without its environment around it; each step gives a state."""
    made: Any = importlib.import_module(f"rlcard.games.{name.replace('-', '_')}").Game
    rng, actions, started = Random(1), 0, time.process_time()
    while (elapsed := time.process_time() - started) < seconds:
        game = made()
        game.init_game()
        while not game.is_over():
            legal = _rlcard_legal(game)
            game.step(legal[int(rng.random() * len(legal))])
            actions += 1
    return actions / elapsed


def _rlcard_legal(game: Any) -> list[Any]:
    return game.judge.get_legal_actions() if hasattr(game, "judge") else game.get_legal_actions()


def rlcard_viewed(name: str, seconds: float) -> float:
    """The same in its environment, which is what players are shown."""
    make: Any = importlib.import_module("rlcard").make
    environment = make(name)
    rng, actions, started = Random(1), 0, time.process_time()
    while (elapsed := time.process_time() - started) < seconds:
        state, _ = environment.reset()
        while not environment.is_over():
            legal = list(state["legal_actions"])
            state, _ = environment.step(legal[int(rng.random() * len(legal))])
            actions += 1
    return actions / elapsed


def clone_us(state: State) -> float:
    """Time of one clone in microseconds."""
    started = time.process_time()
    for _ in range(CLONES):
        state.clone()
    return (time.process_time() - started) / CLONES * 1e6


def halfway(game: Game) -> State:
    """A state in the middle of a deal."""
    options = game.options()
    state, rng = game.new(options, 2, 1), Random(1)
    state.deal(deals.deck(bytes(32), 0, game.deck(options, 2)))
    for _ in range(20):
        if state.to_act() is not None:
            legal = state.legal()
            state.play(legal[int(rng.random() * len(legal))])
    return state


def home_runs() -> Iterator[tuple[str, Playouts]]:
    """Playouts of the games of this house."""
    for name, game in GAMES.items():
        yield name, partial(ours, game, views=False)
        yield f"{name} with view", partial(ours, game, views=True)


def peer_runs() -> Iterator[tuple[str, Playouts]]:
    """Playouts of the others' games."""
    eights = "crazy_eights(players=2)"
    yield "crazy_eights", partial(open_spiel, eights)
    yield "crazy_eights with view", partial(open_spiel, eights, views=True)
    yield "crazy_eights, quickest loop", partial(open_spiel, eights, quickest=True)
    for name in ("hearts", "gin_rummy"):
        yield name, partial(open_spiel, name)
        yield f"{name}, quickest loop", partial(open_spiel, name, quickest=True)
    for name in ("uno", "gin-rummy"):
        yield name, partial(rlcard, name)
        yield f"{name} with view", partial(rlcard_viewed, name)


def peers() -> Path:
    """Interpreter of an environment that has them, made where it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "card-arena" / "peers"
    if not (folder / "installed").exists():
        print(f"installing {', '.join(PEERS)} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PEERS], check=True)
        (folder / "installed").touch()
    return folder / "bin/python"


def main() -> None:
    """Measure all rows in turns, print the medians and the ratios."""
    from benchmarks import common  # noqa: PLC0415 - tabulate is there only once the right interpreter runs

    parser = common.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="CPU time of each playout of a round")
    parser.add_argument("--alone", action="store_true", help="without the other libraries")
    wanted = parser.parse_args()
    if os.environ.get(CHOSEN) != "1":
        os.environ[CHOSEN] = "1"
        os.environ["PYTHONPATH"] = str(ROOT)
        python = sys.executable if wanted.alone else str(peers())
        os.execv(python, [python, "-P", "-m", "benchmarks.bench_engines", *sys.argv[1:]])  # noqa: S606 - no shell
    runs = dict(home_runs()) if wanted.alone else {**dict(home_runs()), **dict(peer_runs())}
    found = common.in_turns({name: partial(run, wanted.seconds) for name, run in runs.items()}, wanted.rounds)
    clones = {
        name: median(clone_us(halfway(game)) for _ in range(wanted.rounds)) for name, game in GAMES.items()
    }
    print(rates(found, clones))
    if not wanted.alone:
        print()
        print(ratios(found))
    print(f"\n{wanted.rounds} rounds in turns, CPU time; {common.machine()}")
    in_short(found, clones)


def rates(found: dict[str, list[float]], clones: dict[str, float]) -> str:
    """Actions a second of everybody; microseconds of our clones."""
    from tabulate import tabulate  # noqa: PLC0415 - as above

    rows = [(name, median(values), clones.get(name), CLONE_GOALS.get(name)) for name, values in found.items()]
    headers = ("playouts", "actions/s", "clone us", "at most")
    return tabulate(rows, headers, floatfmt=("", ",.0f", ".2f", ".0f"))


def ratios(found: dict[str, list[float]]) -> str:
    """Ours beside the peers."""
    from tabulate import tabulate  # noqa: PLC0415 - as above

    from benchmarks.common import ratio  # noqa: PLC0415 - as above

    rows = []
    for ours_, peer, least in GOALS:
        times = ratio(found[ours_], found[peer])
        verdict = "" if least is None else f"{'yes' if times.median >= least else 'NO'}, >= {least:g}"
        rows.append((ours_, peer, str(times), verdict))
    return tabulate(rows, ("ours", "peer", "times as many actions", "goal"), disable_numparse=True)


def in_short(found: dict[str, list[float]], clones: dict[str, float]) -> None:
    """What the README says."""
    from benchmarks import common  # noqa: PLC0415 - as above

    told = ", ".join(f"{name} {median(found[name]):,.0f}" for name in GAMES)
    slowest = max(clones.values())
    common.in_short(f"random playouts, actions a second: {told}; clones take {slowest:.1f} us at most.")
    if "crazy_eights" in found:
        held = [goal for goal in GOALS if goal.least is not None]
        reached = [
            each for each in held if common.ratio(found[each.ours], found[each.peer]).median >= each.least
        ]
        common.in_short(f"{len(reached)} of {len(held)} goals against OpenSpiel and RLCard are reached.")


if __name__ == "__main__":
    main()
