"""Cards and views as lines of text. Pure: a view, what may be done and what happened go in, lines come out.

Which field of a view stands where is the table `ZONES`. A field that is not in it is placed by its shape, so
that a new game can be played before anybody has thought of its words.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import groupby
from typing import Any

import click
import msgspec

from arena import grid
from arena.cli import rules, screen
from arena.cli.words import ORDERS, QUESTIONS, VALUES, Order, parts, worded
from arena.games.cards import CARDS, SUITS
from arena.model import Question

GLYPHS = dict(zip(SUITS, "♣♦♥♠", strict=True))
RED = "dh"
BACK, EMPTY = "??", "--"
LABEL = 9
"""Columns at the left, at least, where it is said what a line holds."""
LONGEST_LABEL = 22
NAME = 14
"""Columns of a bot's name."""
NOBODY = -1
"""The seat of whoever only watches: none is called you."""
ROWS = 5
"""Lines that the actions under one verb take, as long as `more` was not typed."""
EVENTS = 10
"""Sentences of what happened that are shown above the table."""


class Shape(Enum):
    """How a field of a view is shown."""

    SKIP = auto()
    """Not at all, but to who asks for more."""
    FACT = auto()
    """With its word, on the line of facts."""
    SEAT = auto()
    """A fact that is a seat."""
    COUNT = auto()
    """A fact: how many cards there are."""
    COLUMN = auto()
    """By seat or by side: short values, as a column of the table of seats."""
    ROW = auto()
    """By seat: few cards, as a column."""
    BACKS = auto()
    """By seat: which cards lie there, face down."""
    ORDER = auto()
    """Seats in the order in which they finished: as a column."""
    HELD = auto()
    """By seat: any number of cards, on lines of their own."""
    PILE = auto()
    """Cards on a line, the last one on top."""
    PLAYS = auto()
    """Cards on a line, each with the seat that played it."""
    MELDS = auto()
    """By side: melds, on lines of their own."""


class Zone(msgspec.Struct, frozen=True):
    """A field of a view on the screen."""

    shape: Shape
    word: str = ""
    means: str = ""
    """For the help: what is not plain from the word."""


SKIPPED = Zone(Shape.SKIP)

ZONES = {
    "game": SKIPPED,
    "mode": SKIPPED,
    "players": SKIPPED,
    "seat": SKIPPED,
    "side": SKIPPED,
    "hand": SKIPPED,
    "phase": SKIPPED,
    "turn": SKIPPED,
    "turns": SKIPPED,
    "leader": SKIPPED,
    "rounds": SKIPPED,
    "options": SKIPPED,
    "plies": SKIPPED,
    "max_plies": SKIPPED,
    "honour_to": SKIPPED,
    "played": SKIPPED,
    "revokes": SKIPPED,
    "dealer": Zone(Shape.SEAT, "dealer"),
    "round": Zone(Shape.FACT, "round"),
    "deal": Zone(Shape.FACT, "deal"),
    "dir": Zone(Shape.FACT, "direction", "clockwise is downwards in the list of seats"),
    "trump": Zone(Shape.FACT, "trumps"),
    "turned": Zone(Shape.FACT, "turned up"),
    "effective": Zone(Shape.FACT, "to beat", "the rank that counts: a 3 is looked through"),
    "stock_count": Zone(Shape.FACT, "stock", "cards left to draw"),
    "packets_left": Zone(Shape.FACT, "packets"),
    "burnt": Zone(Shape.COUNT, "burnt", "cards out of play"),
    "graveyard": Zone(Shape.COUNT, "graveyard", "cards out of play"),
    "target": Zone(Shape.FACT, "target", "points that win"),
    "barred": Zone(Shape.FACT, "not to be discarded"),
    "hand_counts": Zone(Shape.COLUMN, "hand", "how many cards"),
    "open": Zone(Shape.ROW, "open row", "played when the hand is empty"),
    "hidden_slots": Zone(Shape.BACKS, "hidden", "cards that nobody has seen; the last to be played"),
    "won": Zone(Shape.COLUMN, "tricks"),
    "honours": Zone(Shape.COLUMN, "honours"),
    "imperials": Zone(Shape.COLUMN, "imperials"),
    "totals": Zone(Shape.COLUMN, "places", "of the rounds before, added up"),
    "scores": Zone(Shape.COLUMN, "score"),
    "taken": Zone(Shape.COLUMN, "packet", "whether it was taken"),
    "revoked": Zone(Shape.COLUMN, "revoked"),
    "out": Zone(Shape.ORDER, "out"),
    "known": Zone(Shape.HELD, "holds", "cards that everybody saw go to a hand"),
    "melds": Zone(Shape.MELDS, "melds", "the number before a meld is the one to add to"),
    "pile": Zone(Shape.PILE, "pile", "the card at the right lies on top"),
    "discard": Zone(Shape.PILE, "pile", "the card at the right lies on top"),
    "trick": Zone(Shape.PLAYS, "trick"),
    "must_use": Zone(Shape.PILE, "lay one", "cards that you took, of which one has to be laid at once"),
}
"""Every field of the views of our games."""

