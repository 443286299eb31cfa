"""The commands that show what bots did wrong, and what they printed."""

import csv
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran

from arena import deals, referee
from arena.cli import failures, group
from arena.games import GAMES
from arena.games.base import parse_options
from arena.model import Answer, Clock, FaultKind, FaultRecord, Load, Outcome, TableJob, TableResult
from arena.store import Store
from tests.stored import ANN, BAD, BOARDS, CRASH, LEAGUE, SENT, first_legal, record, two_matches
from tests.tables import Room, room

BAD_NAME = r"\x1b[2Jbad"
PASTED = r"$'\u001b[2Jbad'"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return two_matches(tmp_path)


def arena(workspace: Path, *arguments: str) -> Ran:
    return CliRunner().invoke(group, [*arguments, "--workspace", str(workspace)])


def test_faults_are_listed_by_bot_kind_and_match(workspace: Path) -> None:
    ran = arena(workspace, "faults")

    assert [line.split() for line in ran.stdout.splitlines()[2:]] == [
        [BAD_NAME, "CRASH", "2", "2", "1", "3", "exit", "code", r"\x1b", "1"]
    ]


def test_the_list_is_there_for_programs_too(workspace: Path) -> None:
    row = {"bot": BAD_NAME, "fault": "CRASH", "match": 2, "board": 2, "seat": 1, "decisions": 3}
    row |= {"found": r"exit code \x1b 1"}

    assert json.loads(arena(workspace, "faults", "--style", "json").stdout) == [row]
    (read,) = csv.DictReader(arena(workspace, "faults", BAD.name, "--style", "csv").stdout.splitlines())
    assert read == {key: str(value) for key, value in row.items()}


def test_a_league_without_faults_says_so(workspace: Path) -> None:
    with Store.open(workspace) as store:
        store.create_league(msgspec.structs.replace(LEAGUE, name="open"))

    assert arena(workspace, "faults").stdout == "no bot failed in league open, in 0 matches\n"
    assert arena(workspace, "faults", "--style", "json").stdout == "[]\n"
    assert arena(workspace, "faults", "ann", "--league", "cup").stdout == (
        "bot ann failed in no match of league cup\n"
    )


def test_a_fault_is_told_with_all_that_is_known_of_it(workspace: Path) -> None:
    ran = arena(workspace, "faults", BAD.name.upper())

    lines = ran.stdout.splitlines()
    assert lines[:6] == [
        rf"CRASH by {BAD_NAME} in seat 1 of match 2, league cup, board 2.",
        r"Detail: exit code \x1b 1",
        "Time: 12.2 ms of 1000 ms, 5.5 ms of CPU time, 0.8 ms ready for a core without one.",
        "It ended: killed by SIGSEGV.",
        "The host then: load 1.5, 3 ready to run on 2 cores, pressure 12.5 %.",
        r"It sent 2005 bytes: \xff\x1b[2J" + "x" * 986 + "...",
    ]
    assert lines[6].startswith("It was asked this, in its turn 2 (")
    assert [line for line in lines if line.startswith("    line ")] == [
        rf"    line {number}\u202e" for number in range(10, 20)
    ]
    versions = " ".join(f"{workspace}/submissions/{entrant.version}" for entrant in (ANN, BAD))
    same = f"{versions} --seed {'02' * 32} --players 2 --no-auto-forced"
    assert lines[-3:] == [
        rf"All it printed: arena logs 2 {PASTED} --workspace {workspace}",
        rf"Every decision: arena show 2 --views --workspace {workspace}",
        f"To play it again: arena match idiot {same} --workspace {workspace}",
    ]


def test_what_it_was_asked_is_what_the_referee_asked(workspace: Path) -> None:
    game = GAMES["idiot"]
    played = first_legal(BOARDS[1].seed, 3)
    asked = referee.play(
        game,
        game.new(parse_options(game.options, {}), 2, 1),
        players=2,
        deck=lambda number: deals.deck(BOARDS[1].seed, number, game.deck(game.options(), 2)),
        clock=Clock(),
    )
    question = next(asked)
    for decision in played.decisions:
        question = asked.send(Answer(decision.action, 0.0))

    found = failures.asked(played, CRASH, auto_forced=False)

    assert msgspec.structs.replace(question, limit_ms=0.0, bank_ms=0.0) == found
    hand = " ".join(arena(workspace, "faults", "--match", "2").stdout.split())
    assert all(card in hand for card in question.view["hand"])


