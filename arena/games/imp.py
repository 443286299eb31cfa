"""IMP: one card at a time on a rising pile, six ranks that bend the rule, quads at any time.

I1..I35 are the rulings of `docs/games/imp.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from arena.games.base import Game, each_for_himself
from arena.games.cards import (
    ANY,
    EIGHT,
    FIVE,
    FOUR,
    NAMES,
    NAMES_HELD,
    RANK_MASKS,
    RANKS,
    SEVEN,
    SIX,
    TEN,
    THREE,
    TWO,
    cards_in,
    listed,
    names,
    text_table,
)
from arena.games.shedding import PLAYERS, ROW, SLOTS, Shedding, full_deck

ALWAYS = RANK_MASKS[TWO] | RANK_MASKS[THREE] | RANK_MASKS[FOUR] | RANK_MASKS[TEN]
UNDER_SEVEN = RANK_MASKS[FIVE] | RANK_MASKS[SIX] | RANK_MASKS[SEVEN]

FITS = tuple(
    ALWAYS | (UNDER_SEVEN if rank == SEVEN else sum(RANK_MASKS[rank:])) for rank in range(len(RANKS))
)
"""By effective rank: the cards that fit (I6, I13)."""

FIRST_SUIT = sum(1 << 4 * rank for rank in range(len(RANKS)))

Move = tuple[str, int]

MOVES: dict[str, Move] = {
    **{f"play {name}": ("play", card) for card, name in enumerate(NAMES[:52])},
    **{f"flip {slot}": ("flip", slot) for slot in range(ROW)},
    **{f"quad {rank}": ("quad", number) for number, rank in enumerate(RANKS)},
    "pickup": ("pickup", 0),
    "pass": ("pass", 0),
}
"""Every action but `open`, as verb and what it names: a card, a slot, a rank."""

PLAYS_HELD = text_table(lambda cards: [f"play {NAMES[card]}" for card in cards])

NO_MOVE: Move = ("", 0)


@dataclass(frozen=True, slots=True)
class Options:
    """What a league may choose."""

    play_on: bool = True
    """Whether the others go on after the first has gone out (I25)."""
    max_plies: int = field(default=500, metadata={"range": (1, 100_000)})
    """Regular decisions after which the cards left are counted (I33)."""


def quads(hand: int) -> int:
    """Ranks of which a hand holds all four, as a mask of their first cards (I26)."""
    pairs = hand & hand >> 1
    return pairs & pairs >> 2 & FIRST_SUIT


class Imp(Shedding):
    """One match of IMP."""

    __slots__ = ("asked", "dir")

    NAME = "imp"
    CHOICE = "setup"
    GONE = "graveyard"
    OPTIONS = Options
    PHASES = ("deal", "setup", "quad", "turn", "over")

    def __init__(self, options: Options, players: int, dealer: int) -> None:
        super().__init__(options, players, dealer)
        self.dir = 1
        self.asked: int | None = None
        """In the quad window: the seat asked. All before it, counted from `turn`, passed or hold no quad."""

    def deal(self, deck: list[int]) -> list[str]:
        """Three rounds of hidden cards, six of the hand (I3)."""
        for seat, cards in enumerate(self._deal_rounds(deck)):
            self.hands[seat] = sum([1 << card for card in cards[ROW:]])
        return []

    # Deciding

    def to_act(self) -> int | None:
        """Seat to ask next; in the quad window the one who may lay a quad."""
        if self.phase == "turn":
            return self.turn
        return self.asked if self.phase == "quad" else super().to_act()

    def legal(self) -> list[str]:
        """List the actions in the order of the phase table."""
        if self.phase == "turn":
            zone = self.hands[self.turn] or self.open[self.turn]  # I19, I35
            return listed(zone & self.fits, PLAYS_HELD) or ["pickup"] if zone else self._flips()
        if self.phase == "setup":
            return self._row_choices()
        if self.asked is not None:
            return [*[f"quad {RANKS[card >> 2]}" for card in cards_in(quads(self.hands[self.asked]))], "pass"]
        return []

    def is_legal(self, action: object) -> bool:
        """Say exactly whether `play` would take it."""
        if self.phase == "setup":
            return self._row_named(action) != 0
        return isinstance(action, str) and self._takes(*MOVES.get(action, NO_MOVE))

    def _takes(self, verb: str, what: int) -> bool:
        if self.phase == "turn":
            zone = self.hands[self.turn] or self.open[self.turn]  # I19, I35
            if not zone:
                return verb == "flip" and SLOTS[self.slots[self.turn]][what]
            fitting = zone & self.fits
            return bool(fitting >> what & 1) if verb == "play" else verb == "pickup" and not fitting
        if self.asked is None:
            return False
        return verb == "pass" or (verb == "quad" and bool(quads(self.hands[self.asked]) >> 4 * what & 1))

    def fallback(self) -> str:
        """Pass in the quad window, else the first legal action."""
        return "pass" if self.phase == "quad" else self.legal()[0]

    def _effective(self) -> int | None:
        """Rank of the topmost card that is not a 3 (I11, I15)."""
        for card in reversed(self.pile):
            if card >> 2 != THREE:
                return card >> 2
        return None

    def _fitting(self) -> int:
        """What fits on the pile (I6, I11, I13, I15)."""
        rank = self._effective()
        return ANY if rank is None else FITS[rank]

    # Playing

    def play(self, action: str) -> list[str]:
        """Play for the seat to act; gives the events, or raises IllegalAction and changes nothing."""
        if self.phase == "setup":
            return self._name_row(action)
        verb, what = MOVES.get(action, NO_MOVE) if isinstance(action, str) else NO_MOVE
        if not self._takes(verb, what):
            raise self._illegal(action, self.legal())
        if verb == "pass":
            self._pass()
            return []
        if verb == "quad":
            return self._lay_quad(what)
        self.plies += 1
        if verb == "play":
            return self._play_card(what)
        return self._pick_up() if verb == "pickup" else self._flip(what)

    def _play_card(self, card: int) -> list[str]:
        seat = self.turn
        events = [f"{seat} play {NAMES[card]}"]
        left = ~(1 << card)
        if self.hands[seat]:
            self.hands[seat] &= left
            self.known[seat] &= left
        else:
            self.open[seat] &= left
        self._resolve(card, events)
        return events

    def _flip(self, slot: int) -> list[str]:
        """Turn a hidden card over for all to see, then test it (I22)."""
        seat = self.turn
        card = self.hidden[ROW * seat + slot]
        self.slots[seat] &= ~(1 << slot)
        if self.fits >> card & 1:
            events = [f"{seat} flip {slot} {NAMES[card]} ok"]
            self._resolve(card, events)
            return events
        self._take_pile(seat, 1 << card)
        self._pass_turn()
        return [f"{seat} flip {slot} {NAMES[card]} fail"]

    def _resolve(self, card: int, events: list[str]) -> None:
        """What a card does, the refill, going out, and who is next, in this order."""
        seat, rank = self.turn, card >> 2
        if rank == FOUR:  # I12
            self.gone |= 1 << card
        else:
            self.pile.append(card)
            if rank != THREE:  # I11
                self.fits = FITS[rank]
        if rank in (TWO, TEN):  # I8, I10
            self._clear_pile()
        elif rank == EIGHT:  # I14
            self.dir = -self.dir
            events.append(f"dir {self.dir}")
        if self.hands[seat].bit_count() < ROW:
            self._refill(seat, events)  # before an extra turn: I9
        goes_out = not self.hands[seat] and self._goes_out(seat, events)
        if goes_out or rank != TWO:  # I24
            self._pass_turn()
        else:
            self._begin()

    def _pass_turn(self) -> None:
        if self.out:
            self.turn = self._next_active(self.turn, self.dir)
        else:
            self.turn = (self.turn + self.dir) % self.players
        self._begin()

    # The quad window

    def _begin(self) -> None:
        """End what has ended, else open the quad window before the regular decision (I27, I33)."""
        if self.plies >= self.options.max_plies or (self.out and self._decided()):
            self.phase, self.asked = "over", None
        else:
            self._ask_from(self.turn)

    def _decided(self) -> bool:
        return len(self.out) >= (self.players - 1 if self.options.play_on else 1)

    def _ask_from(self, seat: int) -> None:
        """Ask the first holder of a quad from this seat round to the mover; with none, the turn (I29)."""
        for _ in range((self.turn - seat) * self.dir % self.players or self.players):
            hand = self.hands[seat]
            if hand.bit_count() >= 4 and quads(hand):
                self.phase, self.asked = "quad", seat
                return
            seat = (seat + self.dir) % self.players
        self.phase, self.asked = "turn", None

    def _pass(self) -> None:
        assert self.asked is not None
        after = (self.asked + self.dir) % self.players
        if after == self.turn:
            self.phase, self.asked = "turn", None
        else:
            self._ask_from(after)

    def _lay_quad(self, rank: int) -> list[str]:
        """Four cards to the graveyard and no effect of theirs (I28, I30); may win (I31)."""
        seat = self.asked
        assert seat is not None
        events = [f"{seat} quad {RANKS[rank]}"]
        four = RANK_MASKS[rank]
        self.hands[seat] &= ~four
        self.known[seat] &= ~four
        self.gone |= four
        self._refill(seat, events)
        if self._goes_out(seat, events) and seat == self.turn:
            self.turn = self._next_active(seat, self.dir)
        self._begin()
        return events

    # The end

    def places(self) -> tuple[float, ...]:
        """In the order of going out; the others share, or by fewest cards at the cap (I25, I33)."""
        assert self.over()
        return self._ranking()

    def scores(self) -> tuple[float, ...]:
        """Match points, from 1.0 for the first to 0.0 for the last."""
        return tuple((self.players - place) / (self.players - 1) for place in self.places())

    # Copies, positions, views

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        twin = super().clone()
        twin.dir = self.dir
        twin.asked = self.asked
        return twin

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values, every field."""
        return {**super().position(), "dir": self.dir, "asked": self.asked}

    def _place(self, position: Mapping[str, Any]) -> None:
        super()._place(position)
        self.dir = position.get("dir", 1)
        self.asked = position.get("asked")
        if (self.phase == "quad") != (self.asked in range(self.players)):
            raise ValueError(
                f"asked is {self.asked} in phase {self.phase}; in phase quad alone a seat is asked"
            )

    def view(self, seat: int) -> dict[str, Any]:
        """All that a seat may know. Only the seat asked learns that a quad window is open."""
        phase, effective = self.phase, self._effective()
        if phase == "quad" and seat != self.asked:
            phase = "turn"
        return {
            "game": "imp",
            "players": self.players,
            "seat": seat,
            "dealer": self.dealer,
            "phase": phase,
            "turn": self.turn if phase in ("turn", "quad") else None,
            "dir": self.dir,
            "hand": listed(self.hands[seat], NAMES_HELD),
            "open": [[*names(row)] for row in self.open],
            "hidden_slots": [[*SLOTS[filled]] for filled in self.slots],
            "hand_counts": [hand.bit_count() for hand in self.hands],
            "stock_count": len(self.stock) - self.drawn,
            "pile": [NAMES[card] for card in self.pile],
            "effective": None if effective is None else RANKS[effective],
            "graveyard": [*names(self.gone)],
            "known": [listed(cards, NAMES_HELD) for cards in self.known],
            "out": [*self.out],
            "plies": self.plies,
            "max_plies": self.options.max_plies,
        }

    @classmethod
    def from_view(cls, view: Mapping[str, Any], rng: Random) -> Self:
        """A state consistent with one seat's view, the unseen cards dealt at random.

        A view does not tell `play_on`; a caller that needs it adds the "options" of the match to the view.
        """
        position = cls._position_behind(view, rng)
        position["options"] = {**view.get("options", {}), "max_plies": view["max_plies"]}
        position["dir"] = view["dir"]
        position["asked"] = view["seat"] if view["phase"] == "quad" else None
        return cls.from_position(position)


GAME = Game(
    name="imp",
    players=PLAYERS,
    options=Options,
    sides=each_for_himself,
    deck=full_deck,
    new=Imp,
    from_position=Imp.from_position,
    from_view=Imp.from_view,
)
