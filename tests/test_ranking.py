"""The commands that tell how strong bots are, from the database to the screen."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran

from arena.cli import group
from arena.grid import cells, counted
from arena.leaderboard import COLUMNS, page
from arena.model import (
    Board,
    Clock,
    Entrant,
    FaultKind,
    FaultRecord,
    League,
    MatchRecord,
    Measurement,
    Outcome,
    TableJob,
    TableResult,
)
from arena.store import Store
from tests.cups import ANN, BEA, CAT, CUP, cup, league_of
from tests.terminals import terminal

BOARDS = tuple(Board(number, bytes([number]) * 32) for number in (1, 2))
OUTCOMES = (
    Outcome((1.0, 2.0), (9.0, 1.0), 7),
    Outcome((2.0, 1.0), None, 3, (FaultRecord(0, FaultKind.CRASH, 2),)),
)


def commit(store: Store, league: League, seatings: Iterable[tuple[Entrant, Entrant]]) -> None:
    """Write a league down with its tables: on the first board seat 0 wins, on the second it crashes."""
    store.create_league(league)
    for number, seating in enumerate(seatings):
        job = TableJob(f"t{number}", "idiot", {}, seating, BOARDS, Clock(), "bwrap", "/nowhere")
        cost = Measurement(1.0, (1.0, 1.0), (None, None), (1.0, 1.0))
        matches = tuple(MatchRecord(b.number, o, cost, b"") for b, o in zip(BOARDS, OUTCOMES, strict=True))
        store.commit(league.name, job, TableResult(job.key, matches))


def called(name: str, league: League = CUP) -> League:
    return msgspec.structs.replace(league, name=name)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A finished league `cup` and newer ones without results."""
    with Store.open(tmp_path) as store:
        commit(store, CUP, ((ANN, BEA), (BEA, ANN)))
        store.create_league(msgspec.structs.replace(CUP, name="trio", players=3))
        store.create_league(msgspec.structs.replace(CUP, name="full", fill_house=True))
        store.create_league(called("open"))
    return tmp_path


def arena(workspace: Path, *arguments: str) -> Ran:
    return CliRunner().invoke(group, [*arguments, "--workspace", str(workspace)])


def test_the_command_prints_the_page_of_a_league(workspace: Path) -> None:
    ran = arena(workspace, "leaderboard", "cup")

    with Store.open(workspace, read_only=True) as store:
        assert ran.stdout == page(cup(store.results("cup"))) + "\n"
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "4 matches on 2 complete boards; 2 with a forfeit" in ran.stdout


def test_without_a_name_the_newest_league_and_a_word_about_the_others(workspace: Path) -> None:
    ran = arena(workspace, "leaderboard")

    assert ran.stdout.startswith("League open: idiot")
    assert ran.stderr == "the newest of 4 leagues: cup, trio, full, open; name another to see that one\n"


def test_the_command_takes_columns_style_and_anchor(workspace: Path) -> None:
    ran = arena(
        workspace, "leaderboard", "cup", "--columns", "bot, elo", "--style", "csv", "--anchor", "Ann=1000"
    )

    assert [line.split(",")[0] for line in ran.stdout.splitlines()] == ["bot", "Ann", "Bea"]
    assert float(ran.stdout.splitlines()[1].split(",")[1]) == pytest.approx(1000)


def test_the_command_leaves_out_boards_with_a_fault(workspace: Path) -> None:
    ran = arena(workspace, "leaderboard", "cup", "--without-forfeits")

    assert "2 matches on 1 complete board; 0 with a forfeit" in ran.stdout
    assert "2 matches left out: boards on which a bot failed." in ran.stdout


