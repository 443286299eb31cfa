"""Ratings against published worked examples, and the laws a rating must keep."""

import json
import math
import random
from collections.abc import Iterable, Sequence
from itertools import combinations, count
from pathlib import Path
from statistics import NormalDist

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model import Entrant, FaultKind, Result
from arena.ratings import Fit, Perfect, fit, without_forfeits
from arena.ratings.fit import ELO
from arena.ratings.intervals import board_noise, variance_between, variance_to_mean
from arena.ratings.linear import Matrix, SingularError, cholesky, inverse, product
from arena.ratings.pairs import Cell, Pool, pools
from arena.ratings.strengths import curvature, pairs, prior_curvature, steepness, strongest
from arena.ratings.student import cdf, quantile

CASES = json.loads(Path(__file__).with_name("ratings_cases.json").read_text("utf-8"))


def bot(name: str) -> Entrant:
    return Entrant(name, f"version of {name}")


def match(board: object, *sides: str, places: Sequence[float] | None = None) -> Result:
    """One match; a side is a string of one-letter bots, first side first unless places say otherwise."""
    given_places = tuple(places or map(float, range(1, len(sides) + 1)))
    line_up = tuple(tuple(bot(name) for name in side) for side in sides)
    return Result(str(board), line_up, given_places, None, ((),) * len(sides))


def duel(board: object, first: str, second: str, score: float) -> Result:
    places = {1: (1.0, 2.0), 0.5: (1.5, 1.5), 0: (2.0, 1.0)}[score]
    return Result(str(board), ((bot(first),), (bot(second),)), places, None, ((), ()))


def duels(rows: Iterable[tuple[str, str, int]]) -> list[Result]:
    """Winner, loser, how often: every match on a board of its own."""
    fresh = count()
    return [duel(next(fresh), winner, loser, 1) for winner, loser, times in rows for _ in range(times)]


def won_lost_tied(rows: Iterable[tuple[str, str, int, int, int]]) -> list[Result]:
    fresh = count()
    return [
        duel(next(fresh), first, second, score)
        for first, second, *counts in rows
        for score, times in zip((1, 0, 0.5), counts, strict=True)
        for _ in range(times)
    ]


def elo_to_mean(found: Fit) -> dict[str, float]:
    return {rating.entrant.name: rating.elo - 1500 for group in found.groups for rating in group.ratings}


def logits_from(found: Fit, origin: str) -> dict[str, float]:
    elo = elo_to_mean(found)
    return {name: (value - elo[origin]) / ELO for name, value in elo.items()}


def model_covariance(pool: Pool, prior: float) -> Matrix:
    """What a textbook takes: inverse of the curvature, as if all matches were independent."""
    return inverse(cholesky(steepness(pairs(pool), strongest(pool, prior), prior)))


def errors_from(matrix: Matrix, origin: int) -> list[float]:
    return [
        math.sqrt(matrix[i][i] + matrix[origin][origin] - 2 * matrix[i][origin])
        for i in range(len(matrix))
        if i != origin
    ]


# Published examples -----------------------------------------------------------------------------------


def test_bradley_terry_of_the_encyclopedia_example() -> None:
    found = fit(duels(CASES["wikipedia_winner_loser_times"]), prior=0)

    assert elo_to_mean(found) == pytest.approx(
        {"A": -77.573, "B": 7.366, "C": -72.232, "D": 142.439}, abs=1e-3
    )
    worths = [math.exp(value / ELO) for value in elo_to_mean(found).values()]
    assert worths == pytest.approx([0.639835, 1.043314, 0.659810, 2.270377], abs=1e-6)


BASEBALL = [
    duel(f"{home}-{away}-{number}", home, away, score)
    for home, away, won, lost in CASES["baseball_home_away_won_lost"]
    for number, score in enumerate([1] * won + [0] * lost)
]


def test_bradley_terry_of_the_baseball_season_of_1987() -> None:
    found = fit(BASEBALL, prior=0)

    assert logits_from(found, "Baltimore") == pytest.approx(
        {
            "Baltimore": 0,
            "Boston": 1.107698,
            "Cleveland": 0.683853,
            "Detroit": 1.436408,
            "Milwaukee": 1.581356,
            "NewYork": 1.247618,
            "Toronto": 1.294485,
        },
        abs=1e-6,
    )
    assert elo_to_mean(found)["Milwaukee"] == pytest.approx(92.271, abs=1e-3)


