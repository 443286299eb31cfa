"""Which tables a league plays, in which order: a pure function of the league.

Nothing here knows what was played already: whoever runs the tables skips the keys that stand in the store.
The keys sort as the tables are ordered, so results can be put in table order without asking this module.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, permutations

import msgspec

from arena.deals import board_seed
from arena.games import GAMES
from arena.league import partners
from arena.model import HOUSE, Board, Entrant, Extension, League, Partners, TableJob, UserError, no_such

TAG_HEX = 12
"""Hex digits of an entrant's tag in the keys; that a league has no two equal ones is checked."""

LineUp = tuple[Entrant, ...]
"""One entrant a side, ordered by tag; with mixed partners four, the first two against the last two."""


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
    place: int
    """Of the line-up among all of that extension."""
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
    for number in range(len(league.extensions)):
        held = _boards_held(league, number)
        for first in _block_starts(league, number):
            for place, line_up in enumerate(_line_ups(league, number)):
                own = first - held(line_up)
                if own >= 1 and own % league.block == 1 % league.block:
                    yield from _tables(league, _Block(number, line_up, place, first), submissions)


def round_robin_size(league: League) -> Size:
    """Line-ups, tables and matches of a round robin, by counting instead of listing."""
    line_ups = tables = matches = 0
    last = len(league.extensions) - 1
    seatings = len(_seatings(league, _Block(last, next(_line_ups(league, last)), place=0, first=1)))
    for number, extension in enumerate(league.extensions):
        earlier = league.extensions[number - 1] if number else None
        everyone = _line_up_count(league, number)
        known = _line_up_count(league, number - 1) if earlier and _goes_on(league, earlier, extension) else 0
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
    if league.partners is Partners.MIXED:
        _check_partners(league, present)
    if len(entrants) < needed and not league.fill_house:
        raise UserError(
            f"{present} here, {needed} are needed for {league.game} with {league.players} players; "
            f"submit more bots, or type --fill house to let the built-in bot take the free seats"
        )
    if len({_tag(entrant) for entrant in entrants}) < len(entrants):
        raise UserError(f"{present} given, but one of them twice; name each bot once")


def _check_partners(league: League, present: str) -> None:
    mixing = [players for players in GAMES[league.game].players if _has_pairs(league.game, players)]
    if league.players not in mixing:
        remedy = f"type --players {mixing[0]}, or leave --partners out" if mixing else "leave --partners out"
        raise UserError(
            f"{league.game} with {league.players} players has no two sides of two, "
            f"so there are no partners to be mixed; {remedy}"
        )
    if len(league.extensions[-1].entrants) < partners.SEATS:
        raise UserError(
            f"{present} here, {partners.SEATS} are needed for --partners mixed; "
            f"submit more bots, or leave --partners out: then both seats of a side are one bot's"
        )


def _has_pairs(game: str, players: int) -> bool:
    return [len(side) for side in GAMES[game].sides(players)] == [2, 2]


def _line_ups(league: League, number: int) -> Iterator[LineUp]:
    """Line-ups of all that are in an extension, independent of the order in which they are given."""
    sides = sides_needed(league.game, league.players)
    entrants = sorted(league.extensions[number].entrants, key=_tag)
    if league.partners is Partners.MIXED:
        yield from _mixed_line_ups(league.extensions[: number + 1])
    elif len(entrants) < sides:
        yield tuple(sorted([*entrants, *[HOUSE] * (sides - len(entrants))], key=_tag))
    else:
        yield from combinations(entrants, sides)


def _mixed_line_ups(extensions: Sequence[Extension]) -> Iterator[LineUp]:
    """Two against two; whoever came first is numbered first, those who came together by tag."""
    came: list[Entrant] = []
    for extension in extensions:
        came += sorted(set(extension.entrants) - set(came), key=_tag)
    for pair, other in partners.line_ups(_fields(extensions)):
        yield tuple(came[bot] for bot in (*pair, *other))


def _fields(extensions: Sequence[Extension]) -> tuple[int, ...]:
    return tuple(len(extension.entrants) for extension in extensions)


def _line_up_count(league: League, number: int) -> int:
    if league.partners is Partners.MIXED:
        return len(partners.line_ups(_fields(league.extensions[: number + 1])))
    sides = sides_needed(league.game, league.players)
    return max(1, math.comb(len(league.extensions[number].entrants), sides))


