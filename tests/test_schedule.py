"""Which tables a league plays: balance, keys that never change, lines that tell what is missing."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import combinations, islice
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.deals import board_seed
from arena.games import GAMES
from arena.games.base import Game, each_for_himself
from arena.league import partners
from arena.league.batches import Size
from arena.league.schedule import check_league, size_of
from arena.league.schedules.line_ups import sides_needed
from arena.model import HOUSE, Board, Clock, Entrant, Extension, League, Partners, TableJob, UserError
from tests import league_fakes as fakes

FREE = "free-for-all"
PAIRS = "partners"


def two_sides(players: int) -> tuple[tuple[int, ...], ...]:
    return ((0, 2), (1, 3)) if players == 4 else each_for_himself(players)


def rules(name: str, players: tuple[int, ...], sides: Any) -> Game:
    def unused(*args: object) -> Any:
        raise AssertionError(args)

    return Game(name, players, object, sides, unused, unused, unused, unused)


@pytest.fixture(autouse=True, scope="module")
def games() -> Iterator[None]:
    """Two games that have players and sides and nothing else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, FREE, rules(FREE, (2, 3, 4, 5, 6), each_for_himself))
        patch.setitem(GAMES, PAIRS, rules(PAIRS, (2, 4), two_sides))
        yield


def bots(count: int, *, start: int = 0) -> tuple[Entrant, ...]:
    return tuple(Entrant(f"bot{n}", sha256(b"%d" % n).hexdigest()) for n in range(start, start + count))


def extension(entrants: tuple[Entrant, ...], boards: int, number: int = 0) -> Extension:
    return Extension(entrants, boards, sha256(b"secret %d" % number).digest())


def league(*extensions: Extension, players: int = 2, block: int = 4, **fields: Any) -> League:
    fields = {"game": FREE, "options": {"decks": 1}, "clock": Clock(), "sandbox": "plain", **fields}
    return League(name="test", players=players, block=block, extensions=extensions, **fields)


def tables(of: League) -> list[TableJob]:
    return list(fakes.tables(of))


def matches(jobs: list[TableJob]) -> list[tuple[tuple[Entrant, ...], bytes]]:
    return [(job.seating, board.seed) for job in jobs for board in job.boards]


LineUp = tuple[tuple[Entrant, ...], ...]


def line_up(of: League, job: TableJob) -> LineUp:
    """Who is with whom, and against whom, wherever they sit."""
    sides = GAMES[of.game].sides(of.players)
    return tuple(sorted(tuple(sorted(job.seating[seat] for seat in side)) for side in sides))


single = st.builds(
    lambda players, extra, boards, block: league(
        extension(bots(players + extra), boards), players=players, block=block
    ),
    players=st.integers(2, 4),
    extra=st.integers(0, 3),
    boards=st.integers(1, 9),
    block=st.integers(1, 5),
)


def mixed_league(*extensions: Extension, **fields: Any) -> League:
    return league(*extensions, players=4, game=PAIRS, partners=Partners.MIXED, **fields)


mixed = st.builds(
    lambda count, boards, block: mixed_league(extension(bots(count), boards), block=block),
    count=st.integers(4, 9),
    boards=st.integers(1, 5),
    block=st.integers(1, 3),
)
leagues = single | mixed


@given(of=single)
def test_each_pair_of_bots_meets_equally_often(of: League) -> None:
    met = Counter(pair for seating, _ in matches(tables(of)) for pair in combinations(sorted(seating), 2))

    assert len(met) == len(list(combinations(of.extensions[0].entrants, 2)))
    assert len(set(met.values())) == 1


@given(of=single)
def test_each_bot_sits_equally_often_on_each_seat(of: League) -> None:
    sat = Counter((bot, seat) for seating, _ in matches(tables(of)) for seat, bot in enumerate(seating))

    assert len(sat) == len(of.extensions[0].entrants) * of.players
    assert len(set(sat.values())) == 1


@given(of=leagues)
def test_a_deal_is_played_once_in_each_seating_by_fresh_processes(of: League) -> None:
    jobs = tables(of)

    for job in jobs:
        assert len({board.seed for board in job.boards}) == len(job.boards)
    played = matches(jobs)
    assert len(set(played)) == len(played)
    assert set(Counter(seed for _, seed in played).values()) == {of.players}


@given(of=leagues)
def test_keys_are_ascii_unique_and_sort_in_table_order(of: League) -> None:
    keys = [job.key for job in tables(of)]

    assert all(key.isascii() for key in keys)
    assert keys == sorted(set(keys))


@given(of=leagues, order=st.randoms(use_true_random=False))
def test_the_order_in_which_bots_are_named_changes_nothing(of: League, order: Random) -> None:
    entrants = list(of.extensions[0].entrants)
    order.shuffle(entrants)
    shuffled = msgspec.structs.replace(
        of, extensions=(msgspec.structs.replace(of.extensions[0], entrants=tuple(entrants)),)
    )

    assert tables(shuffled) == tables(of)


