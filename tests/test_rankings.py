"""Plackett-Luce with ties: published values, and the laws that hold for whole rankings too."""

import json
import math
import random
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import Entrant, Result
from arena.ratings import Fit, Model, fit
from arena.ratings.fit import ELO
from arena.ratings.rankings import placed, rankings

CASES = json.loads(Path(__file__).with_name("ratings_cases.json").read_text("utf-8"))


def bot(name: str) -> Entrant:
    return Entrant(name, f"version of {name}")


def ranking(board: object, ranks: Mapping[str, int]) -> Result:
    """One match; equal ranks share a place, and a rank of 0 was not there."""
    there = {name: rank for name, rank in ranks.items() if rank}
    before = {rank: sum(other < rank for other in there.values()) for rank in there.values()}
    alike = {rank: list(there.values()).count(rank) for rank in there.values()}
    places = tuple(before[rank] + (alike[rank] + 1) / 2 for rank in there.values())
    return Result(str(board), tuple((bot(name),) for name in there), places, None, ((),) * len(there))


def worked_out(results: list[Result], prior: float) -> tuple[list[float], int]:
    """Strengths less the first one's, and log deltas; how many of these are strengths."""
    entrants = sorted({entrant for row in results for side in row.sides for entrant in side})
    values, _ = placed(rankings(entrants, results), prior)
    size = len(entrants)
    return [value - values[0] for value in values[:size]] + values[size:], size


def test_davidsons_model_of_the_pudding_tasting() -> None:
    rows: list[Mapping[str, int]] = []
    for one, two, won, lost, tied in CASES["pudding_a_b_won_lost_tied"]:
        rows += [{one: 1, two: 2}] * won + [{one: 2, two: 1}] * lost + [{one: 1, two: 1}] * tied

    values, size = worked_out([ranking(*row) for row in enumerate(rows)], 0)

    worths = [math.exp(value) for value in values[:size]]
    assert [worth / sum(worths) for worth in worths] == pytest.approx(
        [0.138803, 0.173002, 0.161747, 0.165373, 0.158685, 0.202389], abs=1e-6
    )
    assert math.exp(values[size]) == pytest.approx(0.746823, abs=1e-6)


def test_rankings_with_ties_of_two_and_of_three() -> None:
    rows = ("1200", "4123", "2111", "1230", "2110", "1032")

    values, _ = worked_out([ranking(row, dict(zip("ABCD", map(int, row), strict=True))) for row in rows], 0)

    assert values == pytest.approx([0, 0.294287, -0.733511, -0.119096, -1.861947, -0.736973], abs=1e-6)


def test_a_few_rankings_with_the_prior() -> None:
    rows = ("1234", "1324", "1243")

    values, _ = worked_out([ranking(row, dict(zip("ABCD", map(int, row), strict=True))) for row in rows], 1)

    assert values == pytest.approx([0, -2.285070, -3.195460, -3.852779], abs=1e-6)


def test_a_few_rankings_of_choices_among_four() -> None:
    rows = ({"A": 1, "B": 2, "C": 3}, {"D": 1, "C": 2, "A": 3}, {"B": 1, "D": 2})

    values, _ = worked_out([ranking(*row) for row in enumerate(rows)], 0)

    known = [-0.44330849, 0.69506787, -0.67060957, 0.41885019]
    assert values == pytest.approx([value - known[0] for value in known], abs=1e-7)


@st.composite
def leagues(draw: st.DrawFn) -> list[Result]:
    ranks = st.dictionaries(st.sampled_from("ABCDE"), st.integers(1, 4), min_size=2, max_size=4)
    rows = draw(st.lists(st.tuples(st.integers(1, 4), ranks), min_size=1, max_size=10))
    return [ranking(*row) for row in rows]


@given(leagues(), st.randoms(use_true_random=False))
def test_the_order_of_results_and_of_sides_changes_no_bit(results: list[Result], rng: random.Random) -> None:
    turned = []
    for row in rng.sample(results, len(results)):
        order = rng.sample(range(len(row.sides)), len(row.sides))
        sides, places = tuple(row.sides[i] for i in order), tuple(row.places[i] for i in order)
        turned.append(msgspec.structs.replace(row, sides=sides, places=places))

    assert fit(turned, model=Model.RANKINGS) == fit(results, model=Model.RANKINGS)


def elo(found: Fit) -> dict[str, float]:
    return {rating.entrant.name: rating.elo for group in found.groups for rating in group.ratings}


@given(leagues())
def test_every_number_is_finite(results: list[Result]) -> None:
    found = fit(results, model=Model.RANKINGS)

    numbers = [each for group in found.groups for r in group.ratings for each in (r.elo, r.se, r.error)]
    assert all(map(math.isfinite, numbers))


def races(rng: random.Random, truth: Mapping[str, float], boards: int) -> Iterable[Result]:
    for board in range(boards):
        waits = {name: rng.expovariate(1) * math.exp(-value / ELO) for name, value in truth.items()}
        order = sorted(waits, key=waits.__getitem__)
        yield ranking(board, {name: 1 + order.index(name) for name in truth})


def test_two_at_a_table_without_ties_are_rated_as_by_pairs() -> None:
    results = list(races(random.Random(1), {"A": 0, "B": 100}, 50))

    by_pairs, by_rankings = fit(results), fit(results, model=Model.RANKINGS)

    assert elo(by_rankings) == pytest.approx(elo(by_pairs))
    errors = [[rating.se for rating in found.groups[0].ratings] for found in (by_pairs, by_rankings)]
    assert errors[0] == pytest.approx(errors[1])


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    rng, truth = random.Random(2), {"A": 0.0, "B": 80.0, "C": -120.0, "D": 40.0}
    held = []

    for _ in range(60):
        (group,) = fit(list(races(rng, truth, 30)), model=Model.RANKINGS).groups
        held += [abs(r.elo - 1500 - truth[r.entrant.name]) <= r.error for r in group.ratings]

    assert 0.9 <= sum(held) / len(held) <= 0.99


def test_partners_are_their_mean() -> None:
    alone = [ranking(board, {"A": 1, "B": 2} if board % 3 else {"A": 2, "B": 1}) for board in range(9)]
    twice = [msgspec.structs.replace(row, sides=tuple(side * 2 for side in row.sides)) for row in alone]

    assert elo(fit(twice, model=Model.RANKINGS)) == pytest.approx(elo(fit(alone, model=Model.RANKINGS)))


def test_groups_that_never_met_are_rated_apart() -> None:
    found = fit([ranking(1, {"A": 1, "B": 2}), ranking(2, {"C": 1, "D": 2})], model=Model.RANKINGS)

    assert [[rating.entrant.name for rating in group.ratings] for group in found.groups] == [
        ["A", "B"],
        ["C", "D"],
    ]


def test_nothing_but_ties_is_no_crash() -> None:
    found = fit([ranking(board, {"A": 1, "B": 1}) for board in range(9)], model=Model.RANKINGS)

    assert set(elo(found).values()) == {1500.0}
