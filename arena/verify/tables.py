"""One table played again from the schedule's job for it, and compared with the row that is stored."""

import msgspec

from arena import transcript
from arena.model import Board, FaultKind, FaultRecord, Outcome, TableJob
from arena.store.evidence import StoredTable
from arena.store.packing import outcomes_packed, transcripts_unpacked
from arena.store.records import encoded, outcomes_hash, rotations
from arena.store.rows import seeds_of
from arena.table import MAX_FAULTS
from arena.transcript import BadTranscript
from arena.verify.differences import Difference, Differs, Place, differ, same
from arena.verify.replay import replayed

WORDS = ("places", "scores", "number of decisions")
"""What the words of a stored outcome are; more words are faults."""


class Replayed(msgspec.Struct, frozen=True):
    """What a table came to that is as it was stored."""

    outcomes: tuple[Outcome, ...]


def table_again(league: str, job: TableJob, stored: StoredTable) -> Replayed | Difference:
    """Play a table again; the first difference, if there is one."""
    place = Place(league, job.key)
    try:
        _same_seats(job, stored, place)
        outcomes = _matches(job, stored, place)
        same(place, "hash", stored.hash.hex(), outcomes_hash(job, outcomes))
    except Differs as differs:
        return differs.difference
    return Replayed(tuple(outcomes))


def _same_seats(job: TableJob, stored: StoredTable, place: Place) -> None:
    turned = rotations(job.seating)
    same(place, "seating", stored.seating, encoded(job.seating).encode())
    same(place, "line-up", stored.lineup, encoded(turned[0]).encode())
    same(place, "number of seatings of the line-up", stored.seatings, len(turned))
    same(place, "line-up of league and block", "this one" if stored.home else "another one", "this one")


def _matches(job: TableJob, stored: StoredTable, place: Place) -> list[Outcome]:
    """Outcomes of the table's matches; raises Differs."""
    seeds, lines, transcripts = _parts(job, stored, place)
    faulted: list[list[FaultKind]] = [[] for _ in job.seating]
    outcomes = []
    for number, board in enumerate(job.boards):
        here = msgspec.structs.replace(place, match=stored.first_match + number)
        same(here, f"seed of board {board.number}", seeds[number].hex(), board.seed.hex())
        outcome = _match(job, board, transcripts[number], faulted, here)
        _same_outcome(lines[number], outcome, here)
        outcomes.append(outcome)
    return outcomes


def _parts(
    job: TableJob, stored: StoredTable, place: Place
) -> tuple[list[bytes], list[bytes], tuple[bytes, ...]]:
    """Seed, outcome and transcript of each match; raises Differs when there are more or fewer than boards."""
    same(place, "first board", stored.first_board, job.boards[0].number)
    try:
        transcripts = () if stored.transcripts is None else transcripts_unpacked(stored.transcripts)
    except msgspec.MsgspecError as error:
        raise differ(place, "transcripts", f"cannot be read: {error}", "one for each match") from None
    parts = seeds_of(stored.seeds), stored.outcomes.split(b"\n"), transcripts
    for what, values in zip(("seeds", "outcomes", "transcripts"), parts, strict=True):
        same(place, f"number of {what}", len(values), len(job.boards))
    return parts


def _match(job: TableJob, board: Board, data: bytes, faulted: list[list[FaultKind]], place: Place) -> Outcome:
    """What a match comes to; takes down in `faulted` who committed a fault. Raises Differs."""
    try:
        kept = transcript.read(data, transcript.setting(job.game, job.options, board.seed, job.seating))
    except BadTranscript as error:
        raise differ(place, "transcript", error, "the transcript of this match") from None
    for seat, kinds in enumerate(faulted):
        stored = [fault for fault in kept.faults if fault.seat == seat and fault.forfeit]
        due = kinds[MAX_FAULTS - 1 : MAX_FAULTS]
        found = [FaultRecord(seat, kind, 0, forfeit=True) for kind in due]
        same(place, f"forfeit of seat {seat} for {MAX_FAULTS} faulted matches before", stored, found)
    outcome = replayed(kept, job.clock, place, auto_forced=job.auto_forced)
    for fault in outcome.faults:
        faulted[fault.seat].append(fault.kind)
    return outcome


def _same_outcome(line: bytes, outcome: Outcome, place: Place) -> None:
    """Raise Differs for the first part of a stored outcome that is not as it is found."""
    stored, found = line.decode("utf-8", "replace").split(" "), outcomes_packed([outcome]).split(" ")
    for number, what in enumerate(WORDS):
        same(place, what, *("".join(words[number : number + 1]) for words in (stored, found)))
    same(place, "faults", *(" ".join(words[len(WORDS) :]) for words in (stored, found)))