def test_model_errors_and_superiority_of_the_baseball_season() -> None:
    (pool,), _ = pools(BASEBALL)

    matrix = model_covariance(pool, 0)

    assert errors_from(matrix, 0) == pytest.approx(
        [0.333878, 0.331876, 0.339568, 0.343256, 0.335861, 0.336669], abs=2e-6
    )
    strengths = strongest(pool, 0)
    for better, worse, likelihood in ((4, 3, 0.67934), (1, 2, 0.91487)):
        variance = matrix[better][better] + matrix[worse][worse] - 2 * matrix[better][worse]
        z = (strengths[better] - strengths[worse]) / math.sqrt(variance)
        assert NormalDist().cdf(z) == pytest.approx(likelihood, abs=1e-5)


def test_bradley_terry_of_a_small_cycle() -> None:
    found = fit(duels([("0", "1", 2), ("1", "2", 1), ("2", "0", 1)]), prior=0)

    assert [value / ELO for value in elo_to_mean(found).values()] == pytest.approx(
        [0.419617625, -0.419617625, 0], abs=1e-9
    )


def test_ties_count_one_half_in_the_pudding_tasting() -> None:
    found = fit(won_lost_tied(CASES["pudding_a_b_won_lost_tied"]), prior=0)

    assert list(elo_to_mean(found).values()) == pytest.approx(
        [-22.324, 5.524, -2.982, -0.179, -5.399, 25.360], abs=1e-3
    )


def netflix(sides: int) -> Pool:
    """Pairs of full rankings of four films; their ballots are not kept, so each pair is its own board."""
    wins = CASES["netflix_row_beats_column"]
    boards: dict[tuple[tuple[Cell, int], ...], int] = {}
    for i, j in combinations(range(4), 2):
        boards[((((i, 1.0), (j, -1.0)), sides, 2), 1),] = wins[i][j]
        boards[((((i, 1.0), (j, -1.0)), sides, 0), 1),] = wins[j][i]
    return Pool(tuple(bot(str(number)) for number in range(4)), dict(sorted(boards.items())))


def test_rankings_broken_into_pairs() -> None:
    strengths = strongest(netflix(sides=2), 0)

    assert [value - strengths[0] for value in strengths] == pytest.approx(
        [0, 0.652121, -0.286034, -0.527845], abs=1e-6
    )
    assert errors_from(model_covariance(netflix(sides=2), 0), 0) == pytest.approx(
        [0.062345, 0.060058, 0.061035], abs=1e-6
    )


def test_rankings_broken_into_pairs_with_the_weight_of_the_table_size_and_the_prior() -> None:
    strengths = strongest(netflix(sides=4), 1)

    assert [value - strengths[0] for value in strengths] == pytest.approx(
        [0, 0.651548, -0.285799, -0.527404], abs=1e-6
    )


def test_a_perfect_winner_and_a_perfect_loser_are_finite_and_marked() -> None:
    found = fit(duels(CASES["perfect_winner_loser_times"]))

    assert elo_to_mean(found) == pytest.approx(
        {"A": 63.9024, "B": -24.5609, "C": -46.8238, "L": -530.9476, "P": 538.4298}, abs=2e-4
    )
    marks = [rating.perfect for rating in found.groups[0].ratings]
    assert marks == [None, None, None, Perfect.LOST, Perfect.WON]
    assert found.groups[0].one_way


@pytest.mark.parametrize(("matches", "apart"), [(1, 262.7682), (10, 580.5088), (100, 942.7)])
def test_a_clean_sweep_is_as_far_as_the_prior_lets_it(matches: int, apart: float) -> None:
    elo = elo_to_mean(fit(duels([("A", "B", matches)])))

    assert elo["A"] - elo["B"] == pytest.approx(apart, abs=0.05)


def test_a_clean_sweep_of_ten_bounds_the_strength_from_below() -> None:
    winner, loser = fit(duels([("A", "B", 10)])).groups[0].ratings

    at_least = ELO * math.log(0.05**0.1 / (1 - 0.05**0.1))
    assert winner.bound == pytest.approx(loser.elo + at_least)
    assert loser.bound == pytest.approx(winner.elo - at_least)
    assert at_least == pytest.approx(183, abs=0.5)


