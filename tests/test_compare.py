"""Two bots are compared: which boards, when it stops, what is said; with tables that no bot plays."""

import csv
import functools
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from arena.cli import group, verdict
from arena.cli import league as cli
from arena.cli.looks import line, signed
from arena.deals import commitment, league_secret
from arena.grid import Look, cells
from arena.league import runner
from arena.league.course import Course
from arena.league.findings import Finding, found_so_far
from arena.league.planning import game_options
from arena.league.runner import Progress
from arena.league.schedule import check_league, size_of
from arena.league.schedules.compare import matches_of, scores
from arena.model import (
    HOUSE,
    Bounds,
    Clock,
    Comparison,
    Entrant,
    Extension,
    League,
    Scale,
    TableJob,
    UserError,
)
from arena.model import Result as Row
from arena.ratings.sequential import Sample, decided, sample
from arena.store import Store
from tests import league_fakes as fakes
from tests.simulated import Simulated

NEW, OLD, CID, DOT = (
    Entrant(name, sha256(name.encode()).hexdigest()) for name in ("ann", "bea", "cid", "dot")
)
Arena = Callable[..., Result]


def league(
    *, game: str = "idiot", players: int = 2, boards: int = 96, field: tuple[Entrant, ...] = (), **asked: Any
) -> League:
    pinned = tuple(bot for bot in (NEW, OLD, *field) if bot != HOUSE)
    return League(
        name="test",
        game=game,
        players=players,
        options=game_options(game, {}),
        clock=Clock(),
        block=4,
        sandbox="plain",
        extensions=(Extension(pinned, boards, b"s" * 32),),
        fill_house=HOUSE in field,
        schedule="compare",
        comparison=Comparison(NEW, OLD, 16, field, **asked),
    )


# Boards and their scores


@pytest.mark.parametrize(
    ("game", "players", "field", "matches"),
    [
        ("idiot", 2, (), 2),
        ("mpirimpa", 4, (), 2),
        ("imp", 3, (CID,), 6),
        ("idiot", 4, (CID, DOT), 8),
        ("idiot", 4, (HOUSE, HOUSE), 8),
        ("idiot", 5, (CID, HOUSE, HOUSE), 10),
    ],
)
def test_a_board_has_every_seating_and_the_one_with_both_exchanged(
    game: str, players: int, field: tuple[Entrant, ...], matches: int
):
    of = league(game=game, players=players, field=field, boards=16, fixed=True)
    exchange = {NEW: OLD, OLD: NEW}

    (jobs,) = Simulated(of, dict.fromkeys(("ann", "bea", "cid", "dot", "house"), 0.0), "s").jobs

    check_league(of)
    assert matches_of(of) == matches
    played = Counter((board.seed, job.seating) for job in jobs for board in job.boards)
    assert set(played.values()) == {1}
    assert {(seed, tuple(exchange.get(bot, bot) for bot in seats)) for seed, seats in played} == set(played)
    assert len({seed for seed, _ in played}) == 16
    size = size_of(of)
    assert (size.tables, size.matches) == (len(jobs), len(played)) or size.at_most


def test_of_several_house_bots_that_are_compared_with_none_is_picked():
    of = league(players=3, field=(HOUSE,), boards=16, fixed=True)
    of = msgspec.structs.replace(of, comparison=msgspec.structs.replace(of.comparison, old=HOUSE))
    sides = tuple((bot,) for bot in (NEW, HOUSE, HOUSE))

    (jobs,) = Simulated(of, {"ann": 0.0, "house": 0.0}, "s").jobs

    assert matches_of(of) == len(jobs) / 4 == 3
    assert size_of(of).at_most
    assert scores(NEW, HOUSE, [Row("1", sides, (2.0, 1.0, 3.0), None, ((),) * 3)]) == [0.5]


def test_a_score_is_the_mean_of_what_was_taken_from_the_other_whoever_else_sat_there():
    def row(board: str, *placed: tuple[Entrant, float]) -> Row:
        return Row(board, tuple((bot,) for bot, _ in placed), tuple(at for _, at in placed), None, ((),) * 3)

    rows = [
        row("one", (NEW, 1), (OLD, 3), (CID, 2)),
        row("two", (OLD, 1), (CID, 2), (NEW, 3)),
        row("one", (CID, 1), (NEW, 2.5), (OLD, 2.5)),
    ]

    assert scores(NEW, OLD, rows) == [0.75, 0.0]


