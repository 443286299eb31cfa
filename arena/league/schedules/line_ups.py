"""Which line-ups a field of bots has, and how many."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from arena.games import GAMES
from arena.league import partners
from arena.league.batches import LineUp
from arena.league.tables import tag
from arena.model import HOUSE, Entrant, Extension, League, Partners, UserError, no_such


def sides_needed(game: str, players: int) -> int:
    """How many bots a line-up has; raises UserError for a game or number of players that is not there."""
    if game not in GAMES:
        raise UserError(no_such("game", game, GAMES))
    allowed = GAMES[game].players
    if players not in allowed:
        counts = ", ".join(map(str, allowed))
        raise UserError(f"{game} is played by {counts}, not by {players}; type --players {allowed[0]}")
    return len(GAMES[game].sides(players))


def line_ups(league: League, number: int) -> Iterator[LineUp]:
    """Line-ups of all that are in an extension, independent of the order in which they are given."""
    sides = sides_needed(league.game, league.players)
    entrants = sorted(league.extensions[number].entrants, key=tag)
    if league.partners is Partners.MIXED:
        yield from _mixed_line_ups(league.extensions[: number + 1])
    elif len(entrants) < sides:
        yield tuple(sorted([*entrants, *[HOUSE] * (sides - len(entrants))], key=tag))
    else:
        yield from combinations(entrants, sides)


def line_up_count(league: League, number: int) -> int:
    """How many they are, by counting instead of listing."""
    if league.partners is Partners.MIXED:
        return len(partners.line_ups(_fields(league.extensions[: number + 1])))
    sides = sides_needed(league.game, league.players)
    return max(1, math.comb(len(league.extensions[number].entrants), sides))


def kept_line_ups(league: League, number: int) -> int:
    """How many line-ups of the extension before are still some of an extension.

    They are not when house bots gave up their seats.
    """
    if number == 0:
        return 0
    earlier, later = (len(extension.entrants) for extension in league.extensions[number - 1 : number + 1])
    go_on = earlier >= sides_needed(league.game, league.players) or earlier == later
    return line_up_count(league, number - 1) if go_on else 0


def boards_held(league: League, number: int) -> Callable[[LineUp], int]:
    """How many boards of a line-up belong to extensions before that one.

    Extensions are cumulative: what any earlier one covers, the last one before this covers too.
    """
    if number == 0:
        return lambda _line_up: 0
    earlier = league.extensions[number - 1]
    boards, there = earlier.boards, frozenset(earlier.entrants)
    if league.partners is Partners.MIXED or len(there) < sides_needed(league.game, league.players):
        known = frozenset(line_ups(league, number - 1))
        return lambda line_up: boards if line_up in known else 0
    return lambda line_up: boards if there.issuperset(line_up) else 0


def _mixed_line_ups(extensions: Sequence[Extension]) -> Iterator[LineUp]:
    """Two against two; whoever came first is numbered first, those who came together by tag."""
    came: list[Entrant] = []
    for extension in extensions:
        came += sorted(set(extension.entrants) - set(came), key=tag)
    for pair, other in partners.line_ups(_fields(extensions)):
        yield tuple(came[bot] for bot in (*pair, *other))


def _fields(extensions: Sequence[Extension]) -> tuple[int, ...]:
    return tuple(len(extension.entrants) for extension in extensions)
