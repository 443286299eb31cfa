"""From the names of two bots to a comparison that stands in the store."""

from collections.abc import Iterable, Sequence

import msgspec

from arena.games import GAMES
from arena.league.config import Wish, named
from arena.league.findings import found_so_far
from arena.league.planning import (
    AUTO_FORCED,
    SANDBOX,
    Change,
    Plan,
    Proposal,
    free_name,
    game_options,
    secret_of,
)
from arena.league.schedule import check_league
from arena.league.schedules import SCHEDULES
from arena.league.schedules.compare import comparison_of, matches_of
from arena.league.schedules.line_ups import sides_needed
from arena.model import (
    HOUSE,
    Bounds,
    Clock,
    Comparison,
    Entrant,
    Extension,
    League,
    UserError,
    no_such,
)
from arena.ratings.sequential import planned_blocks
from arena.store import Bot, Store
from protocol.text import escaped

SCHEDULE = "compare"

BATCH = 16
"""Boards between two looks: fewer would leave workers idle, more would go on where all is clear."""

PATIENCE = 5
"""Where no number of boards is named, so many times those that are planned are allowed."""

MOST_BOARDS = 999_999

LEAST_HEX = 4
"""Hex digits that name a version."""


class Request(msgspec.Struct, frozen=True):
    """What somebody wants to have compared."""

    new: str
    """A bot, or a bot@version."""
    old: str | None
    """None is the version before."""
    field: tuple[str, ...]
    bounds: Bounds
    fixed: int | None
    """So many boards whatever they show; None stops as soon as it may."""
    batch: int
    wish: Wish
    """Game, rules, clocks, boards, seed, name, sandbox."""


# What is asked


def proposed(store: Store, request: Request) -> Proposal:
    """Find the comparison that is asked for, or make it, before anything is written; raises UserError.

    The same question has one answer: who asks it again is shown the comparison that stands, so that nobody
    asks until the answer pleases. It grows while it is undecided.
    """
    wanted = _wanted(store, request)
    check_league(wanted)
    there = _there(store, wanted, request)
    if there is None:
        return Proposal(Plan(wanted), Change.NEW)
    last, boards = there.extensions[-1], request.wish.boards or 0
    if boards <= last.boards or found_so_far(store, there).verdict:
        return Proposal(Plan(there), Change.NONE)
    extension = Extension(last.entrants, boards, secret_of(request.wish, len(there.extensions)))
    grown = msgspec.structs.replace(there, extensions=(*there.extensions, extension))
    note = f"{there.name} may now play {boards} boards instead of {last.boards}"
    return Proposal(Plan(grown, (note,)), Change.GROWN)


def earlier(store: Store, name: str) -> League:
    """The comparison of that name; raises UserError."""
    league = store.league(name)
    if league is None or league.comparison is None:
        names = (each.name for each in store.leagues() if each.comparison)
        raise UserError(no_such("comparison", name, names))
    return league


def _wanted(store: Store, request: Request) -> League:
    """A comparison as it is asked for; stands nowhere yet."""
    wish = request.wish
    new, old = _pair(store, request)
    game = _game(wish.game, (new, old))
    players = wish.players or GAMES[game].players[0]
    field = _field(store, game, players, request.field)
    asked = Comparison(
        _entrant(new, game),
        _entrant(old, game),
        request.batch,
        field,
        request.bounds,
        request.fixed is not None,
    )
    entrants = tuple(each for each in (asked.new, asked.old, *field) if each != HOUSE)
    league = League(
        name="",
        game=game,
        players=players,
        options=game_options(game, wish.option),
        clock=Clock(**named(wish.clock)),
        block=wish.block or SCHEDULES[SCHEDULE].block,
        sandbox=wish.sandbox or SANDBOX,
        extensions=(Extension(entrants, 1, secret_of(wish, 0)),),
        fill_house=HOUSE in (asked.new, asked.old, *field),
        schedule=SCHEDULE,
        comparison=asked,
        auto_forced=AUTO_FORCED,
    )
    boards = request.fixed or wish.boards or _boards(league)
    part = msgspec.structs.replace(league.extensions[0], boards=boards)
    name = wish.name or free_name(store, f"compare-{game}")
    return msgspec.structs.replace(league, name=name, extensions=(part,))