def test_the_bound_counts_a_board_once() -> None:
    swept = [duel(board, "A", "B", 1) for board in range(5)]

    once, twice = fit(swept).groups[0], fit(swept * 2).groups[0]

    to_loser = [group.ratings[0].bound - group.ratings[1].elo for group in (once, twice)]
    assert to_loser[0] == pytest.approx(to_loser[1])


def test_groups_that_never_met_are_rated_apart() -> None:
    found = fit(duels([("A", "B", 3), ("B", "A", 1), ("C", "D", 2), ("D", "C", 1)]))

    assert elo_to_mean(found) == pytest.approx(
        {"A": 82.4193, "B": -82.4193, "C": 50.8917, "D": -50.8917}, abs=1e-4
    )
    assert [group.boards for group in found.groups] == [4, 3]
    assert found.difference(bot("A"), bot("C")) is None


CLUSTERED = [duel(*row) for row in CASES["clustered_board_a_b_score"]]


def test_boards_are_the_clusters_of_the_error_bars() -> None:
    found = fit(CLUSTERED)

    assert elo_to_mean(found) == pytest.approx({"A": 92.3064, "B": 27.4424, "C": -119.7488}, abs=1e-4)
    assert (found.groups[0].boards, found.groups[0].freedom) == (9, 11)


@pytest.mark.parametrize(
    ("pair", "se", "normal"),
    [("AB", 119.5541, 0.70628), ("AC", 110.2582, 0.97278), ("BC", 104.6427, 0.92023)],
)
def test_errors_without_leverage_mix_boards_and_model(pair: str, se: float, normal: float) -> None:
    (pool,), _ = pools(CLUSTERED)
    strengths = strongest(pool, 1)
    bread, share = model_covariance(pool, 1), 9 / 12
    middle = [
        [share * 9 / 8 * noise + (1 - share) * model for noise, model in zip(*rows, strict=True)]
        for rows in zip(plain_noise(pool, 1), curvature(pairs(pool), strengths), strict=True)
    ]
    for i, curve in enumerate(prior_curvature(strengths, 1)):
        middle[i][i] += curve
    one, two = ("ABC".index(name) for name in pair)

    error = math.sqrt(variance_between(product(product(bread, middle), bread), one, two))

    assert ELO * error == pytest.approx(se, abs=1e-4)
    assert NormalDist().cdf((strengths[one] - strengths[two]) / error) == pytest.approx(normal, abs=1e-5)


def test_a_board_counts_as_much_as_it_would_say_if_the_fit_did_not_follow_it() -> None:
    results = [duel(board, "A", "B", board % 3 > 0) for board in range(6)]
    (pool,), _ = pools(results)
    strengths, bread = strongest(pool, 1), model_covariance(pool, 1)

    grown = board_noise(pool, strengths, bread)

    chance = 1 / (1 + math.exp(strengths[1] - strengths[0]))
    leverage = chance * (1 - chance) * variance_between(bread, 0, 1)
    assert grown[0][0] == pytest.approx(plain_noise(pool, 1)[0][0] / (1 - leverage) ** 2)


@pytest.mark.parametrize("pair", ["AB", "AC", "BC"])
def test_superiority_is_the_t_chance_of_the_difference(pair: str) -> None:
    found = fit(CLUSTERED).difference(bot(pair[0]), bot(pair[1]))

    assert found.los == cdf(found.elo / found.se, 11)
    assert found.error == quantile(0.975, 11) * found.se


def plain_noise(pool: Pool, prior: float) -> Matrix:
    """As a textbook has it: nothing is made good for the fit's following the boards."""
    size = len(pool.entrants)
    return board_noise(pool, strongest(pool, prior), [[0.0] * size] * size)


def clustered_covariance(results: Sequence[Result]) -> Matrix:
    """The boards' own noise alone, without a prior."""
    (pool,), _ = pools(results)
    bread = model_covariance(pool, 0)
    return product(product(bread, plain_noise(pool, 0)), bread)


