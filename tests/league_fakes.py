"""Tables played without bots, and a program that runs a league of them."""

import hashlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.games import GAMES
from arena.league.course import Course
from arena.league.runner import Progress, run
from arena.model import (
    HOUSE,
    Board,
    Circumstances,
    Late,
    League,
    MatchRecord,
    Measurement,
    Outcome,
    Result,
    TableJob,
    TableResult,
)
from arena.store import Store


def tables(of: League, submissions: str = "") -> Iterator[TableJob]:
    """All tables of a league whose schedule does not look at results, lazily."""
    course = Course(of, finished=(), results=lambda _before: (), submissions=submissions)
    return (job for batch in course.batches() for job in batch)


def play(job: TableJob) -> TableResult:
    """A table's result as a pure function of its job."""
    return TableResult(job.key, tuple(_match(job, board) for board in job.boards), ("fake",))


def _match(job: TableJob, board: Board) -> MatchRecord:
    digest = hashlib.sha256(board.seed + repr(job.seating).encode()).digest()
    seats = len(job.seating)
    places = (1.0, *[(2.0 + seats) / 2] * (seats - 1))
    turn = digest[0] % seats
    outcome = Outcome(places[turn:] + places[:turn], None, digest[1])
    idle = (0.0,) * seats
    return MatchRecord(board.number, outcome, Measurement(0.0, idle, idle, idle), digest * 64)


def play_skilled(job: TableJob) -> TableResult:
    """A bot is as skilled as the first hex digit of its version says; luck belongs to board and seat."""
    return TableResult(job.key, tuple(_skilled(job, board) for board in job.boards), ("fake",))


def _skilled(job: TableJob, board: Board) -> MatchRecord:
    sides, seats = GAMES[job.game].sides(len(job.seating)), len(job.seating)
    heights = []
    for side, (first, *_) in enumerate(sides):
        luck = hashlib.sha256(board.seed + bytes([side])).digest()[0]
        version = job.seating[first].version
        heights.append(luck + 8 * int(version[0], 16) if version != HOUSE.version else luck)
    order = sorted(heights, reverse=True)
    places = tuple(order.index(each) + (order.count(each) + 1) / 2 for each in heights)
    idle = (0.0,) * seats
    return MatchRecord(board.number, Outcome(places, None, 9), Measurement(0.0, idle, idle, idle), b"t" * 40)


def results(job: TableJob) -> list[Result]:
    """What the fake play of a table of two comes to, as a schedule sees it."""
    sides = tuple((entrant,) for entrant in job.seating)
    return [
        Result(board.seed.hex(), sides, record.outcome.places, None, ((), ()))
        for board, record in zip(job.boards, play(job).matches, strict=True)
    ]


def marks(workspace: Path) -> Path:
    """Folder in which the functions below leave a file for each table that they met."""
    return workspace / "marks"


def _mark(job: TableJob) -> bool:
    """Leave a mark; says whether it is the table's first."""
    try:
        (marks(Path(job.submissions).parent) / job.key).open("x").close()
    except FileExistsError:
        return False
    return True


def play_alone(job: TableJob) -> TableResult:
    """Fails when one of its deals is being played at another table."""
    busy = [marks(Path(job.submissions).parent) / board.seed.hex() for board in job.boards]
    for path in busy:
        path.open("x").close()
    threading.Event().wait(0.02)
    for path in busy:
        path.unlink()
    return play(job)


def play_killed_once(job: TableJob) -> TableResult:
    """Every third table kills its worker the first time."""
    if hashlib.sha256(job.key.encode()).digest()[0] % 3 == 0 and _mark(job):
        os.kill(os.getpid(), signal.SIGKILL)
    return play(job)


def play_always_killed(job: TableJob) -> TableResult:
    os.kill(os.getpid(), signal.SIGKILL)
    return play(job)


def play_void(job: TableJob) -> TableResult:
    """Every table was void once."""
    late = Late(job.boards[0].number, 0, Circumstances(limit_ms=100.0, cpu_ms=1.0, waited_ms=90.0))
    return msgspec.structs.replace(play(job), void=(late,))


def play_full_disk(job: TableJob) -> TableResult:
    raise OSError(28, "No space left on device", "/tmp/table")


def play_gated(job: TableJob) -> TableResult:
    """Leave a mark, then wait for the file `go` beside the folder of the marks."""
    _mark(job)
    gate = Path(job.submissions).parent / "go"
    while not gate.exists():
        threading.Event().wait(0.01)
    return play(job)


class Quiet:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.done: list[tuple[int, int]] = []
        self.said: list[str] = []

    def progress(self, progress: Progress) -> None:
        self.done.append((progress.done, progress.total))

    def say(self, sentence: str) -> None:
        self.said.append(sentence)


class Aloud:
    """A listener that prints, for a coordinator in a process of its own."""

    def progress(self, progress: Progress) -> None:
        self.say(f"done {progress.done}")

    def say(self, sentence: str) -> None:
        sys.stdout.write(sentence + "\n")
        sys.stdout.flush()


def main(workspace: str, league: str, jobs: str, function: str) -> None:
    with Store.open(Path(workspace)) as store:
        ran = run(store, league, jobs=int(jobs), listener=Aloud(), play=globals()[function])
    Aloud().say("interrupted" if ran.interrupted else "ended")


if __name__ == "__main__":
    from tests import league_fakes  # so that workers find the functions under one name

    league_fakes.main(*sys.argv[1:])
