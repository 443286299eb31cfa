"""Several matches at once come to the same as one after the other, whoever plays, and whatever goes wrong."""

import dataclasses
from pathlib import Path

import msgspec
import pytest

from arena import transcript
from arena.games import GAMES
from arena.model import HOUSE, Board, Clock, Entrant, TableJob, TableResult
from arena.sandbox import BACKENDS
from arena.seats.remote import Remote
from arena.submissions.visiting import visiting
from arena.table import play_table

pytestmark = pytest.mark.process

SAMPLES = Path(__file__).parent.parent / "sample_bots"
BOARDS = 5
LONG = Clock(move_ms=20_000, bank_ms=20_000, start_ms=20_000)
THUMB = {game: f"{game}_thumb" for game in GAMES}

FAILS_IN_THREE = """
import random
from protocol.client import run


def choose(decision):
    if decision.match == 3 and decision.turn == 2:
        {}
    return random.choice(decision.legal)


run(choose)
"""
GIVES_UP = """
import os
import time
from protocol.client import run


class Bot:
    def __init__(self):
        self.on = set()
        self.many = False

    def start(self, start):
        self.on.add(start.match)
        self.many = self.many or len(self.on) > 1

    def end(self, end):
        self.on.discard(end.match)

    def choose(self, decision):
        if not self.many:
            return decision.legal[0]
        if decision.match == decision.turn == 1:
            time.sleep(0.5)
        if decision.match == 3 and decision.turn == 4:
            print("I am behind", flush=True)
            {}
        return decision.legal[-1], "second thoughts"


run(Bot(), simultaneous=16)
"""
SAYS_ONE_BY_ONE = """
import json, sys

def say(**words):
    sys.stdout.write(json.dumps(words) + "\\n")
    sys.stdout.flush()

say(type="hello", protocol=1, name="boaster", simultaneous=9)
for line in sys.stdin:
    found = json.loads(line)
    for message in found if isinstance(found, list) else [found]:
        if message["type"] == "decide":
            say(type="action", match=message["match"], turn=message["turn"], action=message["legal"][0])
        elif message["type"] == "bye":
            sys.exit()
"""


@pytest.fixture
def visit():
    with visiting("plain") as guests:
        yield guests


@pytest.fixture
def groups(monkeypatch):
    """How many questions each message had in which there were several."""
    found = []
    real = Remote._ask_group

    def ask_group(self, group):
        found.append(len(group))
        return real(self, group)

    monkeypatch.setattr(Remote, "_ask_group", ask_group)
    return found


def job(visit, game: str, seating: tuple[Entrant, ...], boards: int = BOARDS) -> TableJob:
    return TableJob(
        key="table",
        game=game,
        options=dataclasses.asdict(GAMES[game].options()),
        seating=seating,
        boards=tuple(Board(number, bytes([number]) * 32) for number in range(1, boards + 1)),
        clock=LONG,
        sandbox="plain",
        submissions=str(visit.submissions),
    )


def came_to(result: TableResult) -> list[tuple]:
    return [(match.board, match.outcome, match.transcript) for match in result.matches]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_comes_to_the_same(visit, groups, game):
    thumb = visit.program(SAMPLES / THUMB[game])
    chance = visit.program(SAMPLES / "random")
    sides = GAMES[game].sides(max(GAMES[game].players))
    seating = tuple(
        (thumb, chance, HOUSE)[n % 3 if len(sides) > 2 else n % 2] for n in range(sum(map(len, sides)))
    )
    table = job(visit, game, seating)

    together = play_table(table)
    alone = play_table(table, at_once=1)

    assert came_to(together) == came_to(alone)
    assert max(groups) == BOARDS
    assert len(together.matches) == BOARDS


@pytest.mark.parametrize(
    "mistake", ["exit(7)", 'return "nonsense"', "raise ValueError", 'return 1 / 0 and ""']
)
def test_a_fault_in_one_match_touches_only_that_match(visit, groups, tmp_path, mistake):
    (tmp_path / "bad.py").write_text(FAILS_IN_THREE.format(mistake))
    bad, honest = visit.program(tmp_path / "bad.py"), visit.program(SAMPLES / "idiot_thumb")
    table = job(visit, "idiot", (bad, honest))

    together = play_table(table)
    asked = len(groups)
    alone = play_table(table, at_once=1)

    assert came_to(together) == came_to(alone)
    assert [bool(match.outcome.faults) for match in together.matches] == [False, False, True, False, False]
    assert asked > 0