def test_bots_that_play_alike_score_one_half_on_every_board():
    of = league(players=3, field=(CID,), boards=400)

    rows = [row for job in first_batch(of) for row in seat_alone(job)]

    assert set(scores(NEW, OLD, rows)) == {0.5}


def first_batch(of: League) -> list[TableJob]:
    return list(next(Course(of, finished=(), results=lambda _before: ()).batches()))


def seat_alone(job: TableJob) -> Iterator[Row]:
    """Matches whose places hang on the deal and the seat alone."""
    for board in job.boards:
        luck = [sha256(board.seed + bytes([seat])).digest() for seat in range(len(job.seating))]
        places = tuple(float(sorted(luck).index(each) + 1) for each in luck)
        yield Row(board.seed.hex(), tuple((bot,) for bot in job.seating), places, None, ((),) * len(luck))


# When it stops


@pytest.mark.parametrize(
    ("elo", "bounds", "reason"),
    [
        (150, Bounds(), "H1 is accepted"),
        (-150, Bounds(), "H0 is accepted"),
        (0, Bounds(-300, -200), "H1 is accepted"),
        (10, Bounds(0, 20, scale=Scale.LOGISTIC), "all 96 boards are played"),
    ],
)
def test_it_stops_at_the_first_look_that_decides(elo: float, bounds: Bounds, reason: str):
    of = league(bounds=bounds)

    played = Simulated(of, {"ann": elo, "bea": 0.0}, "s")

    assert played.reason == reason
    found = [scores(NEW, OLD, each.results) for each in played.course.played]
    assert {len(each) for each in found} == {16}
    seen = [sample(chain(*found[:looks]), 2) for looks in range(1, len(found) + 1)]
    assert [decided(each, bounds) for each in seen[:-1]] == [None] * (len(seen) - 1)
    assert (decided(seen[-1], bounds) is None) == (reason == "all 96 boards are played")


def test_a_fixed_number_of_boards_is_played_whatever_they_show():
    played = Simulated(league(boards=40, fixed=True), {"ann": 900.0, "bea": 0.0}, "s")

    assert played.reason == "all 40 boards are played"
    assert played.matches == 80


def test_more_boards_go_on_where_the_first_ones_left_it_open():
    of = league(boards=32, bounds=Bounds(0, 20))
    more = msgspec.structs.replace(of.extensions[0], boards=64, secret=b"t" * 32)
    grown = msgspec.structs.replace(of, extensions=(*of.extensions, more))

    played = Simulated(grown, {"ann": 30.0, "bea": 0.0}, "s")

    check_league(grown)
    assert played.matches == 128
    assert [board.number for jobs in played.jobs for job in jobs[::2] for board in job.boards] == [
        *range(1, 65)
    ]


def test_what_is_no_comparison_or_has_strangers_is_refused():
    of = league()
    stranger = msgspec.structs.replace(of.extensions[0], entrants=(NEW, OLD, CID))

    with pytest.raises(UserError, match="type: arena compare NEW OLD"):
        check_league(msgspec.structs.replace(of, comparison=None))
    with pytest.raises(UserError, match="gets no more bots, so cid cannot be added"):
        check_league(msgspec.structs.replace(of, extensions=(stranger,)))


@pytest.mark.process
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_comparison_stops_at_the_same_board_at_any_number_of_workers_and_after_a_kill(
    tmp_path: Path, share: float
):
    of = league(boards=960, bounds=Bounds(0, 60))
    with Store.open(tmp_path / "whole") as store, Store.open(tmp_path / "killed") as killed:
        for each in (store, killed):
            each.create_league(of)
        whole = runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
        course = Course(of, finished=(), results=lambda before: store.batch_results("test", before))
        jobs = [job for batch in course.batches() for job in batch]
        for job in reversed(jobs[: int(len(jobs) * share)]):
            killed.commit("test", job, fakes.play(job))

        again = runner.run(killed, "test", jobs=3, listener=fakes.Quiet(), play=fakes.play)

        assert whole.end == again.end
        assert found_so_far(killed, of) == found_so_far(store, of)
        assert found_so_far(killed, of).sample.blocks < 960
        assert killed.league_hash("test") == store.league_hash("test")


