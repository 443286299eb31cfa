"""Gauntlets, some of all line-ups, Swiss rounds and knock-outs: who meets whom."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league import runner
from arena.league.batches import Batch, End, Played
from arena.league.course import Course, end_of, standing
from arena.league.schedule import check_league, schedule_of, size_of
from arena.league.schedules.knockout import ALONE, seeding
from arena.league.schedules.swiss import _Line, paired, rounds
from arena.league.tables import tables
from arena.model import Entrant, Extension, League, TableJob, UserError
from arena.ratings import fit
from arena.store import Store
from tests import league_fakes as fakes
from tests.simulated import Simulated, league


def field(bots: int) -> dict[str, float]:
    """The first is the strongest."""
    return {f"bot{number:02}": 1900.0 - 60 * number for number in range(bots)}


def swiss(bots: int, **fields: Any) -> League:
    return league(field(bots), **{"boards": 2, "block": 2, "schedule": "swiss", **fields})


def knockout(bots: int, **fields: Any) -> League:
    return league(field(bots), **{"boards": 3, "block": 2, "schedule": "knock-out", **fields})


def pairs_of(jobs: list[TableJob]) -> set[frozenset[Entrant]]:
    return {frozenset(job.seating) for job in jobs}


# Gauntlets and chosen line-ups


@pytest.mark.parametrize(("players", "runners"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_whoever_runs_the_gauntlet_meets_all_others_equally_often(players: int, runners: int) -> None:
    names = tuple(field(6))[:runners]
    of = league(field(6), players=players, boards=4, schedule="gauntlet", gauntlet=names)
    check_league(of)

    jobs = list(fakes.tables(of))

    assert all(sum(bot.name in names for bot in job.seating) == 1 for job in jobs)
    met = Counter(
        (one.name, other.name)
        for job in jobs
        for one in job.seating
        for other in job.seating
        if one.name in names and one != other
    )
    assert len(met) == runners * (6 - runners)
    assert len(set(met.values())) == 1
    matches = sum(len(job.boards) for job in jobs)
    assert (size_of(of).tables, size_of(of).matches) == (len(jobs), matches)


def test_a_bot_that_comes_later_runs_no_gauntlet_and_meets_who_does() -> None:
    of = league(field(3), boards=2, schedule="gauntlet", gauntlet=("bot00",))
    newcomer = Entrant("zoe", "z" * 64)
    growth = Extension((*of.extensions[0].entrants, newcomer), 2, b"t" * 32)
    grown = msgspec.structs.replace(of, extensions=(*of.extensions, growth))

    old, jobs = list(fakes.tables(of)), list(fakes.tables(grown))

    assert jobs[: len(old)] == old
    assert {bot.name for job in jobs[len(old) :] for bot in job.seating} == {"bot00", "zoe"}
    assert size_of(grown).tables == len(jobs)


@given(bots=st.integers(5, 8), count=st.integers(1, 40), more=st.integers(0, 2), extra=st.integers(0, 3))
@settings(max_examples=30)
def test_some_line_ups_are_played_as_a_round_robin_of_them(
    bots: int, count: int, more: int, extra: int
) -> None:
    of = league(field(bots), players=3, boards=3, schedule="round-robin", lineups=count)
    later = league(field(bots + more), boards=1).extensions[0].entrants
    grown = msgspec.structs.replace(of, extensions=(*of.extensions, Extension(later, 3 + extra, b"t" * 32)))

    old, jobs = list(fakes.tables(of)), list(fakes.tables(grown))

    assert jobs[: len(old)] == old
    assert [job.key for job in jobs] == sorted({job.key for job in jobs})
    boards = Counter((frozenset(job.seating), board.number) for job in jobs for board in job.boards)
    line_ups = {line_up for line_up, _ in boards}
    assert boards == {(each, number): 3 for each in line_ups for number in range(1, 4 + extra)}
    matches = sum(len(job.boards) for job in jobs)
    assert size_of(grown) == msgspec.structs.replace(
        size_of(grown), line_ups=len(line_ups), tables=len(jobs), matches=matches
    )


# Swiss


@given(bots=st.integers(2, 9), data=st.data())
@settings(max_examples=25)
def test_nobody_meets_another_twice_in_a_swiss_of_few_rounds(bots: int, data: st.DataObject) -> None:
    asked = data.draw(st.integers(1, max(1, bots // 2)))
    of = swiss(bots, until=f"{asked} rounds")
    check_league(of)

    ended = Simulated(of, field(bots), "s")

    assert len(ended.jobs) == rounds(of) == asked
    each = [pairs_of(jobs) for jobs in ended.jobs]
    assert all(len(pairs) == bots // 2 for pairs in each)
    assert all(len({bot for pair in pairs for bot in pair}) == bots - bots % 2 for pairs in each)
    assert all(not one & other for one, other in combinations(each, 2))
    resting = [set(of.extensions[0].entrants) - {bot for pair in pairs for bot in pair} for pairs in each]
    assert len(set().union(*resting)) == sum(map(len, resting))
    assert (size_of(of).matches, size_of(of).at_most) == (ended.matches, False)


def test_equal_scores_meet_and_the_upper_half_meets_the_lower() -> None:
    of = swiss(8)

    ended = Simulated(of, field(8), "s")

    assert {tuple(sorted(bot.name for bot in pair)) for pair in pairs_of(ended.jobs[0])} == {
        (f"bot{upper:02}", f"bot{upper + 4:02}") for upper in range(4)
    }
    lines = [_Line(score=score, others=[]) for score in (2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.0)]
    pairs, bye = paired(lines)
    assert (pairs, bye) == ([(0, 2), (1, 3), (4, 5)], 6)


def test_a_pair_meets_again_only_where_no_other_round_is_left() -> None:
    met = {0: [1], 1: [0], 2: [3], 3: [2]}
    free, _ = paired([_Line(others=met[bot]) for bot in range(4)])
    worn, _ = paired([_Line(others=[other for other in range(4) if other != bot]) for bot in range(4)])

    assert sorted(free) in ([(0, 2), (1, 3)], [(0, 3), (1, 2)])
    assert len(worn) == 2


def test_as_many_rounds_as_there_are_others_let_everybody_meet_everybody() -> None:
    of = swiss(6, until="5 rounds")

    ended = Simulated(of, field(6), "s")

    met = Counter(pair for jobs in ended.jobs for pair in pairs_of(jobs))
    assert sum(met.values()) == 15
    assert max(met.values()) <= 2
    boards = Counter(
        (frozenset(job.seating), b.number) for jobs in ended.jobs for job in jobs for b in job.boards
    )
    assert set(boards.values()) == {2}


def test_the_standings_of_a_swiss_count_byes_as_won() -> None:
    of = swiss(3)
    ended = Simulated(of, field(3), "s")
    tell = schedule_of(of).story
    assert tell is not None

    story = tell(of, ended.course.played)

    assert story.title == "Standings after 2 of 2 rounds"
    assert sum(float(row[2]) for row in story.rows) == 4.0
    assert sorted(int(row[5]) for row in story.rows) == [0, 1, 1]


# Knock-out


def test_seeds_are_so_placed_that_the_best_meet_last() -> None:
    assert [seed + 1 for seed in seeding(16)] == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


@given(bots=st.integers(2, 9), luck=st.integers(0, 9))
@settings(max_examples=25)
def test_whoever_loses_is_out_until_one_is_left(bots: int, luck: int) -> None:
    of = knockout(bots)
    check_league(of)

    ended = Simulated(of, field(bots), str(luck))

    tell = schedule_of(of).story
    assert tell is not None
    rows = tell(of, ended.course.played).rows
    out = [bot for _, *two, _, winner in rows for bot in two if not bot.startswith((winner, ALONE))]
    assert len(out) == len(set(out)) == bots - 1
    assert ended.reason == f"{rows[-1][4]} won the final"
    assert ended.matches <= size_of(of).matches


def test_first_seeds_have_the_byes() -> None:
    of = knockout(5)

    first = Simulated(of, field(5), "s").jobs[0]

    assert {bot.name for job in first for bot in job.seating} == {"bot03", "bot04"}


def test_a_tied_duel_has_more_boards_and_then_the_better_seed_goes_on() -> None:
    of = knockout(2, block=1)

    def tied(job: TableJob) -> list[Any]:
        rows = fakes.results(job)
        return [msgspec.structs.replace(row, places=(1.0, 2.0)) for row in rows]

    played: list[Any] = []
    for number in range(4):
        chosen = schedule_of(of).batch(of, played, fit)
        assert isinstance(chosen, Batch)
        assert [block.first for block in chosen.blocks] == ([1, 2, 3] if number == 0 else [3 + number])
        jobs = [job for block in chosen.blocks for job in tables(of, block, stem="x", submissions="")]
        played.append(Played(0, chosen.blocks, [row for job in jobs for row in tied(job)]))

    assert schedule_of(of).batch(of, played, fit) == End("bot00 won the final")


# All that adapt


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (knockout(4, boards=4), "odd number of boards, not of 4; type --boards 5"),
        (swiss(4, until="4 rounds"), "4 rounds are asked for, and 4 bots have met all others after 3"),
        (swiss(4, until="9 matches"), "'9 matches' does not go with --schedule swiss, which knows: rounds"),
        (swiss(4, players=3), "a table of more than two sides does not go with --schedule swiss, only with"),
        (knockout(4, until="2 rounds", boards=3), "--until does not go with --schedule knock-out, only with"),
        (league(field(3), boards=1, schedule="gauntlet"), "a gauntlet needs a bot that runs it"),
        (
            league(field(3), boards=1, schedule="gauntlet", gauntlet=("zoe",)),
            "no bot 'zoe'; the bots of this league are: bot00, bot01",
        ),
        (
            league(field(3), boards=1, schedule="gauntlet", gauntlet=tuple(field(3))),
            "3 of 3 bots run the gauntlet, and 0 are left to meet; 1 are needed",
        ),
        (
            league(field(3), boards=1, schedule="gauntlet", gauntlet=("bot00", "bot00")),
            "--gauntlet has a bot twice",
        ),
    ],
)
def test_what_a_schedule_cannot_play_is_told_with_what_can(of: League, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_league(of)


@pytest.mark.parametrize("schedule", ["swiss", "knock-out"])
def test_a_tournament_does_not_grow(schedule: str) -> None:
    of = league(field(4), boards=3, schedule=schedule)
    more = msgspec.structs.replace(of.extensions[0], boards=5)

    with pytest.raises(UserError, match=f"another end does not go with --schedule {schedule}, only"):
        check_league(msgspec.structs.replace(of, extensions=(*of.extensions, more)))


ADAPTING = {"adaptive": "error < 120", "swiss": "3 rounds", "knock-out": None}
"""Schedules that look at results -> at what they end here."""


@pytest.fixture(params=ADAPTING)
def adapting(request: pytest.FixtureRequest) -> League:
    return league(field(5), boards=9, block=2, schedule=request.param, until=ADAPTING[request.param])


@pytest.fixture
def store(tmp_path: Path, adapting: League) -> Iterator[Store]:
    with Store.open(tmp_path) as made:
        made.create_league(adapting)
        yield made


@pytest.mark.process
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_an_adapting_league_stopped_anywhere_ends_as_one_that_was_not(
    store: Store, adapting: League, share: float
) -> None:
    runner.run(store, "sim", jobs=1, listener=fakes.Quiet(), play=fakes.play)
    whole = store.league_hash("sim"), store.results("sim"), store.finished("sim")
    with Store.open(store.workspace / "again") as again:
        again.create_league(adapting)
        for key, job in sorted(jobs_of(store, adapting).items())[: int(len(whole[2]) * share)]:
            again.commit("sim", job, fakes.play(job))
            assert key == job.key
        assert end_of(again, adapting) is None

        runner.run(again, "sim", jobs=3, listener=fakes.Quiet(), play=fakes.play)

        assert (again.league_hash("sim"), again.results("sim"), again.finished("sim")) == whole
        assert standing(again, adapting) == standing(store, adapting)


def jobs_of(store: Store, of: League) -> dict[str, TableJob]:
    course = Course(of, finished=(), results=lambda before: store.batch_results("sim", before))
    return {job.key: job for batch in course.batches() for job in batch}