def _boards(league: League) -> int:
    """Boards that are allowed where no number is named, in whole batches."""
    asked = comparison_of(league)
    planned = planned_blocks(asked.bounds, matches_of(league))
    return min(MOST_BOARDS, -(-PATIENCE * planned // asked.batch) * asked.batch)


def _pair(store: Store, request: Request) -> tuple[Bot | None, Bot | None]:
    """Both bots at their versions; None is the house bot."""
    new = _bot(store, request.new)
    if request.old is not None:
        return new, _bot(store, request.old)
    if new is None:
        raise UserError("the house bot has one version; name the other bot: arena compare house NAME")
    before = [bot for bot in store.versions(new.name) if bot.number < new.number]
    if not before:
        raise UserError(
            f"{escaped(new.name, 80)} has no version before this one to be compared with; submit the next "
            f"version, or name another bot: arena compare {escaped(new.name, 80)} OTHER"
        )
    return new, before[-1]


def _bot(store: Store, text: str) -> Bot | None:
    """The bot `name`, or its version `name@beginning`; None is the house bot."""
    latest = store.latest(text)
    if latest:
        return latest
    if text == HOUSE.name:
        return None
    name, at, digits = text.rpartition("@")
    versions = store.versions(name) if at else []
    if not versions:
        raise UserError(no_such("bot", name if at else text, (bot.name for bot in store.bots())))
    meant = [bot for bot in versions if bot.version.startswith(digits.lower())]
    if len(meant) != 1 or len(digits) < LEAST_HEX:
        known = ", ".join(f"{bot.number} is {bot.version[:12]}" for bot in versions)
        raise UserError(
            f"versions of {escaped(name, 80)} that begin with '{escaped(digits, 80)}': {len(meant)}; "
            f"type {LEAST_HEX} or more of the first digits of a version: {known}"
        )
    return meant[0]


def _game(game: str | None, bots: Iterable[Bot | None]) -> str:
    """The game that is named, or the only one that both may play."""
    if game is not None:
        if game not in GAMES:
            raise UserError(no_such("game", game, GAMES))
        return game
    shared = [each for each in GAMES if all(bot is None or each in bot.games for bot in bots)]
    if len(shared) == 1:
        return shared[0]
    if not shared:
        raise UserError("no game admitted both bots; `arena bots` lists the games of each")
    raise UserError(f"both bots play {', '.join(shared)}; type --game {shared[0]}, or another of these")


def _field(store: Store, game: str, players: int, names: Sequence[str]) -> tuple[Entrant, ...]:
    """Who has the other sides: those that are named, and house bots."""
    free = sides_needed(game, players) - 2
    if len(names) > free:
        raise UserError(
            f"{game} with {players} players has {free} sides beside the two that are compared, "
            f"and --field names {len(names)}"
        )
    named_ones = tuple(_entrant(_bot(store, name), game) for name in names)
    return named_ones + (HOUSE,) * (free - len(named_ones))


def _entrant(bot: Bot | None, game: str) -> Entrant:
    if bot is None:
        return HOUSE
    if game not in bot.games:
        games = ", ".join(bot.games)
        raise UserError(f"{escaped(bot.name, 80)} was not admitted to {game}, only to {games}")
    return Entrant(bot.name, bot.version)


# Whether it stands there


def _there(store: Store, wanted: League, request: Request) -> League | None:
    """The newest comparison that asks the same."""
    name, seeded = request.wish.name, request.wish.seed is not None
    if name and store.league(name):
        league = earlier(store, name)
        if _question(league, seeded=seeded) != _question(wanted, seeded=seeded):
            raise UserError(f"comparison {name} asks something else; choose another --name, or leave it out")
        return league
    if name:
        return None
    alike = _question(wanted, seeded=seeded)
    same = (league for league in store.leagues() if league.comparison)
    return next((each for each in reversed([*same]) if _question(each, seeded=seeded) == alike), None)


def _question(league: League, *, seeded: bool) -> League:
    """What makes two comparisons one and the same; how many boards are allowed and its age do not."""
    first = league.extensions[0]
    fixed = comparison_of(league).fixed
    part = Extension((), first.boards if fixed else 0, first.secret if seeded else b"")
    return msgspec.structs.replace(league, name="", extensions=(part,), auto_forced=AUTO_FORCED)