def test_clustered_and_model_errors_without_a_prior() -> None:
    (pool,), _ = pools(CLUSTERED)

    assert logits_from(fit(CLUSTERED, prior=0), "A") == pytest.approx(
        {"A": 0, "B": -0.394671, "C": -1.305691}, abs=1e-6
    )
    assert errors_from(clustered_covariance(CLUSTERED), 0) == pytest.approx([0.694286, 0.592278], abs=1e-6)
    assert errors_from(model_covariance(pool, 0), 0) == pytest.approx([0.635375, 0.754675], abs=1e-6)


def test_the_numbers_on_the_page_of_ratings_hold() -> None:
    text = " ".join(Path(__file__).parent.parent.joinpath("docs", "ratings.md").read_text("utf-8").split())

    def apart(*rows: tuple[str, str, int], prior: float = 1) -> str:
        elo = elo_to_mean(fit(duels(rows), prior=prior))
        return f"{elo['A'] - elo['B']:.0f}"

    chances = [f"{elo} apart {100 / (1 + 10 ** (-elo / 400)):.0f} %" for elo in (100, 200, 400)]
    sweeps = [f"{wins}-0 is {apart(('A', 'B', wins))}" for wins in (1, 10, 100)]
    even = {apart(("A", "B", 60), ("B", "A", 40), prior=prior) for prior in (0, 1)}
    assert ", ".join(chances) in text
    assert f"{sweeps[0]} Elo apart, {sweeps[1]}, {sweeps[2]}." in text
    assert f"60-40 is {even.pop()} Elo apart with it and without it." in text
    assert even == set()


# Laws -------------------------------------------------------------------------------------------------


@st.composite
def matches(draw: st.DrawFn, names: str = "ABCDE") -> Result:
    sides = draw(st.lists(st.sampled_from(names), min_size=2, max_size=5))
    ranks = draw(st.lists(st.integers(1, len(sides)), min_size=len(sides), max_size=len(sides)))
    board = draw(st.integers(1, 6))
    return match(board, *sides, places=[float(rank) for rank in ranks])


leagues = st.lists(matches(), max_size=25)


@given(leagues, st.randoms(use_true_random=False))
def test_the_order_of_results_changes_no_bit(results: list[Result], rng: random.Random) -> None:
    shuffled = list(results)
    rng.shuffle(shuffled)

    assert fit(shuffled) == fit(results)


@given(leagues, st.randoms(use_true_random=False))
def test_the_order_of_sides_changes_no_bit(results: list[Result], rng: random.Random) -> None:
    turned = []
    for row in results:
        order = rng.sample(range(len(row.sides)), len(row.sides))
        turned.append(
            msgspec.structs.replace(
                row,
                sides=tuple(row.sides[i] for i in order),
                places=tuple(row.places[i] for i in order),
            )
        )

    assert fit(turned) == fit(results)


def renamed(results: Iterable[Result], names: dict[str, str]) -> list[Result]:
    return [
        msgspec.structs.replace(
            row, sides=tuple(tuple(bot(names[e.name]) for e in side) for side in row.sides)
        )
        for row in results
    ]


@given(leagues)
def test_other_names_in_the_same_order_change_no_bit(results: list[Result]) -> None:
    before = fit(results)

    after = fit(renamed(results, dict(zip("ABCDE", "FGHIJ", strict=True))))

    assert [g.covariance for g in after.groups] == [g.covariance for g in before.groups]
    assert list(elo_to_mean(after).values()) == list(elo_to_mean(before).values())


@given(leagues, st.permutations("ABCDE"))
def test_ratings_do_not_depend_on_names(results: list[Result], names: list[str]) -> None:
    new = dict(zip("ABCDE", names, strict=True))

    before, after = fit(results), fit(renamed(results, new))

    for group in before.groups:
        for rating in group.ratings:
            home = after.group(bot(new[rating.entrant.name]))
            found = next(r for r in home.ratings if r.entrant.name == new[rating.entrant.name])
            assert (found.elo, found.se) == pytest.approx((rating.elo, rating.se), abs=1e-6)
            assert (found.boards, found.points, found.ranks) == (rating.boards, rating.points, rating.ranks)


@given(leagues)
def test_names_of_boards_do_not_matter(results: list[Result]) -> None:
    other = [msgspec.structs.replace(row, board=f"{9 - int(row.board)}x") for row in results]

    assert fit(other) == fit(results)


