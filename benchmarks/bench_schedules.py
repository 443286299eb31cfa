"""How many matches do an adaptive league and a round robin need for the same end? A simulation, as a table.

Bots of known strengths throw their matches (Bradley-Terry). Both kinds of league are looked at with the same
rule: the round robin after each of its rounds, the adaptive one after each of its batches. The last lines are
fields with two equal leaders, where every claim of a best bot is wrong.

Example:
  python -m benchmarks.bench_schedules --leagues 10
"""

from collections.abc import Mapping

from tabulate import tabulate

from arena.league import until as ends
from arena.model import Result
from arena.ratings import fit
from benchmarks import common
from tests import league_fakes as fakes
from tests.simulated import Simulated, league, throw

FIELDS = {
    "12 bots over 1000 Elo": {f"bot{number:02}": 1000.0 + 1000 / 11 * number for number in range(12)},
    "12 bots over 300 Elo": {f"bot{number:02}": 1350.0 + 300 / 11 * number for number in range(12)},
    "2 equal leaders of 6": {
        "ann": 1600.0,
        "bea": 1600.0,
        "cid": 1500.0,
        "dot": 1450.0,
        "eve": 1400.0,
        "fay": 1300.0,
    },
}
CASES = (
    ("12 bots over 1000 Elo", "top 1 separated", 300),
    ("12 bots over 1000 Elo", "top 3 separated", 300),
    ("12 bots over 1000 Elo", "error < 60", 300),
    ("12 bots over 300 Elo", "top 1 separated", 600),
    ("2 equal leaders of 6", "top 1 separated", 60),
)
"""Field, end, and boards of each line-up at most."""


def usual(elos: Mapping[str, float], until: str, seed: str, boards: int) -> tuple[int, bool]:
    """Matches of a round robin, and whether it came to its end."""
    of = league(elos, boards=boards, schedule="round-robin", block=2)
    tables = len(elos) * (len(elos) - 1)
    rows: list[Result] = []
    for number, job in enumerate(fakes.tables(of), start=1):
        rows += throw(job, elos, seed)
        if number % tables == 0 and ends.reached(ends.until(until), fit(rows).groups[0]):
            return len(rows), True
    return len(rows), False


def adapted(elos: Mapping[str, float], until: str, seed: str, boards: int) -> tuple[int, bool]:
    """The same of an adaptive league."""
    ended = Simulated(league(elos, boards=boards, block=2, until=until), elos, seed)
    return ended.matches, ended.reason == until


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--leagues", type=int, default=10, help="of each kind and field")
    leagues = parser.parse_args().leagues
    rows = []
    for field, until, boards in CASES:
        row: list[str | float] = [field, until]
        for kind in (usual, adapted):
            found = [kind(FIELDS[field], until, str(seed), boards) for seed in range(leagues)]
            row += [sum(matches for matches, _ in found) / leagues, sum(ended for _, ended in found)]
        rows.append([*row, f"{float(row[2]) / float(row[4]):.1f}"])
    headers = ("field", "until", "round robin", "ended", "adaptive", "ended", "ratio")
    print(f"{leagues} leagues of each, mean matches; {common.machine()}")
    print(tabulate(rows, headers=headers, floatfmt=".0f", disable_numparse=[6]))


if __name__ == "__main__":
    main()
