"""How cost grows: with the bots of a league, with its matches, with the cores of the machine.

Stores are filled with simulated matches as `bench_scale` does; the last table plays real leagues of two
sample bots. "growth" is the exponent by which the first leaderboard grows from the row above: 1 is in
proportion, and starting the command is in it.

Example:
  python -m benchmarks.bench_growth --bots 10 100 1000 --matches 10000 100000 1000000
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
from tabulate import tabulate

from arena.league.course import Course
from arena.model import League
from arena.store import Store
from benchmarks import bench_scale, common

SAMPLES = Path(__file__).parent.parent / "sample_bots"
ARENA = (sys.executable, "-c", "from arena.cli import main; main()")


class Cost(NamedTuple):
    """What one league costs."""

    bots: int
    matches: int
    schedule_s: float
    """Going through every table of it once."""
    first_s: float
    """The leaderboard, nothing remembered."""
    warm_s: float
    """The leaderboard at any later look."""
    memory_mib: float
    bytes_: float
    """Of a match, in the database."""


def cost(bots: int, matches: int) -> Cost:
    """Fill a store with such a league, and look at it."""
    options = bench_scale.simulated(bots=bots, matches=matches)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        of = league(options)
        with Store.open(folder) as store:
            store.create_league(of)
        began = time.perf_counter()
        played = sum(len(job.boards) for batch in course(of).batches() for job in batch)
        schedule_s = time.perf_counter() - began
        bench_scale.fill(folder, options, of)
        size = dict(bench_scale.sizes(folder / "arena.db"))["without transcripts"]
        board = [*ARENA, "leaderboard", bench_scale.LEAGUE, "--workspace", name]
        first, warm = bench_scale.measured(board), bench_scale.measured(board)
    return Cost(bots, played, schedule_s, first[0], warm[0], warm[2] / 1024, size)


def league(options: argparse.Namespace) -> League:
    """A league of about so many matches: all line-ups, or as many as there are boards for."""
    whole = bench_scale.league(options)
    lineups = math.comb(options.bots, 2)
    wanted = max(options.matches // (2 * options.block), options.bots)
    if wanted >= lineups:
        return whole
    part = msgspec.structs.replace(whole.extensions[0], boards=options.block)
    return msgspec.structs.replace(whole, extensions=(part,), lineups=wanted)


def course(of: League) -> Course:
    """Its tables, as a league that was not begun has them."""
    return Course(of, finished=(), results=lambda _before: ())


def table(costs: Sequence[Cost], by: str) -> str:
    """A row each, with the growth from the one above."""
    grown = [math.nan, *(_growth(one, two, by) for one, two in pairwise(costs))]
    rows = [
        (*each, None if math.isnan(growth) else growth) for each, growth in zip(costs, grown, strict=True)
    ]
    headers = ("bots", "matches", "schedule s", "leaderboard s", "warm s", "MiB", "bytes/match", "growth")
    digits = (",.0f", ",.0f", ".2f", ".2f", ".2f", ".0f", ".0f", ".1f")
    return tabulate(rows, headers, floatfmt=digits, intfmt=",")


def _growth(one: Cost, two: Cost, by: str) -> float:
    """Exponent of what a leaderboard takes that nothing is remembered of."""
    more = getattr(two, by) / getattr(one, by)
    return math.log(two.first_s / one.first_s) / math.log(more)


def cores(most: int, boards: int, sandbox: str) -> str:
    """Decisions a second of a real league, with one table at a time up to one for each core."""
    counts = [each for each in (1, 2, 4, 8, 16, 32, 64) if each <= most]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for bot in ("random", "idiot_thumb"):
            _arena("submit", str(SAMPLES / bot), "--workspace", name, "--sandbox", sandbox)
        for jobs in counts:
            words = ("--game", "idiot", "--boards", str(boards), "--block", "4", "--seed", "grow")
            began = time.perf_counter()
            _arena(
                "run", f"jobs-{jobs}", *words, "--jobs", str(jobs), "--sandbox", sandbox, "--workspace", name
            )
            spent = time.perf_counter() - began
            with Store.open(Path(name), read_only=True) as store:
                decisions = sum(match.outcome.decisions for match in store.matches(f"jobs-{jobs}"))
            rows.append((jobs, decisions, spent, decisions / spent))
    times = [(*row, row[3] / rows[0][3]) for row in rows]
    headers = ("tables at a time", "decisions", "s", "decisions/s", "times one")
    return tabulate(times, headers, floatfmt=("", ",.0f", ".1f", ",.0f", ".2f"), intfmt=",")


def _arena(*words: str) -> None:
    subprocess.run([*ARENA, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    """Measure each kind of growth, print three tables."""
    parser = common.parser(__doc__)
    parser.add_argument("--bots", type=int, nargs="+", default=[10, 100, 1_000])
    parser.add_argument("--matches", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--boards", type=int, default=64, help="of the leagues that are played (default 64)")
    parser.add_argument("--sandbox", default="bwrap", help="their walls")
    parser.add_argument("--brief", action="store_true", help="small ones, to see that it runs")
    wanted = parser.parse_args()
    if wanted.brief:
        wanted.bots, wanted.matches, wanted.boards = [10, 40], [1_000, 4_000], 4
    fewest = wanted.matches[0]
    print(f"{fewest:,} matches, more bots\n")
    print(table([cost(bots, fewest) for bots in wanted.bots], "bots"))
    print("\n100 bots, more matches\n")
    print(table([cost(100, matches) for matches in wanted.matches], "matches"))
    print(f"\na league of two bots, {wanted.boards} boards, more tables at a time\n")
    print(cores(len(os.sched_getaffinity(0)), wanted.boards, wanted.sandbox))
    print(f"\n{common.machine()}")


if __name__ == "__main__":
    main()
