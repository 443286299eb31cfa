"""Results in brief say what results say, however they were made, and are kept while they are true."""

from dataclasses import asdict
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import leaderboard
from arena.brief import Brief, Briefed, brief_of
from arena.games import GAMES
from arena.leaderboard import Scope
from arena.league.course import Course
from arena.model import (
    Board,
    Clock,
    Entrant,
    Extension,
    FaultKind,
    FaultRecord,
    League,
    MatchRecord,
    Measurement,
    Outcome,
    Partners,
    TableJob,
    TableResult,
)
from arena.ratings import fit
from arena.store import Store, briefs
from arena.store import cache as stored

BOTS = tuple(Entrant(name, name * 64) for name in "abcd")
THIRDS = (0.1, 1 / 3, -2.0, 0.0, 7.0, 1e15)


def a_league(game: str, players: int, *, bots: int = 4, boards: int = 5, **more: object) -> League:
    return League(
        name="cup",
        game=game,
        players=players,
        options=asdict(GAMES[game].options()),
        clock=Clock(),
        block=2,
        sandbox="plain",
        extensions=(Extension(BOTS[:bots], boards, bytes(32)),),
        **more,
    )


def thrown(job: TableJob, rng: Random) -> TableResult:
    """A table by chance: ties, forfeits, and scores that no float holds exactly."""
    return TableResult(job.key, tuple(a_match(job, board, rng) for board in job.boards))


def a_match(job: TableJob, board: Board, rng: Random) -> MatchRecord:
    seats, sides = len(job.seating), len(GAMES[job.game].sides(len(job.seating)))
    places = rng.choice([tuple(rng.sample([float(n) for n in range(1, sides + 1)], sides)), (1.5,) * sides])
    faults = tuple(
        FaultRecord(seat, rng.choice(list(FaultKind)), rng.randrange(9), forfeit=rng.random() < 0.5)
        for seat in range(seats)
        if rng.random() < 0.25
    )
    scores = None if faults else tuple(rng.choice(THIRDS) for _ in range(sides))
    cost = Measurement(1.0, (1.0,) * seats, (None,) * seats, (1.0,) * seats)
    return MatchRecord(board.number, Outcome(places, scores, 7, faults), cost, b"")


LEAGUES = [
    a_league("idiot", 2),
    a_league("imp", 3),
    a_league("mpirimpa", 4),
    a_league("mpirimpa", 4, partners=Partners.MIXED),
    a_league("idiot", 4, bots=2, fill_house=True),
]


def jobs_of(league: League) -> list[TableJob]:
    course = Course(league, finished=(), results=lambda _before: ())
    return [job for batch in course.batches() for job in batch]


@pytest.mark.parametrize("league", LEAGUES, ids=lambda each: f"{each.game}-{each.players}-{each.partners}")
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_the_brief_of_a_league_is_that_of_its_results_and_rates_alike(
    tmp_path_factory: pytest.TempPathFactory, league: League, seed: int, share: float
) -> None:
    rng = Random(seed)
    with Store.open(tmp_path_factory.mktemp("store")) as store:
        store.create_league(league)
        for job in jobs_of(league):
            if rng.random() < share or share == 1.0:
                store.commit("cup", job, thrown(job, rng))
        results, briefed = store.results("cup"), store.briefed("cup")

        assert briefed.brief.same(brief_of(results))
        assert (len(briefed), list(briefed)) == (len(results), results)
        assert fit(briefed) == fit(results)
        assert page(league, briefed) == page(league, results)


def page(league: League, results: object) -> str:
    columns = (
        "rank",
        "bot",
        "elo",
        "error",
        "los",
        "boards",
        "place",
        "points",
        "score",
        "faults",
        "forfeits",
    )
    return leaderboard.page(Scope((league,), results), columns=columns)


def test_line_ups_with_the_same_cards_have_one_board_together(tmp_path: Path) -> None:
    league = a_league("idiot", 2, boards=2)
    with Store.open(tmp_path) as store:
        store.create_league(league)
        boards = tuple(Board(number, bytes([number]) * 32) for number in (1, 2))
        for job in jobs_of(league):
            alike = msgspec.structs.replace(job, boards=boards)
            store.commit("cup", alike, thrown(alike, Random(job.key)))

        brief = store.briefed("cup").brief

        assert brief.same(brief_of(store.results("cup")))
        assert sum(alike.times for alike in brief.boards) == 2


def test_boards_of_tables_that_do_not_match_count_where_they_are_whole(tmp_path: Path) -> None:
    league = a_league("idiot", 2, bots=2)
    with Store.open(tmp_path) as store:
        store.create_league(league)
        one, other, *_ = jobs_of(league)
        longer = msgspec.structs.replace(other, boards=(*other.boards, Board(3, bytes(32))))
        for job in (one, longer):
            store.commit("cup", job, thrown(job, Random(1)))

        assert store.briefed("cup").brief.same(brief_of(store.results("cup")))
        assert len(store.briefed("cup")) == 4


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A league with a brief that is kept, and one table to come."""
    monkeypatch.setattr(briefs, "WORTH_KEEPING", 1)
    league = a_league("idiot", 2)
    with Store.open(tmp_path) as store:
        store.create_league(league)
        for job in jobs_of(league)[:-1]:
            store.commit("cup", job, thrown(job, Random(job.key)))
        store.briefed("cup")
        yield store


def cache(store: Store) -> Path:
    return store.workspace / "cache" / "cup.brief"


def forged(store: Store) -> None:
    """Let what is kept say that nobody made any points."""
    content = stored.read(cache(store), briefs.Kept)
    assert content
    stored.write(cache(store), msgspec.structs.replace(content, scores=()))


def test_a_brief_is_kept_and_used_while_nothing_was_added(kept: Store) -> None:
    before = kept.briefed("cup").brief
    forged(kept)

    assert before.scores
    assert kept.briefed("cup").brief == Brief(before.boards, {})


def test_a_table_that_is_added_makes_it_anew(kept: Store) -> None:
    forged(kept)
    last = jobs_of(a_league("idiot", 2))[-1]

    kept.commit("cup", last, thrown(last, Random(1)))

    assert kept.briefed("cup").brief.same(brief_of(kept.results("cup")))


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x90"])
def test_what_cannot_be_read_is_made_anew(kept: Store, content: bytes) -> None:
    cache(kept).write_bytes(content)

    assert kept.briefed("cup").brief.same(brief_of(kept.results("cup")))
    assert cache(kept).read_bytes() != content


def test_what_is_not_as_it_was_written_is_made_anew(kept: Store) -> None:
    before, content = kept.briefed("cup").brief, cache(kept).read_bytes()
    for place in range(len(content)):
        cache(kept).write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])

        assert stored.read(cache(kept), briefs.Kept) is None
    assert kept.briefed("cup").brief == before


def test_where_nothing_can_be_kept_it_is_made_each_time(kept: Store) -> None:
    cache(kept).unlink()
    cache(kept).parent.rmdir()
    cache(kept).parent.touch()

    assert kept.briefed("cup").brief.same(brief_of(kept.results("cup")))


def test_small_leagues_leave_no_file(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_league(a_league("idiot", 2))
        store.briefed("cup")

    assert not (tmp_path / "cache").exists()


def test_results_are_listed_when_somebody_asks_for_one_of_them() -> None:
    asked = []
    briefed = Briefed(Brief((), {}), lambda: asked.append(1) or [])

    assert (len(briefed), asked) == (0, [])
    assert (list(briefed), briefed[:1], asked) == ([], [], [1])
