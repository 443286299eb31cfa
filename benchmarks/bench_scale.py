"""What a league of a million matches costs: bytes a match, and the time and memory of what people look at.

A store is filled with simulated matches through the statements that write real ones; their transcripts
are left empty, since what they take is another matter (`tests/test_transcript.py`). Every command is timed in
a process of its own, and compared with a bare loop that reads every outcome once and splits it.

Example:
  python -m benchmarks.bench_scale --matches 1000000 --bots 100
"""

import argparse
import math
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path

from tabulate import tabulate

from arena.games import GAMES
from arena.league.course import Course
from arena.model import (
    Clock,
    Entrant,
    Extension,
    FaultKind,
    FaultRecord,
    League,
    MatchRecord,
    Measurement,
    Outcome,
    TableJob,
    TableResult,
)
from arena.store import Store, database
from arena.store.writing import insert_table
from benchmarks import common

LEAGUE = "scale"
SPREAD = 1.0
"""Standard deviation of the bots' strengths, in logits."""
FAULTY = 0.002
"""Share of matches in which a seat crashes."""
WALLS = ("namespaces", "seccomp", "limits", "control groups", "one core")
AT_ONCE = 2_000
"""Tables in one transaction; a real league has one in each."""

BARE = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    won = sum(
        line.split(" ")[0].startswith("1,")
        for (outcomes,) in connection.execute("SELECT outcomes FROM played")
        for line in outcomes.split("\\n")
    )
"""

MEASURED = """
import resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""A process of its own for each command: what its only child took at most is the child's own."""


def main() -> None:
    """Fill a store, measure its file and its commands, print two tables."""
    options = parser().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        began = time.perf_counter()
        with Store.open(workspace) as store:
            store.create_league(league(options))
        fill(workspace, options)
        print(f"filled in {time.perf_counter() - began:.0f} s\n", flush=True)
        print(tabulate(sizes(workspace / "arena.db"), headers=("table", "bytes a match"), floatfmt=".1f"))
        print()
        headers = ("what", "s", "of it CPU", "MiB at most", "times bare loop")
        print(tabulate(times(workspace, options), headers=headers, floatfmt=("", ".2f", ".2f", ".0f", ".1f")))
    print(
        f"\n{options.matches} matches of {options.players} at a table, {options.bots} bots, blocks of "
        f"{options.block} boards; {common.machine()}, SQLite {sqlite3.sqlite_version}"
    )


def parser() -> argparse.ArgumentParser:
    """What to simulate."""
    found = common.parser(__doc__)
    found.add_argument("--matches", type=int, default=1_000_000, help="at least (default 1,000,000)")
    found.add_argument("--bots", type=int, default=100)
    found.add_argument("--players", type=int, default=2)
    found.add_argument("--block", type=int, default=8, help="boards of a table (default 8)")
    found.add_argument("--rounds", type=int, default=3, help="of each command (default 3)")
    found.add_argument("--seed", type=int, default=1)
    return found


def simulated(**changed: int) -> argparse.Namespace:
    """The usual options but for some, for whoever fills a store."""
    return argparse.Namespace(**{**vars(parser().parse_args([])), **changed})


def league(options: argparse.Namespace) -> League:
    """A league of at least so many matches."""
    bots = tuple(
        Entrant(f"bot {number:03}", sha256(str(number).encode()).hexdigest())
        for number in range(options.bots)
    )
    seatings = math.comb(options.bots, options.players) * options.players
    return League(
        name=LEAGUE,
        game="idiot",
        players=options.players,
        options=asdict(GAMES["idiot"].options()),
        clock=Clock(),
        block=options.block,
        sandbox="bwrap",
        extensions=(Extension(bots, math.ceil(options.matches / seatings), bytes(32)),),
    )


