"""Plays leagues while their processes are killed, and looks at what came of it: what `make soak` runs.

    python -m tests.soak --tables 2000 --kills 300 --ends 200 --seed 1

First a league of bots that play alike each time, of which everything but bots is killed, the coordinator
and its commits too; it must end as one that was not. Then a league of honest and bad bots, whose bots are
killed as well. Kills are spread evenly over the tables; each comes at a random moment.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from itertools import cycle, islice
from math import comb
from pathlib import Path
from random import Random

import msgspec

from arena import grid, model
from arena.league.course import Course
from arena.model import Board, Entrant, Outcome, TableJob
from arena.sandbox import cgroups
from arena.store import Store
from arena.submissions.importing import read_folder
from arena.submissions.tree import tree_hash, write
from tests import trees
from tests.kills import COMMIT, LOOK_S, Here, Kills, League, Ran, place
from tests.tables import Room
from tests.test_bad_bots import CASES, EARLY, offender
from tests.trees import Role

ROOT = Path(__file__).parent.parent
SAMPLES = ("random", "idiot_thumb", "awk", "node")
ALIKE = ("illegal", "garbage")
"""Bad bots that fail at the same decision each time."""

END_WAIT_S = 20.0
STAY_S = 10.0
"""A control group whose maker is gone is left behind when it stays longer: other leagues sweep theirs."""

MOST_GROWTH_KIB = 4 * 1024

Rows = list[tuple[str, str]]
"""Of the table that is shown at the end."""

# Who plays


def enter(store: Store, folder: Path, name: str) -> None:
    """Enter a bot without a match: the bad ones would be refused."""
    tree = read_folder(folder)
    version = tree_hash(tree)
    write(tree, store.submissions / version)
    store.add_version(name, version, games=("idiot",), submitted=datetime.now(UTC), sandbox="bwrap")


def enter_honest(here: Here, number: int) -> None:
    """Sample bots, each as often as it takes, with a content of its own."""
    there = [name for name in SAMPLES if shutil.which(name) or name in SAMPLES[:2]]
    with Store.open(here.workspace) as store:
        for copy, name in islice(enumerate(cycle(there)), number):
            folder = here.folder / "handed in" / f"honest-{copy}-{name}"
            shutil.copytree(ROOT / "sample_bots" / name, folder)
            (folder / "copy.txt").write_text(str(copy), "utf-8")
            enter(store, folder, folder.name)


def enter_bad(here: Here, names: Sequence[str]) -> None:
    (here.folder / "handed in").mkdir(exist_ok=True)
    room = Room(here.folder / "handed in", here.temporary, here.sandbox)
    cases = {case.name: case for case in CASES}
    with Store.open(here.workspace) as store:
        for name in names:
            offender(room, cases[name])
            enter(store, here.folder / "handed in" / name, name)


def some_bad(number: int, random: Random) -> list[str]:
    """So many bad bots, or all; of those that cost the whole time to start, seconds a table, only one."""
    slow = [case.name for case in CASES if EARLY in case.needs]
    others = [case.name for case in CASES if EARLY not in case.needs]
    chosen = random.sample([random.choice(slow), *others], min(number, len(others) + 1))
    return sorted(chosen)


# What came of it


class Promised(msgspec.Struct, frozen=True):
    """What must not depend on kills."""

    league: str
    """Its hash."""
    matches: tuple[tuple[str, Board, tuple[Entrant, ...], Outcome], ...]
    transcripts: tuple[bytes, ...]
    page: str
    details: tuple[tuple[str, ...], ...] = ()
    """Of the faults of each match, for whoever asks why two differ."""

    def figures(self) -> Rows:
        parts = (self.league, digest(self.matches), digest(self.transcripts), digest(self.page))
        words = ("hash of the league", "  of its outcomes", "  of its transcripts", "  of its page")
        return list(zip(words, parts, strict=True))


def promised(here: Here, page: str) -> Promised:
    with Store.open(here.workspace, read_only=True) as store:
        rows = sorted(store.matches("soak"), key=lambda row: (row.table, row.board.number))
        return Promised(
            store.league_hash("soak"),
            tuple((row.table, row.board, row.seating, row.outcome) for row in rows),
            tuple(store.match(row.id).transcript for row in rows),
            page,
            tuple(row.measurement.fault_details for row in rows),
        )


def check_alike(whole: Promised, disturbed: Promised) -> None:
    pairs = zip(whole.matches, disturbed.matches, whole.details, disturbed.details, strict=True)
    different = [pair for pair in pairs if pair[0] != pair[1]]
    assert different == [], different
    assert whole.figures() == disturbed.figures()


def digest(value: object) -> str:
    return sha256(msgspec.msgpack.encode(value)).hexdigest()


def check_once(here: Here) -> None:
    """Every scheduled table exactly once, each of its matches once, in a database without a scratch."""
    with Store.open(here.workspace, read_only=True) as store:
        (league,) = store.leagues()
        jobs = {job.key: job for job in scheduled(league)}
        rows = store.matches("soak")
        assert store.finished("soak") == set(jobs)
    played = Counter((row.table, row.board, row.seating) for row in rows)
    assert played == Counter((job.key, board, job.seating) for job in jobs.values() for board in job.boards)
    with closing(sqlite3.connect(here.workspace / "arena.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def scheduled(league: model.League) -> list[TableJob]:
    """All tables of a league whose schedule does not wait for results."""
    (batch,) = map(list, Course(league, finished=(), results=lambda _before: ()).batches())
    return batch


def check_faults(here: Here, kills: int) -> tuple[int, int]:
    """Honest bots failed by our hand alone; how many faults that were, and how many bad bots committed."""
    bad = {case.name for case in CASES}
    details: dict[bool, list[str]] = {True: [], False: []}
    with Store.open(here.workspace, read_only=True) as store:
        for row in store.matches("soak"):
            for fault, detail in zip(row.outcome.faults, row.measurement.fault_details, strict=True):
                details[row.seating[fault.seat].name in bad].append(detail)
    honest = details[False]
    assert [detail for detail in honest if not detail.startswith("killed by SIGKILL")] == []
    assert len(honest) <= kills, honest
    return len(honest), len(details[True])


def check_left(here: Here, before: set[Path]) -> None:
    """No process, no socket or folder of sockets, no control group."""
    deadline = time.monotonic() + END_WAIT_S
    trees.reap()
    while trees.children(os.getpid()):
        assert time.monotonic() < deadline, trees.family(0)
        time.sleep(LOOK_S)
        trees.reap()
    left = sorted(path.relative_to(here.temporary) for path in here.temporary.rglob("*"))
    assert left == [], left
    deadline = time.monotonic() + STAY_S
    groups = set(cgroups.stale()) - before
    while groups := groups & set(cgroups.stale()):
        assert time.monotonic() < deadline, groups
        time.sleep(LOOK_S)
    there = {path.suffix or path.name for path in here.workspace.iterdir()}
    assert there <= {"submissions", "cache", ".db", ".db-wal", ".db-shm", ".lock"}, there


# The two soaks

LONG = ("--move-ms", "30000", "--bank-ms", "60000", "--start-ms", "60000")
"""Nothing is late on the busiest machine; that is not promised to be alike."""
SHORT = ("--move-ms", "500", "--bank-ms", "500", "--start-ms", "5000")
"""Where waiting for a deadline is the verdict it takes no longer than that."""
ANY = (Role.BOT, Role.WARDEN, Role.WORKER, Role.BOT, Role.NURSERY, Role.FORK_SERVER)
ANY_BUT_BOTS = (
    *(Role.COORDINATOR, COMMIT, Role.WARDEN, Role.WORKER),
    *(Role.COORDINATOR, COMMIT, Role.FORK_SERVER, Role.NURSERY),
)


def mixed(*, tables: int, kills: int, seed: int) -> Rows:
    """Honest and bad bots, about one to two, each against each; what the coordinator started is killed."""
    before = set(cgroups.stale())
    bots = next(number for number in range(4, 1_000) if number * (number - 1) >= tables)
    with place("bwrap") as here:
        names = some_bad(bots - bots // 3, Random(seed))
        enter_bad(here, names)
        enter_honest(here, bots - len(names))
        words = ("--game", "idiot", "--boards", "1", "--seed", str(seed), *SHORT)
        strikes = Kills(ANY, kills, bots * (bots - 1), seed)
        ran = League(here, words, strikes).play()
        check_once(here)
        honest, theirs = check_faults(here, strikes.made[Role.BOT])
        check_left(here, before)
    strikes.check()
    return [
        ("league of", f"{bots - len(names)} honest and {len(names)} bad bots, seed {seed}"),
        *figures(ran, strikes, tables=bots * (bots - 1)),
        *memory(ran.memory),
        ("faults of bad bots", f"{theirs}"),
        ("faults of honest bots, all by these kills", f"{honest}"),
    ]


def killed(*, ends: int, seed: int, sandbox: str) -> Rows:
    """One league of three at a table, whole at one go, and once more with its coordinator killed so often."""
    before = set(cgroups.stale())
    bad = ALIKE[: 1 if ends < 50 else 2]
    boards = max(1, round(2 * ends / (3 * comb(3 + len(bad), 3))))
    tables = 3 * comb(3 + len(bad), 3) * boards
    words = ("--game", "idiot", "--players", "3", "--boards", str(boards), "--block", "1")
    words += ("--seed", str(seed), "--sandbox", sandbox, *LONG)
    outcomes = []
    for number, jobs in ((0, "1"), (ends, "2")):
        with place(sandbox) as here:
            enter_bad(here, bad)
            enter_honest(here, 3)
            strikes = Kills(ANY_BUT_BOTS, number, tables, seed)
            ran = League(here, (*words, "--jobs", jobs), strikes).play()
            check_once(here)
            outcomes.append(promised(here, ran.page))
            check_left(here, before)
    check_alike(*outcomes)
    strikes.check()
    return [
        ("league of", f"{3 + len(bad)} bots, 3 at a table, seed {seed}"),
        *figures(ran, strikes, tables=tables),
        ("all of this as without kills:", ""),
        *outcomes[1].figures(),
    ]


def figures(ran: Ran, strikes: Kills, *, tables: int) -> Rows:
    return [
        ("tables, each exactly once", f"{tables}"),
        ("kills", f"{strikes.made.total()}"),
        *(
            (f"  of a {victim}" if victim != COMMIT else f"  {victim}", f"{n}")
            for victim, n in sorted(strikes.made.items())
        ),
        ("tables played again by the same coordinator", f"{ran.again}"),
        ("starts of the coordinator", f"{ran.starts}"),
        ("processes, sockets, control groups left", "none"),
        ("time", f"{ran.seconds:.0f} s, {tables / ran.seconds:.1f} tables/s"),
    ]


def memory(samples: Sequence[tuple[int, int]]) -> Rows:
    """Growth of the coordinator between a tenth of its own tables and its last one."""
    first, most = samples[0][0], samples[-1][0]
    early = next(sample for sample in samples if sample[0] > first + (most - first) / 10)
    late = max(sample for sample in samples if sample[0] < most)
    grown = late[1] - early[1]
    assert grown <= MOST_GROWTH_KIB, (early, late)
    return [
        (f"memory of the coordinator at table {early[0]}", f"{early[1] / 1024:.1f} MiB"),
        (f"memory of the coordinator at table {late[0]}", f"{late[1] / 1024:.1f} MiB ({grown:+} KiB)"),
    ]


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=2_000, help="of the mixed league, at least")
    parser.add_argument("--kills", type=int, default=300, help="in the mixed league")
    parser.add_argument("--ends", type=int, default=200, help="kills of the league that plays alike")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sandbox", default="bwrap", help="of the league that plays alike")
    wish = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # its league goes with it
    trees.adopt_orphans()
    if wish.ends:
        show(killed(ends=wish.ends, seed=wish.seed, sandbox=wish.sandbox))
    if wish.tables:
        show(mixed(tables=wish.tables, kills=wish.kills, seed=wish.seed))


def show(rows: Rows) -> None:
    sys.stdout.write(grid.listing(("soak", "found"), rows) + "\n\n")
    sys.stdout.flush()  # what was found stands, whatever comes next


if __name__ == "__main__":
    main(sys.argv[1:])