# What is said


@pytest.mark.parametrize("width", [60, 80, 100, None])
def test_the_list_of_comparisons_fits_its_terminal(width: int | None):
    text = verdict.listing([finding({0.0: 3, 0.5: 20, 1.0: 9})], Look(width=width))

    assert max(map(len, text.splitlines())) <= (width or 120)
    assert ("difference" in text) == (width in (100, None))
    assert "ann" in text


def finding(counts: Mapping[float, int], *, of: League | None = None, ended: bool = True) -> Finding:
    of = of or league()
    assert of.comparison is not None
    seen = Sample(tuple(sorted(counts.items())), 2)
    return Finding(
        league=of,
        sample=seen,
        ended=ended,
        verdict=None if of.comparison.fixed else decided(seen, of.comparison.bounds),
        ratio=1.5,
        planned=200,
        faults=(1, 2, 0),
        matches=2 * seen.blocks,
        missing=8,
        won=counts.get(1.0, 0),
        lost=counts.get(0.0, 0),
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (finding({0.5: 20, 1.0: 40}), "ann is stronger than bea (H1 is accepted), after 60 boards."),
        (
            finding({0.0: 40, 0.5: 20}),
            "ann is not stronger than bea by nElo 40 or more (H0 is accepted), after 60 boards.",
        ),
        (
            finding({0.5: 20, 1.0: 40}, of=league(bounds=Bounds(-40, 0))),
            "ann is not weaker than bea by nElo 40 or more (H1 is accepted), after 60 boards.",
        ),
        (
            finding({0.0: 40, 0.5: 20}, of=league(bounds=Bounds(-40, 0))),
            "ann is weaker than bea (H0 is accepted), after 60 boards.",
        ),
        (
            finding({0.5: 20, 1.0: 40}, of=league(bounds=Bounds(5, 40, scale=Scale.LOGISTIC))),
            "ann is stronger than bea by more than Elo 5 (H1 is accepted), after 60 boards.",
        ),
        (
            finding({0.5: 240}),
            (
                "ann and bea scored alike on 100.0% of the boards: a bound is unattainable, they are at most "
                "nElo 34 apart, after 240 boards."
            ),
        ),
        (
            finding({0.0: 20, 0.5: 20, 1.0: 25}),
            "Undecided between ann and bea: more boards are not allowed, after 65 boards.",
        ),
        (
            finding({0.0: 20, 1.0: 25}, ended=False),
            "ann against bea: nothing is decided yet, after 45 boards.",
        ),
        (
            finding({0.0: 20, 1.0: 25}, of=league(fixed=True)),
            "Not known which of ann and bea is stronger, after the 45 boards that were asked for.",
        ),
        (
            finding({0.0: 5, 1.0: 25}, of=league(fixed=True)),
            "ann is stronger than bea, after the 30 boards that were asked for.",
        ),
    ],
)
def test_the_verdict_is_a_sentence(found: Finding, said: str):
    assert verdict.words(found) == said


def test_a_difference_that_is_shown_as_nothing_has_no_minus():
    assert [signed(elo) for elo in (-0.4, 0.0, -0.6, 0.6)] == ["+0", "+0", "-1", "+1"]


def test_two_versions_of_one_bot_are_told_apart():
    of = league()
    assert of.comparison is not None
    old = Entrant("ann", "f" * 64)
    found = finding({1.0: 60}, of=msgspec.structs.replace(of, comparison=Comparison(NEW, old, 16)))

    assert verdict.words(found).startswith(f"ann@{NEW.version[:12]} is stronger than ann@ffffffffffff (H1")


def test_whoever_takes_every_point_is_bounded_on_one_side():
    assert re.search(r"nElo at least \+\d+ with 97.5 % confidence: it took every point", shown({1.0: 60}))
    assert re.search(r"nElo at most -\d+ with 97.5 % confidence: it took no point", shown({0.0: 60}))


