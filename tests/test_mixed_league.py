"""A league of mixed partners from its schedule through the store to the ratings, played by dice."""

import math
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from arena import leaderboard
from arena.cli import group
from arena.league.planning import game_options
from arena.model import (
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
from arena.ratings import fit, without_forfeits
from arena.store import Store
from tests import league_fakes as fakes

BOTS = tuple(Entrant(name, sha256(name.encode()).hexdigest()) for name in "abcdef")
APART = 0.9
"""Logits from one bot to the next: 156 Elo."""
STRENGTHS = {bot: APART * place for place, bot in enumerate(BOTS)}
IDLE = (0.0,) * 4


def league(bots: tuple[Entrant, ...], boards: int) -> League:
    return League(
        name="pairs",
        game="mpirimpa",
        players=4,
        options=game_options("mpirimpa", {}),
        clock=Clock(),
        block=4,
        sandbox="plain",
        extensions=(Extension(bots, boards, bytes(32)),),
        partners=Partners.MIXED,
    )


def tables(of: League) -> list[TableJob]:
    return list(fakes.tables(of))


def thrown(job: TableJob, dice: Random) -> TableResult:
    """A table at which each side wins as often as the mean of its bots says."""
    mean = [sum(STRENGTHS[job.seating[seat]] for seat in side) / 2 for side in ((0, 2), (1, 3))]
    chance = 1 / (1 + math.exp(mean[1] - mean[0]))
    won = [dice.random() < chance for _ in job.boards]
    return result(job, *(Outcome((1.0, 2.0) if each else (2.0, 1.0), (0.0, 0.0), 1) for each in won))


def result(job: TableJob, *outcomes: Outcome) -> TableResult:
    cost = Measurement(0.0, IDLE, (None,) * 4, IDLE)
    played = zip(job.boards, outcomes, strict=True)
    return TableResult(job.key, tuple(MatchRecord(board.number, each, cost, b"") for board, each in played))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as opened:
        yield opened


def test_the_order_of_planted_strengths_comes_out(store: Store) -> None:
    of, dice = league(BOTS, 12), Random(1)
    store.create_league(of)
    for job in tables(of):
        store.commit(of.name, job, thrown(job, dice))

    (group,) = fit(store.results(of.name)).groups

    assert sorted(group.ratings, key=lambda rating: rating.elo) == list(group.ratings)
    apart = 400 / math.log(10) * APART
    wanted = {bot: 1500 + apart * (place - 2.5) for place, bot in enumerate(BOTS)}
    assert all(abs(rating.elo - wanted[rating.entrant]) < rating.error for rating in group.ratings)


def test_each_bot_stands_by_itself_with_all_its_matches(store: Store) -> None:
    of = league(BOTS[:4], 2)
    store.create_league(of)
    for job in tables(of):
        store.commit(of.name, job, thrown(job, Random(1)))

    scope = leaderboard.Scope((of,), store.results(of.name))
    standings = leaderboard.standings(scope, leaderboard.rated(scope))

    assert {(each.entrant, each.matches) for each in standings} == {(bot, 3 * 4 * 2) for bot in BOTS[:4]}


def test_a_board_counts_when_all_four_of_its_seatings_are_there(store: Store) -> None:
    of = league(BOTS[:4], 1)
    store.create_league(of)
    *three, fourth = tables(of)[:4]
    for job in [*three, *tables(of)[4:7]]:
        store.commit(of.name, job, thrown(job, Random(1)))
    before = store.results(of.name)

    store.commit(of.name, fourth, thrown(fourth, Random(1)))

    after = store.results(of.name)
    assert before == []
    assert Counter(row.board for row in after) == {after[0].board: 4}
    assert {frozenset(map(frozenset, row.sides)) for row in after} == {
        frozenset({frozenset(fourth.seating[::2]), frozenset(fourth.seating[1::2])})
    }


def test_a_fault_is_of_the_side_and_leaves_other_line_ups_alone(store: Store) -> None:
    of = league(BOTS[:4], 1)
    store.create_league(of)
    faulted, *others = tables(of)
    crash = Outcome((2.0, 1.0), None, 3, (FaultRecord(2, FaultKind.CRASH, 3),))
    store.commit(of.name, faulted, result(faulted, crash))
    for job in others:
        store.commit(of.name, job, thrown(job, Random(1)))

    results = store.results(of.name)

    assert [row.faults for row in results if any(row.faults)] == [((FaultKind.CRASH,), ())]
    assert len(without_forfeits(results)) == len(results) - 4 == 8


def test_the_list_of_matches_has_the_place_and_the_score_of_every_seat(store: Store) -> None:
    of = league(BOTS[:4], 1)
    store.create_league(of)
    first = tables(of)[0]
    store.commit(of.name, first, result(first, Outcome((2.0, 1.0), (35.0, 510.0), 60)))

    shown = CliRunner().invoke(group, ["show", "--workspace", str(store.workspace), "--style", "csv"])

    names = ", ".join(bot.name for bot in first.seating)
    assert shown.stdout.splitlines()[1] == f'1,1,"{names}",2 1 2 1,35 510 35 510,'


def test_headers_say_that_partners_are_mixed(store: Store) -> None:
    of = league(BOTS[:4], 1)
    store.create_league(of)

    shown = [
        CliRunner().invoke(group, [word, "--workspace", str(store.workspace)]).stdout
        for word in ("leaderboard", "status")
    ]

    assert all("eague pairs: mpirimpa, 4 players, mixed partners" in text for text in shown)
