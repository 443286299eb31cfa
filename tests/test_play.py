"""A human at a table: whole games through a terminal, against the house and bots, and ways to leave."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from arena.cli import group, play
from arena.cli.play import YOU, cards, names
from arena.games import GAMES
from arena.model import HOUSE, Entrant
from arena.sandbox import SandboxError
from arena.store import Store
from tests.tables import bots_of
from tests.terminals import Terminal, left, terminal

SAMPLES = Path(__file__).parent.parent / "sample_bots"
NOTHING_STORED = "This was practice, nothing is stored."
ASKED = "or ?]"
"""End of every question."""
FAILS = "import sys; from protocol.client import run; run(lambda decision: sys.exit(3))"
SLEEPS = "import time; from protocol.client import run; run(lambda decision: time.sleep(60))"


def arena(workspace: Path, *words: str, typed: str = "") -> Result:
    env = {"ARENA_WORKSPACE": str(workspace)}
    return CliRunner().invoke(group, list(words), input=typed, env=env, catch_exceptions=False)


@contextmanager
def playing(workspace: Path, *words: str, columns: int = 80) -> Iterator[Terminal]:
    """A human who plays; at the end nothing of it may be left."""
    mark = f"play-{uuid4().hex}"
    env = {"ARENA_WORKSPACE": str(workspace), "ARENA_TEST_PLAY": mark}
    with terminal("play", *words, env=env, columns=columns) as sitting:
        yield sitting
    assert left(mark) == []
    assert bots_of(workspace) == {}


def submitted(workspace: Path, bot: Path, sandbox: str) -> None:
    assert arena(workspace, "submit", str(bot), "--sandbox", sandbox, "--game", "idiot").exit_code == 0


@pytest.mark.process
@pytest.mark.parametrize("game", ["idiot", "imp"])
def test_a_whole_game_is_played_through_a_terminal(game, tmp_path):
    with playing(tmp_path, game, "--seed", "s") as human:
        while human.until(ASKED, NOTHING_STORED) == ASKED:
            human.type("1\r")
        human.until(f"arena play {game} --seed s")
        code = human.ended()

    assert code == 0
    assert re.search(r"place +who +score", human.shown)
    assert "♥" in human.shown
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.process
@pytest.mark.parametrize(("typed", "code"), [("q\r", 0), ("\x04", 0), ("\x03", 130)])
def test_the_table_may_be_left_at_any_question(typed, code, tmp_path):
    with playing(tmp_path, "idiot") as human:
        human.until(ASKED)
        human.type("1\r")
        human.until(ASKED)
        ended = human.leave(typed)

    assert ended == code
    assert NOTHING_STORED in human.shown
    assert "Traceback" not in human.shown


@pytest.mark.process
@pytest.mark.parametrize("typed", ["q\r", "\x03"])
def test_bots_do_not_outlive_the_human_who_leaves_them(typed, tmp_path):
    submitted(tmp_path, SAMPLES / "random", "plain")

    with playing(tmp_path, "idiot", "--against", "random", "--sandbox", "plain") as human:
        human.until(ASKED)
        assert len(bots_of(tmp_path)) == 1
        human.leave(typed)

    assert "WITHOUT WALLS" in human.shown


@pytest.mark.process
def test_the_table_may_be_left_while_a_bot_thinks(tmp_path):
    with Store.open(tmp_path) as store:
        entered_untried(store, SLEEPS)

    with playing(tmp_path, "idiot", "--against", "untried", "--sandbox", "plain") as human:
        human.until(ASKED)
        human.type("1\r")
        human.until("1\r\n")
        code = human.leave("\x03")

    assert code == 130
    assert NOTHING_STORED in human.shown
    assert "Traceback" not in human.shown


@pytest.mark.process
@pytest.mark.box
def test_a_bot_in_its_box_plays_to_the_end_and_leaves_no_match_behind(tmp_path):
    submitted(tmp_path, SAMPLES / "idiot_thumb", "bwrap")

    with playing(tmp_path, "idiot", "--players", "3", "--seat", "1", "--against", "idiot_thumb") as human:
        while human.until(ASKED, NOTHING_STORED) == ASKED:
            human.type("1\r")
        code = human.ended()

    assert code == 0
    assert "idiot_thumb plays" in human.shown
    assert "house" in human.shown
    with Store.open(tmp_path, read_only=True) as store:
        assert store.leagues() == []


@pytest.mark.process
def test_a_bot_that_fails_is_named_with_its_fault(tmp_path):
    with Store.open(tmp_path) as store:
        entered_untried(store, FAILS)

    found = arena(tmp_path, "play", "idiot", "--against", "untried", "--sandbox", "plain", typed="1\n")

    assert found.exit_code == 0
    assert "untried has failed, CRASH: exit code 3" in found.stdout
    assert re.search(r"1 +you +forfeit\n2 +untried +forfeit", found.stdout)
    assert re.search(r"arena play idiot --against untried --seed \w+ --sandbox plain$", found.stderr.strip())


def entered_untried(store: Store, program: str) -> None:
    """A bot that no trial would let in."""
    version = "f" * 64
    folder = store.submissions / version
    folder.mkdir()
    (folder / "main.py").write_text(program, "utf-8")
    (folder / "bot.toml").write_text('name = "untried"\nlanguage = "python"\n', "utf-8")
    store.add_version("untried", version, games=("idiot",), submitted=datetime.now(UTC), sandbox="plain")


@pytest.mark.parametrize("game", GAMES)
def test_each_game_can_be_begun_at_every_table_and_seat(game, tmp_path):
    for players in GAMES[game].players:
        for seat in (0, players - 1):
            found = arena(
                tmp_path, "play", game, "--players", str(players), "--seat", str(seat), typed="1\n" * 5
            )

            assert found.exit_code == 0
            assert f"{game.upper()}, {players} players" in found.stdout
            assert NOTHING_STORED in found.stderr


def test_without_a_terminal_the_screen_is_plain_letters(tmp_path):
    found = arena(tmp_path, "play", "idiot", "--seed", "s", typed="1\n")

    assert "\x1b" not in found.stdout
    assert found.stdout.isascii() or set(re.sub(r"[ -~\n]", "", found.stdout)) == {"─"}


@pytest.mark.process
def test_no_color_is_heeded(tmp_path):
    with terminal("play", "idiot", env={"NO_COLOR": "1", "ARENA_WORKSPACE": str(tmp_path)}) as human:
        human.until(ASKED)
        human.leave("q\r")

    assert "\x1b[3" not in human.shown
    assert not set("♣♦♥♠") & set(human.shown)


def test_equal_seeds_deal_equal_cards_whoever_plays():
    one, two = (cards(seed, "idiot", {"rounds": 1}) for seed in ("s", "s"))

    assert one == two != cards("t", "idiot", {"rounds": 1})


def test_what_cannot_be_played_is_said_and_asked_again(tmp_path):
    found = arena(tmp_path, "play", "idiot", "--seed", "s", typed="99\nnonsense \x1b[31m\nopen\n\nq\n")

    assert found.exit_code == 0
    assert "There is no 99: the numbers are 1 to 20." in found.stdout
    assert r"No action now: nonsense \x1b[31m. Type a number from 1 to 20" in found.stdout
    assert "That may be open " in found.stdout
    assert " or one of 14 more: type its number, or more of it." in found.stdout.replace("\n ", "")
    assert found.stdout.count("IDIOT, 2 players") == 2


def test_help_rules_log_and_more_can_be_asked_for_at_the_table(tmp_path):
    found = arena(tmp_path, "play", "idiot", "--seed", "s", typed="1\n?\nrules\nlog\nmore\nq\n")

    for text in ("How to type", "What is what", "## Rulings", "you lay open", "max_plies  500"):
        assert text in found.stdout


@pytest.mark.parametrize("confirmed", ["y", "n"])
def test_a_revoke_in_imperial_is_asked_about_before_it_is_played(confirmed, tmp_path):
    begun = ("play", "imperial", "--seat", "1", "--seed")
    seed, card = next(found for number in range(50) if (found := revocable(tmp_path, begun, str(number))))

    found = arena(tmp_path, *begun, seed, typed=f"{card}\n{confirmed}\nlog\nq\n")

    assert "this is a revoke" in found.stdout
    assert ("you revoke, with" in found.stdout) == (confirmed == "y")


def revocable(tmp_path: Path, begun: tuple[str, ...], seed: str) -> tuple[str, str] | None:
    """The seed and a card that its first question does not allow, if there is one."""
    shown = arena(tmp_path, *begun, seed, typed="q\n").stdout
    hand = re.search(r"hand 12 (.*)", shown)[1].split()
    legal = re.findall(r"\d\) (\w\w)", shown)
    return next(((seed, card) for card in hand if card not in legal), None)


def test_equal_names_are_told_apart_by_their_seats():
    bots = (YOU, HOUSE, Entrant("Ann", "a"), HOUSE, Entrant("you", "b"), Entrant("\x1b[2J" * 9, "c"))

    assert names(bots) == ("you", "house 1", "Ann", "house 3", "you 4", r"\x1b[2J\x1b[2~")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("chess",), "no game 'chess'; the games are: idiot"),
        (("idiot", "--players", "9"), "idiot is played by 2, 3, 4, 5, not by 9"),
        (("idiot", "--seat", "2"), "there is no seat 2; --seat may be 0 to 1"),
        (("idiot", "--option", "rounds=0"), "option rounds is '0'"),
        (("idiot", "--option", "rounds"), "has no value"),
        (("idiot", "--against", "house,house"), "at a table of 2 there are 1 seats beside yours"),
        (("idiot", "--against", "Ann"), "no bot 'Ann'"),
    ],
)
def test_wrong_usage_is_2_and_a_sentence(words, message, tmp_path):
    Store.open(tmp_path).close()

    found = arena(tmp_path, "play", *words)

    assert found.exit_code == 2
    assert message in found.stderr


def test_a_bot_without_walls_is_refused_where_they_cannot_be_put_up(tmp_path, monkeypatch):
    def refuse(name):
        raise SandboxError(f"no {name} here")

    monkeypatch.setattr(play, "require", refuse)
    with Store.open(tmp_path) as store:
        entered_untried(store, SLEEPS)

    found = arena(tmp_path, "play", "idiot", "--against", "untried")

    assert (found.exit_code, "no bwrap here" in found.stderr) == (2, True)
