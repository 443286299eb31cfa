"""Do the 95 % intervals of the ratings hold the truth in 95 % of leagues? A simulation, printed as a table.

Each simulated league draws true strengths, plays boards in every rotation of seats, and rates the results.
Places come from an exponential race (Plackett-Luce), in which two bots meet with the odds of their Elo
difference, so the truth is known. A share of the luck belongs to the board and the seat: it comes back in
each rotation.

Example:
  python -m benchmarks.bench_ratings --leagues 400 --players 4
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

from tabulate import tabulate

from arena.model import Entrant, Result
from arena.ratings import MEAN_ELO, Fit, fit
from arena.ratings.fit import ELO
from benchmarks import common

SPREADS = {"close": 50.0, "wide": 300.0}
"""Standard deviation of the true strengths, in Elo."""

HEADERS = (
    "field",
    "players",
    "board luck",
    "ratings held %",
    "differences held %",
    "mean ±",
    "1.96 x rms error",
    "claims > 95 %",
    "right %",
)


def main() -> None:
    """Read the options, run every cell, print the table."""
    options = arguments()
    started = time.perf_counter()
    rows = [
        cell(options, field, players, luck)
        for field in SPREADS
        for players in options.players
        for luck in options.luck
    ]
    print(tabulate(rows, headers=HEADERS, floatfmt=".1f"))
    print(
        f"\n{options.leagues} leagues a line, {options.bots} bots, {options.boards} boards a bot, "
        f"seed {options.seed}; {time.perf_counter() - started:.0f} s; {common.machine()}"
    )


def arguments() -> argparse.Namespace:
    """What to simulate."""
    parser = common.parser(__doc__)
    parser.add_argument("--leagues", type=int, default=400, help="simulated leagues a line (default 400)")
    parser.add_argument("--bots", type=int, default=8, help="bots in a league (default 8)")
    parser.add_argument("--boards", type=int, default=24, help="boards a bot sits at (default 24)")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument(
        "--luck",
        type=float,
        nargs="+",
        default=[0.0, 0.6, 1.0],
        help="share that is the board's; with 1 the bots are deterministic",
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Judged:
    """What was claimed about simulated leagues, and what was so."""

    def __init__(self) -> None:
        self.ratings: list[bool] = []
        self.differences: list[bool] = []
        self.sure: list[bool] = []
        self.widths: list[float] = []
        self.squares: list[float] = []

    def judge(self, found: Fit, truth: dict[Entrant, float]) -> None:
        """Compare one league's ratings with the truth; a league that fell apart is left out."""
        if len(found.groups) > 1:
            return
        mean = sum(truth.values()) / len(truth)
        for rating in found.groups[0].ratings:
            off = rating.elo - MEAN_ELO - (truth[rating.entrant] - mean)
            self.ratings.append(abs(off) <= rating.error)
            self.widths.append(rating.error)
            self.squares.append(off * off)
        for one, two in combinations(truth, 2):
            difference, true = found.groups[0].difference(one, two), truth[one] - truth[two]
            self.differences.append(abs(difference.elo - true) <= difference.error)
            if difference.los is not None and not 0.05 < difference.los < 0.95:
                self.sure.append((difference.elo > 0) == (true > 0))


def cell(options: argparse.Namespace, field: str, players: int, luck: float) -> list[object]:
    """One line: so many leagues with these settings."""
    rng = random.Random(f"{options.seed} {field} {players} {luck}")
    bots = [Entrant(f"bot {number:02}", "") for number in range(options.bots)]
    judged = Judged()
    for _ in range(options.leagues):
        truth = {bot: rng.gauss(0, SPREADS[field]) for bot in bots}
        tables = seated(rng, bots, players, boards=math.ceil(options.boards * options.bots / players))
        rows = [row for board, table in tables for row in played(rng, board, table, truth, luck=luck)]
        judged.judge(fit(rows), truth)
    return [
        field,
        players,
        f"{luck:.0%}",
        percent(judged.ratings),
        percent(judged.differences),
        sum(judged.widths) / len(judged.widths),
        1.96 * math.sqrt(sum(judged.squares) / len(judged.squares)),
        len(judged.sure),
        percent(judged.sure),
    ]


def seated(
    rng: random.Random, bots: Sequence[Entrant], players: int, *, boards: int
) -> Iterator[tuple[int, list[Entrant]]]:
    """Boards with their line-ups; everybody sits at nearly as many as the others."""
    waiting: list[Entrant] = []
    for board in range(boards):
        while len(waiting) < players:
            waiting += [bot for bot in rng.sample(bots, len(bots)) if bot not in waiting]
        yield board, waiting[:players]
        waiting = waiting[players:]


def played(
    rng: random.Random, board: int, table: Sequence[Entrant], truth: dict[Entrant, float], *, luck: float
) -> Iterator[Result]:
    """A board in all rotations, each an exponential race: the stronger, the sooner."""
    shared = [rng.expovariate(1) for _ in table]
    for turn in range(len(table)):
        row = [*table[turn:], *table[:turn]]
        waits = [wait if rng.random() < luck else rng.expovariate(1) for wait in shared]
        finish = [wait / math.exp(truth[bot] / ELO) for bot, wait in zip(row, waits, strict=True)]
        places = tuple(1.0 + sum(other < mine for other in finish) for mine in finish)
        yield Result(str(board), tuple((bot,) for bot in row), places, None, ((),) * len(row))


def percent(claims: Sequence[bool]) -> float:
    """Share of true claims."""
    return 100 * sum(claims) / len(claims) if claims else math.nan


if __name__ == "__main__":
    main()