def _goes_on(league: League, earlier: Extension, later: Extension) -> bool:
    """Whether the line-ups of an extension are still line-ups of the next one.

    They are not when house bots gave up their seats.
    """
    sides = sides_needed(league.game, league.players)
    return len(earlier.entrants) >= sides or len(earlier.entrants) == len(later.entrants)


def _boards_held(league: League, number: int) -> Callable[[LineUp], int]:
    """How many boards of a line-up belong to extensions before that one.

    Extensions are cumulative: what any earlier one covers, the last one before this covers too.
    """
    if number == 0:
        return lambda _line_up: 0
    earlier = league.extensions[number - 1]
    boards, there = earlier.boards, frozenset(earlier.entrants)
    if league.partners is Partners.MIXED or len(there) < sides_needed(league.game, league.players):
        known = frozenset(_line_ups(league, number - 1))
        return lambda line_up: boards if line_up in known else 0
    return lambda line_up: boards if there.issuperset(line_up) else 0


def _block_starts(league: League, number: int) -> list[int]:
    """First boards of an extension's blocks, for line-ups that are new in it and for those that go on."""
    boards, held = league.extensions[number].boards, league.extensions[number - 1].boards if number else 0
    fresh = set(range(1, boards + 1, league.block))
    going_on = set(range(held + 1, boards + 1, league.block))
    return sorted(fresh | going_on)


def _tables(league: League, block: _Block, submissions: str) -> Iterator[TableJob]:
    """The tables of one block of boards: one for each seating."""
    boards = _boards(league, block)
    stem = f"{block.extension:02}-{block.first:06}-{_called(league, block)}"
    for number, seating in enumerate(_seatings(league, block)):
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
    versions = _versions(league, block.line_up)
    return tuple(
        Board(
            number,
            board_seed(
                growth.secret, game=league.game, options=league.options, versions=versions, number=number
            ),
        )
        for number in range(block.first, last + 1)
    )


def _called(league: League, block: _Block) -> str:
    """The line-up as keys have it; mixed ones do not come in the order of tags, so their place leads."""
    tags = [_tag(entrant) for entrant in block.line_up]
    if league.partners is Partners.MIXED:
        return f"{block.place:06}-{tags[0]}+{tags[1]}.{tags[2]}+{tags[3]}"
    return ".".join(tags)


def _versions(league: League, line_up: LineUp) -> list[str]:
    """Versions as they go into the seeds: one text a side, so that other partners have other cards."""
    versions = [entrant.version for entrant in line_up]
    if league.partners is Partners.MIXED:
        return ["+".join(sorted(pair)) for pair in (versions[:2], versions[2:])]
    return versions


def _seatings(league: League, block: _Block) -> list[tuple[Entrant, ...]]:
    """Distinct rotations of a line-up around the table, the first one as it stands."""
    sides = GAMES[league.game].sides(league.players)
    seats = [seat for side in sides for seat in side]
    bots = [bot for members in _members(league, block) for bot in members]
    base = [bot for _, bot in sorted(zip(seats, bots, strict=True))]
    rotations = [tuple(base[-turn:] + base[:-turn]) for turn in range(len(base))]
    return list(dict.fromkeys(rotations))


def _members(league: League, block: _Block) -> list[tuple[Entrant, ...]]:
    """Who plays each side, in the order of its seats.

    Rotations alone would keep everyone's left neighbour for good; so orders take turns from block to block.
    """
    turn = (block.first - 1) // league.block
    if league.partners is Partners.MIXED:
        one, two, three, four = block.line_up
        return [(one, two), (four, three) if turn % 2 else (three, four)]
    sides = GAMES[league.game].sides(league.players)
    circle = _circle(block.line_up, turn)
    return [(bot,) * len(seats) for bot, seats in zip(circle, sides, strict=True)]


def _circle(line_up: LineUp, turn: int) -> LineUp:
    """Order of the sides around the table; each of the possible ones is followed by its mirror image."""
    first, *rest = line_up
    orders = math.factorial(len(rest))
    order = next(islice(permutations(rest), turn // 2 % orders, None))
    return (first, *(order[::-1] if turn % 2 else order))


def _tag(entrant: Entrant) -> str:
    """Short name of an entrant in keys, equal in all leagues."""
    text = f"{entrant.name}\0{entrant.version}"
    return hashlib.sha256(text.encode()).hexdigest()[:TAG_HEX]
