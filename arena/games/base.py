"""What a game is to the rest of the arena: the `Game` record and the `State` protocol.

Standard library only: bots import this package inside the box.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, Self


class IllegalAction(ValueError):  # noqa: N818 - the game's word
    """The game does not take this action now; the state is unchanged."""


class BadOption(ValueError):  # noqa: N818 - reads as what it is
    """An option of a game is unknown or out of its range."""


SHOWN = 80
"""Characters of an action that an error repeats."""


def quoted(action: object) -> str:
    """What was sent, as an error names it: printable and short, whatever it is."""
    if not isinstance(action, str):
        return f"a {type(action).__name__} in place of text"
    text = ascii(action[: SHOWN + 1])
    return text if len(text) <= SHOWN + 2 else f"{text[:SHOWN]}... ({len(action)} characters)"


class State(Protocol):
    """One match in play: mutable and fast, holds no history."""

    def over(self) -> bool:
        """Whether the match has ended."""
        ...

    def to_act(self) -> int | None:
        """Seat to ask next; None between deals (phase "deal") and when over."""
        ...

    def deal(self, deck: list[int]) -> list[str]:
        """Deal the next deck, element 0 first; only in phase "deal". Gives the events."""
        ...

    def legal(self) -> list[str]:
        """List the actions in the order of the rules page; empty when nobody is to act."""
        ...

    def is_legal(self, action: str) -> bool:
        """Say exactly whether `play` would take it."""
        ...

    def play(self, action: str) -> list[str]:
        """Play for the seat to act; gives the events, or raises IllegalAction and changes nothing."""
        ...

    def fallback(self) -> str:
        """Action played for a seat whose bot failed."""
        ...

    def view(self, seat: int) -> dict[str, Any]:
        """All that a seat may know, as JSON values: state only, an allow-list."""
        ...

    def places(self) -> tuple[float, ...]:
        """By side, when over: 1.0 is best, average rank when shared."""
        ...

    def scores(self) -> tuple[float, ...]:
        """Game points by side."""
        ...

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        ...

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values, every field, options under "options"."""
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """A set of rules, as the table `GAMES` holds it."""

    name: str
    players: tuple[int, ...]
    """Player counts it can be played with, ascending."""
    options: type[Any]
    """Frozen dataclass of the options with their defaults (see `parse_options`)."""
    sides: Callable[[int], tuple[tuple[int, ...], ...]]
    """Player count -> the seats that win together, by side."""
    deck: Callable[[Any, int], list[int]]
    """(options, players) -> the cards of one deck in canonical order."""
    new: Callable[[Any, int, int], State]
    """(options, players, dealer) -> a state in phase "deal"."""
    from_position: Callable[[Mapping[str, Any]], State]
    """Inverse of `State.position`; without "phase" it enters at the start of a turn."""
    from_view: Callable[[Mapping[str, Any], Random], State]
    """A state consistent with one seat's view, the unseen cards dealt at random."""


def each_for_himself(players: int) -> tuple[tuple[int, ...], ...]:
    """Sides of a game without partners: one seat each."""
    return tuple((seat,) for seat in range(players))


def average_ranks(keys: Sequence[Any]) -> tuple[float, ...]:
    """Places by key, the lowest key best; equal keys share the average of the places they take together."""
    return tuple(
        sum(other < key for other in keys) + (sum(other == key for other in keys) + 1) / 2 for key in keys
    )


def parse_options(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """Make a game's options of plain values or of their text ("true", "3"); raises BadOption.

    A field's metadata may hold "range": (lowest, highest) for an int, or "choices" for a str.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = sorted(set(given) - set(fields))
    if unknown:
        known = ", ".join(f"{name} ({_allowed(field)})" for name, field in fields.items())
        raise BadOption(f"unknown option {unknown[0]!r}; the options are {known or 'none'}")
    return kind(**{name: _parsed(fields[name], value) for name, value in given.items()})


def _parsed(field: "dataclasses.Field[Any]", value: Any) -> Any:
    found: Any = None
    if isinstance(field.default, bool):
        found = {"true": True, "false": False}.get(str(value).lower())
    elif isinstance(field.default, int):
        found = _whole(field, value)
    elif value in field.metadata.get("choices", ()):
        found = value
    if found is None:
        said = f"is {value!r}" if value != "" else "has no value"
        raise BadOption(f"option {field.name} {said}; {_allowed(field)} is expected")
    return found


def _whole(field: "dataclasses.Field[Any]", value: Any) -> int | None:
    lowest, highest = field.metadata["range"]
    try:
        number = int(str(value))
    except ValueError:
        return None
    return None if isinstance(value, bool) or not lowest <= number <= highest else number


def _allowed(field: "dataclasses.Field[Any]") -> str:
    """What an option may be."""
    if isinstance(field.default, bool):
        return "true or false"
    if isinstance(field.default, int):
        return "a whole number from {} to {}".format(*field.metadata["range"])
    return f"one of {', '.join(field.metadata.get('choices', ()))}"