COLUMNS = (Shape.COLUMN, Shape.ROW, Shape.BACKS, Shape.ORDER)
FACTS = (Shape.FACT, Shape.SEAT, Shape.COUNT)


class Table(msgspec.Struct, frozen=True):
    """What does not change during a match."""

    game: str
    names: tuple[str, ...]
    """By seat, safe to show."""
    sides: tuple[tuple[int, ...], ...]
    seat: int
    """Whose screen it is; may be `NOBODY`."""
    agreed: str = ""
    """Options that are not the usual ones."""


class Look(msgspec.Struct, frozen=True):
    """How things are drawn."""

    columns: int
    colour: bool
    """Suits as glyphs, cards on white; else letters."""

    def card(self, name: str) -> str:
        """A card, or a suit alone, within a sentence."""
        if not self.colour:
            return name
        text = _face(name)
        return click.style(text, fg="red") if name[-1] in RED else text

    def tile(self, name: str, *, dim: bool = False) -> str:
        """A card that lies on the table or in a hand; a dim one cannot be played now."""
        if not self.colour:
            return name
        red = name[-1] in RED
        ink = ("bright_red" if red else "white") if dim else ("red" if red else "black")
        return click.style(f"{_face(name):>3} ", fg=ink, bg="bright_black" if dim else "bright_white")

    def back(self, *, filled: bool) -> str:
        """A card face down, or the place where one was."""
        if not self.colour:
            return BACK if filled else EMPTY
        return click.style(" ░░ ", fg="bright_white", bg="blue") if filled else click.style(" -- ", dim=True)

    def soft(self, text: str) -> str:
        """A word that helps, beside what counts."""
        return click.style(text, fg="cyan") if self.colour else text

    def loud(self, text: str) -> str:
        """What counts."""
        return click.style(text, bold=True) if self.colour else text


def _face(name: str) -> str:
    if name in CARDS and name[-1] in GLYPHS:
        return name[:-1].replace("T", "10") + GLYPHS[name[-1]]
    return GLYPHS.get(name, name)


def frame(
    question: Question, told: Sequence[str], table: Table, look: Look, *, more: bool = False
) -> list[str]:
    """Draw the whole screen for one decision; with `more` nothing is shortened and no field left out."""
    view, legal = question.view, question.legal
    sections = [
        [title(table, look)],
        happened(told, look, most=len(told) if more else EVENTS),
        seats(view, table, look),
        [*labelled(zones(view, table, look), look), *facts(view, table, look)],
        labelled(others(view, table, look), look) if more else [],
        labelled(hand(question, table, look), look),
        actions(legal, look, rows=None if more else ROWS),
    ]
    return [line for lines in sections if lines for line in [*lines, ""]][:-1]


