"""How it is said that something is not as it was stored."""

import msgspec

from protocol.text import escaped

SHOWN = 200
"""Characters of a value that are shown."""


class Place(msgspec.Struct, frozen=True):
    """Where something stands."""

    league: str | None = None
    table: str | None = None
    match: int | None = None
    decision: int | None = None
    """From 1, as `arena show` numbers them."""


class Difference(msgspec.Struct, frozen=True):
    """A step at which what is stored is not what is found."""

    place: Place
    what: str
    stored: str
    found: str


class Differs(Exception):  # noqa: N818 - reads as what it is
    """Something is not as it was stored; the first such thing, since nothing after it was looked at."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference)
        self.difference = difference


def differ(place: Place, what: str, stored: object, found: object) -> Differs:
    """The exception for a value that is stored and another one that is found."""
    return Differs(Difference(place, what, _shown(stored), _shown(found)))


def same(place: Place, what: str, stored: object, found: object) -> None:
    """Raise Differs where a stored value is not what is found."""
    if stored != found:
        raise differ(place, what, stored, found)


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    return escaped(str(value), SHOWN)
