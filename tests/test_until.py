"""The words of --until, and a proof that may be looked at as often as one likes."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.until import DOUBT, Until, open_pairs, proof, reached, until, worded
from arena.model import Entrant, Result, UserError
from arena.ratings import Group, fit


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("top 3 separated", Until(separated=3), "top 3 separated"),
        ("ERROR<25", Until(error=25), "error < 25"),
        (" error  <  12.5 ", Until(error=12.5), "error < 12.5"),
        ("1 match", Until(matches=1), "1 matches"),
        ("5 rounds", Until(rounds=5), "5 rounds"),
        ("2000 matches or top 1 separated", Until(1, None, 2000), "top 1 separated or 2000 matches"),
        ("", Until(), None),
        (None, Until(), None),
    ],
)
def test_an_end_is_read_in_every_spelling_and_written_in_one(
    text: str | None, asked: Until, said: str | None
) -> None:
    assert until(text) == asked
    assert worded(asked) == said
    assert until(said) == asked


@pytest.mark.parametrize(
    "text",
    ["soon", "top 0 separated", "error < 0", "5 rounds or 6 rounds", "5 rounds and 3 matches", "\x1b[2J"],
)
def test_what_is_not_understood_is_told_with_what_may_be(text: str) -> None:
    with pytest.raises(
        UserError, match=r"is not understood; it may be 'top 3 separated', 'error < 25'"
    ) as told:
        until(text)

    assert "\x1b" not in str(told.value)


@given(
    asked=st.builds(
        Until,
        separated=st.none() | st.integers(1, 999),
        error=st.none() | st.integers(1, 9999).map(float),
        matches=st.none() | st.integers(1, 10**8),
        rounds=st.none() | st.integers(1, 999),
    )
)
def test_what_is_written_is_read_again(asked: Until) -> None:
    assert until(worded(asked)) == asked


def group(wins: dict[str, int], boards: int) -> Group:
    """Everybody met everybody on so many boards; wins are out of these, against whoever stands later."""
    bots = [Entrant(name, name * 64) for name in wins]
    rows = []
    for i, one in enumerate(bots):
        for other in bots[i + 1 :]:
            for board in range(boards):
                places = (1.0, 2.0) if board < wins[one.name] else (2.0, 1.0)
                name = f"{one.name} {other.name} {board}"
                rows.append(Result(name, ((one,), (other,)), places, None, ((), ())))
    (found,) = fit(rows).groups
    return found


def test_leaders_are_separated_from_all_below_them_and_others_need_not_be() -> None:
    found = group({"a": 90, "b": 90, "c": 50, "d": 0}, 100)

    names = [rating.entrant.name for rating in found.ratings]
    assert names == ["a", "b", "c", "d"]
    assert open_pairs(found, 2) == []
    assert open_pairs(found, 3) == [(2, 3)]
    assert reached(Until(separated=2), found) == "top 2 separated"
    assert reached(Until(separated=3), found) is None
    worst = max(rating.error for rating in found.ratings)
    assert reached(Until(error=worst), found) is None
    assert reached(Until(error=worst + 1), found) == f"error < {worst + 1:g}"


def test_nothing_is_claimed_from_a_handful_of_boards() -> None:
    assert open_pairs(group({"a": 9, "b": 0}, 9), 1) == [(0, 1)]
    assert open_pairs(group({"a": 40, "b": 0}, 40), 1) == []


def test_the_proof_asks_for_more_the_more_is_claimed() -> None:
    assert 2.8 < proof(20.0, 1) < proof(20.0, 11) < proof(20.0, 110) < 4.9


@pytest.mark.parametrize("count", [300])
def test_looking_after_every_match_proves_a_falsehood_no_more_often_than_doubt_allows(count: int) -> None:
    """Two equal bots, and a look after each of 1000 matches."""
    dice = Random(1)
    spread = 0.5 * 400 / math.log(10) * 4  # Elo of one match's score around an equal field

    def wrong(bound: float | None) -> bool:
        total = 0.0
        for match in range(1, 1001):
            total += dice.gauss(0, spread)
            error = spread / math.sqrt(match)
            if match >= 10 and total / match / error > (bound or proof(error, 1)):
                return True
        return False

    assert sum(wrong(None) for _ in range(count)) <= count * DOUBT
    # one look at so many standard errors would be wrong as often as doubt allows
    assert sum(wrong(1.645) for _ in range(count)) > count * DOUBT * 3
