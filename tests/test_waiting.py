"""Which table may be played next: never two of one block at a time, and none is lost."""

from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.league.waiting import Waiting, enough_ahead, next_free
from arena.model import Clock, Entrant, Extension, League, TableJob
from tests.league_fakes import tables


def league(bots: int, players: int, boards: int, block: int) -> League:
    entrants = tuple(Entrant(f"bot{n}", sha256(b"%d" % n).hexdigest()) for n in range(bots))
    return League(
        name="test",
        game="idiot",
        players=players,
        options={},
        clock=Clock(),
        block=block,
        sandbox="plain",
        extensions=(Extension(entrants, boards, b"s" * 32),),
    )


def block_of(job: TableJob) -> str:
    return job.key.rpartition("-")[0]


leagues = st.builds(
    lambda players, more, boards, block: league(players + more, players, boards, block),
    players=st.integers(2, 4),
    more=st.integers(0, 2),
    boards=st.integers(1, 7),
    block=st.integers(1, 3),
)


def played(of: League, window: int, order: Random) -> list[list[TableJob]]:
    """What is out, each time when no more can be taken, while tables end in any order."""
    waiting = Waiting(tables(of), ahead=enough_ahead(window, of.players))
    out: list[TableJob] = []
    seen = []
    while True:
        while len(out) < window and (job := waiting.take()):
            out.append(job)
        if not out:
            return seen
        seen.append(list(out))
        waiting.done(out.pop(order.randrange(len(out))))


@given(of=leagues, window=st.integers(1, 8), order=st.randoms(use_true_random=False))
def test_two_tables_of_one_line_up_and_block_are_never_out_at_a_time(
    of: League, window: int, order: Random
) -> None:
    for out in played(of, window, order):
        assert len({block_of(job) for job in out}) == len(out)
        seeds = [board.seed for job in out for board in job.boards]
        assert len(set(seeds)) == len(seeds)


@given(of=leagues, window=st.integers(1, 8), order=st.randoms(use_true_random=False))
def test_every_table_is_played_once_in_whatever_order_they_end(
    of: League, window: int, order: Random
) -> None:
    seen = played(of, window, order)

    keys = {job.key for out in seen for job in out}
    assert keys == {job.key for job in tables(of)}
    assert len(seen) == len(keys)  # one ends at each step


@given(of=leagues, window=st.integers(1, 8), order=st.randoms(use_true_random=False))
def test_a_worker_waits_only_when_every_table_that_is_left_is_of_a_block_that_is_out(
    of: League, window: int, order: Random
) -> None:
    left = {job.key: job for job in tables(of)}

    for out in played(of, window, order):
        for job in out:
            left.pop(job.key, None)
        if len(out) < window:
            assert {block_of(job) for job in left.values()} <= {block_of(job) for job in out}


def test_a_single_line_up_plays_its_next_block_meanwhile() -> None:
    waiting = Waiting(tables(league(2, 2, 2, 1)), ahead=2)

    one, other = waiting.take(), waiting.take()

    assert one
    assert other
    assert [board.number for job in (one, other) for board in job.boards] == [1, 2]


def test_a_single_worker_plays_in_the_order_of_the_schedule() -> None:
    of = league(3, 3, 4, 2)

    assert [out[0] for out in played(of, 1, Random(0))] == list(tables(of))


def test_no_more_than_the_bound_is_asked_of_the_schedule() -> None:
    asked = []
    schedule = (asked.append(job) or job for job in tables(league(4, 2, 9, 1)))  # type: ignore[func-returns-value]
    waiting = Waiting(schedule, ahead=5)

    waiting.take()

    assert len(asked) == 5


def test_without_deals_that_are_busy_the_first_table_is_next() -> None:
    jobs = list(tables(league(2, 2, 2, 1)))
    busy = {board.seed for board in jobs[0].boards}

    assert next_free(jobs, set()) == 0
    assert next_free(jobs, busy) == 2
    assert next_free(jobs[:2], busy) is None
    assert next_free([], set()) is None


@pytest.mark.parametrize("game", GAMES)
def test_no_more_seatings_than_players_are_expected(game: str) -> None:
    for players in GAMES[game].players:
        sides = len(GAMES[game].sides(players))
        bots = tuple(Entrant(f"bot{n}", sha256(b"%d" % n).hexdigest()) for n in range(sides))
        of = League("test", game, players, {}, Clock(), 1, "plain", (Extension(bots, 1, b"s" * 32),))

        assert len(list(tables(of))) <= players
