"""What a user asks of a league: the same words in a TOML file and as options of `arena run`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_type_hints

import msgspec

from arena.model import Partners, UserError
from arena.runtimes import misfit, parsed_toml
from protocol.text import escaped

HOUR_MS = 3_600_000

RANGES = {
    "players": (1, 99),
    "boards": (1, 999_999),  # six digits: the numbers of boards stand in the keys of tables
    "block": (1, 1_000),
    "jobs": (1, 256),
    "lineups": (1, 999_999),
    "move_ms": (1, HOUR_MS),
    "bank_ms": (0, 24 * HOUR_MS),
    "start_ms": (100, HOUR_MS),
}
"""Word -> the least and the most that its number may be."""

CHOICES = {"fill": ("house",), "partners": tuple(Partners)}
"""Word -> all that it may be."""

ADDRESS = re.compile(r"([a-z]+://)?\S+:[0-9]{1,5}/?")
"""Of a scheduler of Dask: a port is what is left out most."""

BITS = 63
"""Of any other number: those of the database have no more."""

SHOWN = 80
"""Characters of a value in a sentence."""


class ClockWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits that were named; None is not named."""

    move_ms: int | None = None
    bank_ms: int | None = None
    start_ms: int | None = None


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was named, in a file or on the command line; None is not named."""

    name: str | None = None
    game: str | None = None
    players: int | None = None
    bots: tuple[str, ...] | None = None
    boards: int | None = None
    seed: str | int | None = None
    jobs: int | None = None
    option: dict[str, bool | int | str] = {}
    clock: ClockWish = ClockWish()
    block: int | None = None
    fill: Literal["house"] | None = None
    partners: Partners | None = None
    schedule: str | None = None
    lineups: int | None = None
    gauntlet: tuple[str, ...] | None = None
    until: str | None = None
    sandbox: str | None = None
    cluster: str | None = None
    auto_forced: bool | None = None


def wish(named: dict[str, Any], *, where: str) -> Wish:
    """Check what was named; raises UserError that says where, what was found and what is known."""
    _refuse_unknown(named, Wish, where)
    if isinstance(named.get("clock"), dict):
        _refuse_unknown(named["clock"], ClockWish, f"[clock] of {where}")
    for word, value in _values(named):
        _check_value(word, value, where)
    try:
        return msgspec.convert(named, Wish)
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: {misfit(error)}") from None


def read(path: Path) -> Wish:
    """Read a league's TOML file; raises UserError."""
    try:
        named = parsed_toml(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
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
            raise UserError(f"{where}: unknown key '{escaped(word, SHOWN)}'; the keys are {', '.join(known)}")


def _values(named: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value that was named, those in lists and tables one by one."""
    for word, value in named.items():
        if isinstance(value, dict):
            before = "" if word == "clock" else f"{word} "
            yield from ((before + inner, each) for inner, each in value.items())
        elif isinstance(value, list):
            yield from ((word, each) for each in value)
        yield word, value


def _check_value(word: str, value: Any, where: str) -> None:
    if word in RANGES:
        least, most = RANGES[word]
        if type(value) is not int or not least <= value <= most:
            raise UserError(
                f"{where}: {word} is {_shown(value)}; a whole number from {least} to {most} is needed"
            )
    elif word in CHOICES and value not in CHOICES[word]:
        raise UserError(f"{where}: {word} is {_shown(value)}; it may be {' or '.join(CHOICES[word])}")
    elif word == "cluster" and not (isinstance(value, str) and ADDRESS.fullmatch(value)):
        raise UserError(
            f"{where}: cluster is {_shown(value)}; an address with a port is needed, such as tcp://10.0.0.5:8786"
        )
    elif isinstance(value, int) and value.bit_length() > BITS:
        raise UserError(f"{where}: {escaped(word, SHOWN)} is {_shown(value)}; at most {BITS} are allowed")
    elif (
        value in ("", []) and word != "seed" and not word.startswith("option ")
    ):  # whose values the game knows
        raise UserError(f"{where}: {escaped(word, SHOWN)} is empty; leave it out, or say what it is")


def _shown(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > BITS:
        return f"a number of {value.bit_length()} bits"  # Python writes out no more than 4300 digits
    if isinstance(value, str | int | float):
        return escaped(repr(value), SHOWN)
    return f"a {type(value).__name__}"
