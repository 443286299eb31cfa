"""A match as bytes and back: everything that is needed to play it again, and nothing that is not.

A transcript is kept beside its match, so it says nothing that stands there anyway (`Setting`). Its bytes:

    02                      the form
    crc32                   of the match as text, setting and all, and of the bytes that follow, in 4 bytes
    raw deflate (WORDS) of  11110111        each decision's seat: how many seats on from the one before
                            1 CRASH 6       faults in their order, joined by "; "
                            open 5c 5h 6c   the actions, each with the bot's note, if any, as a JSON string
                            open 3d 4c Ks "all low"

A fault has the number of decisions that had been played when it was seen, and `forfeit` after it when it was
committed in an earlier match of the table. The first seat is counted from the dealer.

The match as text is what used to be kept, under zlib, and is still read:

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
"""

import itertools
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from arena import deals
from arena.games import GAMES
from arena.games.base import State, parse_options
from arena.model import Decision, Entrant, FaultKind, FaultRecord

HEADER = "card-arena transcript 1"
FORM = b"\x02"
"""First byte of what is written now; zlib's first byte, of the form before, is 78."""
CRC_BYTES = 4
LEVEL = 9
RAW = -zlib.MAX_WBITS
"""Deflate without zlib's own head and sum, which would be a tenth of a short match."""
_CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
WORDS = "".join(
    [
        *(f"{'1' * run}0" for run in (1, 2, 3, 5, 8, 13, 21)),
        "\nopen 2c 3c 4c\npickup\npass\nquad\nflip 0\nflip 1\nflip 2\ntake\ndraw\n",
        " ".join(_CARDS),
        "\n",
        *(f"meld {card}\n" for card in _CARDS[::5]),
        *(f"add 0 {card}\n" for card in _CARDS[::5]),
        *(f"draw\ndiscard {card}\n" for card in _CARDS),
        *(f"play {card}\n" for card in _CARDS),
    ]
).encode()
"""What deflate knows before the first byte: how moves at cards read. A part of the form: it never changes."""
_PLAIN = re.compile(r"[!#-~]+(?: [!#-~]+)*")
"""What is written as it is: words of printable ASCII without double quotes, single blanks between them."""
_ACTION = r'("(?:[^"\\]|\\.)*"|[^"]+?)(?: ("(?:[^"\\]|\\.)*"))?'
_SAID = re.compile(_ACTION)
_DECISION = re.compile(rf"(\d+) {_ACTION}")


class BadTranscript(ValueError):  # noqa: N818 - reads as what it is
    """Bytes that are no transcript of this match; the text says in which line."""


class Setting(msgspec.Struct, frozen=True):
    """A match before its first decision: what stands beside its transcript."""

    game: str
    players: int
    options: dict[str, Any]
    """Every option of the game with its value."""
    dealer: int
    """Of the first deal."""
    seed: bytes
    """Of the board."""
    seats: tuple[Entrant, ...]


class Transcript(Setting, frozen=True):
    """One match as it was played."""

    decisions: tuple[Decision, ...]
    faults: tuple[FaultRecord, ...]


def setting(game: str, options: dict[str, Any], seed: bytes, seats: Sequence[Entrant]) -> Setting:
    """Setting of a match at a table, where the last seat deals first."""
    return Setting(game, len(seats), options, len(seats) - 1, seed, tuple(seats))


def played(known: Setting, decisions: Sequence[Decision], faults: Sequence[FaultRecord]) -> Transcript:
    """A match in its setting."""
    return Transcript(**msgspec.structs.asdict(known), decisions=tuple(decisions), faults=tuple(faults))