def test_of_one_match_the_answer_is_told_in_full(workspace: Path) -> None:
    text = arena(workspace, "faults", "--match", "2").stdout

    assert "x" * 2_000 + "\n" in text
    assert len(SENT) == 2_005
    assert arena(workspace, "faults", "--match", "1").stdout == "no bot failed in match 1\n"


def test_a_start_that_failed_has_no_question(tmp_path: Path) -> None:
    failed = FaultRecord(1, FaultKind.START, 0)
    with Store.open(tmp_path) as store:
        store.create_league(LEAGUE)
        kept = msgspec.structs.replace(first_legal(BOARDS[0].seed, 0), faults=(failed,))
        matches = (record(BOARDS[0], Outcome((1.0, 2.0), None, 0, (failed,)), kept),)
        job = TableJob("t1", "idiot", {}, (ANN, BAD), BOARDS[:1], Clock(), "bwrap", "/nowhere")
        store.commit("cup", job, TableResult("t1", matches))

    assert (
        "It was not asked anything yet: it failed at its start.\n"
        in arena(tmp_path, "faults", "--match", "1").stdout
    )


def test_faults_of_older_matches_are_counted_and_asked_for(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_league(msgspec.structs.replace(LEAGUE, extensions=LEAGUE.extensions))
        for number, seating in enumerate(((ANN, BAD), (BAD, ANN))):
            job = TableJob(f"t{number}", "idiot", {}, seating, BOARDS, Clock(), "bwrap", "/nowhere")
            outcome = Outcome((1.0, 2.0), None, 3, (CRASH,))
            matches = tuple(
                record(board, outcome, msgspec.structs.replace(first_legal(board.seed, 3), seats=seating))
                for board in BOARDS
            )
            store.commit("cup", job, TableResult(job.key, matches))

    text = arena(tmp_path, "faults", "ann", "--newest", "1").stdout

    assert text.startswith("CRASH by Ann in seat 1 of match 4,")
    assert text.endswith(f"\n\n1 older: arena faults ann --newest 2 --workspace {tmp_path}\n")


def test_logs_show_what_the_bots_printed(workspace: Path) -> None:
    text = arena(workspace, "logs", "1").stdout

    assert text.startswith("Seat 0 Ann printed:\nhello\nworld\\x1b\n\nSeat 1 \\x1b[2Jbad printed:\nline 0")
    assert arena(workspace, "logs", "1", "ANN").stdout == "Seat 0 Ann printed:\nhello\nworld\\x1b\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["logs", "1", "cid"], r"no bot 'cid'; the bots in match 1 are: Ann, \x1b[2Jbad"),
        (["logs", "9"], "no match 9; the newest is 2"),
        (["faults", "cid"], r"no bot 'cid'; the bots of league cup are: Ann, \x1b[2Jbad"),
        (["faults", "cid", "--match", "2"], "no bot 'cid'; the bots in match 2"),
        (["faults", "--match", "2", "--league", "cup"], "leave --league"),
        (["faults", "--newest", "2"], "is of one bot"),
    ],
)
def test_what_is_not_there_is_a_sentence(workspace: Path, words: list[str], message: str) -> None:
    ran = arena(workspace, *words)

    assert ran.exit_code == 2
    assert message in " ".join(ran.stderr.split())


def test_an_end_is_told_by_its_code_or_its_signal() -> None:
    assert [failures.ended(status) for status in (0, 3, -9, -63)] == [
        "exit code 0",
        "exit code 3",
        "killed by SIGKILL",
        "killed by signal 63",
    ]


def test_a_host_is_told_without_a_pressure_that_its_kernel_does_not_keep() -> None:
    assert failures.busy(Load(0.25, 1, 1)) == "load 0.25, 1 ready to run on 1 core"


SENDS = """
import os, sys, time
sys.path.insert(0, os.getcwd())
from protocol.client import run

def choose(decision):
    {}

run(choose)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("deed", "sent", "status"),
    [
        ("return 'take 9\\x1b'", b'"action":"take 9\\u001b"', None),
        ("os._exit(3)", b"", 3),
        ("os.kill(os.getpid(), 11)", b"", -11),
    ],
)
def test_what_was_sent_and_how_it_ended_is_kept(tmp_path, monkeypatch, deed, sent, status) -> None:
    with room(tmp_path, "plain", monkeypatch) as here:
        (match,) = play(here, SENDS.format(deed))

    (kept,), (measured,) = match.measurement.sent, match.measurement.circumstances
    assert sent in kept
    assert measured.exit == status
    assert measured.wall_ms > 0


def play(here: Room, program: str):
    return here.play(here.job(here.bot("bad", program), here.house())).matches