def title(table: Table, look: Look) -> str:
    """Which game it is, and what was agreed."""
    agreed = f", {table.agreed}" if table.agreed else ""
    text = grid.clipped(f"{table.game.upper()}, {len(table.names)} players{agreed}", look.columns - 4)
    return look.loud(text) + " " + look.soft("─" * (look.columns - grid.cells(text) - 1))


def happened(told: Sequence[str], look: Look, *, most: int = EVENTS) -> list[str]:
    """What was told since the last decision, the newest last."""
    left = len(told) - most
    lines = [look.soft(f"  ... {left} more before that")] if left > 0 else []
    for sentence in told[-most:] if most else ():
        lines += screen.flow(sentence.split(" "), look.columns, first="  ", rest="    ")
    return lines


def drawn(before: Sequence[str], now: Sequence[str], look: Look) -> list[str]:
    """A sentence for the cards that came to a hand, which no event names; none where all are new."""
    fresh = (Counter(now) - Counter(before)).elements()
    cards = " ".join(map(look.card, fresh)) if before else ""
    return [f"new in your hand: {cards}"] if cards and Counter(now) & Counter(before) else []


# Seats


def seats(view: Mapping[str, Any], table: Table, look: Look) -> list[str]:
    """One row for each seat, from your left round to you."""
    columns = {
        zone.word: cells
        for key, zone in zoned(view, table, COLUMNS)
        if any(cells := column(view[key], zone.shape, table, look))
    }
    if len(table.sides) < len(table.names):
        columns = {"side": [_side(seat, table) for seat in range(len(table.names))], **columns}
    players = len(table.names)
    order = [(table.seat + step) % players for step in range(1, players + 1)]
    marks = [look.loud(">") if view.get("turn") == seat else " " for seat in range(players)]
    rows = [
        [marks[seat], look.loud(table.names[seat]) if seat == table.seat else table.names[seat]]
        + [cells[seat] for cells in columns.values()]
        for seat in order
    ]
    right = frozenset(
        place for place, cells in enumerate(columns.values(), 2) if all(cell.isdecimal() for cell in cells)
    )
    lines = screen.grid([[" ", " ", *map(look.soft, columns)], *rows], right=right)
    if max(map(grid.cells, lines)) <= look.columns:
        return lines
    return _narrow(rows, list(columns), order, look)


def _narrow(rows: list[list[str]], heads: list[str], order: list[int], look: Look) -> list[str]:
    """The seats where a table is too wide: a paragraph for each."""
    return [
        line
        for row, _ in zip(rows, order, strict=True)
        for line in screen.flow(
            [f"{look.soft(head)} {cell}" for head, cell in zip(heads, row[2:], strict=True) if cell],
            look.columns,
            first=f"{row[0]} {row[1]}: ",
            rest="    ",
            gap=3,
        )
    ]


def _side(seat: int, table: Table) -> str:
    number = side_of(seat, table)
    if table.seat == NOBODY:
        return str(number)
    return "yours" if number == side_of(table.seat, table) else "theirs"


def side_of(seat: int, table: Table) -> int:
    """Number of a seat's side."""
    return next(number for number, side in enumerate(table.sides) if seat in side)


def column(value: Any, shape: Shape, table: Table, look: Look) -> list[str]:
    """Cells by seat; all empty when there is nothing to tell."""
    players = range(len(table.names))
    if shape is Shape.ORDER:
        return [str(value.index(seat) + 1) if seat in value else "" for seat in players]
    if value is None or not any(value):
        return [""] * len(players)
    if len(value) == len(table.sides) < len(players):
        value = [next(value[side] for side, own in enumerate(table.sides) if seat in own) for seat in players]
    draw: dict[Shape, Callable[[Any, Look], str]] = {Shape.BACKS: _backs, Shape.ROW: _row}
    return [
        draw[shape](value[seat], look) if shape in draw else _short(value[seat], look) for seat in players
    ]


def _backs(slots: Sequence[bool], look: Look) -> str:
    return " ".join(look.back(filled=filled) for filled in slots)


def _row(cards: Sequence[str], look: Look) -> str:
    return " ".join(look.tile(card) for card in cards)


