"""Which line-ups a field of bots has, and how many."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from arena.games import GAMES
from arena.league import designs, partners
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
    elif league.lineups is not None:
        yield from _some_line_ups(league, number)
    else:
        met = (each for each in combinations(entrants, sides) if not league.gauntlet or _runs(league, each))
        yield from met


def line_up_count(league: League, number: int) -> int:
    """How many they are, by counting instead of listing."""
    if league.partners is Partners.MIXED:
        return len(partners.line_ups(_fields(league.extensions[: number + 1])))
    sides, entrants = sides_needed(league.game, league.players), league.extensions[number].entrants
    if league.gauntlet:
        return len(league.gauntlet) * math.comb(len(entrants) - len(league.gauntlet), sides - 1)
    every = every_line_up(league, number)
    return every if league.lineups is None else min(every, _wanted(league, number))


def every_line_up(league: League, number: int) -> int:
    """How many choices of its bots there are, one for each side."""
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
    listed = league.partners is Partners.MIXED or league.lineups is not None
    if listed or len(there) < sides_needed(league.game, league.players):
        known = frozenset(line_ups(league, number - 1))
        return lambda line_up: boards if line_up in known else 0
    return lambda line_up: boards if there.issuperset(line_up) else 0


def _mixed_line_ups(extensions: Sequence[Extension]) -> Iterator[LineUp]:
    """Two against two."""
    came = _came(extensions)
    for pair, other in partners.line_ups(_fields(extensions)):
        yield tuple(came[bot] for bot in (*pair, *other))


def _some_line_ups(league: League, number: int) -> list[LineUp]:
    """Those that are chosen evenly, in the order of their tags."""
    grown = league.extensions[: number + 1]
    came = _came(grown)
    wanted = tuple(_wanted(league, each) for each in range(number + 1))
    chosen = designs.some(_fields(grown), sides_needed(league.game, league.players), wanted)
    return sorted((tuple(sorted((came[bot] for bot in each), key=tag)) for each in chosen), key=_tags)


def _wanted(league: League, number: int) -> int:
    """How many line-ups an extension has, so that every two bots meet as often as the first ones did."""
    assert league.lineups is not None
    begun = max(len(league.extensions[0].entrants), sides_needed(league.game, league.players))
    now = max(len(league.extensions[number].entrants), begun)
    return -(-league.lineups * now * (now - 1) // (begun * (begun - 1)))


def _tags(line_up: LineUp) -> list[str]:
    return [tag(entrant) for entrant in line_up]


def _runs(league: League, line_up: Sequence[Entrant]) -> bool:
    """Whether just one of a line-up runs the gauntlet."""
    return sum(entrant.name in league.gauntlet for entrant in line_up) == 1


def _came(extensions: Sequence[Extension]) -> list[Entrant]:
    """Whoever came first is numbered first, those who came together by tag."""
    came: list[Entrant] = []
    for extension in extensions:
        came += sorted(set(extension.entrants) - set(came), key=tag)
    return came


def _fields(extensions: Sequence[Extension]) -> tuple[int, ...]:
    return tuple(len(extension.entrants) for extension in extensions)
