"""Which tables a league plays, in which order: a pure function of the league.

Nothing here knows what was played already: whoever runs the tables skips the keys that stand in the store.
The keys sort as the tables are ordered, so results can be put in table order without asking this module.
"""

import hashlib
import math
from collections.abc import Callable, Iterator
from itertools import combinations, islice, permutations

import msgspec

from arena.deals import board_seed
from arena.games import GAMES
from arena.model import HOUSE, Board, Entrant, Extension, League, TableJob, UserError, no_such

TAG_HEX = 12
"""Hex digits of an entrant's tag in the keys; that a league has no two equal ones is checked."""

LineUp = tuple[Entrant, ...]
"""One entrant a side, ordered by tag."""


class Schedule(msgspec.Struct, frozen=True):
    """A way to choose the tables of a league."""

    tables: Callable[[League, str], Iterator[TableJob]]
    """(league, folder of the submissions) -> its tables, lazily and in table order."""
    size: Callable[[League], "Size"]
    """How much that is, without making the tables."""


class _Block(msgspec.Struct, frozen=True):
    """Consecutive boards of a line-up, of one extension."""

    extension: int
    line_up: LineUp
    first: int


class Size(msgspec.Struct, frozen=True):
    """How much a league plays when it runs to its end."""

    line_ups: int
    tables: int
    matches: int


def round_robin(league: League, submissions: str) -> Iterator[TableJob]:
    """Every line-up on each of its boards in every seating.

    Block by block over all line-ups, the seatings of a block next to each other: wherever the league is
    stopped, its line-ups have played the same number of blocks, one more or less.
    """
    for number, extension in enumerate(league.extensions):
        earlier = league.extensions[number - 1] if number else None
        held = _boards_held(league, earlier)
        for first in _block_starts(league, extension, earlier):
            for line_up in _line_ups(league, extension):
                own = first - held(line_up)
                if own >= 1 and own % league.block == 1 % league.block:
                    yield from _tables(league, _Block(number, line_up, first), submissions)


def round_robin_size(league: League) -> Size:
    """Line-ups, tables and matches of a round robin, by counting instead of listing."""
    line_ups = tables = matches = 0
    seatings = len(_seatings(next(_line_ups(league, league.extensions[-1])), _seats_by_side(league)))
    for number, extension in enumerate(league.extensions):
        earlier = league.extensions[number - 1] if number else None
        everyone = _line_up_count(league, extension)
        known = _line_up_count(league, earlier) if earlier and _goes_on(league, earlier, extension) else 0
        boards_left = extension.boards - (earlier.boards if earlier else 0)
        new_tables = (everyone - known) * math.ceil(extension.boards / league.block)
        tables += seatings * (new_tables + known * math.ceil(boards_left / league.block))
        matches += seatings * ((everyone - known) * extension.boards + known * boards_left)
        line_ups += everyone - known
    return Size(line_ups, tables, matches)


SCHEDULES = {"round-robin": Schedule(round_robin, round_robin_size)}
"""Name -> schedule. A schedule is added with its functions and one line here."""


def schedule_of(league: League) -> Schedule:
    """Schedule that a league is played by; raises UserError for one that is not there."""
    if league.schedule not in SCHEDULES:
        raise UserError(no_such("schedule", league.schedule, SCHEDULES))
    return SCHEDULES[league.schedule]


def size_of(league: League) -> Size:
    """How much a league plays when it runs to its end."""
    return schedule_of(league).size(league)


def sides_needed(game: str, players: int) -> int:
    """How many bots a line-up has; raises UserError for a game or number of players that is not there."""
    if game not in GAMES:
        raise UserError(no_such("game", game, GAMES))
    allowed = GAMES[game].players
    if players not in allowed:
        counts = ", ".join(map(str, allowed))
        raise UserError(f"{game} is played by {counts}, not by {players}; type --players {allowed[0]}")
    return len(GAMES[game].sides(players))


def check_entrants(league: League) -> None:
    """Raise UserError when there are too few bots for a line-up, or one is there twice."""
    needed = sides_needed(league.game, league.players)
    entrants = league.extensions[-1].entrants
    present = f"{len(entrants)} bot{'' if len(entrants) == 1 else 's'}"
    if not entrants:
        raise UserError(f"no bot to play {league.game}; type: arena submit PATH")
    if len(entrants) < needed and not league.fill_house:
        raise UserError(
            f"{present} here, {needed} are needed for {league.game} with {league.players} players; "
            f"submit more bots, or type --fill house to let the built-in bot take the free seats"
        )
    if len({_tag(entrant) for entrant in entrants}) < len(entrants):
        raise UserError(f"{present} given, but one of them twice; name each bot once")


