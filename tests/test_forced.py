"""Decisions without a choice, which the referee plays itself: `auto_forced`."""

import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran

from arena import deals, referee, transcript
from arena.cli import failures, group
from arena.games import GAMES
from arena.games.base import Game
from arena.league.config import Wish, read
from arena.league.planning import proposed
from arena.model import (
    HOUSE,
    Answer,
    Board,
    Clock,
    Entrant,
    Extension,
    FaultKind,
    League,
    Question,
    SeatFault,
    TableJob,
)
from arena.store import Store
from arena.store.rows import LEAGUE
from arena.table import play_table
from arena.transcript import Transcript
from arena.verify import examined, verify
from tests.replays import league, play_all
from tests.toy import STICKS, Options

CRASHED = SeatFault(FaultKind.CRASH, "exit code 3")
EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


class Told(msgspec.Struct):
    """A match, and the questions of which it was made."""

    kept: Transcript
    asked: dict[int, Question]
    """By the number of the decision."""
    events: tuple[tuple[str, ...], ...]


def told(game: Game, *, auto_forced: bool, failing: int | None = None) -> Told:
    """A match whose seats choose by what they see alone; a seat may fail at its tenth question."""
    options, players, seed = game.options(), max(game.players), bytes(31) + b"7"
    cards, asked, decided = game.deck(options, players), {}, []

    def watch(happening: referee.Happening) -> None:
        if happening.decision:
            decided.append(happening.decision)

    match = referee.play(
        game,
        game.new(options, players, players - 1),
        players=players,
        deck=lambda k: deals.deck(seed, k, cards),
        clock=Clock(),
        watch=watch,
        auto_forced=auto_forced,
    )
    try:
        question = next(match)
        while True:
            asked[len(decided)] = question
            fails = question.seat == failing and question.turn == 10
            question = match.send(CRASHED if fails else Answer(_choice(question), wall_ms=0.0))
    except StopIteration as ended:
        played: referee.Played = ended.value
    seats = tuple(Entrant(f"bot {seat}", str(seat)) for seat in range(players))
    known = transcript.setting(game.name, asdict(options), seed, seats)
    return Told(transcript.played(known, played.decisions, played.outcome.faults), asked, played.events)


def _choice(question: Question) -> str:
    forward = [action for action in question.legal if action != "pickup"] or question.legal
    return Random(f"{question.view} {question.legal}").choice(forward)


def arena(workspace: Path, *words: str) -> Ran:
    return CliRunner().invoke(group, [*words, "--workspace", str(workspace)])


def test_the_only_action_is_played_without_asking_and_stands_among_the_decisions() -> None:
    state = STICKS.new(Options(sticks=3, deals=1), 2, 1)
    match = referee.play(STICKS, state, players=2, deck=lambda k: [k], clock=Clock(), auto_forced=True)

    question = next(match)
    with pytest.raises(StopIteration) as ended:
        match.send(Answer("take 2", wall_ms=5.0))

    assert (question.seat, question.turn) == (0, 1)
    played: referee.Played = ended.value.value
    assert [each.action for each in played.decisions] == ["take 2", "take 1"]
    assert played.events == (("0 take 2", "1 take 1"), ("deal 1", "0 take 2", "1 take 1"))


@EVERY_GAME
def test_a_match_takes_the_same_course_and_fewer_questions(game: Game) -> None:
    all_asked, fewer = told(game, auto_forced=False), told(game, auto_forced=True)

    assert fewer.kept == all_asked.kept
    assert [len(each.legal) for each in fewer.asked.values() if len(each.legal) == 1] == []
    assert fewer.asked.keys() == {n for n, each in all_asked.asked.items() if len(each.legal) > 1}


@EVERY_GAME
def test_turns_have_no_gaps_and_events_come_once_and_in_order(game: Game) -> None:
    all_asked, fewer = told(game, auto_forced=False), told(game, auto_forced=True)

    for seat in range(max(game.players)):
        own = [each for each in fewer.asked.values() if each.seat == seat]
        others = [each for each in all_asked.asked.values() if each.seat == seat]
        assert [each.turn for each in own] == list(range(1, len(own) + 1))
        assert _heard(own, fewer.events[seat]) == _heard(others, all_asked.events[seat])


def _heard(questions: list[Question], last: tuple[str, ...]) -> list[str]:
    return [event for each in questions for event in each.events] + [*last]


@EVERY_GAME
@pytest.mark.parametrize("failing", [None, 0])
def test_what_was_not_asked_for_is_found_again_from_the_transcript(game: Game, failing: int | None) -> None:
    match = told(game, auto_forced=True, failing=failing)
    failed = [fault.decision for fault in match.kept.faults]
    side = next(seats for seats in game.sides(max(game.players)) if 0 in seats)
    by_fallback = {
        number
        for number, decision in enumerate(match.kept.decisions)
        if failed and decision.seat in side and number >= failed[0]
    }

    unasked = set(range(len(match.kept.decisions))) - match.asked.keys()

    assert transcript.forced(match.kept) == unasked - by_fallback
    assert bool(failed) == (failing is not None)


def test_the_question_over_which_a_bot_failed_is_told_as_it_was_put() -> None:
    match = told(GAMES["idiot"], auto_forced=True, failing=0)
    (fault,) = match.kept.faults

    found = failures.asked(match.kept, fault, auto_forced=True)

    assert found == msgspec.structs.replace(match.asked[fault.decision], limit_ms=0.0, bank_ms=0.0)