@given(leagues)
def test_exchanging_winners_and_losers_negates_the_ratings(results: list[Result]) -> None:
    other = [msgspec.structs.replace(row, places=tuple(-place for place in row.places)) for row in results]

    before, after = elo_to_mean(fit(results)), elo_to_mean(fit(other))

    assert after == pytest.approx({name: -elo for name, elo in before.items()}, abs=1e-6)


@given(leagues)
def test_every_number_is_finite_and_every_range_holds_the_rank(results: list[Result]) -> None:
    found = fit(results)

    for group in found.groups:
        assert sum(r.elo for r in group.ratings) / len(group.ratings) == pytest.approx(1500)
        order = sorted(-r.elo for r in group.ratings)
        for rating in group.ratings:
            assert all(map(math.isfinite, (rating.elo, rating.se, rating.error)))
            assert rating.se > 0
            first, last = rating.ranks
            tied_with = [i + 1 for i, elo in enumerate(order) if abs(elo + rating.elo) < 1e-6]
            assert first <= tied_with[-1]
            assert last >= tied_with[0]
        for one, two in combinations(group.ratings, 2):
            there, back = (
                group.difference(one.entrant, two.entrant),
                group.difference(two.entrant, one.entrant),
            )
            assert there.elo == -back.elo
            assert there.se == back.se
            assert there.los is None or there.los == pytest.approx(1 - back.los)


def random_duels(rng: random.Random, boards: int) -> list[Result]:
    return [
        duel(board, first, second, rng.choice((0, 0.5, 1)))
        for board in range(boards)
        for first, second in combinations("ABCD", 2)
    ]


def test_as_many_results_again_on_new_boards_divide_errors_by_root_two() -> None:
    once = random_duels(random.Random(5), 400)
    again = [msgspec.structs.replace(row, board=f"again {row.board}") for row in once]

    errors = [[r.se for r in fit(rows).groups[0].ratings] for rows in (once, once + again)]

    ratios = [single / double for single, double in zip(*errors, strict=True)]
    assert ratios == pytest.approx([math.sqrt(2)] * 4, rel=5e-3)


def test_the_same_results_again_on_the_same_boards_change_no_clustered_error() -> None:
    once = random_duels(random.Random(6), 12)

    errors = [errors_from(clustered_covariance(rows), 0) for rows in (once, once + once)]

    assert errors[0] == pytest.approx(errors[1])


def test_two_copies_of_a_bot_as_partners_are_the_bot_alone() -> None:
    rng = random.Random(7)
    rows = [(board, *rng.sample("ABC", 2), rng.choice([(1.0, 2.0), (1.5, 1.5)])) for board in range(30)]

    alone = [match(board, one, two, places=places) for board, one, two, places in rows]
    double = [match(board, one * 2, two * 2, places=places) for board, one, two, places in rows]

    assert fit(double) == fit(alone)


def test_partners_are_told_apart_when_they_rotate() -> None:
    sides = [("AB", "CD"), ("AC", "BD"), ("AD", "BC")]
    rows = [match(f"{i}{sides[i]}", *sides[i]) for i in range(3) for _ in range(4)]

    elo = elo_to_mean(fit(rows))

    assert elo["A"] > elo["B"] == pytest.approx(elo["C"]) == pytest.approx(elo["D"])


def test_partners_that_never_part_share_their_result() -> None:
    elo = elo_to_mean(fit([match(board, "AB", "CD") for board in range(6)]))

    assert elo["A"] == pytest.approx(elo["B"])
    assert elo["A"] > elo["C"] == pytest.approx(elo["D"])


def test_a_partner_on_both_sides_cancels() -> None:
    found = fit([match(board, "AC", "BC") for board in range(3)])

    assert [r.entrant.name for r in found.groups[0].ratings] == ["A", "B"]
    assert found.unrated == (bot("C"),)


def test_a_bot_against_itself_says_nothing() -> None:
    rng = random.Random(8)
    rows = random_duels(rng, 6)
    mirror = [match(board, "A", "A") for board in range(6)]

    assert fit(rows + mirror) == fit(rows)
    assert fit(mirror) == Fit((), (bot("A"),))


def test_a_bot_that_sits_twice_at_a_table_is_compared_with_the_others_only() -> None:
    (found,) = fit([match(board, "A", "B", "A") for board in range(4)]).groups

    assert elo_to_mean(Fit((found,), ())) == pytest.approx({"A": 0, "B": 0}, abs=1e-9)
    assert [(r.pairs, r.points) for r in found.ratings] == [(8, 4), (8, 4)]