@given(
    of=leagues,
    growths=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=3),
)
def test_a_league_that_grows_keeps_its_old_tables_and_plays_every_board_once(
    of: League, growths: list[tuple[int, int]]
) -> None:
    grown = of
    for number, (more_bots, more_boards) in enumerate(growths, start=1):
        last = grown.extensions[-1]
        entrants = last.entrants + bots(more_bots, start=len(last.entrants))
        later = extension(entrants, last.boards + more_boards, number)
        grown = msgspec.structs.replace(grown, extensions=(*grown.extensions, later))

    jobs = tables(grown)

    assert jobs[: len(tables(of))] == tables(of)
    assert [job.key for job in jobs] == sorted({job.key for job in jobs})
    line_ups = {line_up(of, job) for job in jobs}
    if of.partners is Partners.SAME:
        everyone = combinations(sorted(bots_of(grown)), of.players)
        assert line_ups == {tuple((bot,) for bot in each) for each in everyone}
    boards = Counter((line_up(of, job), board.number) for job in jobs for board in job.boards)
    numbers = range(1, grown.extensions[-1].boards + 1)
    assert boards == {(each, number): of.players for each in line_ups for number in numbers}


@given(of=leagues, growth=st.tuples(st.integers(0, 2), st.integers(0, 5)))
def test_the_size_is_what_is_listed(of: League, growth: tuple[int, int]) -> None:
    first = of.extensions[0]
    entrants = first.entrants + bots(growth[0], start=len(first.entrants))
    later = extension(entrants, first.boards + growth[1], 1)
    grown = msgspec.structs.replace(of, extensions=(first, later))

    size = size_of(grown)
    jobs = tables(grown)

    line_ups = {line_up(of, job) for job in jobs}
    matches = sum(len(job.boards) for job in jobs)
    assert size == Size(len(line_ups), len(jobs), matches)


