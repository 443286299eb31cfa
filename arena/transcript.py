"""A match as text and back: everything that is needed to play it again, and nothing that is not.

    card-arena transcript 1
    game idiot
    players 2
    options {"rounds":1}
    dealer 1
    seed 5e884898da28...
    seat 0 2c26b46b68ff... rule of thumb
    seat 1 fcde2b2edba5... random
    decisions
    0 open 5c 5h 6c
    1 open 3d 4c Ks "all low"
    fault 1 CRASH
    1 pickup

A decision is the seat, the action and the bot's note, if any, as a JSON string. A fault stands after the
decisions that had been played when it was seen; `forfeit` in place of `fault` says that it was committed in
an earlier match of the table. The text is kept compressed; it holds no times.
"""

import itertools
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from arena import deals
from arena.games import GAMES
from arena.games.base import State, parse_options
from arena.model import Decision, Entrant, FaultKind, FaultRecord

HEADER = "card-arena transcript 1"
LEVEL = 6
"""zlib's own default: a match is a few kilobytes, and more effort saves nothing on them."""
_PLAIN = re.compile(r"[!#-~]+(?: [!#-~]+)*")
"""What is written as it is: words of printable ASCII without double quotes, single blanks between them."""
_DECISION = re.compile(r'(\d+) ("(?:[^"\\]|\\.)*"|[^"]+?)(?: ("(?:[^"\\]|\\.)*"))?')


class BadTranscript(ValueError):  # noqa: N818 - reads as what it is
    """Bytes that are no transcript of this version; the text says in which line."""


class Transcript(msgspec.Struct, frozen=True):
    """One match as it was played."""

    game: str
    players: int
    options: dict[str, Any]
    """Every option of the game with its value."""
    dealer: int
    """Of the first deal."""
    seed: bytes
    """Of the board."""
    seats: tuple[Entrant, ...]
    decisions: tuple[Decision, ...]
    faults: tuple[FaultRecord, ...]


def write(transcript: Transcript) -> bytes:
    """Compress the text of a match; equal transcripts give equal bytes under one version of zlib."""
    return zlib.compress(text(transcript).encode("utf-8"), LEVEL)


def read(data: bytes) -> Transcript:
    """Read what `write` gave; raises BadTranscript."""
    try:
        return parse(zlib.decompress(data).decode("utf-8"))
    except (zlib.error, UnicodeDecodeError) as error:
        raise BadTranscript(f"not a compressed transcript: {error}") from None


def text(transcript: Transcript) -> str:
    """Lines of a match, each ended by a line feed."""
    options = json.dumps(transcript.options, sort_keys=True, separators=(",", ":"))
    lines = [
        HEADER,
        f"game {transcript.game}",
        f"players {transcript.players}",
        f"options {options}",
        f"dealer {transcript.dealer}",
        f"seed {transcript.seed.hex()}",
        *(
            f"seat {seat} {entrant.version} {_written(entrant.name)}"
            for seat, entrant in enumerate(transcript.seats)
        ),
        "decisions",
        *_body(transcript),
    ]
    return "".join(f"{line}\n" for line in lines)


def parse(lines: str) -> Transcript:
    """Read the text of a match; raises BadTranscript."""
    head, _, body = lines.partition("\ndecisions\n")
    first, *fields = head.split("\n")
    if first != HEADER:
        raise BadTranscript(f"found {first[:40]!a} as the first line, expected {HEADER!r}")
    try:
        decisions, faults = _played(body)
        seats = tuple(_entrant(field) for field in fields if field.startswith("seat "))
        named = dict(field.split(" ", 1) for field in fields if not field.startswith("seat "))
        return Transcript(
            game=named["game"],
            players=int(named["players"]),
            options=json.loads(named["options"]),
            dealer=int(named["dealer"]),
            seed=bytes.fromhex(named["seed"]),
            seats=seats,
            decisions=decisions,
            faults=faults,
        )
    except BadTranscript:
        raise
    except (ValueError, KeyError) as error:
        raise BadTranscript(f"bad field of a transcript: {error}") from None


