"""What a seat sees in each game, as types: for editors and type checkers, and the source of the JSON Schemas.

    from protocol.client import Decision, run
    from protocol.views import IdiotView

    def choose(decision: Decision) -> str:
        view: IdiotView = decision.view
        return max(decision.legal, key=len) if view["pile"] else decision.legal[0]

    run(choose)

Views are plain dictionaries; these types say which keys they have. What a field means is told on the page of
the game (`arena rules GAME`). A card is its rank and suit, such as "Th"; the joker is "Jk".
"""

from typing import Literal, TypedDict

Card = str
"""A rank of 23456789TJQKA and a suit of cdhs, or "Jk"."""

Suit = Literal["c", "d", "h", "s"]


class IdiotOptions(TypedDict):
    """Options of Idiot."""

    rounds: int
    seven_low: bool
    lowest_starts: bool
    max_plies: int


class IdiotView(TypedDict):
    """Idiot, as one seat sees it."""

    game: Literal["idiot"]
    players: int
    seat: int
    dealer: int
    round: int
    rounds: int
    options: IdiotOptions
    phase: Literal["deal", "swap", "turn", "over"]
    turn: int | None
    hand: list[Card]
    open: list[list[Card]]
    """By seat."""
    hidden_slots: list[list[bool]]
    """By seat."""
    hand_counts: list[int]
    """By seat."""
    stock_count: int
    pile: list[Card]
    """Bottom to top."""
    burnt: list[Card]
    known: list[list[Card]]
    """By seat."""
    out: list[int]
    totals: list[float]
    """By seat."""
    plies: int
    max_plies: int


class ImpView(TypedDict):
    """IMP, as one seat sees it."""

    game: Literal["imp"]
    players: int
    seat: int
    dealer: int
    phase: Literal["deal", "setup", "turn", "quad", "over"]
    turn: int | None
    dir: Literal[1, -1]
    hand: list[Card]
    open: list[list[Card]]
    """By seat."""
    hidden_slots: list[list[bool]]
    """By seat."""
    hand_counts: list[int]
    """By seat."""
    stock_count: int
    pile: list[Card]
    """Bottom to top."""
    effective: str | None
    """A rank."""
    graveyard: list[Card]
    known: list[list[Card]]
    """By seat."""
    out: list[int]
    plies: int
    max_plies: int


class ImperialView(TypedDict):
    """Imperial, as one seat sees it."""

    game: Literal["imperial"]
    players: int
    seat: int
    dealer: int
    deal: int
    trump: Suit
    turned: Card
    hand: list[Card]
    hand_counts: list[int]
    """By seat."""
    known: list[list[Card]]
    """By seat."""
    trick: list[tuple[int, Card]]
    """Seats and what they played."""
    leader: int
    won: list[int]
    """By seat."""
    played: list[tuple[int, Card]]
    """Seats and what they played."""
    imperials: list[list[Suit]]
    """By seat."""
    honours: list[int | None]
    """By seat."""
    honour_to: int | None
    scores: list[int]
    """By seat."""
    target: int
    revoked: list[bool]
    """By seat."""
    revokes: list[int]
    """By seat."""


Meld = TypedDict(
    "Meld",
    {
        "cards": list[Card],
        "kind": Literal["run", "set"],
        "suit": Suit | None,
        "rank": str | None,
        "wild": Card | None,
        "clean": bool,
        "class": str | None,
    },
)
"""A meld on the table of Mpirimpa; `class` is None below seven cards."""


class MpirimpaOptions(TypedDict):
    """Options of Mpirimpa."""

    target: int
    trump_suit: bool
    casual: bool
    max_rounds: int
    max_turns: int


class MpirimpaView(TypedDict):
    """Mpirimpa, as one seat sees it."""

    game: Literal["mpirimpa"]
    mode: Literal["1v1", "2v2"]
    seat: int
    side: int
    dealer: int
    round: int
    phase: Literal["deal", "draw", "justify", "meld", "over"]
    turn: int | None
    turns: int
    trump: Suit | None
    hand: list[Card]
    hand_counts: list[int]
    """By seat."""
    known: list[list[Card]]
    """By seat."""
    melds: list[list[Meld]]
    """By side."""
    discard: list[Card]
    """Bottom to top."""
    stock_count: int
    packets_left: int
    taken: list[bool]
    """By side."""
    must_use: list[Card]
    barred: Card | None
    scores: list[int]
    """By side."""
    target: int
    options: MpirimpaOptions


VIEWS: dict[str, type] = {
    "idiot": IdiotView,
    "imp": ImpView,
    "imperial": ImperialView,
    "mpirimpa": MpirimpaView,
}
"""By game."""
