"""A match as text and back, and played again."""

import zlib
from collections.abc import Callable
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import deals, referee
from arena.games import GAMES
from arena.games.base import Game
from arena.model import Answer, Clock, Decision, Entrant, FaultKind, FaultRecord, Question, SeatFault
from arena.transcript import (
    WORDS,
    BadTranscript,
    Setting,
    Transcript,
    parse,
    read,
    replay,
    setting,
    steps,
    text,
    write,
)

SEED = bytes(range(32))
CRASHED = SeatFault(FaultKind.CRASH, "exit code 3")

EXAMPLE = Transcript(
    game="idiot",
    players=2,
    options={"rounds": 1, "seven_low": False},
    dealer=1,
    seed=SEED,
    seats=(Entrant("rule of thumb", "2c26b4"), Entrant("日本", "fcde2b")),
    decisions=(
        Decision(0, "open 5c 5h 6c"),
        Decision(1, "open 3d 4c Ks", 'all "low"\n\u202e'),
        Decision(1, 'say "x" \\'),
    ),
    faults=(FaultRecord(0, FaultKind.CRASH, 2), FaultRecord(1, FaultKind.TIMEOUT, 3, forfeit=True)),
)
KNOWN = Setting("idiot", 2, {"rounds": 1, "seven_low": False}, 1, SEED, EXAMPLE.seats)
TEXT = r"""card-arena transcript 1
game idiot
players 2
options {"rounds":1,"seven_low":false}
dealer 1
seed 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
seat 0 2c26b4 rule of thumb
seat 1 fcde2b "\u65e5\u672c"
decisions
0 open 5c 5h 6c
1 open 3d 4c Ks "all \"low\"\n\u202e"
fault 0 CRASH
1 "say \"x\" \\"
forfeit 1 TIMEOUT
"""


def anything(question: Question, rng: Random) -> str:
    return rng.choice(question.legal)


def forward(question: Question, rng: Random) -> str:
    """Mostly what comes first, and no pick-up unless it must be: matches as long as those of quick bots."""
    legal = [action for action in question.legal if action != "pickup"] or question.legal
    return legal[0] if rng.random() < 0.7 else rng.choice(legal)


def played(
    game: Game,
    players: int,
    *,
    crash_after: int | None = None,
    seed: bytes = SEED,
    choose: Callable[[Question, Random], str] = anything,
) -> tuple[Transcript, object]:
    """A match between random seats, of which seat 0 may crash; the transcript and the last position."""
    options, rng = game.options(), Random(seed)
    cards = game.deck(options, players)
    state = game.new(options, players, players - 1)
    match = referee.play(
        game, state, players=players, deck=lambda k: deals.deck(seed, k, cards), clock=Clock()
    )
    try:
        question = next(match)
        while True:
            if question.seat == 0 and crash_after is not None and question.turn > crash_after:
                question = match.send(CRASHED)
            else:
                question = match.send(Answer(choose(question, rng), wall_ms=1))
    except StopIteration as ended:
        result = ended.value
    seats = tuple(Entrant(f"bot {seat}", "0" * 64) for seat in range(players))
    named = {name: getattr(options, name) for name in options.__dataclass_fields__}
    decisions, faults = result.decisions, result.outcome.faults
    return (
        Transcript(game.name, players, named, players - 1, seed, seats, decisions, faults),
        state.position(),
    )


def again(transcript: Transcript) -> Transcript:
    """What is read of it once it was written."""
    known = setting(transcript.game, transcript.options, transcript.seed, transcript.seats)
    return read(write(transcript), known)


def test_a_transcript_reads_like_this() -> None:
    assert text(EXAMPLE) == TEXT
    assert parse(TEXT) == EXAMPLE


def test_bytes_come_back_and_are_the_same_each_time() -> None:
    assert read(write(EXAMPLE), KNOWN) == EXAMPLE
    assert write(EXAMPLE) == write(read(write(EXAMPLE), KNOWN))


def test_the_form_before_is_still_read() -> None:
    assert read(zlib.compress(TEXT.encode()), KNOWN) == EXAMPLE


def test_the_words_that_the_compressor_knows_never_change() -> None:
    found = sha256(WORDS).hexdigest()

    assert found == "a86143b116a3999a958b9800a68c92e5fefa734cce38a21ad921383c74dcd397"


@pytest.mark.parametrize(
    "known",
    [
        setting("imp", KNOWN.options, SEED, KNOWN.seats),
        setting("idiot", {"rounds": 2, "seven_low": False}, SEED, KNOWN.seats),
        setting("idiot", KNOWN.options, bytes(32), KNOWN.seats),
        setting("idiot", KNOWN.options, SEED, KNOWN.seats[::-1]),
    ],
)
@pytest.mark.parametrize("form", [write, lambda example: zlib.compress(text(example).encode())])
def test_the_transcript_of_another_match_is_refused(known: Setting, form: Callable) -> None:
    with pytest.raises(BadTranscript, match="of another match"):
        read(form(EXAMPLE), known)


