"""The command that shows matches: lists, and one match decision by decision."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran

from arena import deals
from arena.cli import group
from arena.games import GAMES
from arena.games.base import parse_options
from arena.model import (
    Circumstances,
    Clock,
    Decision,
    FaultKind,
    FaultRecord,
    Late,
    Outcome,
    TableJob,
    TableResult,
)
from arena.store import Store
from arena.transcript import Transcript
from tests.stored import ANN, BAD, BOARDS, LEAGUE, first_legal, record, two_matches


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return two_matches(tmp_path)


def arena(workspace: Path, *arguments: str) -> Ran:
    return CliRunner().invoke(group, ["show", *arguments, "--workspace", str(workspace)])


def test_without_a_number_the_matches_are_listed(workspace: Path) -> None:
    ran = arena(workspace)

    assert ran.exit_code == 0
    assert [line.split() for line in ran.stdout.splitlines()[2:]] == [
        ["1", "1", "Ann,", r"\x1b[2Jbad", "1", "2", "9", "1.5"],
        ["2", "2", "Ann,", r"\x1b[2Jbad", "1", "2", "forfeit", "CRASH", "by", "seat", "1"],
    ]


def test_a_league_of_which_nothing_was_played_says_how_to_go_on(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_league(LEAGUE)

    ran = arena(tmp_path)

    assert ran.exit_code == 0
    assert f"no match yet; to play them type: arena run cup --workspace {tmp_path}" in ran.stderr


def test_the_rest_of_a_table_is_listed_as_forfeited_not_as_a_fault(tmp_path: Path) -> None:
    job = TableJob("t1", "idiot", {}, (ANN, BAD), BOARDS[:1], Clock(), "bwrap", "/nowhere")
    rest = FaultRecord(1, FaultKind.CRASH, 0, forfeit=True)
    kept = msgspec.structs.replace(first_legal(BOARDS[0].seed, 0), faults=(rest,))
    with Store.open(tmp_path) as store:
        store.create_league(LEAGUE)
        record_of_rest = record(BOARDS[0], Outcome((1.0, 2.0), None, 0, (rest,)), kept)
        store.commit("cup", job, TableResult("t1", (record_of_rest,)))

    listed = arena(tmp_path).stdout.splitlines()

    assert listed[2].endswith("  forfeit   forfeit of seat 1")
    assert r"!! seat 1 \x1b[2Jbad: exit code" in arena(tmp_path, "1").stdout


def test_what_came_of_a_decision_stands_beside_it(tmp_path: Path) -> None:
    options = parse_options(GAMES["imperial"].options, {})
    state = GAMES["imperial"].new(options, 2, 1)
    told = state.deal(deals.deck(BOARDS[0].seed, 0, GAMES["imperial"].deck(options, 2)))
    decisions = []
    for _ in range(2):
        decisions.append(Decision(state.to_act(), state.legal()[0]))
        *_, last = state.play(decisions[-1].action)
    kept = Transcript("imperial", 2, {}, 1, BOARDS[0].seed, (ANN, ANN), tuple(decisions), ())
    job = TableJob("t1", "imperial", {}, (ANN, ANN), BOARDS[:1], Clock(), "bwrap", "/nowhere")
    with Store.open(tmp_path) as store:
        store.create_league(msgspec.structs.replace(LEAGUE, game="imperial"))
        matches = (record(BOARDS[0], Outcome((1.0, 2.0), (9.0, 1.5), 2), kept),)
        store.commit("cup", job, TableResult("t1", matches))

    lines = arena(tmp_path, "1").stdout.splitlines()

    assert told[0].startswith("deal 1 trump ")
    assert lines[7].startswith("   deal 1: trumps are ")
    first, second = (decision.action for decision in decisions)
    winner = {True: "wins the trick", False: "Ann (0) wins the trick"}[last == "1 wins_trick"]
    told_lines = [line for line in lines if line[:1] in ("1", "2")]
    assert told_lines == [f"1  seat 0 Ann (0)  {first}", f"2  seat 1 Ann (1)  {second}  {winner}"]


def test_a_league_without_matches_lists_a_header(workspace: Path) -> None:
    with Store.open(workspace) as store:
        store.create_league(msgspec.structs.replace(LEAGUE, name="open"))

    assert len(arena(workspace).stdout.splitlines()) == 2


def test_a_match_is_told_from_head_to_result(workspace: Path) -> None:
    played = first_legal(BOARDS[1].seed, 3)

    ran = arena(workspace, "2")

    lines = ran.stdout.splitlines()
    assert lines[:4] == [
        "Match 2 of league cup: idiot, 2 players.",
        f"Table t1, board 2, seed {'02' * 32}.",
        "Options: none",
        "Walls: seccomp, namespaces.",
    ]
    first, second, third = (decision.action for decision in played.decisions)
    assert lines[5:11] == [
        "Seat 1 deals first.",
        "",
        rf"1  seat 0 Ann         {first}   (so\u202ewhat)",
        rf"2  seat 1 \x1b[2Jbad  {second}  Ann lays {first}   (so\u202ewhat)",
        rf"3  seat 0 Ann         {third}        draws 1   (so\u202ewhat)",
        r"!! seat 1 \x1b[2Jbad CRASH: exit code \x1b 1",
    ]
    assert [line.split() for line in lines[14:]] == [
        ["0", "Ann", "a" * 12, "1", "forfeit", "5", "4"],
        ["1", r"\x1b[2Jbad", "b" * 12, "2", "forfeit", "2", "1"],
    ]


def test_a_table_that_was_void_says_why(tmp_path: Path) -> None:
    late = Late(2, 1, Circumstances(limit_ms=100.0, cpu_ms=1.0, waited_ms=90.0))

    lines = arena(two_matches(tmp_path, void=(late,)), "1").stdout.splitlines()

    assert lines[4] == (
        r"Its table was void once, and played again: on board 2 \x1b[2Jbad in seat 1 was late after 100 ms, "
        "in which it stood ready for a core for 90 ms and had one for 1 ms."
    )


def test_views_show_what_the_seat_saw(workspace: Path) -> None:
    game = GAMES["idiot"]
    options = parse_options(game.options, {})
    state = game.new(options, 2, 1)
    state.deal(deals.deck(BOARDS[0].seed, 0, game.deck(options, 2)))

    lines = arena(workspace, "1", "--views").stdout.splitlines()

    views = [json.loads(line) for line in lines if line.strip().startswith("{")]
    assert len(views) == 3
    assert views[0] == json.loads(json.dumps(state.view(state.to_act())))


def test_nothing_that_a_bot_wrote_reaches_the_terminal_raw(workspace: Path) -> None:
    for arguments in ((), ("2", "--views"), ("1",)):
        text = arena(workspace, *arguments).stdout
        assert not [char for char in text if char != "\n" and not char.isprintable()]


def test_a_match_that_is_not_there_is_a_sentence(workspace: Path) -> None:
    ran = arena(workspace, "99")

    assert ran.exit_code == 2
    assert "no match 99; the newest is 2" in ran.stderr


def test_views_of_a_match_that_the_game_no_longer_takes_are_a_sentence(tmp_path: Path) -> None:
    job = TableJob("t1", "idiot", {}, (ANN, BAD), BOARDS[:1], Clock(), "bwrap", "/nowhere")
    kept = msgspec.structs.replace(first_legal(BOARDS[0].seed, 1), decisions=(Decision(0, "fly"),))
    with Store.open(tmp_path) as store:
        store.create_league(LEAGUE)
        matches = (record(BOARDS[0], Outcome((1.0, 2.0), (1.0, 0.0), 1), kept),)
        store.commit("cup", job, TableResult("t1", matches))

    ran = arena(tmp_path, "1", "--views")

    assert ran.exit_code == 2
    assert "match 1 cannot be shown: decision 0" in " ".join(ran.stderr.split())
    without = arena(tmp_path, "1").stdout
    assert "What came of each decision cannot be told: decision 0" in without
    assert "1  seat 0 Ann  fly\n" in without
    assert "Walls: NONE (sandbox plain)." in arena(tmp_path, "1").stdout


def test_of_many_matches_the_newest_are_listed(workspace: Path) -> None:
    ran = arena(workspace, "--newest", "1", "--style", "json")

    assert [row["match"] for row in json.loads(ran.stdout)] == [2]
    assert ran.stderr == "the newest 1 of 2 matches; to see more add --newest 2\n"


@pytest.mark.parametrize(
    ("words", "message"), [(["--views"], "is of one match"), (["2", "--newest", "1"], "are of a list")]
)
def test_options_that_do_not_go_together_are_refused(workspace: Path, words: list[str], message: str) -> None:
    ran = arena(workspace, *words)

    assert ran.exit_code == 2
    assert message in " ".join(ran.stderr.split())