def write(transcript: Transcript) -> bytes:
    """Compress a match; equal transcripts give equal bytes under one version of zlib."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, RAW, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY, WORDS)
    packed = packer.compress("\n".join(_lines(transcript)).encode()) + packer.flush()
    return FORM + _crc(transcript, packed) + packed


def read(data: bytes, known: Setting) -> Transcript:
    """Read what `write` gave, or the form before it, of a match in that setting; raises BadTranscript."""
    if not data:
        raise BadTranscript("its transcript was trimmed away (arena trim)")
    return _unpacked(data, known) if data[:1] == FORM else _unpacked_text(data, known)


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


def forced(transcript: Transcript) -> frozenset[int]:
    """Numbers, from 0, of the decisions that a league with `auto_forced` did not ask for: one legal action.

    What the fallback plays for a side that has failed is none of them. Raises BadTranscript.
    """
    failed = {fault.seat: fault.decision for fault in reversed(transcript.faults)}
    until = [len(transcript.decisions)] * transcript.players
    for side in GAMES[transcript.game].sides(transcript.players):
        for seat in side:
            until[seat] = min([failed[each] for each in side if each in failed], default=until[seat])
    return frozenset(
        number
        for number, step in enumerate(steps(transcript))
        if step.decision and number < until[step.decision.seat] and len(step.state.legal()) == 1
    )


def _deal(state: State, decks: Iterator[list[int]]) -> tuple[str, ...]:
    """Deal until somebody is to act; a deal can end a match by itself. Gives the events."""
    events: list[str] = []
    while state.to_act() is None and not state.over():
        events += state.deal(next(decks))
    return tuple(events)


def _lines(transcript: Transcript) -> Iterator[str]:
    """What is compressed: the seats, the faults, the actions."""
    seats = [transcript.dealer, *(decision.seat for decision in transcript.decisions)]
    steps = ((seat - before) % transcript.players for before, seat in itertools.pairwise(seats))
    yield "".join(chr(ord("0") + step) for step in steps)
    yield "; ".join(
        f"{fault.seat} {fault.kind} {fault.decision}{' forfeit' if fault.forfeit else ''}"
        for fault in transcript.faults
    )
    yield from map(_said, transcript.decisions)


def _unpacked(data: bytes, known: Setting) -> Transcript:
    """Undo `write`."""
    crc, packed = data[len(FORM) :][:CRC_BYTES], data[len(FORM) + CRC_BYTES :]
    unpacker = zlib.decompressobj(RAW, WORDS)
    try:
        lines = unpacker.decompress(packed).decode().split("\n")
        found = _placed(lines, known)
    except (zlib.error, ValueError) as error:
        raise BadTranscript(f"not a compressed transcript: {error}") from None
    if _crc(found, packed) != crc:
        raise BadTranscript(
            "its checksum does not fit: it was changed, or is the transcript of another match"
        )
    return found


def _placed(lines: Sequence[str], known: Setting) -> Transcript:
    """The lines of a transcript in their setting; raises ValueError."""
    steps, faults, *said = lines
    seat = known.dealer
    decisions = []
    for step, line in zip(steps, said, strict=True):
        seat = (seat + ord(step) - ord("0")) % known.players
        if (found := _SAID.fullmatch(line)) is None:
            raise ValueError(f"found {line[:40]!a}, expected an action")
        decisions.append(_decision(seat, *found.groups()))
    committed = tuple(map(_fault, faults.split("; "))) if faults else ()
    return played(known, decisions, committed)


def _fault(words: str) -> FaultRecord:
    seat, kind, decision, *forfeit = words.split(" ")
    return FaultRecord(int(seat), FaultKind(kind), int(decision), bool(forfeit))


def _crc(transcript: Transcript, packed: bytes) -> bytes:
    return zlib.crc32(packed, zlib.crc32(text(transcript).encode())).to_bytes(CRC_BYTES, "big")


def _unpacked_text(data: bytes, known: Setting) -> Transcript:
    """Undo the form before."""
    try:
        found = parse(zlib.decompress(data).decode())
    except (zlib.error, UnicodeDecodeError) as error:
        raise BadTranscript(f"not a compressed transcript: {error}") from None
    if Setting(*msgspec.structs.astuple(found)[: len(Setting.__struct_fields__)]) != known:
        raise BadTranscript("it is the transcript of another match: its head is not what stands beside it")
    return found


def _body(transcript: Transcript) -> Iterator[str]:
    """Give the decisions, each fault before the decision that followed it."""
    for number, decision in enumerate(transcript.decisions):
        yield from _fault_lines(transcript.faults, number)
        yield f"{decision.seat} {_said(decision)}"
    yield from _fault_lines(transcript.faults, len(transcript.decisions))


def _fault_lines(faults: Iterable[FaultRecord], number: int) -> Iterator[str]:
    for fault in faults:
        if fault.decision == number:
            yield f"{'forfeit' if fault.forfeit else 'fault'} {fault.seat} {fault.kind}"


def _said(decision: Decision) -> str:
    note = "" if decision.note is None else f" {json.dumps(decision.note)}"
    return f"{_written(decision.action)}{note}"


def _decision(seat: int, action: str, note: str | None) -> Decision:
    """Undo `_said`."""
    return Decision(seat, _meant(action), None if note is None else json.loads(note))


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
            decisions.append(_decision(int(seat), action, note))
        else:
            raise BadTranscript(f"found {line[:40]!a}, expected a seat and an action, or a fault")
    return tuple(decisions), tuple(faults)