def test_an_anchor_moves_the_numbers_of_its_group_and_no_error() -> None:
    found = fit([*CLUSTERED, duel("x", "D", "E", 1)])

    moved = found.anchored(bot("B"), 2000)

    shift = 2000 - elo_to_mean(found)["B"] - 1500
    names = [r.entrant.name for g in moved.groups for r in g.ratings]
    assert [elo_to_mean(moved)[n] - elo_to_mean(found)[n] for n in names] == pytest.approx(
        [shift] * 3 + [0] * 2
    )
    assert [g.covariance for g in moved.groups] == [g.covariance for g in found.groups]
    before, after = (f.difference(bot("A"), bot("B")) for f in (found, moved))
    assert msgspec.structs.astuple(after) == pytest.approx(msgspec.structs.astuple(before))


def test_an_anchor_moves_the_bound_of_a_perfect_bot() -> None:
    found = fit(duels([("A", "B", 10)]))

    winner = found.anchored(bot("B"), 0).groups[0].ratings[0]

    assert winner.bound == pytest.approx(found.groups[0].ratings[0].bound - found.groups[0].ratings[1].elo)


def test_an_unrated_bot_cannot_be_the_anchor() -> None:
    with pytest.raises(ValueError, match="A has no rating"):
        fit([match(1, "A", "A")]).anchored(bot("A"), 1500)


# Edges ------------------------------------------------------------------------------------------------


def test_some_bots_of_a_fit_keep_their_differences_and_have_a_mean_of_their_own() -> None:
    whole = fit(random_duels(random.Random(4), 200))
    chosen = [bot("A"), bot("C"), bot("D")]

    some = whole.among(chosen)

    (group,) = some.groups
    assert [rating.entrant for rating in group.ratings] == chosen
    assert math.fsum(rating.elo for rating in group.ratings) / 3 == pytest.approx(1500)
    for one, two in combinations(chosen, 2):
        before, after = whole.difference(one, two), some.difference(one, two)
        assert (after.se, after.elo) == (before.se, pytest.approx(before.elo))
    mean = [[row[i] for i in (0, 2, 3)] for row in (whole.groups[0].covariance[i] for i in (0, 2, 3))]
    errors = [math.sqrt(value) for value in variance_to_mean(mean)]
    assert [rating.se for rating in group.ratings] == pytest.approx(errors)


def test_among_its_own_a_bot_that_met_none_of_them_has_no_rating() -> None:
    whole = fit([duel(1, "A", "B", 1), duel(2, "C", "D", 1), duel(3, "E", "E", 1)])

    some = whole.among([bot("A"), bot("C"), bot("D"), bot("E")])

    assert [[rating.entrant.name for rating in group.ratings] for group in some.groups] == [["C", "D"]]
    assert some.unrated == (bot("A"), bot("E"))


def test_every_bot_of_a_fit_is_the_same_fit() -> None:
    whole = fit(random_duels(random.Random(4), 50))

    some = whole.among([rating.entrant for rating in whole.groups[0].ratings])

    assert [(r.elo, r.se, r.ranks) for r in some.groups[0].ratings] == [
        (pytest.approx(r.elo), pytest.approx(r.se), r.ranks) for r in whole.groups[0].ratings
    ]


def test_no_results_give_no_ratings() -> None:
    assert fit([]) == Fit((), ())


def test_one_match_gives_a_wide_interval_and_no_likelihood() -> None:
    found = fit([duel(1, "A", "B", 1)])

    (winner, loser) = found.groups[0].ratings
    assert winner.elo - loser.elo == pytest.approx(262.768, abs=1e-3)
    assert winner.error > 500
    assert winner.ranks == loser.ranks == (1, 2)
    assert found.difference(bot("A"), bot("B")).los is None


def test_all_ties_are_equal_strengths_with_an_error() -> None:
    found = fit([match(board, "A", "B", "C", places=(2, 2, 2)) for board in range(20)])

    assert elo_to_mean(found) == pytest.approx({"A": 0, "B": 0, "C": 0}, abs=1e-9)
    assert all(rating.se > 0 for rating in found.groups[0].ratings)
    assert found.difference(bot("A"), bot("B")).los == 0.5


