"""Who plays with whom when partners are mixed: everybody with everybody, nearly equally often."""

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate, combinations
from math import ceil, comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.partners import Teams, line_ups, partnerings

fields = st.integers(4, 22)
growths = st.lists(st.integers(0, 4), min_size=1, max_size=3)


def partners(teams: Iterable[Teams], bots: int) -> Counter[tuple[int, int]]:
    """How often every two were partners, those that never were included."""
    found = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    found.update(pair for each in teams for pair in each)
    return found


def opponents(teams: Iterable[Teams], bots: int) -> Counter[tuple[int, int]]:
    found = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    found.update((min(a, b), max(a, b)) for one, other in teams for a in one for b in other)
    return found


def played(teams: Iterable[Teams], bots: int) -> Counter[int]:
    found = Counter(dict.fromkeys(range(bots), 0))
    found.update(bot for one, other in teams for bot in (*one, *other))
    return found


@given(bots=fields)
def test_every_two_are_partners_equally_often_in_as_few_line_ups_as_can_be(bots: int) -> None:
    teams = line_ups((bots,))

    wanted = partnerings(bots)
    assert len(teams) == ceil(wanted * comb(bots, 2) / 2)
    assert set(partners(teams, bots).values()) <= {wanted, wanted + 1}


@given(bots=fields)
def test_every_two_are_opponents_twice_as_often_one_more_or_less(bots: int) -> None:
    met = opponents(line_ups((bots,)), bots)

    wanted = 2 * partnerings(bots)
    assert set(met.values()) <= {wanted - 1, wanted, wanted + 1}


@given(bots=fields, cut=st.integers(0, 120))
def test_a_list_that_is_cut_anywhere_has_everybody_nearly_equally_often(bots: int, cut: int) -> None:
    counts = played(line_ups((bots,))[:cut], bots).values()

    assert max(counts) - min(counts) <= 3


@pytest.mark.parametrize(("bots", "every"), [(4, 3), (5, 15)])
def test_few_line_ups_are_all_of_them(bots: int, every: int) -> None:
    assert len(set(line_ups((bots,)))) == every == 3 * comb(bots, 4)


def test_of_many_line_ups_every_two_are_partners_once() -> None:
    assert [(bots, partnerings(bots)) for bots in (6, 7, 8, 20)] == [(6, 2), (7, 1), (8, 1), (20, 1)]


@given(first=fields, growth=growths)
def test_a_line_up_is_four_bots_and_never_comes_twice(first: int, growth: list[int]) -> None:
    teams = line_ups(tuple(accumulate([first, *growth])))

    assert len(set(teams)) == len(teams)
    assert all(len({*one, *other}) == 4 for one, other in teams)
    assert all(one[0] < one[1] and other[0] < other[1] and one < other for one, other in teams)


@given(first=fields, growth=growths)
def test_a_field_that_grows_keeps_its_line_ups_and_gives_everybody_partners(
    first: int, growth: list[int]
) -> None:
    steps = tuple(accumulate([first, *growth]))

    teams = line_ups(steps)

    earlier = line_ups(steps[:-1])
    assert teams[: len(earlier)] == earlier
    assert min(partners(teams, steps[-1]).values()) == max(map(partnerings, steps))


@given(first=fields, newcomers=st.integers(1, 4))
def test_newcomers_are_mixed_in_nearly_evenly(first: int, newcomers: int) -> None:
    bots = first + newcomers

    teams = line_ups((first, bots))

    wanted = max(partnerings(first), partnerings(bots))
    assert set(partners(teams, bots).values()) <= {wanted, wanted + 1, wanted + 2}
    assert set(opponents(teams, bots).values()) <= set(range(2 * wanted - 3, 2 * wanted + 6))


@given(bots=fields)
def test_a_step_without_newcomers_adds_nothing(bots: int) -> None:
    assert line_ups((bots, bots)) == line_ups((bots,))
