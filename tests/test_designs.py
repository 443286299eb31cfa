"""Some of all line-ups: every two bots meet, and everyone plays, as equally often as can be."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league.designs import FAMILIES, some


def meetings(bots: int, line_ups: tuple[tuple[int, ...], ...]) -> Counter[tuple[int, ...]]:
    met = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    met.update(pair for each in line_ups for pair in combinations(each, 2))
    return met


def appearances(bots: int, line_ups: tuple[tuple[int, ...], ...]) -> Counter[int]:
    plays = Counter(dict.fromkeys(range(bots), 0))
    plays.update(bot for each in line_ups for bot in each)
    return plays


@pytest.mark.parametrize(("bots", "sides"), FAMILIES)
def test_a_difference_family_holds_every_pair_once(bots: int, sides: int) -> None:
    count = bots * len(FAMILIES[bots, sides])

    line_ups = some((bots,), sides, (count,))

    assert set(meetings(bots, line_ups).values()) == {1}
    assert len(set(appearances(bots, line_ups).values())) == 1


@given(data=st.data())
@settings(max_examples=40)
def test_line_ups_are_different_and_nearly_even(data: st.DataObject) -> None:
    sides = data.draw(st.integers(2, 4))
    bots = data.draw(st.integers(sides + 1, 9))
    count = data.draw(st.integers(1, comb(bots, sides) + 3))

    line_ups = some((bots,), sides, (count,))

    assert len(set(line_ups)) == len(line_ups) == min(count, comb(bots, sides))
    assert all(each == tuple(sorted(set(each))) and len(each) == sides for each in line_ups)
    plays = appearances(bots, line_ups).values()
    assert max(plays) - min(plays) <= 1


def test_many_bots_meet_almost_equally_often() -> None:
    line_ups = some((20,), 4, (95,))

    met = meetings(20, line_ups).values()
    assert (min(met), max(met)) in {(2, 4), (2, 5)}
    assert set(appearances(20, line_ups).values()) == {19}


@given(bots=st.integers(4, 7), more=st.integers(0, 3), count=st.integers(1, 12), later=st.integers(0, 9))
@settings(max_examples=40)
def test_a_field_that_grows_keeps_its_line_ups(bots: int, more: int, count: int, later: int) -> None:
    before = some((bots,), 3, (count,))

    grown = some((bots, bots + more), 3, (count, count + later))

    assert grown[: len(before)] == before
    assert len(set(grown)) == len(grown) == min(count + later, comb(bots + more, 3))