def test_the_command_compares_every_two_bots(workspace: Path) -> None:
    ran = arena(workspace, "matrix", "cup", "--style", "csv")

    assert ran.stdout.splitlines()[1].startswith(f"Ann,{ANN.version[:12]},Bea,{BEA.version[:12]},0.0,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "are: cup, trio, full, open"),
        (["cup", "--columns", "sigma"], "no column 'sigma'; the columns are: rank,"),
        (["cup", "--style", "sigma"], "no style 'sigma'; the styles are: asciidoc,"),
        (["cup", "--columns", "bot.1"], "column 'bot.1': bot is no number and has no digits; type bot"),
        (["cup", "--sort", "sigma"], "no column 'sigma'; the columns to sort by are: rank,"),
        (
            ["cup", "--sort", "elo:up"],
            "no direction 'up'; the directions are: asc, desc; type --sort elo",
        ),
        (["cup", "--game", "idiot"], "name leagues, or type --game, not both"),
        (["--game", "chess"], "no game 'chess'; the games are: "),
        (["--game", "imp"], "no league of imp yet; type: arena run --game imp"),
        (["cup", "--since", "soon"], "--since 'soon' is no time; type a day such as "),
        (["cup", "--since", "9999999d"], "is no time"),
        (["cup", "trio"], "leagues cup and trio cannot be rated together: they differ in players"),
        (["cup", "--anchor", "Eve=1"], "no bot 'Eve'; the bots to anchor are: Ann, Bea"),
        (["cup", "--anchor", "house=1"], "no bot 'house'; the bots to anchor are: Ann, Bea"),
        (["full", "--anchor", "house=1"], "house has no rating yet"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2(
    workspace: Path, arguments: list[str], message: str
) -> None:
    ran = arena(workspace, "leaderboard", *arguments)

    assert (ran.exit_code, ran.stdout) == (2, "")
    assert message in " ".join(ran.stderr.split())


def test_a_workspace_without_leagues_says_how_to_play_one(tmp_path: Path) -> None:
    Store.open(tmp_path).close()

    ran = arena(tmp_path, "leaderboard")

    assert ran.exit_code == 2
    assert "no league yet; type: arena run --game idiot" in " ".join(ran.stderr.split())


def test_several_leagues_of_one_game_are_rated_together(workspace: Path) -> None:
    with Store.open(workspace) as store:
        commit(store, called("again", league_of(ANN, BEA, CAT)), ((BEA, CAT), (CAT, BEA)))

    ran = arena(workspace, "leaderboard", "cup", "again", "--columns", "bot,matches", "--style", "plain")

    assert ran.stdout.startswith("Leagues cup, again, rated together: idiot, 2 players.\n8 matches on ")
    assert [line.split() for line in ran.stdout.split("\n\n")[1].splitlines()[1:]] == [
        ["Ann", "4"],
        ["Bea", "8"],
        ["Cat", "4"],
    ]


def test_deals_that_two_leagues_played_alike_count_once(workspace: Path) -> None:
    with Store.open(workspace) as store:
        commit(store, called("again"), ((ANN, BEA), (BEA, ANN)))

    ran = arena(workspace, "leaderboard", "cup", "again")

    assert ran.stdout.splitlines()[1:3] == [
        "4 matches on 2 complete boards; 2 with a forfeit (then last).",
        "4 matches on deals that were played before in the same seats: left out.",
    ]


def test_a_league_is_found_by_its_game(workspace: Path) -> None:
    ran = arena(workspace, "leaderboard", "--game", "idiot")

    assert ran.stdout.startswith("League open: idiot")
    assert ran.stderr == (
        "the newest of 4 leagues of idiot: cup, trio, full, open; name several to rate them together\n"
    )


@pytest.mark.parametrize(
    ("since", "boards"),
    [("0", 2), ("2", 1), ("3", 0), ("1d", 2), ("90min", 2), ("2001-01-01", 2), ("9000-01-01T18:00", 0)],
)
def test_boards_count_since_a_time_or_a_number(workspace: Path, since: str, boards: int) -> None:
    ran = arena(workspace, "leaderboard", "cup", "--since", since)

    assert f"matches on {counted(boards, 'complete board')}; " in ran.stdout
    assert "\nOnly complete boards since " in ran.stdout


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    """Two leagues in which the first and the second version of Ann met Bea."""
    newer = Entrant("Ann", "f" * 64)
    with Store.open(tmp_path) as store:
        for day, each in enumerate((ANN, BEA, newer), start=1):
            store.add_version(
                each.name,
                each.version,
                games=("idiot",),
                submitted=datetime(2031, 5, day, 12, tzinfo=UTC),
                sandbox="bwrap",
            )
        commit(store, CUP, ((ANN, BEA), (BEA, ANN)))
        commit(store, called("next", league_of(newer, BEA)), ((newer, BEA), (BEA, newer)))
    return tmp_path


def test_the_latest_version_of_those_that_played_is_shown(versions: Path) -> None:
    latest = arena(versions, "leaderboard", "cup", "next", "--style", "csv", "--columns", "bot,version,elo")
    older = arena(versions, "leaderboard", "cup", "--style", "csv", "--columns", "bot,version")

    assert [line.split(",")[:2] for line in latest.stdout.splitlines()[1:]] == [
        ["Ann", "f" * 12],
        ["Bea", BEA.version[:12]],
    ]
    assert latest.stderr == "1 older version rated too and not shown: --versions all has them.\n"
    assert f"Ann,{ANN.version[:12]}" in older.stdout.splitlines()


def test_all_versions_are_shown_when_they_are_asked_for(versions: Path) -> None:
    ran = arena(versions, "leaderboard", "cup", "next", "--versions", "all", "--style", "csv")

    assert [line.split(",")[1] for line in ran.stdout.splitlines()[1:]].count("Ann") == 2


@pytest.mark.parametrize("command", ["matrix", "crosstable", "seats", "leaderboard"])
def test_a_command_tells_beside_data_what_was_left_out(workspace: Path, command: str) -> None:
    ran = arena(workspace, command, "cup", "--without-forfeits", "--style", "json")

    assert ran.stderr == "2 matches left out: boards on which a bot failed.\n"
    assert isinstance(json.loads(ran.stdout), list)


def test_likelihoods_are_asked_for_by_name(workspace: Path) -> None:
    assert "LOS: likelihood in % that the row" in arena(workspace, "matrix", "cup", "--los").stdout


@pytest.mark.parametrize("command", [("leaderboard",), ("matrix",), ("history", "Ann")])
def test_whole_rankings_are_a_model_to_choose(versions: Path, command: tuple[str, ...]) -> None:
    ran = arena(versions, *command, "next", "--model", "pl")

    assert "Elo: Plackett-Luce of whole rankings, with ties" in ran.stdout


def test_colours_are_for_a_terminal_or_whoever_wants_them(workspace: Path) -> None:
    assert "\x1b[" not in arena(workspace, "leaderboard", "cup").stdout
    assert "\x1b[31m1\x1b[0m" in arena(workspace, "leaderboard", "cup", "--color", "always").stdout
    assert "\x1b[" not in arena(workspace, "leaderboard", "cup", "--color", "always", "--style", "csv").stdout


@pytest.mark.process
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}])
def test_on_a_terminal_lines_fit_and_colours_are_shown_unless_they_are_not_wanted(
    workspace: Path, env: dict[str, str]
) -> None:
    words = ("leaderboard", "cup", "--columns", ",".join(COLUMNS), "--workspace", str(workspace))

    with terminal(*words, env=env, columns=60) as screen:
        assert screen.ended() == 0

    assert max(cells(line) for line in screen.shown.splitlines()) <= 60
    assert "Too narrow for " in screen.shown
    assert ("\x1b[" in screen.shown) == (not env)