class Step(msgspec.Struct, frozen=True):
    """A match that is played again, just before a decision or at its end."""

    state: State
    """One for all steps, which moves on."""
    decision: Decision | None
    """None at the end."""
    acted: tuple[str, ...]
    """Events of the decision before."""
    dealt: tuple[str, ...]
    """Events of the deals since."""


def replay(transcript: Transcript) -> Iterator[tuple[State, Decision]]:
    """Play a match again: before each decision the state and that decision.

    It is one state, which moves on; after the last step it is as the match left it. Raises BadTranscript when
    the game does not take what stands there.
    """
    for step in steps(transcript):
        if step.decision is not None:
            yield step.state, step.decision


def steps(transcript: Transcript) -> Iterator[Step]:
    """Play a match again, with what it told; one step more than it has decisions. Raises BadTranscript."""
    game = GAMES[transcript.game]
    options = parse_options(game.options, transcript.options)
    cards = game.deck(options, transcript.players)
    state = game.new(options, transcript.players, transcript.dealer)
    decks = (deals.deck(transcript.seed, k, cards) for k in itertools.count())
    acted: list[str] = []
    for number, decision in enumerate(transcript.decisions):
        dealt = _deal(state, decks)
        if state.to_act() != decision.seat or not state.is_legal(decision.action):
            raise BadTranscript(
                f"decision {number}: found seat {decision.seat} {decision.action[:40]!a},"
                f" but seat {state.to_act()} is to act, or the action is not legal"
            )
        yield Step(state, decision, tuple(acted), dealt)
        acted = state.play(decision.action)
    yield Step(state, None, tuple(acted), _deal(state, decks))


def _deal(state: State, decks: Iterator[list[int]]) -> tuple[str, ...]:
    """Deal until somebody is to act; a deal can end a match by itself. Gives the events."""
    events: list[str] = []
    while state.to_act() is None and not state.over():
        events += state.deal(next(decks))
    return tuple(events)


def _body(transcript: Transcript) -> Iterator[str]:
    """Give the decisions, each fault before the decision that followed it."""
    for number, decision in enumerate(transcript.decisions):
        yield from _fault_lines(transcript.faults, number)
        note = "" if decision.note is None else f" {json.dumps(decision.note)}"
        yield f"{decision.seat} {_written(decision.action)}{note}"
    yield from _fault_lines(transcript.faults, len(transcript.decisions))


def _fault_lines(faults: Iterable[FaultRecord], number: int) -> Iterator[str]:
    for fault in faults:
        if fault.decision == number:
            yield f"{'forfeit' if fault.forfeit else 'fault'} {fault.seat} {fault.kind}"


def _written(words: str) -> str:
    return words if _PLAIN.fullmatch(words) else json.dumps(words)


def _meant(written: str) -> str:
    if not written.startswith('"'):
        return written
    words: str = json.loads(written)
    return words


def _entrant(field: str) -> Entrant:
    _, _, version, name = field.split(" ", 3)
    return Entrant(_meant(name), version)


def _played(body: str) -> tuple[tuple[Decision, ...], tuple[FaultRecord, ...]]:
    decisions: list[Decision] = []
    faults: list[FaultRecord] = []
    for line in body.splitlines():
        if line.startswith(("fault ", "forfeit ")):
            word, seat, kind = line.split(" ")
            faults.append(FaultRecord(int(seat), FaultKind(kind), len(decisions), word == "forfeit"))
        elif (found := _DECISION.fullmatch(line)) is not None:
            seat, action, note = found.groups()
            decisions.append(Decision(int(seat), _meant(action), None if note is None else json.loads(note)))
        else:
            raise BadTranscript(f"found {line[:40]!a}, expected a seat and an action, or a fault")
    return tuple(decisions), tuple(faults)
