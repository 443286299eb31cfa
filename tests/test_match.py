"""Matches on the spot: between whom, what is shown of them, and that nothing of it stays."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import group
from arena.model import HOUSE
from arena.store import Store
from arena.submissions import submit
from arena.submissions.visiting import visiting
from tests.tables import bots_of

SAMPLES = Path(__file__).parent.parent / "sample_bots"
FAILS = """
from protocol.client import run


def choose(decision):
    print("lost at sea")
    exit(3)


run(choose)
"""


@pytest.fixture
def workspace(tmp_path):
    """A workspace that is not there yet; no bot may be left."""
    yield tmp_path / "results"
    assert bots_of(tmp_path) == {}


def match(workspace: Path, *words: str) -> Result:
    env = {"ARENA_WORKSPACE": str(workspace), "COLUMNS": "80"}
    return CliRunner().invoke(group, ["match", *words], env=env, catch_exceptions=False)


def test_each_decision_is_shown_as_it_happens_in_words(workspace):
    shown = match(workspace, "idiot", "house", "house", "--seed", "s", "--watch")

    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[:8] == [
        "",
        "IDIOT, 2 players ───────────────────────────────────────────────────────────────",
        "  match 1 of 1: seat 0 house 0, seat 1 house 1",
        "",
        "      house 0  4d 7h 8c",
        "      house 1  3h Th Qc",
        "   1  house 0 open 3c 4d 7h (0.0 ms)",
        "   2  house 0 lays open 3c 4d 7h; house 1 lays open 3d 3h 8d (0.0 ms)",
    ]
    assert not workspace.exists()


def test_the_same_seed_deals_the_same_cards_and_a_board_may_be_named_by_its_own(workspace):
    text = [match(workspace, "imp", "house", "house", "--seed", "s", "--watch").stdout for _ in range(2)]
    exact = [
        match(workspace, "imp", "house", "house", "--seed", seed, "--watch").stdout
        for seed in ("ab" * 32, "AB" * 32)
    ]

    assert text[0] == text[1]
    assert exact[0] not in (text[0], exact[1])


def test_with_boards_every_deal_is_played_in_every_seating(workspace):
    shown = match(workspace, "imperial", "house", "house", "house", "--boards", "2")

    assert [line.split()[:2] for line in shown.stdout.splitlines()[3:]] == [["1", "1"], ["2", "2"]]


@pytest.mark.process
def test_a_program_plays_that_was_never_entered_and_its_share_is_told_with_its_error(workspace):
    shown = match(
        workspace, "idiot", str(SAMPLES / "idiot_thumb"), "house", "--boards", "3", "--sandbox", "plain"
    )

    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-1].startswith("idiot_thumb took ")
    assert shown.stdout.splitlines()[-1].endswith(" of the points against house, on 3 boards.")
    assert not workspace.exists()


def test_what_came_for_a_visit_is_gone_after_it():
    with visiting("plain") as visit:
        entrant = visit.program(SAMPLES / "idiot_thumb", game="idiot")
        there = (visit.submissions / entrant.version / "bot.toml").exists()

    assert there
    assert not visit.submissions.parent.exists()


@pytest.mark.process
def test_a_bot_that_fails_is_shown_with_the_last_that_it_printed(workspace, tmp_path):
    (tmp_path / "sailor.py").write_text(FAILS)

    shown = match(workspace, "idiot", "house", str(tmp_path / "sailor.py"), "--sandbox", "plain")

    assert shown.exit_code == 0
    assert "match 1: sailor has failed, CRASH: exit code 3; last words: lost at sea" in shown.stdout
    assert "    | lost at sea" in shown.stdout


@pytest.mark.box
@pytest.mark.process
def test_an_entered_bot_meets_one_that_is_not_behind_walls(workspace):
    with Store.open(workspace) as store:
        submit(store, SAMPLES / "random", games=["idiot"])

    shown = match(workspace, "idiot", "random", str(SAMPLES / "idiot_thumb"))

    assert shown.exit_code == 0
    assert "random, idiot_thumb" in shown.stdout
    with Store.open(workspace, read_only=True) as store:
        assert store.leagues() == []
        assert [bot.name for bot in store.bots()] == ["random"]


@pytest.mark.process
def test_two_programs_of_one_name_are_told_apart_and_one_program_twice_is_not(workspace, tmp_path):
    first, last = tmp_path / "old" / "ann.py", tmp_path / "new" / "ann.py"
    for path, place in ((first, 0), (last, -1)):
        path.parent.mkdir()
        path.write_text(f"from protocol.client import run\n\nrun(lambda decision: decision.legal[{place}])\n")

    two = match(workspace, "idiot", str(first), str(last), "--boards", "1", "--sandbox", "plain")
    same = match(workspace, "idiot", str(first), str(first), "--sandbox", "plain")

    assert re.search(r"(?m)^(ann@[0-9a-f]{4}) took .* against (?!\1)ann@[0-9a-f]{4}, on 1 board", two.stdout)
    assert "  ann, ann  " in same.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["idiot", "nobody"], "no program 'nobody' here, and no bot in the workspace "),
        (["idiot", "./nobody.py"], "No such file"),
        (["idiot", *["house"] * 6], "6 bots for 5 seats"),
        (["mpirimpa", "house", "house", "house"], "3 bots for 4 seats; name at most 2, or one for each seat"),
        (["idiot", "house", "house", "--players", "9"], "idiot is played by 2, 3, 4, 5, not by 9"),
        (["imp", str(SAMPLES / "idiot_thumb")], "its bot.toml claims idiot"),
        (["chess", "house"], "no game 'chess'"),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_may_be_typed(workspace, words, why):
    shown = match(workspace, *words)

    assert shown.exit_code == 2
    assert why in shown.stderr


def test_the_last_line_says_how_to_see_the_same_again(workspace):
    shown = match(workspace, "mpirimpa", HOUSE.name, "--players", "4", "--seed", "x y", "--boards", "1")

    assert shown.stderr.splitlines()[-1].endswith(
        "For the same cards type: arena match mpirimpa house --seed 'x y' --players 4 --boards 1"
    )
