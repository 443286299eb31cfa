"""A stored match on the screen: forward, back, and only what a seat may see."""

import dataclasses
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import group, screen
from arena.deals import league_secret
from arena.games import GAMES
from arena.model import HOUSE, Board, Clock, Entrant, Extension, League, TableJob
from arena.store import Store
from arena.table import play_table
from tests.terminals import terminal

SAMPLES = Path(__file__).parent.parent / "sample_bots"
FAILS_ONCE = """
from protocol.client import run

run(lambda decision: decision.legal[0] if decision.turn < 5 else exit(7))
"""
RIGHT, LEFT, END, HOME, DOWN = "nb$^j"
ARROW = "\x1b[C"


@pytest.fixture(params=["idiot", "mpirimpa", "imperial", "imp"])
def workspace(request, tmp_path) -> Path:
    """A workspace with match 1, in which the house played against itself."""
    stored(tmp_path, request.param, players=max(GAMES[request.param].players))
    return tmp_path


def stored(workspace: Path, game: str, *, players: int) -> None:
    options = dataclasses.asdict(GAMES[game].options())
    extension = Extension((Entrant("ann", "a" * 64), Entrant("bob", "b" * 64)), 1, league_secret("s", 0))
    job = TableJob("t", game, options, (HOUSE,) * players, (Board(0, bytes(32)),), Clock(), "plain", "")
    with Store.open(workspace) as store:
        store.create_league(League("l", game, players, options, Clock(), 1, "plain", (extension,)))
        store.commit("l", job, play_table(job))


def replay(workspace: Path, *words: str, keys: str = "") -> Result:
    env = {"ARENA_WORKSPACE": str(workspace), "COLUMNS": "80", "TERM": "dumb"}
    return CliRunner().invoke(group, ["replay", "1", *words], env=env, input=keys, catch_exceptions=False)


def places(shown: Result) -> list[str]:
    return re.findall(r"match 1 of league l, (?:decision )?(its end|\d+)", shown.stdout)


def test_every_scene_of_a_match_can_be_drawn(workspace):
    with Store.open(workspace, read_only=True) as store:
        decisions = store.match(1).outcome.decisions

    everything = replay(workspace, keys=RIGHT * decisions)
    one_seat = replay(workspace, "--seat", "1", keys=RIGHT * decisions)

    for shown in (everything, one_seat):
        assert shown.exit_code == 0
        assert places(shown)[-1] == "its end"


@pytest.mark.parametrize("columns", [screen.NARROWEST, 80, 120])
def test_what_the_keys_do_stands_on_one_line_of_the_terminal(tmp_path, columns, monkeypatch):
    stored(tmp_path, "idiot", players=2)
    monkeypatch.setattr(screen, "width", lambda: columns)

    last = replay(tmp_path, keys="").stdout.rstrip().splitlines()[-1]

    assert last.startswith("→")
    assert last.endswith("q quit")
    assert len(last) <= columns


def test_keys_go_forward_and_back_and_stop_at_the_ends(tmp_path):
    stored(tmp_path, "idiot", players=2)

    shown = [
        places(replay(tmp_path, keys=key))[-1]
        for key in (RIGHT, LEFT, DOWN, DOWN + LEFT, END, END + HOME, "12g", "\n")
    ]

    assert shown == ["2", "1", "11", "10", "its end", "1", "12", "2"]


def test_a_decision_is_shown_with_all_that_could_have_been_chosen(tmp_path):
    stored(tmp_path, "idiot", players=2)

    shown = replay(tmp_path).stdout

    with Store.open(tmp_path, read_only=True) as store:
        match = store.match(1)
    assert match.seating == (HOUSE, HOUSE)
    assert re.search(r"house \(0\) chose open \w\w \w\w \w\w \(\d[\d.]* ms\)", shown)
    assert len(match.measurement.decisions_ms) == match.outcome.decisions
    assert "20) " in shown


def test_from_one_seat_the_other_hands_and_choices_are_not_shown(tmp_path):
    stored(tmp_path, "idiot", players=2)

    everything, own, other = (
        replay(tmp_path, *words).stdout for words in ([], ["--seat", "0"], ["--seat", "1"])
    )

    assert [text.count("hand 3") for text in (everything, own, other)] == [2, 1, 1]
    assert ["20) " in text for text in (everything, own, other)] == [True, True, False]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--seat", "2"], "there is no seat 2; --seat may be 0 to 1"),
        (["--from", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_shown_is_told(tmp_path, words, why):
    stored(tmp_path, "idiot", players=2)

    shown = replay(tmp_path, *words)

    assert (shown.exit_code, why in shown.stderr) == (2, True)


def test_an_unknown_match_is_told(tmp_path):
    stored(tmp_path, "idiot", players=2)
    env = {"ARENA_WORKSPACE": str(tmp_path)}

    shown = CliRunner().invoke(group, ["replay", "77"], env=env)

    assert shown.exit_code == 2
    assert "77" in shown.stderr


@pytest.mark.process
def test_it_is_left_by_a_key_or_ctrl_c_on_a_real_terminal(tmp_path):
    stored(tmp_path, "idiot", players=2)

    with terminal("replay", "1", env={"ARENA_WORKSPACE": str(tmp_path)}) as sitting:
        sitting.until("decision 1 of")
        sitting.type(ARROW * 3)
        sitting.until("decision 4 of")
        code = sitting.leave("q")

    assert code == 0
    assert "Traceback" not in sitting.shown


@pytest.mark.process
def test_another_bot_is_asked_what_it_would_have_done(tmp_path):
    stored(tmp_path, "idiot", players=2)

    shown = replay(tmp_path, "--seat", "1", "--bot", str(SAMPLES / "idiot_thumb"), "--sandbox", "plain")

    assert shown.exit_code == 0
    asked, differs = map(int, re.findall(r"(\d+) questions of seat 1, (\d+) answered", shown.stdout)[0])
    with Store.open(tmp_path, read_only=True) as store:
        assert asked == pytest.approx(store.match(1).outcome.decisions / 2, abs=60)
    assert 0 < differs < asked
    assert len(shown.stdout.splitlines()) == differs + 4


@pytest.mark.process
def test_a_bot_that_takes_the_first_action_agrees_with_the_house_in_everything(tmp_path):
    stored(tmp_path, "imp", players=3)
    (tmp_path / "first.py").write_text(
        "from protocol.client import run\nrun(lambda decision: decision.legal[0])"
    )

    shown = replay(tmp_path, "--seat", "2", "--bot", str(tmp_path / "first.py"), "--sandbox", "plain")

    assert re.fullmatch(r"\d+ questions of seat 2, 0 answered differently\.\n", shown.stdout)


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "row"),
    [("raise SystemExit(3)", r"0 +0 +failed +START"), (FAILS_ONCE, r"\d+ +\d+ +\S.* +CRASH +exit code 7")],
)
def test_a_bot_that_fails_is_not_asked_any_more(tmp_path, text, row):
    stored(tmp_path, "idiot", players=2)
    (tmp_path / "bad.py").write_text(text)

    shown = replay(tmp_path, "--seat", "0", "--bot", str(tmp_path / "bad.py"), "--sandbox", "plain")

    assert shown.exit_code == 0
    assert re.search(row, shown.stdout)
    assert " 1 answered differently." in shown.stdout


def test_asking_another_bot_needs_a_seat(tmp_path):
    stored(tmp_path, "idiot", players=2)

    shown = replay(tmp_path, "--bot", "ann")

    assert shown.exit_code == 2
    assert "type for example --seat 0 --bot ann" in shown.stderr