@given(at=st.integers(0, len(write(EXAMPLE)) - 1), byte=st.integers(0, 255))
def test_a_changed_byte_is_seen(at: int, byte: int) -> None:
    data = bytearray(write(EXAMPLE))
    changed = byte != data[at]
    data[at] = byte

    if changed:
        with pytest.raises(BadTranscript):
            read(bytes(data), KNOWN)


TABLES = [(game, players) for game in GAMES.values() for players in game.players]


@pytest.mark.parametrize(("game", "players"), TABLES, ids=lambda each: getattr(each, "name", each))
def test_a_decision_takes_less_than_three_bytes(game: Game, players: int) -> None:
    matches = [played(game, players, seed=bytes([n]) * 32, choose=forward)[0] for n in range(6)]

    decisions, size = sum(len(match.decisions) for match in matches), sum(map(len, map(write, matches)))

    assert size < 3 * decisions


@given(
    names=st.lists(st.text(min_size=1), min_size=4, max_size=5),
    decisions=st.lists(
        st.builds(Decision, st.integers(0, 3), st.text(min_size=1), st.none() | st.text()), max_size=5
    ),
    data=st.data(),
)
def test_whatever_bots_say_comes_back_unchanged_from_printable_lines(names, decisions, data) -> None:
    faults = data.draw(
        st.lists(
            st.builds(
                FaultRecord,
                st.integers(0, 3),
                st.sampled_from(FaultKind),
                st.integers(0, len(decisions)),
                st.booleans(),
            )
        )
    )
    faults.sort(key=lambda fault: fault.decision)
    seats = tuple(Entrant(name, "ab" * 32) for name in names)
    transcript = Transcript(
        "idiot", len(names), {}, len(names) - 1, SEED, seats, tuple(decisions), tuple(faults)
    )

    assert parse(text(transcript)) == transcript
    assert read(write(transcript), setting("idiot", {}, SEED, seats)) == transcript
    assert text(transcript).replace("\n", "").isprintable()
    assert text(transcript).isascii()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_of_every_game_is_played_again_from_its_transcript(game: Game) -> None:
    transcript, end = played(game, game.players[0])

    steps = replay(again(transcript))
    decisions, state = [], None
    for state, decision in steps:  # noqa: B007 - the last state is what we want
        decisions.append(decision)

    assert tuple(decisions) == transcript.decisions
    assert state is not None
    assert state.position() == end


def test_what_a_match_told_is_told_again() -> None:
    transcript, _ = played(GAMES["imperial"], 2)

    told = list(steps(transcript))

    assert [step.decision for step in told] == [*transcript.decisions, None]
    assert [step.acted[0] for step in told[1:]] == [
        f"{decision.seat} {decision.action}" for decision in transcript.decisions
    ]
    assert told[0].acted == ()
    assert told[0].dealt[0].startswith("deal 1 trump ")


def test_a_forfeited_match_is_played_again_as_far_as_it_went() -> None:
    transcript, end = played(GAMES["idiot"], 3, crash_after=2)

    state = [state for state, _ in replay(again(transcript))][-1]

    assert [(fault.seat, fault.kind) for fault in transcript.faults] == [(0, FaultKind.CRASH)]
    assert state.position() == end


def test_a_transcript_that_the_game_does_not_take_is_refused() -> None:
    transcript, _ = played(GAMES["idiot"], 2)
    doctored = Transcript(
        transcript.game,
        transcript.players,
        transcript.options,
        transcript.dealer,
        bytes(32),
        transcript.seats,
        transcript.decisions,
        (),
    )

    with pytest.raises(BadTranscript, match="the action is not legal"):
        list(replay(doctored))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"garbage", "not a compressed transcript"),
        (b"\x02garbage", "not a compressed transcript"),
        (b"\x02", "not a compressed transcript"),
        (zlib.compress(b"\xff"), "not a compressed transcript"),
        (
            zlib.compress(b"card-arena transcript 9\n"),
            "found 'card-arena transcript 9' as the first line",
        ),
        (zlib.compress(TEXT.replace("players 2", "players x").encode()), "bad field of a transcript"),
        (zlib.compress(TEXT.replace("seed", "seen").encode()), "bad field of a transcript: 'seed'"),
        (zlib.compress((TEXT + "who knows\n").encode()), "found 'who knows', expected a seat"),
        (zlib.compress((TEXT + "fault 0 NONSENSE\n").encode()), "NONSENSE"),
    ],
)
def test_what_is_no_transcript_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadTranscript, match=said):
        read(data, KNOWN)
