"""Idiot: cards of one rank on a rising pile, tens and fours of a kind burn it, the last with cards loses.

S1..S24 are the rulings of `docs/games/idiot.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations
from random import Random
from typing import Any, Self

from arena.games.base import Game, average_ranks, each_for_himself
from arena.games.cards import (
    ANY,
    FULL_DECK,
    NAMES,
    NAMES_HELD,
    RANK_MASKS,
    RANKS,
    SEVEN,
    TEN,
    THREE,
    TWO,
    cards_in,
    listed,
    mask,
    names,
    text_table,
)
from arena.games.shedding import PLAYERS, ROW, SLOTS, Shedding, full_deck

ALWAYS = RANK_MASKS[TWO] | RANK_MASKS[TEN]

FITS = tuple(ANY if rank == TWO else ALWAYS | sum(RANK_MASKS[rank:]) for rank in range(len(RANKS)))
"""By rank of the top card: the cards that fit (S7, S8, S9)."""

SEVEN_LOW = ALWAYS | sum(RANK_MASKS[THREE : SEVEN + 1])
"""What fits on a 7 with the option seven_low (S18)."""


@dataclass(frozen=True, slots=True)
class Play:
    """Cards of one rank played together."""

    text: str
    cards: tuple[int, ...]
    """In canonical order, as they will lie on the pile."""
    mask: int


def _plays(cards: list[int]) -> list[Play]:
    """All non-empty sets of these cards, in canonical order (S23)."""
    sets = sorted(chosen for count in range(1, len(cards) + 1) for chosen in combinations(cards, count))
    return [Play(f"play {' '.join(NAMES[card] for card in chosen)}", chosen, mask(chosen)) for chosen in sets]


PLAYS = {
    f"play {' '.join(spelling)}": play
    for rank in RANK_MASKS
    for play in _plays(cards_in(rank))
    for spelling in permutations([NAMES[card] for card in play.cards])
}
"""Every spelling of every play: the cards may be named in any order."""

PLAYS_HELD = text_table(lambda cards: [play.text for play in _plays(cards)])

FLIPS = {f"flip {slot}": slot for slot in range(ROW)}

NO_PLAY = Play("", (), 1 << len(FULL_DECK))
"""Stands for what is no play: no zone holds its bit."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a league may choose."""

    rounds: int = field(default=1, metadata={"range": (1, 10)})
    """Rounds of a match; the places are added up (S19)."""
    seven_low: bool = False
    """Whether on a 7 only 7 or lower fits (S18)."""
    lowest_starts: bool = False
    """Whether the lowest card in a hand starts instead of the dealer's left (S6)."""
    max_plies: int = field(default=500, metadata={"range": (1, 100_000)})
    """Decisions of a round after which the cards left are counted (S22)."""


