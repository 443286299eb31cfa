"""What the seats of a table scored: the statistics, and the page."""

import json
import random
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.grid import STYLES, Look
from arena.leaderboard import Scope, seats
from arena.model import FaultKind, Result
from arena.ratings import Bias, seat_scores
from arena.ratings.seats import chi_square_tail
from tests.cups import ANN, BEA, CAT, CUP, cup, duel

BOTS = (ANN, BEA, CAT)


def board(number: object, *finishes: Sequence[float]) -> list[Result]:
    """A board of bots in all rotations; a finish has the places by seat."""
    size = len(finishes)
    return [
        Result(
            str(number),
            tuple((BOTS[(seat + turn) % size],) for seat in range(size)),
            tuple(map(float, places)),
            None,
            ((),) * size,
        )
        for turn, places in enumerate(finishes)
    ]


def lucky(rng: random.Random, *, size: int, edge: float, boards: int) -> list[Result]:
    """Boards on which the bots differ in strength, and the first seat is ahead by an edge."""
    rows: list[Result] = []
    for number in range(boards):
        finishes = []
        for turn in range(size):
            luck = [rng.gauss((seat + turn) % size, 1) + edge * (seat == 0) for seat in range(size)]
            finishes.append([1 + sum(other > own for other in luck) for own in luck])
        rows += board(number, *finishes)
    return rows


def test_a_seat_scores_its_share_of_the_points_whoever_sat_there() -> None:
    found = seat_scores([*board(1, (1, 2, 3), (1, 2.5, 2.5), (3, 2, 1)), *board(2, *[(1, 2, 3)] * 3)])

    assert found is not None
    assert found.scores == pytest.approx((5 / 6, 0.5 - 1 / 24, 0.25 - 1 / 24))
    assert (found.boards, found.test) == (2, None)


def test_the_test_of_two_seats_is_the_square_of_a_mean_over_its_error() -> None:
    rows = [row for number in range(16) for row in board(number, (1, 2), (1, 2) if number % 4 else (2, 1))]

    found = seat_scores(rows)

    # 12 boards gave the first seat all, 4 half: 16 (7/8 - 1/2)^2 over a mean square of 3/16
    assert found is not None
    assert found.scores == (0.875, 0.125)
    assert found.test == Bias(pytest.approx(12), 1, pytest.approx(chi_square_tail(12, 1)))


def test_seats_of_which_none_ever_mattered_leave_nothing_to_test() -> None:
    rows = [row for number in range(20) for row in board(number, (1, 2), (2, 1))]

    found = seat_scores(rows)

    assert found is not None
    assert found.test == Bias(0.0, 0, 1.0)


@pytest.mark.parametrize("size", [2, 3])
def test_an_edge_of_the_first_seat_is_found(size: int) -> None:
    found = seat_scores(lucky(random.Random(1), size=size, edge=1.0, boards=100))

    assert found is not None
    assert found.test is not None
    assert found.test.chance < 1e-4
    assert found.scores[0] > 0.55


def test_equal_seats_are_called_unequal_in_one_of_twenty_leagues() -> None:
    rng, trials = random.Random(2), 400

    found = [seat_scores(lucky(rng, size=3, edge=0, boards=20)) for _ in range(trials)]

    called = sum(each.test.chance < 0.05 for each in found if each and each.test)
    assert 0.02 * trials <= called <= 0.08 * trials


@given(st.permutations(range(12)))
def test_the_order_of_results_changes_no_bit(order: list[int]) -> None:
    rows = lucky(random.Random(3), size=3, edge=0.5, boards=4)

    assert seat_scores([rows[i] for i in order]) == seat_scores(rows)


@pytest.mark.parametrize(
    ("value", "freedom", "chance"),
    [
        *((3.841459, 1, 0.05), (5.991465, 2, 0.05), (7.814728, 3, 0.05), (9.487729, 4, 0.05)),
        *((6.634897, 1, 0.01), (13.276704, 4, 0.01), (0.0, 3, 1.0), (0.0, 0, 1.0)),
    ],
)
def test_chances_of_chi_square_are_those_of_the_tables(value: float, freedom: int, chance: float) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(chance, abs=1e-7)


def test_the_page_says_what_it_means() -> None:
    rows = [row for number in range(16) for row in board(number, (1, 2), (1, 2) if number % 4 else (2, 1))]

    assert seats(cup(rows)).splitlines() == [
        "League cup: idiot, 2 players.",
        "16 complete boards: every bot had every seat with the same cards.",
        "points: share of those at the table, 50 % is fair; ±: half of the 95 % interval.",
        "",
        "seat      points     ±    place    score    faults    forfeits",
        "------  --------  ----  -------  -------  --------  ----------",
        "0          87.5%  11.9     1.12        –         0           0",  # noqa: RUF001
        "1          12.5%  11.9     1.88        –         0           0",  # noqa: RUF001
        "",
        "The seat matters: chi-square 12.00, 1 degree of freedom, p = 0.00053.",
        "Were all seats alike, they would differ as much in 0.1% of leagues.",
        "Ratings need no correction: every bot sat everywhere equally often.",
    ]


def test_the_seats_of_a_side_share_a_line_and_faults_are_counted_where_they_were_committed() -> None:
    league = msgspec.structs.replace(CUP, game="mpirimpa", players=4)
    results = [duel("1", ANN, BEA, faults=2), duel("1", BEA, ANN)]

    rows = json.loads(seats(Scope((league,), results), Look("json")))

    assert [(row["seats"], row["faults"], row["forfeits"], row["score"]) for row in rows] == [
        ("0+2", 0, 0, 8.0),
        ("1+3", 2, 1, 5.0),
    ]
    assert FaultKind.CRASH in results[0].faults[1]


@pytest.mark.parametrize("style", STYLES)
def test_the_seats_of_nothing_are_no_crash(style: str) -> None:
    assert isinstance(seats(cup([]), Look(style)), str)
