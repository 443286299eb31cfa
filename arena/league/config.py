"""What a user asks of a league: the same words in a TOML file and as options of `arena run`."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from arena.model import UserError

Count = Annotated[int, Meta(ge=1)]
Boards = Annotated[int, Meta(ge=1, le=999_999)]
"""Six digits: the numbers of boards stand in the keys of tables."""


class ClockWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits that were named; None is not named."""

    move_ms: Count | None = None
    bank_ms: Annotated[int, Meta(ge=0)] | None = None
    start_ms: Count | None = None


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was named, in a file or on the command line; None is not named."""

    name: str | None = None
    game: str | None = None
    players: Count | None = None
    bots: tuple[str, ...] | None = None
    boards: Boards | None = None
    seed: str | int | None = None
    jobs: Count | None = None
    option: dict[str, bool | int | str] = {}
    clock: ClockWish = ClockWish()
    block: Count | None = None
    fill: Literal["house"] | None = None
    schedule: str | None = None
    sandbox: str | None = None


def wish(named: dict[str, Any], *, where: str) -> Wish:
    """Check what was named; raises UserError that says where, what was found and what is known."""
    _refuse_unknown(named, Wish, where)
    if isinstance(named.get("clock"), dict):
        _refuse_unknown(named["clock"], ClockWish, f"[clock] of {where}")
    try:
        return msgspec.convert(named, Wish)
    except msgspec.ValidationError as error:
        text = str(error).replace(" | null", "")  # a file has no null: what is not named is left out
        raise UserError(f"{where}: {text}") from None


def read(path: Path) -> Wish:
    """Read a league's TOML file; raises UserError."""
    try:
        named = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path}: {error}") from None
    return wish(named, where=str(path))


def over(line: Wish, file: Wish) -> Wish:
    """Both, where the command line wins; options and clock word by word."""
    merged = {**named(file), **named(line)}
    merged["option"] = {**file.option, **line.option}
    merged["clock"] = ClockWish(**{**named(file.clock), **named(line.clock)})
    return Wish(**merged)


def named(given: msgspec.Struct) -> dict[str, Any]:
    """Give the words that were named, with their values."""
    return {word: value for word, value in msgspec.structs.asdict(given).items() if value is not None}


def _refuse_unknown(named: dict[str, Any], kind: type[msgspec.Struct], where: str) -> None:
    known = list(get_type_hints(kind))
    for word in named:
        if word not in known:
            raise UserError(f"{where}: unknown key {word!r}; the keys are {', '.join(known)}")