@pytest.mark.parametrize(("mistake", "kind"), [("os._exit(7)", "CRASH"), ('return "fold"', "ILLEGAL")])
@pytest.mark.parametrize("others", [1, 2])
def test_a_fault_takes_no_action_back(visit, tmp_path, mistake, kind, others):
    (tmp_path / "bad.py").write_text(GIVES_UP.format(mistake))
    bad, honest = visit.program(tmp_path / "bad.py"), visit.program(SAMPLES / "idiot_thumb")

    table = job(visit, "idiot", (bad, *[honest] * others))

    result = play_table(table)

    assert [match.outcome.faults for match in result.matches] == [()] * BOARDS
    for board, match in zip(table.boards, result.matches, strict=True):
        known = transcript.setting("idiot", table.options, board.seed, table.seating)
        decisions = transcript.read(match.transcript, known).decisions
        mine = [each for each in decisions if each.seat == 0]
        assert [each.note for each in mine[:3]] == ["second thoughts"] * 3
        assert mine[-1].note is None
        assert max(filter(None, match.measurement.decisions_ms)) > 50, "its part of the time that all took"
    log = result.matches[0].measurement.logs[0]
    assert log.startswith(f"arena: {kind} with {BOARDS} matches on, all played anew: ")
    assert "I am behind" in log


def test_a_bot_that_does_not_start_is_given_no_second_try(visit, tmp_path):
    tries = tmp_path / "tries"
    tries.mkdir()
    (tmp_path / "late.py").write_text(
        "import os, sys, tempfile\nfrom protocol.client import run\n"
        f"tempfile.mkdtemp(dir={str(tries)!r})\n"
        f"if len(os.listdir({str(tries)!r})) == 1:\n    sys.exit(3)\n"
        "run(lambda decision: decision.legal[0])\n"
    )
    late, honest = visit.program(tmp_path / "late.py"), visit.program(SAMPLES / "idiot_thumb")

    result = play_table(job(visit, "idiot", (late, honest)))

    assert [len(match.outcome.faults) for match in result.matches] == [1, 0, 0, 0, 0]


def test_a_bot_that_cannot_what_it_said_plays_one_match_after_the_other(visit, groups, tmp_path):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.py").write_text(SAYS_ONE_BY_ONE)
    (tmp_path / "bot" / "bot.toml").write_text('name = "b"\nlanguage = "python"\ntransport = "stdio"\n')
    boaster = visit.program(tmp_path / "bot")

    result = play_table(job(visit, "imp", (boaster, HOUSE)))

    assert groups
    assert [match.outcome.faults for match in result.matches] == [()] * BOARDS


def test_no_more_matches_are_on_than_the_least_able_bot_can_hold(visit, groups, tmp_path):
    (tmp_path / "two.py").write_text(
        "from protocol.client import run\nrun(lambda decision: decision.legal[0], simultaneous=2)"
    )
    two, many = visit.program(tmp_path / "two.py"), visit.program(SAMPLES / "idiot_thumb")

    play_table(job(visit, "idiot", (two, many)))

    assert set(groups) == {2}


def test_a_bot_with_a_memory_gets_one_match_after_the_other(visit, groups, tmp_path):
    (tmp_path / "bot.py").write_text(
        "from protocol.client import run\n\n\nclass Bot:\n    def choose(self, decision):\n"
        "        return decision.legal[0]\n\n\nrun(Bot())"
    )
    bot = visit.program(tmp_path / "bot.py")

    play_table(job(visit, "idiot", (bot, HOUSE)))

    assert groups == []


def test_questions_that_do_not_fit_into_one_message_are_put_in_several(visit, groups, monkeypatch):
    monkeypatch.setattr("arena.seats.remote.MAX_BYTES", 3_000)
    thumb = visit.program(SAMPLES / "imp_thumb")
    table = job(visit, "imp", (thumb, thumb), boards=8)

    together = play_table(table)

    assert came_to(together) == came_to(play_table(table, at_once=1))
    assert 1 < max(groups) < 8


@pytest.mark.box
def test_behind_walls_it_is_the_same(groups):
    with visiting("bwrap") as visit:
        thumb, chance = visit.program(SAMPLES / "idiot_thumb"), visit.program(SAMPLES / "random")
        table = msgspec.structs.replace(job(visit, "idiot", (thumb, chance)), sandbox="bwrap")

        together, alone = play_table(table), play_table(table, at_once=1)

    assert came_to(together) == came_to(alone)
    assert max(groups) == BOARDS
    assert BACKENDS["bwrap"].layers()[0] in together.layers
