"""How a table's matches become the few bytes that are stored, and back, without losing any.

An outcome is a line: places, scores, how many decisions, faults.

    1,2 57,33 98                  two sides, played to the end
    1,2 - 40 1.CRASH.40           seat 1 crashed after 40 decisions, and nobody has a score
    1,2 - 0 1.CRASH.0*            the rest of a table that it forfeited

What is promised is the canonical JSON of an outcome (`records.outcome_text`), which this gives back byte for
byte. Measurements are JSON, field by field over all matches, deflated by what such JSON reads like (WORDS).
"""

import math
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from arena.model import FaultKind, FaultRecord, Measurement, Outcome

DECIMALS = 2
"""Of a measured millisecond: a hundredth of one is as much as an operating system can mean."""

WORDS = (
    b'"fault_details":[[],["exit code 1"],"circumstances":[[],[{},"slowest_ms":[[1.23,4.56],[12.34,56.78],'
    b'"seats_cpu_ms":[[12.34,56.78],[null,null],"seats_wall_ms":[[12.34,56.78],{"wall_ms":[123.45,67.89,'
)
"""What deflate knows before the first byte. Part of the form, so it never changes."""

FASTEST_MS, STEP = 0.01, 1.08
"""Of a decision: the shortest time that is kept, and how much longer each next one is, up to 51 minutes."""

REMEMBERED = 1 << 16
"""Outcomes that are not read again when they come again; many do."""

_TRANSCRIPTS = msgspec.msgpack.Decoder(tuple[bytes, ...])


def outcomes_packed(outcomes: Iterable[Outcome]) -> str:
    """Outcomes of a table's matches, a line each."""
    return "\n".join(map(_line, outcomes))


def outcomes_unpacked(text: str) -> tuple[Outcome, ...]:
    """Undo `outcomes_packed`; raises ValueError."""
    return tuple(map(outcome_of, text.split("\n")))


@lru_cache(maxsize=REMEMBERED)
def outcome_of(line: str) -> Outcome:
    """One outcome; raises ValueError."""
    places, scores, decisions, *faults = line.split(" ")
    return Outcome(
        places=tuple(map(float, places.split(","))),
        scores=None if scores == "-" else tuple(map(float, scores.split(","))),
        decisions=int(decisions),
        faults=tuple(map(_fault, faults)),
    )


def _line(outcome: Outcome) -> str:
    scores = "-" if outcome.scores is None else _numbers(outcome.scores)
    return " ".join(
        [
            _numbers(outcome.places),
            scores,
            str(outcome.decisions),
            *(
                f"{fault.seat}.{fault.kind}.{fault.decision}{'*' if fault.forfeit else ''}"
                for fault in outcome.faults
            ),
        ]
    )


def _numbers(values: Iterable[float]) -> str:
    return ",".join(repr(float(value)).removesuffix(".0") for value in values)


def _fault(word: str) -> FaultRecord:
    seat, kind, decision = word.split(".")
    return FaultRecord(int(seat), FaultKind(kind), int(decision.removesuffix("*")), decision.endswith("*"))


def measurements_packed(measurements: Iterable[Measurement]) -> bytes:
    """What a table's matches cost, without the logs, what was sent, and what each decision took."""
    bare = [msgspec.structs.replace(each, logs=(), sent=(), decisions_ms=()) for each in measurements]
    matches = _rounded(msgspec.to_builtins(bare))
    columns = {name: [match[name] for match in matches] for name in Measurement.__struct_fields__}
    kept = {name: column for name, column in columns.items() if column != [[]] * len(column)}
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, WORDS)
    return packer.compress(msgspec.json.encode(kept)) + packer.flush()


def measurements_unpacked(data: bytes) -> tuple[Measurement, ...]:
    """Undo `measurements_packed`; raises ValueError or zlib.error."""
    columns = msgspec.json.decode(zlib.decompressobj(-zlib.MAX_WBITS, WORDS).decompress(data))
    if not isinstance(columns, dict):
        raise ValueError("measurements that are no object")  # noqa: TRY004 - the file is wrong, not a type
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return msgspec.convert(rows, tuple[Measurement, ...])


def paces_packed(measurements: Iterable[Measurement]) -> bytes:
    """What each decision of a table's matches took, a byte each, to within half of a STEP."""
    return msgspec.msgpack.encode([bytes(map(_paced, each.decisions_ms)) for each in measurements])


def paces_unpacked(data: bytes) -> tuple[tuple[float | None, ...], ...]:
    """Undo `paces_packed`; raises ValueError."""
    return tuple(
        tuple(FASTEST_MS * STEP ** (pace - 1) if pace else None for pace in match)
        for match in _TRANSCRIPTS.decode(data)
    )


def _paced(wall_ms: float | None) -> int:
    if wall_ms is None:
        return 0
    return 1 + min(254, max(0, round(math.log(max(wall_ms, FASTEST_MS) / FASTEST_MS, STEP))))


def transcripts_packed(transcripts: Sequence[bytes]) -> bytes:
    """Transcripts of a table's matches; they are compressed as they are."""
    return msgspec.msgpack.encode(transcripts)


def transcripts_unpacked(data: bytes) -> tuple[bytes, ...]:
    """Undo `transcripts_packed`; raises ValueError."""
    return _TRANSCRIPTS.decode(data)


def _rounded(value: Any) -> Any:
    """Builtins with every float rounded."""
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value