@given(of=leagues, cut=st.integers(0, 200))
def test_a_league_stopped_anywhere_is_balanced_to_one_block(of: League, cut: int) -> None:
    jobs = tables(of)

    tables_of = Counter(line_up(of, job) for job in jobs[:cut])
    blocks = [-(-tables_of[each] // of.players) for each in {line_up(of, job) for job in jobs}]
    assert max(blocks) - min(blocks) <= 1


def bots_of(of: League) -> tuple[Entrant, ...]:
    return of.extensions[-1].entrants


def test_the_seatings_of_a_block_stand_next_to_each_other() -> None:
    jobs = tables(league(extension(bots(3), 4), players=3, block=2))

    assert [tuple(board.number for board in job.boards) for job in jobs] == [(1, 2)] * 3 + [(3, 4)] * 3
    assert [job.key.rpartition("-")[2] for job in jobs] == ["0", "1", "2"] * 2


@pytest.mark.parametrize("players", [3, 4, 5])
def test_neighbours_take_turns_from_block_to_block(players: int) -> None:
    jobs = tables(league(extension(bots(players), 2), players=players, block=1))

    after = Counter((job.seating[seat - 1], job.seating[seat]) for job in jobs for seat in range(players))
    assert all(after[left, right] == after[right, left] for left, right in after)


def test_boards_of_an_extension_are_dealt_from_its_own_secret() -> None:
    four = bots(2)
    small = league(extension(four, 4))
    other_secret = league(extension(four, 4), extension(four, 8, 1))
    another = league(extension(four, 4), extension(four, 8, 2))

    first, second = tables(other_secret)[2:], tables(another)[2:]

    assert tables(other_secret)[:2] == tables(another)[:2] == tables(small)
    assert [job.key for job in first] == [job.key for job in second]
    assert not {seed for _, seed in matches(first)} & {seed for _, seed in matches(second)}


def test_partners_are_played_by_the_same_bot() -> None:
    one, other = sorted(bots(2), key=tag)

    jobs = tables(league(extension((one, other), 1), players=4, game=PAIRS))

    assert [job.seating for job in jobs] == [(one, other, one, other), (other, one, other, one)]


def tag(bot: Entrant) -> str:
    return sha256(f"{bot.name}\0{bot.version}".encode()).hexdigest()


@given(of=mixed)
def test_mixed_partners_sit_once_on_each_seat_of_a_board_and_opposite_each_other(of: League) -> None:
    sat = Counter(
        (line_up(of, job), board.number, bot, seat)
        for job in tables(of)
        for board in job.boards
        for seat, bot in enumerate(job.seating)
    )

    boards = {(each, number) for each, number, _, _ in sat}
    assert set(sat.values()) == {1}
    assert len(sat) == len(boards) * 4 * 4
    assert all(len({*one, *other}) == 4 for (one, other), _ in boards)


@given(of=mixed)
def test_mixed_partners_meet_as_the_list_of_line_ups_says(of: League) -> None:
    line_ups = list(dict.fromkeys(line_up(of, job) for job in tables(of)))

    came = sorted(bots_of(of), key=tag)
    listed = partners.line_ups((len(came),))
    assert line_ups == [
        tuple(sorted(tuple(sorted(came[bot] for bot in pair)) for pair in teams)) for teams in listed
    ]


@given(of=mixed)
def test_other_partners_have_other_cards(of: League) -> None:
    deals = {(board.seed, line_up(of, job), board.number) for job in tables(of) for board in job.boards}

    assert len({seed for seed, _, _ in deals}) == len(deals)


def test_the_seed_of_mixed_partners_is_that_of_the_page_on_deals() -> None:
    of = mixed_league(extension(bots(4), 1))

    job, *_ = tables(of)

    sides = [(job.seating[0], job.seating[2]), (job.seating[1], job.seating[3])]
    seed = board_seed(
        of.extensions[0].secret,
        game=PAIRS,
        options=of.options,
        versions=["+".join(sorted(bot.version for bot in side)) for side in sides],
        number=1,
    )
    assert job.boards == (Board(1, seed),)


def test_opponents_of_mixed_partners_change_hands_from_block_to_block() -> None:
    jobs = tables(mixed_league(extension(bots(5), 2), block=1))

    after = Counter((job.seating[seat - 1], job.seating[seat]) for job in jobs for seat in range(4))
    assert len(set(after.values())) == 1


def test_a_bot_that_comes_to_mixed_partners_renumbers_nothing() -> None:
    before = mixed_league(extension(bots(8), 2), block=1)
    grown = msgspec.structs.replace(before, extensions=(*before.extensions, extension(bots(9), 3, 1)))

    jobs = tables(grown)

    old = tables(before)
    assert jobs[: len(old)] == old
    newcomer = bots(9)[-1]
    fresh = {line_up(of, job) for of in (grown,) for job in jobs} - {line_up(before, job) for job in old}
    assert all(any(newcomer in side for side in each) for each in fresh)


def test_the_house_takes_the_seats_for_which_bots_are_missing() -> None:
    (job, *others) = tables(league(extension(bots(2), 1), players=4, fill_house=True))

    assert Counter(job.seating) == Counter([*bots(2), HOUSE, HOUSE])
    assert len({other.seating for other in others} | {job.seating}) == len(others) + 1 == 4


def test_the_house_gives_its_seats_to_bots_that_come_later() -> None:
    before = league(extension(bots(2), 3), players=3, fill_house=True)
    grown = msgspec.structs.replace(before, extensions=(*before.extensions, extension(bots(4), 3, 1)))

    jobs = tables(grown)

    assert jobs[:3] == tables(before)
    line_ups = {tuple(sorted(job.seating)) for job in jobs[3:]}
    assert line_ups == {tuple(sorted(it)) for it in combinations(bots(4), 3)}
    size = size_of(grown)
    assert (size.line_ups, size.tables) == (5, len(jobs))


def test_a_large_league_is_never_listed_as_a_whole() -> None:
    huge = league(extension(bots(200), 1000), players=6)

    first = list(islice(fakes.tables(huge), 10))

    assert len({job.key for job in first}) == 10
    assert size_of(huge).tables == 82_408_626_300 * 250 * 6


def test_the_table_carries_all_that_its_worker_needs() -> None:
    of = league(extension(bots(2), 1), clock=Clock(1, 2, 3), sandbox="bwrap")

    (job, _) = fakes.tables(of, "/ws/submissions")

    assert (job.game, job.options, job.clock, job.sandbox, job.submissions) == (
        FREE,
        {"decks": 1},
        Clock(1, 2, 3),
        "bwrap",
        "/ws/submissions",
    )


def test_too_few_bots_are_told_with_what_to_type() -> None:
    of = league(extension(bots(1), 1), players=3)

    with pytest.raises(UserError, match=r"1 bot here, 3 are needed .* --fill house"):
        check_league(of)


def test_a_bot_named_twice_is_refused() -> None:
    of = league(extension(bots(2) + bots(1), 1))

    with pytest.raises(UserError, match="name each bot once"):
        check_league(of)


@pytest.mark.parametrize(
    ("fields", "count", "message"),
    [
        (
            {"game": FREE, "players": 4},
            4,
            "free-for-all with 4 players has no two sides of two, .*; leave --partners out",
        ),
        ({"game": PAIRS, "players": 2}, 4, "partners with 2 players has no .*; type --players 4, or leave"),
        ({"game": PAIRS, "players": 4}, 3, "3 bots here, 4 are needed for --partners mixed; submit more"),
    ],
)
def test_partners_that_cannot_be_mixed_are_told_with_what_to_type(
    fields: dict[str, Any], count: int, message: str
) -> None:
    of = league(extension(bots(count), 1), partners=Partners.MIXED, fill_house=True, **fields)

    with pytest.raises(UserError, match=message):
        check_league(of)


def test_enough_bots_are_taken() -> None:
    check_league(mixed_league(extension(bots(4), 1)))
    check_league(league(extension(bots(3), 1), players=3))
    check_league(league(extension(bots(1), 1), players=3, fill_house=True))
    check_league(league(extension(bots(2), 1), players=4, game=PAIRS))


@pytest.mark.parametrize(
    ("game", "players", "message"),
    [
        ("whist", 2, "no game 'whist'; the games are: "),
        (PAIRS, 3, "partners is played by 2, 4, not by 3; type --players 2"),
    ],
)
def test_an_unknown_game_or_number_of_players_says_what_there_is(
    game: str, players: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        sides_needed(game, players)