def shown(counts: Mapping[float, int], **words: Any) -> str:
    return verdict.page(finding(counts, **words), Look())


def test_bots_that_scored_alike_have_the_interval_of_a_fixed_number_of_boards():
    found = finding({0.5: 240})
    estimate = found.estimate()

    assert estimate is not None
    assert (estimate.elo, estimate.low) == (0.0, -estimate.high)
    assert "boards      240: new ahead on 0, behind on 0, alike on 240 (100.0%)" in shown({0.5: 240})
    assert finding({0.5: 120}, ended=False, of=league(boards=400)).boards_left is None


def test_the_page_says_what_alpha_and_beta_mean_and_how_often_both_scored_alike():
    text = shown({0.5: 90, 1.0: 10})

    assert "Alpha 0.05: were the difference nElo 0 or less, about that share of comparisons" in text
    assert "The two scored alike on 90.0% of the boards: only the others tell them apart." in text
    assert "LLR         +1.50, ends at -2.94 and +2.94" in text


def test_a_fixed_comparison_says_how_likely_the_new_one_is_stronger():
    text = shown({0.0: 20, 1.0: 25}, of=league(fixed=True))

    assert "ann is the stronger one with a likelihood of 77.3%" in text
    assert "Alpha" not in text


@pytest.mark.parametrize("counts", [{1.0: 1}, {1.0: 4, 0.5: 30}])
def test_a_few_boards_that_went_one_way_make_nothing_likely(counts: Mapping[float, int]):
    text = shown(counts, of=league(fixed=True))

    assert "Not known which of" in text
    assert "likelihood" not in text
    assert "On fewer than 5 boards one of the two was ahead" in text


@pytest.mark.parametrize("columns", [12, 30, 50, 80, 120, 200])
@pytest.mark.parametrize("found", [finding({}, ended=False), finding({0.0: 20, 1.0: 25}, ended=False)])
def test_the_line_of_a_running_comparison_fits_its_terminal(columns: int, found: Finding):
    assert 0 < cells(line(found, Progress(20, 192, 20, 40.0), columns)) < columns


def test_the_line_of_a_running_comparison_tells_ratio_boards_score_difference_and_what_is_left():
    found = finding({0.0: 20, 1.0: 25}, ended=False)

    told = line(found, Progress(20, 192, 20, 40.0), 200)

    pattern = (
        r"H0\[-{7}\|-{3}#-{3}\]H1  LLR \+1\.50 of ±2\.94  45 boards  55\.6%  "
        r"nElo \+27 \(-\d+ to \+\d+\)  ~\d+ boards left, \d+ (s|min)"
    )
    assert re.fullmatch(pattern, told), told
    assert line(found, Progress(20, 192, 20, 40.0), 45) == "LLR +1.50 of ±2.94  45 boards  55.6%"


# The command


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with Store.open(tmp_path) as store:
        for name, version, games in (
            ("ann", "1" * 64, ("idiot",)),
            ("ann", "9" * 64, ("idiot", "imp")),
            ("bea", "8" * 64, ("idiot", "imp")),
            ("cid", "c" * 64, ("imp", "mpirimpa")),
            ("dot", "d" * 64, ("mpirimpa",)),
        ):
            store.add_version(name, version, games=games, submitted=datetime.now(UTC), sandbox="plain")
    return tmp_path