def test_ten_thousand_to_nil_is_finite() -> None:
    winner, loser = fit([duel(board, "A", "B", 1) for board in range(10_000)]).groups[0].ratings

    assert 1700 < winner.elo < 3000
    assert winner.ranks == (1, 1)
    assert loser.ranks == (2, 2)


def test_without_a_prior_a_clean_sweep_is_refused() -> None:
    with pytest.raises(ValueError, match="never lost"):
        fit(duels([("A", "B", 3), ("A", "C", 3), ("B", "C", 1), ("C", "B", 1)]), prior=0)


def test_without_a_prior_partners_that_never_part_are_refused() -> None:
    with pytest.raises(SingularError):
        fit([match(1, "AB", "CD"), match(2, "CD", "AB")], prior=0)


def test_likelihood_needs_five_boards_of_both_bots() -> None:
    rows = [duel(board, "A", "B", board % 2) for board in range(5)] + [duel(0, "B", "C", 1)]

    found = fit(rows)

    assert found.difference(bot("A"), bot("B")).los is not None
    assert found.difference(bot("A"), bot("C")).los is None


def test_boards_with_a_fault_can_be_left_out_whole() -> None:
    clean = [match(1, "A", "B"), match(1, "B", "A"), match(2, "A", "C")]
    spoiled = [match(2, "A", "B"), match(2, "B", "A")]
    fault = msgspec.structs.replace(spoiled[1], faults=((FaultKind.CRASH,), ()))

    assert without_forfeits([*clean, spoiled[0], fault]) == clean


def test_pairs_of_bigger_tables_weigh_less() -> None:
    elo = [
        elo_to_mean(fit([match(board, *sides) for board in range(8)]))
        for sides in (("A", "B"), ("A", "B", "C"))
    ]

    assert elo[0]["A"] - elo[0]["B"] > elo[1]["A"] - elo[1]["B"]


@pytest.mark.parametrize(
    ("freedom", "value"),
    [
        (1, math.tan(0.475 * math.pi)),
        (2, 0.95 * math.sqrt(2 / (1 - 0.95**2))),
        (5, 2.570581835636314),
        (11, 2.200985160082949),
        (30, 2.042272456301238),
        (1000, 1.962339080826408),
    ],
)
def test_t_quantiles_are_those_of_the_tables(freedom: int, value: float) -> None:
    assert quantile(0.975, freedom) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(
    ("t", "freedom", "chance"),
    [(0, 3, 0.5), (1, 1, 0.75), (-1, 1, 0.25), (math.sqrt(2), 2, 0.8535533905932737)],
)
def test_t_chances_are_those_of_the_closed_forms(t: float, freedom: int, chance: float) -> None:
    assert cdf(t, freedom) == pytest.approx(chance, rel=1e-13)


@pytest.mark.parametrize("t", [-3.0, -0.5, 0.0, 1.0, 2.5])
def test_t_becomes_normal_with_many_degrees_of_freedom(t: float) -> None:
    assert cdf(t, 10_000_000) == pytest.approx(NormalDist().cdf(t), abs=1e-7)


# Coverage ---------------------------------------------------------------------------------------------


def league_of(rng: random.Random, truth: dict[str, float], boards: int) -> list[Result]:
    """Tables of three in every rotation; half of a match's luck is its board's, by seat."""
    rows = []
    for board in range(boards):
        three = rng.sample(sorted(truth), 3)
        luck = [rng.expovariate(1) for _ in three]
        for turn in range(3):
            seated = three[turn:] + three[:turn]
            own = [rng.choice((shared, rng.expovariate(1))) for shared in luck]
            finish = {name: wait / math.exp(truth[name]) for name, wait in zip(seated, own, strict=True)}
            rows.append(match(board, *sorted(seated, key=finish.__getitem__)))
    return rows


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    rng = random.Random(20)
    truth = {"A": -1.0, "B": -0.3, "C": 0.0, "D": 0.4, "E": 0.9}
    held = total = 0

    for _ in range(150):
        found = fit(league_of(rng, truth, 40))
        for one, two in combinations(truth, 2):
            difference = found.difference(bot(one), bot(two))
            held += abs(difference.elo - ELO * (truth[one] - truth[two])) <= difference.error
            total += 1

    assert 0.93 <= held / total <= 0.98