class Idiot(Shedding):
    """One match of Idiot."""

    __slots__ = ("round", "totals")

    NAME = "idiot"
    CHOICE = "swap"
    GONE = "burnt"
    OPTIONS = Options
    PHASES = ("deal", "swap", "turn", "over")

    def __init__(self, options: Options, players: int, dealer: int) -> None:
        super().__init__(options, players, dealer)
        self.round = 1
        self.totals = (0.0,) * players
        """By seat: the places of the finished rounds, added up."""

    def deal(self, deck: list[int]) -> list[str]:
        """Three rounds of blind cards, three of the open row, three of the hand (S1, S2)."""
        for seat, cards in enumerate(self._deal_rounds(deck)):
            self.open[seat] = mask(cards[ROW : 2 * ROW])
            self.hands[seat] = mask(cards[2 * ROW :])
        return []

    # Deciding

    def legal(self) -> list[str]:
        """List the actions in the order of the phase table."""
        if self.phase != "turn":
            return self._row_choices() if self.phase == "swap" else []
        zone = self.hands[self.turn] or self.open[self.turn]  # S13
        if not zone:
            return self._flips()
        actions = listed(zone & self.fits, PLAYS_HELD)
        if self.pile:
            actions.append("pickup")
        return actions

    def is_legal(self, action: object) -> bool:
        """Say exactly whether `play` would take it."""
        if self.phase == "swap":
            return self._row_named(action) != 0
        if self.phase != "turn" or not isinstance(action, str):
            return False
        zone = self.hands[self.turn] or self.open[self.turn]  # S13
        if not zone:
            return action in FLIPS and SLOTS[self.slots[self.turn]][FLIPS[action]]
        if action == "pickup":
            return bool(self.pile)
        cards = PLAYS.get(action, NO_PLAY).mask
        return cards & zone & self.fits == cards

    def fallback(self) -> str:
        """First legal action."""
        return self.legal()[0]

    def _fitting(self) -> int:
        """What fits on the pile (S7, S18)."""
        if not self.pile:
            return ANY
        rank = self.pile[-1] >> 2
        return SEVEN_LOW if rank == SEVEN and self.options.seven_low else FITS[rank]

    # Playing

    def play(self, action: str) -> list[str]:
        """Play for the seat to act; gives the events, or raises IllegalAction and changes nothing."""
        if self.phase == "swap":
            return self._name_row(action)
        if not self.is_legal(action):
            raise self._illegal(action, self.legal())
        self.plies += 1
        play = PLAYS.get(action)
        if play is not None:
            return self._play_cards(play)
        return self._pick_up() if action == "pickup" else self._flip(FLIPS[action])

    def _start(self) -> None:
        """The dealer's left starts, or by option who holds the lowest ordinary card (S5, S6)."""
        if self.options.lowest_starts:
            self.turn = min(self._from_left_of_dealer(), key=lambda seat: _lowest_rank(self.hands[seat]))
        self._begin()

    def _play_cards(self, play: Play) -> list[str]:
        seat = self.turn
        events = [f"{seat} {play.text}"]
        left = ~play.mask
        if self.hands[seat]:
            self.hands[seat] &= left
            self.known[seat] &= left
        else:
            self.open[seat] &= left
        self.pile += play.cards
        self._resolve(events)
        return events

    def _flip(self, slot: int) -> list[str]:
        """Turn a blind card over; a misfit goes to the hand with the pile (S15)."""
        seat = self.turn
        card = self.hidden[ROW * seat + slot]
        self.slots[seat] &= ~(1 << slot)
        if self.fits >> card & 1:
            events = [f"{seat} flip {slot} {NAMES[card]} ok"]
            self.pile.append(card)
            self._resolve(events)
            return events
        self._take_pile(seat, 1 << card)
        self._pass_turn()
        return [f"{seat} flip {slot} {NAMES[card]} fail"]

    def _resolve(self, events: list[str]) -> None:
        """Burn, refill, going out, and who is next, in this order (S14, S16)."""
        seat, burns = self.turn, self._burns()
        if burns:
            self._clear_pile()
            events.append("burn")
        else:
            self.fits = self._fitting()
        if self.hands[seat].bit_count() < ROW:
            self._refill(seat, events)
        goes_out = not self.hands[seat] and self._goes_out(seat, events)
        if goes_out or not burns:
            self._pass_turn()
        else:
            self._begin()

    def _burns(self) -> bool:
        """Whether a 10 or four of a kind lies on top (S9, S10)."""
        pile = self.pile
        rank = pile[-1] >> 2
        return rank == TEN or (
            len(pile) >= 4 and pile[-2] >> 2 == rank and pile[-3] >> 2 == rank and pile[-4] >> 2 == rank
        )

    # The end

    def _begin(self) -> None:
        """End the round when one player is left or the cap is reached (S17, S22)."""
        if len(self.out) >= self.players - 1 or self.plies >= self.options.max_plies:
            self._end_round()

    def _end_round(self) -> None:
        """Add the places up; the next dealer is one seat to the left (S17, S19, S21)."""
        self.totals = tuple(
            [total + place for total, place in zip(self.totals, self._ranking(), strict=True)]
        )
        if self.round == self.options.rounds:
            self.phase = "over"
            return
        self.round += 1
        self.dealer = (self.dealer + 1) % self.players
        self.phase = "deal"
        self._clear()

    def places(self) -> tuple[float, ...]:
        """Lowest sum of places first, equal sums share (S19, S20)."""
        assert self.over()
        return average_ranks(self.totals)

    def scores(self) -> tuple[float, ...]:
        """Sums of places so far: the lower, the better (S19)."""
        return self.totals

    # Copies, positions, views

    def clone(self) -> Self:
        """Copy that shares nothing mutable."""
        twin = super().clone()
        twin.round = self.round
        twin.totals = self.totals
        return twin

    def position(self) -> dict[str, Any]:
        """Whole truth as JSON values, every field."""
        return {**super().position(), "round": self.round, "totals": [*self.totals]}

    def _place(self, position: Mapping[str, Any]) -> None:
        super()._place(position)
        self.round = position.get("round", 1)
        self.totals = tuple(position.get("totals", self.totals))

    def view(self, seat: int) -> dict[str, Any]:
        """All that a seat may know."""
        options = self.options
        return {
            "game": "idiot",
            "players": self.players,
            "seat": seat,
            "dealer": self.dealer,
            "round": self.round,
            "rounds": options.rounds,
            "options": {
                "rounds": options.rounds,
                "seven_low": options.seven_low,
                "lowest_starts": options.lowest_starts,
                "max_plies": options.max_plies,
            },
            "phase": self.phase,
            "turn": self.turn if self.phase == "turn" else None,
            "hand": listed(self.hands[seat], NAMES_HELD),
            "open": [[*names(row)] for row in self.open],
            "hidden_slots": [[*SLOTS[filled]] for filled in self.slots],
            "hand_counts": [hand.bit_count() for hand in self.hands],
            "stock_count": len(self.stock) - self.drawn,
            "pile": [NAMES[card] for card in self.pile],
            "burnt": [*names(self.gone)],
            "known": [listed(cards, NAMES_HELD) for cards in self.known],
            "out": [*self.out],
            "totals": [*self.totals],
            "plies": self.plies,
            "max_plies": options.max_plies,
        }

    @classmethod
    def from_view(cls, view: Mapping[str, Any], rng: Random) -> Self:
        """A state consistent with one seat's view, the unseen cards dealt at random."""
        position = cls._position_behind(view, rng)
        position |= {key: view[key] for key in ("options", "round", "totals")}
        return cls.from_position(position)


def _lowest_rank(hand: int) -> int:
    """Rank of the lowest card that is neither 2 nor 10; above all ranks when there is none (S6)."""
    return next((card >> 2 for card in cards_in(hand & ~ALWAYS)), len(RANKS))


GAME = Game(
    name="idiot",
    players=PLAYERS,
    options=Options,
    sides=each_for_himself,
    deck=full_deck,
    new=Idiot,
    from_position=Idiot.from_position,
    from_view=Idiot.from_view,
)