@pytest.mark.parametrize("players", [2, 3])
def test_a_league_with_forced_decisions_and_every_kind_of_fault_is_verified(
    tmp_path: Path, players: int
) -> None:
    with Store.open(tmp_path) as store:
        play_all(store, league(store, ("ann", "never", "falls", "errs"), players=players, auto_forced=True))

        verified = verify(store, examined(store, None), told=lambda _done, _all: None)

        assert verified.decisions == sum(match.outcome.decisions for match in store.matches("cup"))
        assert any(_forced(store, match.id) for match in store.matches("cup"))


def _forced(store: Store, match_id: int) -> frozenset[int]:
    match = store.match(match_id)
    assert match.auto_forced
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    return transcript.forced(transcript.read(match.transcript, known))


def test_a_league_that_is_older_than_the_choice_asks_for_everything() -> None:
    stored = msgspec.json.decode(msgspec.json.encode(_stored(HOUSE, HOUSE)[0]))
    del stored["auto_forced"]

    assert LEAGUE.decode(msgspec.json.encode(stored)).auto_forced is False


def test_the_same_wish_goes_on_with_an_unfinished_league_that_asks_for_everything(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        for name in ("ann", "bea"):
            store.add_version(name, 64 * name[0], games=["idiot"], submitted=_NOON, sandbox="plain")
        begun = msgspec.structs.replace(proposed(store, Wish(game="idiot")).plan.league, auto_forced=False)
        store.create_league(begun)

        assert proposed(store, Wish(game="idiot")).plan.league == begun
        assert proposed(store, Wish(game="idiot", auto_forced=True)).plan.league.name == "idiot-2p-2"


def test_a_file_may_say_it(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text("auto_forced = false\n", "utf-8")

    assert read(tmp_path / "league.toml") == Wish(auto_forced=False)


def test_a_league_says_that_it_asks_for_everything_where_it_does(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        for name in ("ann", "bea"):
            store.add_version(name, 64 * name[0], games=["idiot"], submitted=_NOON, sandbox="plain")
    words = ("run", "--game", "idiot", "--dry-run")
    sentence = "forced decisions are asked for like all others"

    assert sentence not in arena(tmp_path, *words).stderr
    assert sentence in arena(tmp_path, *words, "--no-auto-forced").stderr
    _match(tmp_path / "old", auto_forced=False)
    assert sentence in arena(tmp_path / "old", "status").stdout


def test_a_match_says_how_many_decisions_were_forced(tmp_path: Path) -> None:
    _match(tmp_path, auto_forced=True)
    with Store.open(tmp_path, read_only=True) as store:
        count, decisions = len(_forced(store, 1)), store.match(1).outcome.decisions

    shown = arena(tmp_path, "show", "1").stdout

    assert f"Forced, and played without asking: {count} of {decisions} decisions.\n" in shown
    assert count > 0


@pytest.mark.process
def test_another_bot_is_asked_what_the_bot_of_the_match_was_asked(tmp_path: Path) -> None:
    _match(tmp_path, auto_forced=True)
    bot = tmp_path / "first.py"
    bot.write_text("from protocol.client import run\nrun(lambda decision: decision.legal[0])\n", "utf-8")
    with Store.open(tmp_path, read_only=True) as store:
        forced, match = _forced(store, 1), store.match(1)
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    decisions = transcript.read(match.transcript, known).decisions
    asked = [n for n, decision in enumerate(decisions) if decision.seat == 1 and n not in forced]

    words = ("replay", "1", "--seat", "1", "--bot", str(bot), "--sandbox", "plain")
    shown = arena(tmp_path, *words)

    assert shown.stdout == f"{len(asked)} questions of seat 1, 0 answered differently.\n"


@pytest.mark.parametrize(("words", "said"), [((), False), (("--no-auto-forced",), True)])
def test_a_practice_match_is_played_as_leagues_are_and_says_what_is_unusual(
    tmp_path: Path,
    words: tuple[str, ...],
    said: bool,  # noqa: FBT001 - a case of the table
) -> None:
    ran = arena(tmp_path, "match", "idiot", "house", "house", "--seed", "s", *words)

    assert ran.exit_code == 0
    assert bool(re.search(r"type: arena match .*--no-auto-forced", ran.stderr)) is said


_NOON = datetime(2024, 5, 17, tzinfo=UTC)


def _stored(*bots: Entrant, auto_forced: bool = False) -> tuple[League, TableJob]:
    game = GAMES["idiot"]
    options, seats = asdict(game.options()), (Entrant("ann", "a" * 64), Entrant("bob", "b" * 64))
    extension = Extension(seats, 1, deals.league_secret("s", 0))
    job = TableJob(
        "t", "idiot", options, bots, (Board(0, bytes(32)),), Clock(), "plain", "", auto_forced=auto_forced
    )
    made = League("l", "idiot", 2, options, Clock(), 1, "plain", (extension,), auto_forced=auto_forced)
    return made, job


def _match(workspace: Path, *, auto_forced: bool) -> None:
    """A workspace with match 1, in which the house played against itself."""
    made, job = _stored(HOUSE, HOUSE, auto_forced=auto_forced)
    with Store.open(workspace) as store:
        store.create_league(made)
        store.commit("l", job, play_table(job))
