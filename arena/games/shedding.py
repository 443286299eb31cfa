"""What IMP and Idiot share: hidden row, open row and hand, shed in that order backwards onto one pile.

A zone is a mask of cards where order means nothing (hands, open rows, what is out of play), and a sequence
where it does (hidden slots, stock, pile).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from itertools import combinations
from random import Random
from typing import Any, ClassVar, Literal, Self

from arena.games.base import IllegalAction, average_ranks, parse_options, quoted
from arena.games.cards import ANY, FULL_DECK, NAMES, cards_in, mask, names, parse

Phase = Literal["deal", "setup", "swap", "quad", "turn", "over"]

PLAYERS = (2, 3, 4, 5)
"""I1, S1."""

ROW = 3
"""Cards of an open row, slots of a hidden row, and what a hand is refilled to."""

SLOTS = tuple([bool(filled >> slot & 1) for slot in range(ROW)] for filled in range(1 << ROW))
"""By the three bits of a hidden row: whether each slot is still filled."""

NO_CARD = -1


def full_deck(_options: Any, _players: int) -> list[int]:
    """Give all 52 cards, whatever the options and however many play."""
    return [*FULL_DECK]


class Shedding(ABC):
    """One match of a shedding game; `imp` and `idiot` add how it is played."""

    __slots__ = (
        "chosen",
        "dealer",
        "drawn",
        "fits",
        "gone",
        "hands",
        "hidden",
        "known",
        "open",
        "options",
        "out",
        "phase",
        "pile",
        "players",
        "plies",
        "slots",
        "stock",
        "turn",
    )

    NAME: ClassVar[str]
    CHOICE: ClassVar[Phase]
    """The phase in which every seat names its open row."""
    GONE: ClassVar[str]
    """What the page calls the cards out of play."""
    OPTIONS: ClassVar[type[Any]]
    PHASES: ClassVar[tuple[Phase, ...]]

    def __init__(self, options: Any, players: int, dealer: int) -> None:
        self.options = options
        self.players = players
        self.dealer = dealer
        self.phase: Phase = "deal"
        self._clear()

    def _clear(self) -> None:
        """Empty all zones, as before a deal."""
        players = self.players
        self.turn = (self.dealer + 1) % players
        self.hands = [0] * players
        self.open = [0] * players
        self.hidden: tuple[int, ...] = (NO_CARD,) * (ROW * players)
        """Slot i of seat s is element 3 * s + i; what a used slot held still stands here (see `slots`)."""
        self.slots = [0] * players
        """By seat: bit i says whether slot i is still filled."""
        self.stock: tuple[int, ...] = ()
        """As dealt; the next card is element `drawn`."""
        self.drawn = 0
        self.pile: list[int] = []
        self.fits = ANY
        """All cards that fit on the pile as it lies."""
        self.gone = 0
        self.known = [0] * players
        """By seat: the cards of the hand that everybody saw go there."""
        self.chosen: tuple[int, ...] = (0,) * players
        """By seat: the open row it named, 0 before that; secret until all have."""
        self.out: tuple[int, ...] = ()
        self.plies = 0

    # Deciding

    def over(self) -> bool:
        """Whether the match has ended."""
        return self.phase == "over"

    def to_act(self) -> int | None:
        """Seat to ask next; None between deals and when over."""
        if self.phase == "turn":
            return self.turn
        if self.phase == self.CHOICE:
            return next(seat for seat in self._from_left_of_dealer() if not self.chosen[seat])
        return None

    def _flips(self) -> list[str]:
        """What the player to move may do with nothing but hidden cards (I22, S15)."""
        return [f"flip {slot}" for slot, filled in enumerate(SLOTS[self.slots[self.turn]]) if filled]

    def _illegal(self, action: object, expected: list[str]) -> IllegalAction:
        if not expected:
            return IllegalAction(f"{quoted(action)}, but nobody is to act in phase {self.phase}")
        more = f" or {len(expected) - 6} more" if len(expected) > 6 else ""
        return IllegalAction(
            f"{quoted(action)} is not legal for seat {self.to_act()} in phase {self.phase};"
            f" expected {', '.join(expected[:6])}{more}"
        )

    # Dealing and naming the open rows

    def _from_left_of_dealer(self) -> list[int]:
        return [(self.dealer + 1 + step) % self.players for step in range(self.players)]

    def _deal_rounds(self, deck: list[int]) -> list[list[int]]:
        """Give nine cards to every seat, one at a time from the dealer's left; the rest is the stock."""
        assert self.phase == "deal", f"phase {self.phase}; a deck is dealt in phase deal"
        assert len(deck) == len(FULL_DECK) == mask(deck).bit_count(), "a deck has 52 different cards"
        self._clear()
        dealt = 3 * ROW * self.players
        by_seat: list[list[int]] = [[]] * self.players
        for place, seat in enumerate(self._from_left_of_dealer()):
            by_seat[seat] = deck[place : dealt : self.players]
        self.hidden = tuple([card for cards in by_seat for card in cards[:ROW]])
        self.slots = [(1 << ROW) - 1] * self.players
        self.stock = tuple(deck[dealt:])
        self.phase = self.CHOICE
        return by_seat

    def _row_choices(self) -> list[str]:
        seat = self.to_act()
        assert seat is not None
        return [
            f"open {' '.join(row)}" for row in combinations(names(self.hands[seat] | self.open[seat]), ROW)
        ]

    def _row_named(self, action: object) -> int:
        """Mask of the three own cards that an `open a b c` names in any order; 0 for anything else."""
        seat = self.to_act()
        assert seat is not None
        verb, *row = action.split(" ") if isinstance(action, str) else [""]
        own = {NAMES[card]: card for card in cards_in(self.hands[seat] | self.open[seat])}
        if verb != "open" or len(row) != ROW or len(set(row)) != ROW or not all(name in own for name in row):
            return 0
        return mask([own[name] for name in row])

    def _name_row(self, action: str) -> list[str]:
        row = self._row_named(action)
        if not row:
            raise self._illegal(action, self._row_choices())
        seat = self.to_act()
        self.chosen = tuple([row if other == seat else old for other, old in enumerate(self.chosen)])
        if not all(self.chosen):
            return []
        events = self._reveal()
        self._start()
        return events

    def _start(self) -> None:
        """Start the first turn, by the dealer's left."""
        self._begin()

    def _reveal(self) -> list[str]:
        """Lay all rows open at once; what lay open before is now known to be in the hand."""
        for seat, row in enumerate(self.chosen):
            six = self.hands[seat] | self.open[seat]
            self.known[seat] = self.open[seat] & ~row
            self.open[seat] = row
            self.hands[seat] = six & ~row
        self.chosen = (0,) * self.players
        self.phase = "turn"
        return [f"{seat} open {' '.join(names(self.open[seat]))}" for seat in self._from_left_of_dealer()]

    # What happens to cards

    def _take_pile(self, seat: int, flipped: int = 0) -> None:
        """Pile, and a flipped card that did not fit, to the hand: all of it was seen by everybody."""
        taken = mask(self.pile) | flipped
        self.hands[seat] |= taken
        self.known[seat] |= taken
        self.pile.clear()
        self.fits = ANY

    def _pick_up(self) -> list[str]:
        """Whole pile to the hand, the turn ends (I16, S11)."""
        events = [f"{self.turn} pickup {len(self.pile)}"]
        self._take_pile(self.turn)
        self._pass_turn()
        return events

    def _clear_pile(self) -> None:
        self.gone |= mask(self.pile)
        self.pile.clear()
        self.fits = ANY

    def _refill(self, seat: int, events: list[str]) -> None:
        """Draw to a hand of three, as far as the stock goes."""
        missing = ROW - self.hands[seat].bit_count()
        drawn = self.drawn
        if missing > 0 and drawn < len(self.stock):
            cards = self.stock[drawn : drawn + missing]
            self.drawn = drawn + len(cards)
            self.hands[seat] |= mask(cards)
            events.append(f"{seat} draw {len(cards)}")

    def _goes_out(self, seat: int, events: list[str]) -> bool:
        if self.hands[seat] or self.open[seat] or self.slots[seat]:
            return False
        self.out += (seat,)
        events.append(f"{seat} out {len(self.out)}")
        return True

    def _next_active(self, seat: int, step: int = 1) -> int:
        seat = (seat + step) % self.players
        while seat in self.out:
            seat = (seat + step) % self.players
        return seat

    def _pass_turn(self) -> None:
        if self.out:
            self.turn = self._next_active(self.turn)
        else:
            self.turn = (self.turn + 1) % self.players
        self._begin()

    # The end

    def _decided(self) -> bool:
        """Whether it has ended by the rules, not by the cap."""
        return len(self.out) >= self.players - 1

    def capped(self) -> bool:
        """Whether the cap of plies ended it and the cards left were counted."""
        return self.phase == "over" and not self._decided()

    def _ranking(self) -> tuple[float, ...]:
        """Places: in the order of going out, then by fewest cards when the cap ended it."""
        keys = [
            (len(self.out), 0 if self._decided() else self._cards_left(seat)) for seat in range(self.players)
        ]
        for place, seat in enumerate(self.out):
            keys[seat] = (place, 0)
        return average_ranks(keys)

    def _cards_left(self, seat: int) -> int:
        return (self.hands[seat] | self.open[seat]).bit_count() + self.slots[seat].bit_count()

    # Copies, positions, views

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        twin = object.__new__(type(self))
        twin.options = self.options
        twin.players = self.players
        twin.dealer = self.dealer
        twin.phase = self.phase
        twin.turn = self.turn
        twin.hands = self.hands[:]
        twin.open = self.open[:]
        twin.hidden = self.hidden
        twin.slots = self.slots[:]
        twin.stock = self.stock
        twin.drawn = self.drawn
        twin.pile = self.pile[:]
        twin.fits = self.fits
        twin.gone = self.gone
        twin.known = self.known[:]
        twin.chosen = self.chosen
        twin.out = self.out
        twin.plies = self.plies
        return twin

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values, every field."""
        return {
            "game": self.NAME,
            "players": self.players,
            "options": {field.name: getattr(self.options, field.name) for field in fields(self.options)},
            "dealer": self.dealer,
            "phase": self.phase,
            "turn": self.turn,
            "hands": [list(names(hand)) for hand in self.hands],
            "open": [list(names(row)) for row in self.open],
            "hidden": [self._hidden_row(seat) for seat in range(self.players)],
            "stock": [NAMES[card] for card in self.stock[self.drawn :]],
            "pile": [NAMES[card] for card in self.pile],
            self.GONE: list(names(self.gone)),
            "known": [list(names(cards)) for cards in self.known],
            "chosen": [list(names(row)) or None for row in self.chosen],
            "out": list(self.out),
            "plies": self.plies,
        }

    def _hidden_row(self, seat: int) -> list[str | None]:
        row = self.hidden[ROW * seat : ROW * seat + ROW]
        return [
            NAMES[card] if filled else None for card, filled in zip(row, SLOTS[self.slots[seat]], strict=True)
        ]

    @classmethod
    def from_position(cls, position: Mapping[str, Any]) -> Self:
        """Inverse of `position`; what is not named is empty, 0 or out of play.

        Without "phase" it enters at the start of a turn. Raises ValueError for what cannot be.
        """
        options = parse_options(cls.OPTIONS, position.get("options", {}))
        players, dealer = position["players"], position.get("dealer", 0)
        if players not in PLAYERS or dealer not in range(players):
            raise ValueError(
                f"{players} players and dealer {dealer}; 2 to 5 players play, the dealer is one of them"
            )
        state = cls(options, players, dealer)
        state._place(position)
        state._check()
        if "phase" not in position:
            state.phase = "turn"
            state._check_turn()
            state._begin()
        return state

    @abstractmethod
    def _begin(self) -> None:
        """Start a turn: end what has ended, else see who is to decide."""

    @abstractmethod
    def _fitting(self) -> int:
        """`fits` of the pile."""

    def _place(self, position: Mapping[str, Any]) -> None:
        """Fill the zones from a position."""
        players = self.players
        none: list[Any] = [[]] * players
        self.phase = position.get("phase", "deal")
        self.turn = position.get("turn", self.turn)
        self.hands = [_read(hand) for hand in position.get("hands", none)]
        self.open = [_read(row) for row in position.get("open", none)]
        rows = [[*row, None, None, None][:ROW] for row in position.get("hidden", none)]
        self.hidden = tuple([NO_CARD if name is None else parse(name) for row in rows for name in row])
        self.slots = [sum(1 << slot for slot, name in enumerate(row) if name is not None) for row in rows]
        self.stock = tuple([parse(name) for name in position.get("stock", ())])
        self.pile = [parse(name) for name in position.get("pile", ())]
        self.fits = self._fitting()
        self.gone = _read(position.get(self.GONE, ()))
        self.known = [_read(cards) for cards in position.get("known", none)]
        self.chosen = tuple([_read(row or ()) for row in position.get("chosen", none)])
        self.out = tuple(position.get("out", ()))
        self.plies = position.get("plies", 0)

    def _check(self) -> None:
        by_seat = (self.hands, self.open, self.slots, self.known, self.chosen)
        if any(len(zone) != self.players for zone in by_seat):
            raise ValueError(f"hands, open, hidden, known and chosen must each have {self.players} rows")
        single = [*self.pile, *self.stock, *(card for card in self.hidden if card != NO_CARD)]
        masks = [*self.hands, *self.open, self.gone, *(1 << card for card in single)]
        everything = sum(masks)
        if everything.bit_count() != sum(zone.bit_count() for zone in masks) or everything > ANY:
            raise ValueError("a card stands in two places, or a joker in a deck that has none")
        if any(known & ~hand for known, hand in zip(self.known, self.hands, strict=True)):
            raise ValueError("known cards must be in the hand of their seat")
        self._check_phase()

    def _check_phase(self) -> None:
        if self.phase not in self.PHASES:
            raise ValueError(f"phase is {self.phase!r}; one of {', '.join(self.PHASES)} is expected")
        if self.phase in ("turn", "quad"):
            self._check_turn()
        if self.phase == self.CHOICE:
            self._check_choice()

    def _check_choice(self) -> None:
        for row, hand, laid in zip(self.chosen, self.hands, self.open, strict=True):
            if row and (row & ~(hand | laid) or row.bit_count() != ROW):
                raise ValueError("a chosen row must be three cards of the hand and the open row of its seat")
        if all(self.chosen):
            raise ValueError(f"in phase {self.phase} a row must still be chosen")

    def _check_turn(self) -> None:
        for seat in range(self.players):
            if (seat in self.out) == (self._cards_left(seat) > 0):
                raise ValueError(f"seat {seat} must either hold cards or stand in out")
        if self.turn in self.out and not self._decided():
            raise ValueError(f"turn is seat {self.turn}, which is out")

    @classmethod
    def _position_behind(cls, view: Mapping[str, Any], rng: Random) -> dict[str, Any]:
        """Make a position of a seat's view, with the unseen cards dealt at random."""
        seat, players = view["seat"], view["players"]
        seen = {*view["hand"], *view["pile"], *view[cls.GONE]}
        seen.update(*view["open"], *view["known"])
        unseen = [name for name in NAMES[: len(FULL_DECK)] if name not in seen]
        rng.shuffle(unseen)
        hands = [
            [*view["hand"]] if other == seat else [*known, *_pop(unseen, count - len(known))]
            for other, (known, count) in enumerate(zip(view["known"], view["hand_counts"], strict=True))
        ]
        hidden = [[unseen.pop() if filled else None for filled in row] for row in view["hidden_slots"]]
        position = {
            **{
                key: view[key]
                for key in ("players", "dealer", "phase", "open", "pile", "known", "out", "plies")
            },
            cls.GONE: view[cls.GONE],
            "turn": (view["dealer"] + 1) % players if view["turn"] is None else view["turn"],
            "hands": hands,
            "hidden": hidden,
            "stock": _pop(unseen, view["stock_count"]),
        }
        if view["phase"] == cls.CHOICE:
            position["chosen"] = cls._rows_before(seat, position, rng)
        return position

    @staticmethod
    def _rows_before(seat: int, position: Mapping[str, Any], rng: Random) -> list[list[str] | None]:
        """Rows that the seats asked before `seat` may have named, so that it is the one to act."""
        players = position["players"]
        first = position["dealer"] + 1
        return [
            rng.sample([*position["hands"][other], *position["open"][other]], ROW)
            if (other - first) % players < (seat - first) % players
            else None
            for other in range(players)
        ]


def _read(cards: Any) -> int:
    """Mask of a list of texts; a card that stands there twice is refused."""
    found = [parse(name) for name in cards]
    if len(set(found)) != len(found):
        raise ValueError(f"a card stands twice in {' '.join(cards)}")
    return mask(found)


def _pop(cards: list[str], count: int) -> list[str]:
    return [cards.pop() for _ in range(count)]
