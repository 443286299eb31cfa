"""Does a sequential comparison keep its word? A simulation, printed as a table.

Each simulated comparison draws the scores of boards from a known distribution and is looked at after every
batch, until it stops by itself. The truth is put at H0, halfway, at H1 and above, in normalised Elo, for
boards that are hardly ever, often and nearly always even.

Example:
  python -m benchmarks.bench_compare --runs 2000
"""

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import NormalDist

import msgspec
from tabulate import tabulate

from arena.model import Bounds
from arena.ratings.sequential import (
    CONFIDENCE,
    NORMALISED,
    Sample,
    Verdict,
    decided,
    live_interval,
    planned_blocks,
    stopped_estimate,
)
from benchmarks import common

NORMAL = NormalDist()

MATCHES = 2
"""In a board of two players."""

SHAPES = {
    "few even": (0.9, 0.0),
    "half even": (0.5, 0.0),
    "90 % even": (0.1, 0.0),
    "with ties": (0.5, 0.25),
}
"""Name -> share of boards that one side wins whole; and share that it wins by a match that is tied."""

HEADERS = (
    "boards",
    "truth",
    "H1 %",
    "H0 %",
    "alike %",
    "mean boards",
    "estimate holds %",
    "above truth %",
    "live wrong %",
    "plain wrong %",
)


class Told(msgspec.Struct, frozen=True):
    """What one simulated comparison came to."""

    verdict: Verdict | None
    boards: int
    holds: bool
    """Whether the interval of the estimate holds the truth."""
    above: bool
    """Whether the estimate is above it."""
    wrong: bool
    """Whether the live interval ever missed it."""
    plain: bool
    """Whether a plain 95 % interval of the score, looked at as often, ever did."""


def main() -> None:
    """Read the options, run every cell, print the table."""
    options = arguments()
    bounds = Bounds(options.elo0, options.elo1, options.alpha, options.beta)
    started = time.perf_counter()
    rows = [
        row(name, truth, told)
        for name in options.shapes
        for truth in truths(bounds)
        for told in [
            simulated(bounds, name, truth, batch=options.batch, rngs=luck(options.runs, options.seed))
        ]
    ]
    print(tabulate(rows, headers=HEADERS, floatfmt=".1f"))
    print(
        f"\n{options.runs} comparisons a line, <{bounds.elo0:g}, {bounds.elo1:g}> at "
        f"{bounds.alpha:g}/{bounds.beta:g}, looked at every {options.batch} boards, "
        f"planned {planned_blocks(bounds, MATCHES)} boards, seed {options.seed}; "
        f"{time.perf_counter() - started:.0f} s; {common.machine()}"
    )
    print(f"Intervals are meant to hold in {CONFIDENCE:.0%}; the live one over all looks together.")


def arguments() -> argparse.Namespace:
    """What to simulate."""
    parser = common.parser(__doc__)
    parser.add_argument("--runs", type=int, default=400, help="comparisons a line (default 400)")
    parser.add_argument("--batch", type=int, default=16, help="boards between two looks (default 16)")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), help="of the boards")
    parser.add_argument("--elo0", type=float, default=0.0)
    parser.add_argument("--elo1", type=float, default=40.0)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--beta", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def truths(bounds: Bounds) -> tuple[float, ...]:
    """Where the truth is put."""
    step = bounds.elo1 - bounds.elo0
    return (bounds.elo0, bounds.elo0 + step / 2, bounds.elo1, bounds.elo1 + step)


def simulated(
    bounds: Bounds, shape: str, truth: float, *, batch: int, rngs: Iterable[random.Random]
) -> list[Told]:
    """Comparisons of two bots that are that far apart, one for each source of luck."""
    odds = distribution(*SHAPES[shape], distance=truth / NORMALISED * math.sqrt(MATCHES))
    return [compared(rng, bounds, odds, truth, batch) for rng in rngs]


def luck(runs: int, seed: int) -> Iterator[random.Random]:
    """Sources of luck, the same for every line."""
    return (random.Random(f"{seed} {run}") for run in range(runs))


def distribution(whole: float, tied: float, *, distance: float) -> dict[float, float]:
    """Score of a board -> its chance, with the mean so many standard deviations from one half.

    Both kinds of uneven boards are tilted to one side by as much.
    """
    square = whole / 4 + tied / 16
    lean = math.copysign(math.sqrt(distance**2 / (1 + distance**2) * square), distance)
    tilt = lean / (whole / 2 + tied / 4)
    assert abs(tilt) <= 1, "no such distribution"
    return {
        0.0: whole * (1 - tilt) / 2,
        0.25: tied * (1 - tilt) / 2,
        0.5: 1 - whole - tied,
        0.75: tied * (1 + tilt) / 2,
        1.0: whole * (1 + tilt) / 2,
    }


def compared(rng: random.Random, bounds: Bounds, odds: dict[float, float], truth: float, batch: int) -> Told:
    """One comparison, looked at after every batch."""
    planned = planned_blocks(bounds, MATCHES)
    mean = sum(score * chance for score, chance in odds.items())
    wrong, plain, verdict = False, False, None
    for seen in growing(rng, odds, batch):
        live = live_interval(seen, bounds.scale, planned)
        wrong |= live is not None and not live[0] <= truth <= live[1]
        plain |= abs(seen.score - mean) > NORMAL.inv_cdf(0.975) * math.sqrt(seen.variance / seen.blocks)
        verdict = decided(seen, bounds)
        if verdict or seen.blocks > 20 * planned:
            break
    found = stopped_estimate(seen, bounds, look=batch)
    return Told(verdict, seen.blocks, found.low <= truth <= found.high, found.elo > truth, wrong, plain)


def growing(rng: random.Random, odds: dict[float, float], batch: int) -> Iterator[Sample]:
    """What is seen after each batch."""
    counts: Counter[float] = Counter()
    while True:
        counts.update(rng.choices(list(odds), list(odds.values()), k=batch))
        yield Sample(tuple(sorted(counts.items())), MATCHES)


def row(name: str, truth: float, told: Sequence[Told]) -> list[object]:
    """One line of the table."""
    return [
        name,
        f"{truth:g}",
        *(
            percent([each.verdict is verdict for each in told])
            for verdict in (Verdict.H1, Verdict.H0, Verdict.ALIKE)
        ),
        sum(each.boards for each in told) / len(told),
        percent([each.holds for each in told]),
        percent([each.above for each in told]),
        percent([each.wrong for each in told]),
        percent([each.plain for each in told]),
    ]


def percent(claims: Sequence[bool]) -> float:
    """Share of true claims."""
    return 100 * sum(claims) / len(claims)


if __name__ == "__main__":
    main()