def _short(value: Any, look: Look) -> str:
    if isinstance(value, bool) or value is None:
        return "yes" if value else ""
    if isinstance(value, list | tuple):
        return " ".join(_short(each, look) for each in value)
    return worded(f"{value:g}" if isinstance(value, float) else str(value), look.card)


# What lies on the table


class Line(msgspec.Struct, frozen=True):
    """Pieces beside a word that says what they are."""

    label: str
    pieces: tuple[str, ...]
    gap: int = 1


def labelled(lines: Sequence[Line], look: Look) -> list[str]:
    """Lines as text, their pieces below each other."""
    labels = [grid.clipped(line.label, LONGEST_LABEL) for line in lines]
    indent = max([LABEL, *(grid.cells(label) + 4 for label in labels)])
    return [
        text
        for line, label in zip(lines, labels, strict=True)
        for text in screen.flow(
            line.pieces,
            look.columns,
            first=screen.padded("  " + look.soft(label), indent),
            rest=" " * indent,
            gap=line.gap,
        )
    ]


def zoned(view: Mapping[str, Any], table: Table, shapes: Collection[Shape]) -> Iterator[tuple[str, Zone]]:
    """Fields of the view that are shown in one of these shapes, in the order of the table of zones."""
    order = list(ZONES)
    for key in sorted(view, key=lambda key: order.index(key) if key in ZONES else len(order)):
        zone = ZONES.get(key) or Zone(guessed(view[key], len(table.names)), key.replace("_", " "))
        if zone.shape in shapes:
            yield key, zone


def guessed(value: Any, players: int) -> Shape:
    """How a field is shown that nobody has named."""
    if not isinstance(value, list):
        return Shape.SKIP if isinstance(value, dict) else Shape.FACT
    if value and all(_is_card(each) for each in value):
        return Shape.PILE
    if len(value) != players or any(isinstance(each, dict) for each in value):
        return Shape.SKIP
    if any(isinstance(each, list) for each in value):
        held = all(isinstance(each, list) and all(map(_is_card, each)) for each in value)
        return Shape.HELD if held else Shape.SKIP
    return Shape.COLUMN


def _is_card(value: Any) -> bool:
    return isinstance(value, str) and value in CARDS


def zones(view: Mapping[str, Any], table: Table, look: Look) -> list[Line]:
    """Melds, tricks and piles, and what is known of the hands."""
    draw: dict[Shape, Draw] = {
        Shape.MELDS: _melds,
        Shape.HELD: _held,
        Shape.PLAYS: _plays,
        Shape.PILE: _pile,
    }
    return [
        line
        for shape, lines in draw.items()
        for key, zone in zoned(view, table, (shape,))
        for line in lines(zone.word, view[key], table, look)
    ]


Draw = Callable[[str, Any, Table, Look], list[Line]]


def _pile(word: str, cards: Sequence[str], _table: Table, look: Look) -> list[Line]:
    if not cards:
        return [Line(word, ("empty",))] if word == "pile" else []
    *under, top = cards
    return [Line(f"{word} {len(cards)}", (*map(look.card, under), look.tile(top)))]


def _plays(word: str, plays: Sequence[Sequence[Any]], table: Table, look: Look) -> list[Line]:
    pieces = [f"{table.names[seat]} {look.tile(card)}" for seat, card in plays]
    return [Line(word, tuple(pieces or ["empty" if table.seat == NOBODY else "you lead"]), gap=3)]


def _held(word: str, held: Sequence[Sequence[str]], table: Table, look: Look) -> list[Line]:
    return [
        Line(f"{table.names[seat]} {word}", tuple(map(look.card, cards)))
        for seat, cards in enumerate(held)
        if cards and table.seat not in (seat, NOBODY)
    ]