@pytest.fixture
def arena(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Run a command in the workspace; tables are played by a function."""
    monkeypatch.setattr(cli.runner, "run", functools.partial(runner.run, play=fakes.play_skilled))
    for check in ("require", "check_kept", "check_built"):
        monkeypatch.setattr(cli.planning, check, lambda *_args, **_words: None)

    def command(*words: str) -> Result:
        return CliRunner().invoke(
            group, list(words), env={"ARENA_WORKSPACE": str(workspace)}, catch_exceptions=False
        )

    return command


ANN = ("compare", "ann", "--seed", "s", "--jobs", "2")


@pytest.mark.process
def test_a_bot_is_compared_with_its_version_before_and_the_result_shown_again(arena: Arena):
    first = arena(*ANN, "--bounds", "0,100")
    again = arena(*ANN, "--bounds", "0,100")

    assert first.exit_code == 0
    assert first.stdout.startswith(
        "Comparison compare-idiot: idiot, 2 players.\n"
        "ann@999999999999 is stronger than ann@111111111111 (H1 is accepted), after "
    )
    secret = league_secret("s", 0)
    assert f"commitment: {commitment(secret)}" in first.stderr
    assert (
        "H0: nElo 0, H1: nElo 100; about 32 boards where one of them is true, at most 160, 2" in first.stderr
    )
    assert first.stderr.splitlines()[-3:] == [
        "its matches: arena show --league compare-idiot",
        "this again: arena compare --name compare-idiot",
        f"secret: {secret.hex()}",
    ]
    assert again.stdout == first.stdout == arena("compare", "--name", "compare-idiot").stdout
    assert "commitment" not in again.stderr


@pytest.mark.process
def test_results_are_rows_of_raw_values_under_keys_that_stay(arena: Arena):
    arena(*ANN, "--bounds", "0,100")

    (row,) = json.loads(arena("compare", "--name", "compare-idiot", "--style", "json").stdout)
    (listed,) = json.loads(arena("compare", "--style", "json").stdout)
    (record,) = csv.DictReader(io.StringIO(arena("compare", "--style", "csv").stdout))

    assert row == listed
    assert list(record) == list(row)
    assert list(row) == [
        *("comparison", "game", "players", "new", "new_version", "old", "old_version", "field", "scale"),
        *("verdict", "elo0", "elo1", "alpha", "beta", "llr", "llr_low", "llr_high"),
        *("difference", "low", "high", "live_low", "live_high", "score", "boards", "boards_most"),
        *("boards_left", "matches", "won", "lost", "alike", "faults_new", "faults_old", "faults_others"),
    ]
    assert (row["verdict"], row["new_version"], row["elo1"]) == ("H1", "9" * 64, 100)
    assert row["boards"] == row["won"] + row["lost"] + row["alike"] == row["matches"] / 2
    assert row["low"] < row["difference"] < row["high"]
    assert row["llr"] >= row["llr_high"]


@pytest.mark.process
def test_versions_are_named_by_their_first_digits_and_a_fixed_number_is_played(arena: Arena):
    result = arena(
        "compare", "ann@1111", "bea", "--game", "idiot", "--fixed", "20", "--jobs", "1", "--logistic"
    )

    assert "ann is weaker than bea, after the 20 boards that were asked for." in result.stdout
    assert re.search(r"difference +Elo -\d+, 95 % \(-\d+ to -\d+\)\n", result.stdout)
    listed = arena("compare").stdout
    assert re.search(
        r"compare-idiot +idiot +ann 1{12} +bea 8{12} +fixed +20 +\d+\.\d% +Elo -\d+ \(-\d+ to -\d+\)$",
        listed,
        re.MULTILINE,
    )


@pytest.mark.process
def test_others_at_the_table_are_house_bots_or_named(arena: Arena):
    first = arena("compare", "ann", "bea", "--game", "imp", "--players", "3", "--fixed", "4", "--jobs", "1")
    second = arena(
        *("compare", "ann", "bea", "--game", "imp", "--players", "3", "--field", "cid"),
        *("--fixed", "4", "--jobs", "1", "--name", "with-cid"),
    )

    assert "others at the table: house" in first.stderr
    assert "matches     24, 6 on a board" in first.stdout
    assert "others      cid cccccccccccc" in second.stdout
    assert second.stdout.startswith("Comparison with-cid: imp, 3 players.")


@pytest.mark.process
def test_partners_are_two_of_one_bot_and_the_house_can_be_compared_with(arena: Arena):
    sides = arena("compare", "dot", "cid", "--players", "4", "--fixed", "6", "--jobs", "1")
    house = arena("compare", "cid", "house", "--game", "imp", "--fixed", "6", "--jobs", "1")

    assert "Comparison compare-mpirimpa: mpirimpa, 4 players.\n" in sides.stdout
    assert "matches     12, 2 on a board" in sides.stdout
    assert "old         house house-1" in house.stdout


@pytest.mark.process
def test_an_undecided_comparison_grows_by_more_boards_and_no_other_does(arena: Arena):
    bounds = ("--bounds", "0,1")
    first = arena(*ANN[:4], *bounds, "--boards", "16", "--jobs", "2")

    more = arena(*ANN[:4], *bounds, "--boards", "32", "--jobs", "2")
    fewer = arena(*ANN[:4], *bounds, "--boards", "8", "--jobs", "2")

    assert "Undecided" in first.stdout
    assert "to go on: the command that began it, with --boards 32" in first.stderr
    assert "note: compare-idiot may now play 32 boards instead of 16" in more.stderr
    assert "after 32 boards" in more.stdout
    assert fewer.stdout == more.stdout
    assert len(json.loads(arena("compare", "--style", "json").stdout)) == 1


@pytest.mark.process
def test_another_question_is_another_comparison(arena: Arena):
    arena(*ANN, "--fixed", "4")

    other = arena(*ANN, "--fixed", "8")
    seed = arena("compare", "ann", "--fixed", "4", "--seed", "t", "--jobs", "1")
    refused = arena(*ANN, "--fixed", "12", "--name", "compare-idiot")

    assert other.stdout.startswith("Comparison compare-idiot-2: ")
    assert seed.stdout.startswith("Comparison compare-idiot-3: ")
    assert refused.exit_code == 2
    assert "comparison compare-idiot asks something else; choose another --name" in refused.stderr


def test_a_comparison_that_was_stopped_says_how_to_go_on(arena: Arena, monkeypatch: pytest.MonkeyPatch):
    def nothing(*_args: object, **_kwargs: object) -> runner.Ran:
        return runner.Ran(Progress(0, 6, 0, 0.0), None)

    monkeypatch.setattr(cli.runner, "run", nothing)

    result = arena(*ANN)

    assert result.exit_code == 130
    assert "to go on type the same command, or: arena compare --name compare-idiot\n" in result.stderr
    assert "nothing is decided yet, after 0 boards" in result.stdout
    assert league_secret("s", 0).hex() not in result.output
    (row,) = json.loads(arena("compare", "--style", "json").stdout)
    assert (row["verdict"], row["score"], row["difference"]) == ("unfinished", None, None)


def test_without_any_comparison_there_is_a_line_to_type(arena: Arena):
    assert arena("compare").stdout == "no comparison yet; type: arena compare NEW OLD\n"
    assert arena("compare", "--style", "json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bea",), "bea has no version before this one to be compared with"),
        (("eve", "bea"), "no bot 'eve'; the bots are: ann, bea, cid, dot"),
        (("ann", "bea"), "both bots play idiot, imp; type --game idiot, or another of these"),
        (("ann", "dot"), "no game admitted both bots"),
        (("ann", "dot", "--game", "idiot"), "dot was not admitted to idiot, only to mpirimpa"),
        (("ann@1", "bea"), "versions of ann that begin with '1': 1; type 4 or more of the first digits"),
        (("ann@7777", "bea"), "versions of ann that begin with '7777': 0; type 4"),
        (("ann", "ann@9999", "--game", "imp"), "one of them twice"),
        (("house",), "the house bot has one version"),
        (("ann", "--bounds", "40,0"), "--bounds '40,0': two numbers from -1000 to 1000 are needed"),
        (("ann", "--bounds", "nan,1"), "--bounds 'nan,1': two numbers"),
        (("ann", "--fixed", "4", "--boards", "8"), "leave one out"),
        (("ann", "--field", "bea"), "idiot with 2 players has 0 sides beside the two that are compared"),
        (("ann", "--alpha", "0.6"), "0.6 is not in the range"),
        (("ann", "--beta", "nan"), "nan is not in the range"),
        (("ann", "--boards", "0"), "boards is 0; a whole number from 1 "),
        (
            ("--name", "none", "--jobs", "2", "--boards", "9", "--fixed", "2"),
            "and --boards, --fixed would change it",
        ),
        (("--name", "none"), "no comparison 'none'; the comparisons are: none yet"),
    ],
)
def test_wrong_usage_is_2_and_a_sentence(arena: Arena, words: tuple[str, ...], message: str):
    result = arena("compare", *words)

    assert result.exit_code == 2
    assert message in result.stderr
