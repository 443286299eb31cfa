"""What the command line costs before it does anything, against an interpreter that imports click.

The leaderboard is that of a league of 10,000 simulated matches, looked at before.

Example:
  python -m benchmarks.bench_startup --rounds 15
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from arena.store import Store
from benchmarks import bench_scale, common

CLICK = 'python -c "import click"'
HELP = "arena --help"
BOARD = "arena leaderboard, {matches} matches"
GOALS = {HELP: 2.0, BOARD: 4.0}
MAIN = "from arena.cli import main; main()"
"""As the installed script has it."""


def process_ms(cache: str, *arguments: str) -> float:
    """From the start of a process to its end; its modules are compiled, as those of an installed arena."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    """Measure every start in turns, print the medians and the ratios."""
    parser = common.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--bots", type=int, default=20)
    wanted = parser.parse_args()
    options = bench_scale.simulated(matches=wanted.matches, bots=wanted.bots)
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder)) as store:
            store.create_league(bench_scale.league(options))
        bench_scale.fill(Path(folder), options)
        cache = str(Path(folder, "compiled"))
        board = BOARD.format(matches=f"{wanted.matches:,}")
        runs = {
            CLICK: partial(process_ms, cache, "-c", "import click"),
            'python -c "pass"': partial(process_ms, cache, "-c", "pass"),
            HELP: partial(process_ms, cache, "-c", MAIN, "--help"),
            board: partial(process_ms, cache, "-c", MAIN, "leaderboard", "--workspace", folder),
        }
        found = common.in_turns(runs, wanted.rounds)
    goals = {HELP: GOALS[HELP], board: GOALS[BOARD]}
    print(common.compared("start", "ms", found, goals))
    print(f"\n{wanted.rounds} rounds in turns; {common.machine()}")
    helped, shown = (common.ratio(found[name], found[CLICK]).median for name in (HELP, board))
    common.in_short(
        f"the help of `arena` takes {helped:.1f} times as long as importing click, "
        f"the leaderboard of {wanted.matches:,} matches {shown:.1f} times."
    )


if __name__ == "__main__":
    main()
