"""Leagues that a test plays in its own process: real tables and referees, and bots that fail as told."""

from dataclasses import asdict
from datetime import UTC, datetime
from random import Random

from arena.games import GAMES
from arena.league.course import course_of
from arena.model import (
    HOUSE,
    Answer,
    Clock,
    Comparison,
    Entrant,
    Extension,
    FaultKind,
    League,
    Question,
    SeatFault,
    TableJob,
    TableResult,
)
from arena.seats.local import Local
from arena.store import Store
from arena.submissions.importing import read_folder
from arena.submissions.tree import tree_hash
from arena.table import play_table
from protocol.messages import Start, Welcome

NOON = datetime(2024, 5, 17, 12, 0, tzinfo=UTC)


class Player(Local):
    """Plays at random, seldom picking up; fails by its name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rng = Random(0)

    def ready(self, welcome: Welcome) -> SeatFault | None:
        del welcome
        return SeatFault(FaultKind.START, "no hello") if self._name == "never" else None

    def start(self, start: Start) -> None:
        self._rng = Random(start.seed)

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        if self._name == "falls" and question.turn == 3 + match:
            return SeatFault(FaultKind.CRASH, "exit code 3")
        if self._name == "errs" and match % 2 and question.turn == 4:
            return Answer("fly", wall_ms=0.0)
        forward = [action for action in question.legal if action != "pickup"] or question.legal
        note = "so" if self._rng.random() < 0.1 else None
        return Answer(self._rng.choice(forward), wall_ms=0.0, note=note)


def play(job: TableJob) -> TableResult:
    return play_table(job, guests={seat: Player(bot.name) for seat, bot in enumerate(job.seating)})


def entered(store: Store, names: tuple[str, ...], game: str) -> tuple[Entrant, ...]:
    """Bots of these names, with files of their own."""
    found = []
    for name in names:
        folder = store.submissions / name
        folder.mkdir()
        (folder / "main.py").write_text(f"print({name!r})\n", "utf-8")
        version = tree_hash(read_folder(folder))
        folder.rename(store.submissions / version)
        store.add_version(name, version, games=[game], submitted=NOON, sandbox="plain")
        found.append(Entrant(name, version))
    return tuple(found)


def league(
    store: Store,
    names: tuple[str, ...],
    *,
    players: int = 2,
    schedule: str = "round-robin",
    auto_forced: bool = False,
) -> League:
    """A league of these bots, four boards a line-up and then one more with a secret of its own."""
    bots = entered(store, names, "idiot")
    growth = tuple(
        Extension(bots, boards, bytes([boards]) * 32)
        for boards in ((4, 5) if schedule == "round-robin" else (8,))
    )
    made = League(
        name="cup",
        game="idiot",
        players=players,
        options=asdict(GAMES["idiot"].options()),
        clock=Clock(),
        block=4 if schedule == "round-robin" else 2,
        sandbox="plain",
        extensions=growth,
        schedule=schedule,
        auto_forced=auto_forced,
    )
    store.create_league(made)
    return made


def bout(store: Store, names: tuple[str, ...], field: tuple[Entrant, ...] = (HOUSE,)) -> League:
    """A comparison of two bots, with a field at the table or without: three boards, looked at once."""
    bots = entered(store, names, "idiot")
    new, old = (*bots, HOUSE)[:2]
    made = League(
        name="bout",
        game="idiot",
        players=2 + len(field),
        options=asdict(GAMES["idiot"].options()),
        clock=Clock(),
        block=2,
        sandbox="plain",
        extensions=(Extension(bots, 3, bytes(32)),),
        schedule="compare",
        fill_house=True,
        comparison=Comparison(new, old, 16, field, fixed=True),
    )
    store.create_league(made)
    return made


def play_all(store: Store, made: League, *, most: int | None = None) -> None:
    """Play the tables of a league, or the first so many that are missing."""
    left = most
    for batch in course_of(store, made).batches():
        for job in batch:
            if left == 0:
                return
            store.commit(made.name, job, play(job))
            left = None if left is None else left - 1