def fill(workspace: Path, options: argparse.Namespace, of: League | None = None) -> None:
    """Write every table of the league, many at a time; without one of the caller's it is `league`."""
    rng = random.Random(options.seed)
    of = of or league(options)
    strengths = {bot: rng.gauss(0, SPREAD) for bot in of.extensions[0].entrants}
    course = Course(of, finished=(), results=lambda _before: ())
    jobs = (job for batch in course.batches() for job in batch)
    with closing(database.write(workspace / "arena.db")) as connection:
        while some := list(islice(jobs, AT_ONCE)):
            with database.transaction(connection):
                for job in some:
                    result = TableResult(job.key, tuple(matches(rng, job, strengths)), WALLS)
                    insert_table(connection, 1, job, result, finished=datetime.now(UTC))


def matches(rng: random.Random, job: TableJob, strengths: dict[Entrant, float]) -> Iterator[MatchRecord]:
    """A race at each board: the stronger, the sooner."""
    seats = range(len(job.seating))
    for board in job.boards:
        waits = [rng.expovariate(math.exp(strengths[bot])) for bot in job.seating]
        crashed = [seat for seat in seats if rng.random() < FAULTY]
        order = sorted(seats, key=lambda seat: (seat in crashed, waits[seat]))
        places = tuple(1.0 + order.index(seat) for seat in seats)
        faults = tuple(FaultRecord(seat, FaultKind.CRASH, rng.randrange(40)) for seat in crashed)
        scores = None if faults else tuple(float(len(order) - place) for place in places)
        outcome = Outcome(places, scores, rng.randrange(60, 180), faults)
        thought = tuple(rng.uniform(5, 50) for _ in seats)
        spent = Measurement(
            sum(thought) * 1.3,
            thought,
            tuple(each * 0.9 for each in thought),
            tuple(each / 9 for each in thought),
            tuple("exit code 1" for _ in faults),
        )
        yield MatchRecord(board.number, outcome, spent, b"")


def sizes(path: Path) -> list[tuple[str, float]]:
    """Bytes a match of each table of the database, its indexes included."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((count,),) = connection.execute(
            "SELECT sum(length(seeds)) / 32 FROM played JOIN block ON block.id = block_id"
        )
        rows = connection.execute(
            "SELECT sqlite_master.tbl_name, sum(dbstat.pgsize) FROM dbstat "
            "JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
    whole = path.stat().st_size / count
    found = [(name, size / count) for name, size in rows if size / count >= 0.1]
    transcripts = dict(found).get("transcript", 0.0)
    return [*found, ("whole file", whole), ("without transcripts", whole - transcripts)]


def times(workspace: Path, options: argparse.Namespace) -> list[tuple[object, ...]]:
    """Each command: the quickest of its rounds, and how many times as long as the bare loop it took."""
    arena = [sys.executable, "-c", "from arena.cli import main; main()"]
    here = ["--workspace", str(workspace)]
    commands = {
        "bare loop": [sys.executable, "-c", BARE, str(workspace / "arena.db")],
        "leaderboard, first time": [*arena, "leaderboard", LEAGUE, *here],
        "leaderboard, warm": [*arena, "leaderboard", LEAGUE, *here],
        "status": [*arena, "status", LEAGUE, *here],
        "leagues": [*arena, "leagues", *here],
        "show --league": [*arena, "show", "--league", LEAGUE, *here],
        "faults": [*arena, "faults", "--league", LEAGUE, *here],
    }
    rows: list[tuple[object, ...]] = []
    bare = math.nan
    for what, command in commands.items():
        rounds = 1 if what.endswith("first time") else options.rounds
        spent, cpu, most = min(measured(command) for _ in range(rounds))
        bare = spent if what == "bare loop" else bare
        rows.append((what, spent, cpu, most / 1024, spent / bare))
    return rows


def measured(command: list[str]) -> tuple[float, float, float]:
    """Seconds, those of CPU time, and KiB at most of a command."""
    ran = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=True
    )
    spent, cpu, most = map(float, ran.stdout.split())
    return spent, cpu, most


if __name__ == "__main__":
    main()
