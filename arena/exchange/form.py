"""The form of an exported league: JSON lines under gzip.

    head                       the league as it is stored, its hashes and commitments, its versions
    file, file, ...            the content of versions, where it goes along
    table, match, match, ...   as often as the league has tables, in the order of its schedule
    end

There is nothing in it that can be derived: seeds and cards come from the secrets, seatings from the schedule.
Nothing is compressed within, so that whoever reads it knows how much he takes in.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from arena.model import Entrant, FaultRecord, Late, Measurement, UserError
from arena.store.arrivals import Newcomer
from protocol.text import escaped

FORM = "card-arena league 1"

LINE_BYTES = 24 << 20
"""Of one line: a file of a submission, of 16 MiB at most, in base64, or a match of ten thousand decisions."""

WHOLE_BYTES = 8 << 30
"""Of all lines: a league of a hundred million decisions has less."""


class BadExport(UserError):  # noqa: N818 - reads as what it is
    """A file that cannot be imported; says what was found."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extension, as it is stored."""

    content: str
    commitment: str
    hash: str


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag=str.lower):
    """One line of the file."""


class Head(Line, frozen=True, forbid_unknown_fields=True):
    """What the league is."""

    form: str
    league: str
    """As it is stored."""
    parts: tuple[Part, ...]
    versions: tuple[Newcomer, ...]
    tables: int
    hash: str
    """Of all tables."""


class File(Line, frozen=True, forbid_unknown_fields=True):
    """One file of a version."""

    version: str
    path: str
    executable: bool
    content: bytes


class Table(Line, frozen=True, forbid_unknown_fields=True):
    """What a table came to; a line for each of its matches follows."""

    key: str
    seating: tuple[Entrant, ...]
    hash: str
    finished: int
    """Microseconds since 1970, UTC."""
    layers: tuple[str, ...]
    void: tuple[Late, ...]


class Step(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One decision."""

    seat: int
    action: str
    note: str | None


class Match(Line, frozen=True, forbid_unknown_fields=True):
    """One match of the table before it."""

    board: int
    places: tuple[float, ...]
    scores: tuple[float, ...] | None
    faults: tuple[FaultRecord, ...]
    decisions: tuple[Step, ...]
    cost: Measurement
    """Without what the bots printed and sent."""


class End(Line, frozen=True, forbid_unknown_fields=True):
    """Nothing is missing."""


Lines = Head | File | Table | Match | End

_DECODER = msgspec.json.Decoder(Lines)


def write(path: Path, lines: Iterator[Lines]) -> None:
    """Write a new file, under its name when it is whole. Equal lines give equal files."""
    try:
        if path.exists():
            raise UserError(f"{path} is there already; choose another name")
        part = path.with_name(f".{path.name}.part")
        _write(part, lines)
        part.rename(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None


def _write(part: Path, lines: Iterator[Lines]) -> None:
    """Write a file that is gone again when this fails."""
    try:
        with (
            part.open("wb") as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        ):
            for line in lines:
                packed.write(msgspec.json.encode(line) + b"\n")
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read(path: Path) -> Iterator[Lines]:
    """Lines of a file, one after the other; raises BadExport."""
    try:
        if not path.is_file():
            raise BadExport(f"{path} is no file; type the path of what `arena export` wrote")
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as packed:
            yield from _lines(path, packed)
    except gzip.BadGzipFile:
        raise BadExport(f"{path} is no exported league; type the path of what `arena export` wrote") from None
    except (OSError, EOFError, zlib.error) as error:
        raise BadExport(f"{path} is no exported league, or was cut off: {error}") from None


def _lines(path: Path, packed: BinaryIO | gzip.GzipFile) -> Iterator[Lines]:
    left = WHOLE_BYTES
    while text := packed.readline(LINE_BYTES + 1):
        left -= len(text)
        if len(text) > LINE_BYTES or left < 0:
            raise BadExport(
                f"{path}: more than {LINE_BYTES >> 20} MiB in a line or {WHOLE_BYTES >> 30} GiB in all; "
                "it was read no further"
            )
        try:
            yield _DECODER.decode(text)
        except (msgspec.MsgspecError, ValueError) as error:
            raise BadExport(f"{path} makes no sense: {escaped(str(error), 200)}") from None