def _melds(word: str, melds: Sequence[Sequence[Mapping[str, Any]]], table: Table, look: Look) -> list[Line]:
    """Those of your side last, next to your hand."""
    own = None if table.seat == NOBODY else side_of(table.seat, table)
    whose = {side: "your" if side == own else "their" for side in range(len(melds))}
    if own is None:
        whose = {number: f"{table.names[side[0]]}'s" for number, side in enumerate(table.sides)}
    return [
        Line("" if number else f"{whose[side]} {word}", _meld(number, meld, look))
        for side in sorted(range(len(melds)), key=lambda side: side == own)
        for number, meld in enumerate(melds[side])
    ]


def _meld(number: int, meld: Mapping[str, Any], look: Look) -> tuple[str, ...]:
    title = str(meld.get("class") or "").replace("_", " ")
    return (look.soft(f"{number}:"), *map(look.card, meld["cards"]), *([look.loud(title)] if title else ()))


def facts(view: Mapping[str, Any], table: Table, look: Look) -> list[str]:
    """What can be said in a word."""
    pieces = [
        f"{look.soft(zone.word)} {_fact(key, view[key], zone.shape, table, look)}"
        for key, zone in zoned(view, table, FACTS)
        if view[key] is not None
    ]
    return screen.flow(pieces, look.columns, first="  ", rest="  ", gap=3) if pieces else []


def _fact(key: str, value: Any, shape: Shape, table: Table, look: Look) -> str:
    if shape is Shape.SEAT:
        return table.names[int(value)]
    if shape is Shape.COUNT:
        return str(len(value))
    return VALUES.get((key, value)) or _short(value, look)


def others(view: Mapping[str, Any], table: Table, look: Look) -> list[Line]:
    """Every field that stands nowhere else."""
    return [
        Line(key, _pieces(value, table, look))
        for key, value in view.items()
        if key != "hand" and ZONES.get(key, SKIPPED).shape in (Shape.SKIP, Shape.COUNT)
    ]


def _pieces(value: Any, table: Table, look: Look) -> tuple[str, ...]:
    """Cards, or cards with who played them, as such; anything else as it is."""
    if isinstance(value, list) and value and all(map(_is_card, value)):
        return tuple(map(look.card, value))
    if isinstance(value, list) and value and all(_is_play(each, table) for each in value):
        return tuple(f"{table.names[seat]} {look.card(card)}," for seat, card in value)
    return tuple(json.dumps(value).split(" "))


def _is_play(value: Any, table: Table) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and value[0] in range(len(table.names))
        and _is_card(value[1])
    )


# What you have, and what you may do


def sorted_hand(cards: Iterable[str], order: Order, trump: str | None = None) -> list[list[str]]:
    """Cards as one holds them, in the groups that stand together, trumps at the right."""
    colours = "cdsh"  # they alternate
    turned = colours.find(trump or colours[-1]) + 1
    suits = colours[turned:] + colours[:turned]

    def suit(card: str) -> int:
        return suits.find(card[-1])  # a joker stands before all

    def rank(card: str) -> int:
        return order.ranks.find(card[0])

    if not order.by_suit:
        return [sorted(cards, key=lambda card: (rank(card), suit(card)))]
    return [list(group) for _, group in groupby(sorted(cards, key=lambda c: (suit(c), rank(c))), key=suit)]


def hand(question: Question, table: Table, look: Look) -> list[Line]:
    """Own cards, those that cannot be played now dimmed."""
    view = question.view
    if "hand" not in view:
        return []
    playable = {word for action in question.legal for word in action.split(" ")}
    groups = sorted_hand(view["hand"], ORDERS.get(table.game, Order()), view.get("trump"))
    pieces = [
        look.tile(card, dim=card not in playable) + " " * (number == len(group))
        for group in groups
        for number, card in enumerate(group, 1)
    ]
    return [Line(f"hand {len(view['hand'])}", tuple(pieces or ["empty"]))]