def _line_ups(league: League, extension: Extension) -> Iterator[LineUp]:
    """Line-ups of all that are in an extension, ordered by tag and so independent of the order given."""
    sides = sides_needed(league.game, league.players)
    entrants = sorted(extension.entrants, key=_tag)
    if len(entrants) < sides:
        yield tuple(sorted([*entrants, *[HOUSE] * (sides - len(entrants))], key=_tag))
    else:
        yield from combinations(entrants, sides)


def _line_up_count(league: League, extension: Extension) -> int:
    sides = sides_needed(league.game, league.players)
    return max(1, math.comb(len(extension.entrants), sides))


def _goes_on(league: League, earlier: Extension, later: Extension) -> bool:
    """Whether the line-ups of an extension are still line-ups of the next one.

    They are not when house bots gave up their seats.
    """
    sides = sides_needed(league.game, league.players)
    return len(earlier.entrants) >= sides or len(earlier.entrants) == len(later.entrants)


def _boards_held(league: League, earlier: Extension | None) -> Callable[[LineUp], int]:
    """How many boards of a line-up belong to earlier extensions.

    Extensions are cumulative: what any earlier one covers, the last one before this covers too.
    """
    if earlier is None:
        return lambda _line_up: 0
    boards, there = earlier.boards, frozenset(earlier.entrants)
    if len(there) < sides_needed(league.game, league.players):
        only = next(_line_ups(league, earlier))
        return lambda line_up: boards if line_up == only else 0
    return lambda line_up: boards if there.issuperset(line_up) else 0


def _block_starts(league: League, extension: Extension, earlier: Extension | None) -> list[int]:
    """First boards of an extension's blocks, for line-ups that are new in it and for those that go on."""
    fresh = set(range(1, extension.boards + 1, league.block))
    going_on = set(range((earlier.boards if earlier else 0) + 1, extension.boards + 1, league.block))
    return sorted(fresh | going_on)


def _tables(league: League, block: _Block, submissions: str) -> Iterator[TableJob]:
    """The tables of one block of boards: one for each seating."""
    boards = _boards(league, block)
    stem = f"{block.extension:02}-{block.first:06}-{'.'.join(map(_tag, block.line_up))}"
    circle = _circle(block.line_up, (block.first - 1) // league.block)
    for number, seating in enumerate(_seatings(circle, _seats_by_side(league))):
        yield TableJob(
            key=f"{stem}-{number}",
            game=league.game,
            options=league.options,
            seating=seating,
            boards=boards,
            clock=league.clock,
            sandbox=league.sandbox,
            submissions=submissions,
        )


def _boards(league: League, block: _Block) -> tuple[Board, ...]:
    growth = league.extensions[block.extension]
    last = min(block.first + league.block - 1, growth.boards)
    versions = sorted(entrant.version for entrant in block.line_up)
    return tuple(
        Board(
            number,
            board_seed(
                growth.secret, game=league.game, options=league.options, versions=versions, number=number
            ),
        )
        for number in range(block.first, last + 1)
    )


def _circle(line_up: LineUp, block: int) -> LineUp:
    """Order in which a line-up sits around the table at a block.

    Rotations alone would keep everyone's left neighbour for good; so the orders take turns, each followed
    by its mirror image.
    """
    first, *rest = line_up
    orders = math.factorial(len(rest))
    order = next(islice(permutations(rest), block // 2 % orders, None))
    return (first, *(order[::-1] if block % 2 else order))


def _seats_by_side(league: League) -> tuple[int, ...]:
    """Seat -> number of its side."""
    sides = GAMES[league.game].sides(league.players)
    return tuple(
        next(number for number, seats in enumerate(sides) if seat in seats) for seat in range(league.players)
    )


def _seatings(circle: LineUp, seats: tuple[int, ...]) -> list[tuple[Entrant, ...]]:
    """Distinct rotations of a line-up around the table, the first one as it stands."""
    base = [circle[side] for side in seats]
    rotations = [tuple(base[-turn:] + base[:-turn]) for turn in range(len(base))]
    return list(dict.fromkeys(rotations))


def _tag(entrant: Entrant) -> str:
    """Short name of an entrant in keys, equal in all leagues."""
    text = f"{entrant.name}\0{entrant.version}"
    return hashlib.sha256(text.encode()).hexdigest()[:TAG_HEX]
