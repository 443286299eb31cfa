"""A room for tests of tables: submissions made on the spot, a toy game, and a look around at the end."""

import multiprocessing.util
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.model import HOUSE, Board, Clock, Entrant, TableJob, TableResult
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


class Room:
    """Makes bots and plays them; looks after itself that nothing is left."""

    def __init__(self, submissions: Path, sockets: Path, backend: str) -> None:
        self.submissions = submissions
        self.sockets = sockets
        self.backend = backend

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
    try:
        yield Room(submissions, sockets, backend)
        assert bots_of(submissions) == {}
        assert list(sockets.iterdir()) == []
    finally:
        shutil.rmtree(sockets)


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
