"""Whether what a file says of a league could have been made here, before anything of it is used."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise

import msgspec

from arena.exchange.form import BadExport, Head, Match, Table
from arena.games import GAMES
from arena.league.config import RANGES, wish
from arena.league.planning import game_options
from arena.league.schedule import check_league, size_of
from arena.league.until import until, worded
from arena.model import HOUSE, MOST_ELO, RISKS, Extension, League, UserError
from arena.sandbox import BACKENDS
from arena.store.arrivals import Newcomer
from arena.store.records import extension_hash
from arena.store.store import check_league_name
from arena.submissions import bot_name
from arena.submissions.unclaimed import VERSION
from protocol.text import escaped

MOST_BOTS = 1_000
MOST_PARTS = 1_000
SECRET_BYTES = 32
LAYER = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,.:()/_-]{0,79}")
"""What the walls of a table are called."""
MOST_LAYERS = 20
DETAIL = 2_000
"""Characters of what was found at a fault."""
NOTE = 500
"""Characters of a bot's note, as the protocol has it."""
MOST_MICROSECONDS = 1 << 56
"""Of a moment: in the year 4253."""


def league_of(head: Head) -> League:
    """The league that a head tells of, checked; raises BadExport."""
    try:
        league = msgspec.json.decode(head.league, type=League)
        parts = tuple(msgspec.json.decode(part.content, type=Extension) for part in head.parts)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadExport(f"the league makes no sense: {escaped(str(error), 200)}") from None
    _expect(not league.extensions and 0 < len(parts) <= MOST_PARTS, "its parts are too many or none")
    league = msgspec.structs.replace(league, extensions=parts)
    try:
        _check(league)
        _check_parts(head, parts)
        for version in head.versions:
            _check_version(version)
    except BadExport:
        raise
    except UserError as error:
        raise BadExport(f"the league could not be begun here: {error}") from None
    size = size_of(league)
    _expect(
        head.tables <= size.tables if size.at_most else head.tables == size.tables,
        f"it has {head.tables} tables, its schedule {'at most ' if size.at_most else ''}{size.tables}",
    )
    return league


def _check(league: League) -> None:
    """Raise UserError for a league that `arena run` would not begin."""
    check_league_name(league.name)
    last = league.extensions[-1]
    words = {"players": league.players, "block": league.block, "boards": last.boards}
    words |= {} if league.lineups is None else {"lineups": league.lineups}
    wish({**words, "clock": msgspec.structs.asdict(league.clock)}, where="the league")
    _expect(league.game in GAMES, f"there is no game '{escaped(league.game, 80)}' here")
    _expect(league.players in GAMES[league.game].players, f"{league.game} is not for {league.players}")
    _expect(game_options(league.game, league.options) == league.options, "its options are not all there")
    _expect(league.sandbox in BACKENDS, "its walls are unknown")
    _check_entrants(league)
    for earlier, later in pairwise(league.extensions):
        grows = set(earlier.entrants) <= set(later.entrants) and earlier.boards <= later.boards
        _expect(grows, "a part of it has fewer bots or boards than the one before")
    for part in league.extensions:
        _expect(
            len(part.secret) == SECRET_BYTES, f"a secret has {len(part.secret)} bytes, not {SECRET_BYTES}"
        )
        _expect(
            part.boards > 0 and part.until == worded(until(part.until)), "a part of it is not as we write it"
        )
    check_league(league)


def _check_entrants(league: League) -> None:
    entrants = league.extensions[-1].entrants
    _expect(len(entrants) <= MOST_BOTS, f"it has {len(entrants)} bots, at most {MOST_BOTS} are allowed")
    for entrant in entrants:
        _expect(bot_name(entrant.name) == entrant.name, f"a bot's name is {entrant.name!a:.200}")
        _expect(VERSION.fullmatch(entrant.version) is not None, "a version is no hash")
    _expect(set(league.gauntlet) <= {each.name for each in entrants}, "a bot of its gauntlet is not in it")
    if league.comparison:
        asked = league.comparison
        seated = [asked.new, asked.old, *asked.field]
        _expect(set(seated) <= {*entrants, HOUSE}, "a bot that it compares is not in it")
        _expect(asked.new != asked.old, "it compares a bot with itself")
        sides = len(GAMES[league.game].sides(league.players))
        _expect(len(seated) == sides, f"it has {len(seated)} bots for {sides} sides")
        _expect(0 < asked.batch <= RANGES["boards"][1], "it looks at its boards in odd batches")
        bounds = asked.bounds
        _expect(-MOST_ELO <= bounds.elo0 < bounds.elo1 <= MOST_ELO, "its bounds make no sense")
        for risk in (bounds.alpha, bounds.beta):
            _expect(RISKS[0] <= risk <= RISKS[1], "its risks make no sense")


def _check_parts(head: Head, parts: Sequence[Extension]) -> None:
    for number, (part, extension) in enumerate(zip(head.parts, parts, strict=True)):
        found = extension_hash(head.league, number, part.content), sha256(extension.secret).hexdigest()
        _expect((part.hash, part.commitment) == found, f"the hashes of its part {number + 1} are wrong")
    named = {(each.name, each.version) for each in parts[-1].entrants}
    there = {(each.name, each.version) for each in head.versions}
    _expect(named == there and len(there) == len(head.versions), "its versions are not those that play")


def _check_version(version: Newcomer) -> None:
    _expect(set(version.games) <= set(GAMES), "a bot was admitted to a game that is not here")
    _expect(version.sandbox in BACKENDS, "the walls of a bot's acceptance are unknown")


def check_table(table: Table, matches: Sequence[Match], league: League) -> None:
    """Raise BadExport for what the store would not hold, or no command could show."""
    sides = len(GAMES[league.game].sides(league.players))
    _expect(len(table.layers) <= MOST_LAYERS and all(map(LAYER.fullmatch, table.layers)), "its walls are odd")
    _expect(0 <= table.finished < MOST_MICROSECONDS, "it was finished at an odd time")
    _expect(
        all(late.seat in range(league.players) for late in table.void), "a seat that is not there was late"
    )
    for match in matches:
        by_side = (match.places, match.scores if match.scores is not None else match.places)
        _expect({len(values) for values in by_side} == {sides}, "a match has too many or too few places")
        seats = [fault.seat for fault in match.faults] + [each.seat for each in match.decisions]
        _expect(set(seats) <= set(range(league.players)), "a match has a seat that is not there")
        _expect(all(fault.decision >= 0 for fault in match.faults), "a fault stands before its match")
        _expect(all(len(each.note or "") <= NOTE for each in match.decisions), "a note is too long")
        _check_cost(match, league.players)


def _check_cost(match: Match, players: int) -> None:
    cost, faults = match.cost, len(match.faults)
    by_seat: Iterable[Sequence[object]] = (cost.seats_wall_ms, cost.seats_cpu_ms, cost.slowest_ms)
    _expect(
        all(len(values) == players for values in by_seat), "a match has times of too many or too few seats"
    )
    _expect(not cost.logs and not cost.sent, "a match has what bots printed")
    _expect(len(cost.fault_details) in (0, faults), "a match has details of too many or too few faults")
    _expect(len(cost.circumstances) in (0, faults), "a match has circumstances of too many or too few faults")
    _expect(all(len(detail) <= DETAIL for detail in cost.fault_details), "a fault's detail is too long")


def _expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - a claim, and what it means that it fails
    if not holds:
        raise BadExport(f"refused: {otherwise}")
