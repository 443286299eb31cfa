"""Leagues that play where it tells most: what they come to, and how soon."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league import until as ends
from arena.league.batches import Batch, Played
from arena.league.schedule import check_league, size_of
from arena.league.schedules.adaptive import EVEN_EVERY, _Field, _Outlook, adaptive
from arena.model import Extension, Result, UserError
from arena.ratings import fit
from arena.ratings.linear import cholesky, inverse, product
from tests import league_fakes as fakes
from tests.simulated import Simulated, league, throw

WIDE = {f"bot{number:02}": 1000.0 + 80 * number for number in range(10)}
CLOSE = {"ann": 1520.0, "bea": 1500.0, "cid": 1490.0, "dot": 1400.0, "eve": 1300.0}


def round_robin_until(text: str, elos: dict[str, float], seed: str, *, boards: int) -> int:
    """Matches after which a round robin, looked at after each of its rounds, has come as far."""
    of = league(elos, boards=boards, schedule="round-robin", block=2)
    tables = len(elos) * (len(elos) - 1)
    rows: list[Result] = []
    for number, job in enumerate(fakes.tables(of), start=1):
        rows += throw(job, elos, seed)
        if number % tables == 0 and ends.reached(ends.until(text), fit(rows).groups[0]):
            return len(rows)
    raise AssertionError(f"not {text} after {len(rows)} matches")


@pytest.mark.parametrize(
    ("text", "boards", "saved"), [("top 1 separated", 300, 2.0), ("error < 70", 100, 1.2)]
)
@pytest.mark.parametrize("leagues", [3])
def test_it_reaches_its_end_with_fewer_matches_than_a_round_robin(
    text: str, boards: int, saved: float, leagues: int
) -> None:
    seeds = [str(number) for number in range(leagues)]

    adapted = [Simulated(league(WIDE, boards=boards, block=2, until=text), WIDE, seed) for seed in seeds]

    assert {each.reason for each in adapted} == {text}
    usual = sum(round_robin_until(text, WIDE, seed, boards=boards) for seed in seeds)
    assert usual > saved * sum(each.matches for each in adapted)


@pytest.mark.parametrize("leagues", [12])
def test_of_two_equal_leaders_neither_is_proven_the_best(leagues: int) -> None:
    equal = {"ann": 1600.0, "bea": 1600.0, "cid": 1400.0}
    of = league(equal, boards=60, block=2, until="top 1 separated")

    claims = [Simulated(of, equal, str(seed)).reason == "top 1 separated" for seed in range(leagues)]

    assert sum(claims) <= max(1, leagues * ends.DOUBT)


def test_it_ends_with_its_budget_and_says_what_is_missing() -> None:
    of = league(CLOSE, boards=9, block=1, until="top 2 separated or error < 5")

    ended = Simulated(of, CLOSE, "s")

    assert ended.matches == size_of(of).matches == 180
    assert ended.reason.startswith("180 matches are played, the most it may; not yet separated are ")
    assert "; the largest error is " in ended.reason


def test_it_ends_after_so_many_matches() -> None:
    of = league(CLOSE, boards=1, block=1, until="100 matches")

    ended = Simulated(of, CLOSE, "s")

    assert (ended.matches, ended.reason) == (100, "100 matches are played")


def test_its_first_batch_is_one_round_and_every_tenth_pick_is_even() -> None:
    of = league(WIDE, boards=40, block=2, until="top 1 separated")

    first, second, *_ = Simulated(of, WIDE, "s").jobs

    met = Counter(frozenset(bot.name for bot in job.seating) for job in first)
    assert met == {frozenset(pair): 2 for pair in combinations(WIDE, 2)}
    picks = [frozenset(bot.name for bot in job.seating) for job in second[::2]]
    assert len(picks) >= EVEN_EVERY
    even = picks[EVEN_EVERY - 1]
    assert "bot09" not in even or "bot08" not in even
    others = picks[: EVEN_EVERY - 1]
    assert sum("bot09" in pair or "bot08" in pair for pair in others) > len(others) / 2


@given(players=st.integers(2, 4), more=st.integers(1, 3), boards=st.integers(4, 8), block=st.integers(1, 3))
@settings(max_examples=15)
def test_everybody_meets_and_boards_are_numbered_without_gaps(
    players: int, more: int, boards: int, block: int
) -> None:
    elos = {f"bot{number}": 1500.0 + 60 * number for number in range(players + more)}
    of = league(elos, players=players, boards=boards * block, block=block)

    jobs = [job for batch in Simulated(of, elos, "s").jobs for job in batch]

    met = {frozenset(pair) for job in jobs for pair in combinations(job.seating, 2)}
    assert len(met) == len(elos) * (len(elos) - 1) / 2
    assert sum(len(job.boards) for job in jobs) <= size_of(of).matches
    assert [job.key for job in jobs] == sorted({job.key for job in jobs})
    numbers: dict[frozenset[Any], Counter[int]] = {}
    for job in jobs:
        numbers.setdefault(frozenset(job.seating), Counter()).update(board.number for board in job.boards)
    assert all(found == dict.fromkeys(range(1, len(found) + 1), players) for found in numbers.values())


@given(dice=st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_same_results_in_whatever_order_choose_the_same_batch(dice: Random) -> None:
    of = league(CLOSE, boards=20, block=1, until="error < 50")
    played = Simulated(of, CLOSE, "s").course.played[:3]
    shuffled = [
        Played(each.extension, each.blocks, tuple(dice.sample(each.results, len(each.results))))
        for each in played
    ]

    chosen = adaptive(of, shuffled, fit)

    assert isinstance(chosen, Batch)
    assert chosen == adaptive(of, played, fit)


def test_a_league_that_grows_begins_with_those_who_never_met() -> None:
    begun = league(CLOSE, boards=6, block=1)
    newcomer = league({"zoe": 1500.0}, boards=1).extensions[0].entrants
    growth = Extension(begun.extensions[0].entrants + newcomer, 6, b"t" * 32)
    grown = msgspec.structs.replace(begun, extensions=(*begun.extensions, growth))

    played = Simulated(grown, {**CLOSE, "zoe": 1500.0}, "s").course.played

    before = Simulated(begun, CLOSE, "s").course.played
    assert [each.blocks for each in played[: len(before)]] == [each.blocks for each in before]
    fresh = played[len(before)]
    assert fresh.extension == 1
    assert sorted(bot.name for block in fresh.blocks for bot in block.line_up if bot.name != "zoe") == [
        *CLOSE
    ]


def test_a_later_end_goes_on_from_the_earlier_one() -> None:
    begun = league(CLOSE, boards=60, block=1, until="error < 100")
    (first,) = begun.extensions
    further = msgspec.structs.replace(first, until="error < 60", secret=b"t" * 32)
    grown = msgspec.structs.replace(begun, extensions=(first, further))

    ends_at = [Simulated(of, CLOSE, "s") for of in (begun, grown)]

    assert [each.reason for each in ends_at] == ["error < 100", "error < 60"]
    assert ends_at[0].matches < ends_at[1].matches


@pytest.mark.parametrize(
    ("elos", "fields", "message"),
    [
        ({"ann": 1.0, "bea": 1.0}, {}, "2 bots have one line-up, so there is nothing to choose"),
        (CLOSE, {"until": "30 matches"}, "one round .* is 80 matches .*; type --until '80 matches' or more"),
        (CLOSE, {"until": "5 rounds"}, "'5 rounds' does not go with --schedule adaptive, which knows: error"),
        (
            CLOSE,
            {"fill_house": True},
            "--fill house does not go with --schedule adaptive, only with round-robin",
        ),
        (CLOSE, {"lineups": 3}, "--lineups does not go with --schedule adaptive, only with round-robin"),
    ],
)
def test_what_it_cannot_play_is_told(elos: dict[str, float], fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_league(league(elos, boards=64, **fields))


def test_batches_grow_with_what_is_played_so_that_few_fits_are_made() -> None:
    sizes = [len(jobs) for jobs in Simulated(league(CLOSE, boards=200, block=1), CLOSE, "s").jobs]

    assert all(one <= two for one, two in pairwise(sizes[1:-1]))
    assert len(sizes) < 45


def test_a_block_that_is_expected_tells_what_playing_it_would() -> None:
    of = league(CLOSE, boards=20, block=3)
    played = Simulated(of, CLOSE, "s").course.played[:2]
    (group,) = fit(row for each in played for row in each.results).groups
    field, asked = _Field(of, played), ends.Until(separated=2)
    outlook = _Outlook(field, group, asked)
    before = [list(row) for row in outlook._known]
    wanted = product(product(inverse(cholesky(before)), outlook._worth), inverse(cholesky(before)))

    outlook.expect([1, 3])

    precision = inverse(cholesky(before))
    tells = outlook._tells[1][3]
    for i, j, sign in ((1, 1, 1), (3, 3, 1), (1, 3, -1), (3, 1, -1)):
        precision[i][j] += sign * tells
    known = inverse(cholesky(precision))
    worth = product(product(known, wanted), known)
    for found, right in ((outlook._known, known), (outlook._worth, worth)):
        assert [value for row in found for value in row] == pytest.approx(
            [value for row in right for value in row], rel=1e-6, abs=1e-12
        )
    assert 0 < tells < 3 * 2 / 4
