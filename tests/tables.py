"""A room for tests of tables: submissions made on the spot, a toy game, and a look around at the end."""

import multiprocessing.util
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.model import HOUSE, Board, Clock, Entrant, TableJob, TableResult
from arena.sandbox import bwrap, cgroups
from arena.seats.remote import Remote
from arena.table import play_table
from tests.toy import STICKS

BAD_BOTS = Path(__file__).parent / "bad_bots"
LONG = Clock(move_ms=10_000, bank_ms=10_000, start_ms=20_000)
"""Nothing honest is late on a loaded machine, and whatever waits for a deadline is found out."""
HONEST = """
import sys
from protocol.client import run

class Bot:
    def choose(self, decision):
        return decision.legal[0]

    def end(self, end):
        sys.stderr.write(f"places {end.places}\\n")

run(Bot())
"""


QUICK = """
echo '{"type":"hello","protocol":1,"name":"quick"}'
while read -r line; do
    [[ $line == *'"type":"bye"'* ]] && exit
    [[ $line == *'"type":"end"'* ]] && echo "$line" >&2
    [[ $line =~ '"match":'([0-9]+),'"turn":'([0-9]+) ]] || continue
    echo '{"type":"action","match":'"${BASH_REMATCH[1]}"',"turn":'"${BASH_REMATCH[2]}"',"action":"take 1"}'
done
"""
"""An honest bot that starts in milliseconds, and says how a match ended."""


class Room:
    """Makes bots and plays them; looks after itself that nothing is left."""

    def __init__(self, submissions: Path, sockets: Path, backend: str) -> None:
        self.submissions = submissions
        self.sockets = sockets
        self.backend = backend
        self.wardens: set[int] = set()
        """Pids of those that were called in this process."""

    def bot(
        self,
        name: str,
        program: str,
        *,
        transport: str = "zmq",
        memory_mib: int = 512,
        beside: Sequence[Path] = (),
    ) -> Entrant:
        folder = self.submissions / name
        folder.mkdir()
        (folder / "main.py").write_text(program, "utf-8")
        (folder / "bot.toml").write_text(
            f'name = "{name}"\nlanguage = "python"\ntransport = "{transport}"\nmemory_mib = {memory_mib}\n',
            "utf-8",
        )
        for path in beside:
            shutil.copy(path, folder)
        return Entrant(name, name)

    def honest(self, name: str = "honest") -> Entrant:
        return self.bot(name, HONEST)

    def quick(self) -> Entrant:
        folder = self.submissions / "quick"
        folder.mkdir(exist_ok=True)
        (folder / "main.sh").write_text(QUICK, "utf-8")
        return Entrant("quick", "quick")

    def house(self) -> Entrant:
        return HOUSE

    def job(self, *seating: Entrant, boards: int = 1, clock: Clock = LONG, sticks: int = 5) -> TableJob:
        return TableJob(
            key="table",
            game="sticks",
            options={"sticks": sticks, "deals": 1},
            seating=seating,
            boards=tuple(Board(number, bytes([number]) * 32) for number in range(1, boards + 1)),
            clock=clock,
            sandbox=self.backend,
            submissions=str(self.submissions),
        )

    def play(self, job: TableJob) -> TableResult:
        return play_table(job)


@contextmanager
def room(tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """A room with the toy game; at the end no process, descriptor or file of its tables may be left."""
    monkeypatch.setitem(GAMES, STICKS.name, STICKS)
    multiprocessing.util.get_temp_dir()  # the fork server's own, for the life of this process
    sockets = Path(tempfile.mkdtemp(prefix="room-", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(sockets))
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    here = Room(submissions, sockets, backend)
    monkeypatch.setattr(Remote, "call", noting(here.wardens))
    try:
        yield here
        assert bots_of(submissions) == {}
        assert list(sockets.iterdir()) == []
        assert left_by(here.wardens) == []
    finally:
        shutil.rmtree(sockets)


def noting(wardens: set[int]) -> Callable[[Remote], None]:
    """`Remote.call`, which notes who was called."""
    call = Remote.call

    def noted(seat: Remote) -> None:
        call(seat)
        pid = seat._processes[-1].pid
        assert pid is not None
        wardens.add(pid)

    return noted


def left_by(wardens: set[int]) -> list[str]:
    """What is left of wardens and of the boxes that they put up: processes, control groups, IPC, files."""
    marks = {f"{cgroups.PREFIX}{pid}-" for pid in wardens}
    groups = (group for place in cgroups.places().values() for group in Path(place.folder).iterdir())
    found = [str(group) for group in groups if group.name.startswith(tuple(marks))]
    found += [f"warden {pid}" for pid in wardens if Path(f"/proc/{pid}").exists()]
    if os.geteuid() == 0:  # else bots have our own uid on the host, and we have things of our own there
        found += [str(path) for folder in SHARED for path in Path(folder).iterdir() if of_a_seat(path)]
        found += [row for kind in ("shm", "sem", "msg") for row in of_seats(Path("/proc/sysvipc", kind))]
    return found


SHARED = [folder for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue") if Path(folder).is_dir()]
SEATS = range(bwrap.FIRST_SEAT_UID, bwrap.FIRST_SEAT_UID + 8)


def of_a_seat(path: Path) -> bool:
    """Whether it belongs to a bot that is walled by root."""
    try:
        return path.lstat().st_uid in SEATS
    except OSError:  # gone meanwhile
        return False


def of_seats(table: Path) -> list[str]:
    """Rows of System V IPC that a bot made or owns."""
    rows = table.read_text("ascii").splitlines()[1:] if table.exists() else []
    return [row for row in rows if {str(uid) for uid in SEATS} & set(row.split())]


def bots_of(submissions: Path) -> dict[int, str]:
    """Processes that are in a bot's folder, walled or not, by pid."""
    mark = str(submissions)
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "mountinfo").read_text(errors="replace") or mark in str(
                (process / "cwd").readlink()
            ):
                found[int(process.name)] = (process / "stat").read_text(errors="replace")
        except OSError:
            continue  # gone meanwhile, or a zombie
    return found


def wait_until(claim: Callable[[], object], wait_s: float = 60.0) -> None:
    deadline = time.monotonic() + wait_s
    while not claim():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)