def arranged(question: Question, table: Table) -> tuple[str, ...]:
    """Legal actions in the order in which they are numbered: by verb, then as the cards stand in the hand."""
    groups = sorted_hand(
        question.view.get("hand", ()), ORDERS.get(table.game, Order()), question.view.get("trump")
    )
    cards = [card for group in groups for card in group]
    heads = list(dict.fromkeys(parts(action)[0] for action in question.legal))

    def place(action: str) -> tuple[int, list[int]]:
        named = [card for card in action.split(" ") if card in CARDS]
        return heads.index(parts(action)[0]), [cards.index(card) if card in cards else -1 for card in named]

    return tuple(sorted(question.legal, key=place))


def actions(legal: Sequence[str], look: Look, *, rows: int | None = ROWS) -> list[str]:
    """Every action with its number, those of a verb together; at most so many lines each."""
    found: dict[str, list[str]] = {}
    for number, action in enumerate(legal, 1):
        head, item = parts(action)
        piece = f"{look.soft(f'{number:>{len(str(len(legal)))}})')} {worded(item, look.card)}"
        found.setdefault(head if item else action, []).append(piece)
    indent = max([LABEL, *(len(head) + 3 for head in found)])
    return [line for head, pieces in found.items() for line in _verb(head, pieces, look, indent, rows)]


def _verb(head: str, pieces: list[str], look: Look, indent: int, rows: int | None) -> list[str]:
    size = max(map(grid.cells, pieces))
    across = max(1, (look.columns - indent + 2) // (size + 2))
    most = len(pieces) if rows is None else rows * across
    lines = [
        "  ".join(screen.padded(piece, size) for piece in pieces[start : start + across]).rstrip()
        for start in range(0, min(most, len(pieces)), across)
    ]
    if len(pieces) > most:
        lines.append(look.soft(f"and {len(pieces) - most} more: type the cards, or more to see all"))
    firsts = [screen.padded("  " + look.loud(head), indent), *[" " * indent] * len(lines)]
    return [first + line for first, line in zip(firsts, lines, strict=False)]


def asked(question: Question) -> str:
    """Say what is to be decided, and what may be typed."""
    numbers = "1" if len(question.legal) == 1 else f"1-{len(question.legal)}"
    return f"{QUESTIONS.get(question.view.get('phase', ''), 'Your move.')} [{numbers} or ?]"


# Help


def guide(question: Question, table: Table, look: Look, page: str) -> list[str]:
    """How to play, how to type, and what is what on the screen."""
    match = rules.section(page, "A match")
    return [
        *rules.readable(rules.opening(page).split("\n\n")[0] + "\n\n" + match, look.columns),
        "",
        look.loud("How to type"),
        *keys(question.legal, look),
        "",
        look.loud("What is what"),
        *legend(question.view, table, look),
    ]


def keys(legal: Sequence[str], look: Look) -> list[str]:
    """What may be typed, with an action of the moment."""
    action = max(legal, key=len)
    head, item = parts(action)
    rows = {
        "a number": "the action that stands behind it",
        f"{head} {item}".strip().lower(): "an action itself: in any case, cards in any order",
        (item or head).lower(): "the verb may be left out, a word shortened, as long as it is clear",
    }
    if item.split(" ")[0] in CARDS:
        rows["10h, Th"] = "a ten; suits are c d h s: clubs, diamonds, hearts, spades; Jk is a joker"
    rows |= {
        "more": "the table with all actions and all that you may know",
        "log": "what happened so far",
        "rules": "all of the rules",
        "Enter": "the table again",
        "q": "leave the table; Ctrl-C and Ctrl-D do, too",
    }
    return _explained(rows, look)


def legend(view: Mapping[str, Any], table: Table, look: Look) -> list[str]:
    """Signs and words of this game's table."""
    rows = {
        ">": "whose turn it is",
        look.tile("9h"): "a card" + (" that you can play; a dark one you cannot now" if look.colour else ""),
        look.back(filled=True): "a card face down",
        look.back(filled=False): "where one was",
    }
    means = {zone.word: zone.means for _, zone in zoned(view, table, [*Shape]) if zone.means}
    return _explained(rows | means, look)


def _explained(rows: Mapping[str, str], look: Look) -> list[str]:
    return labelled([Line(word, tuple(text.split(" "))) for word, text in rows.items()], look)
