"""From what a user asks to a league that stands in the store: a new one, or one that goes on and grows."""

import dataclasses
import os
import re
from collections.abc import Iterator
from enum import Enum, auto
from itertools import count
from typing import Any

import msgspec

from arena.deals import league_secret
from arena.games import GAMES
from arena.games.base import BadOption, parse_options
from arena.league.config import Wish, named
from arena.league.course import end_of
from arena.league.schedule import check_league, schedule_of
from arena.league.schedules import SCHEDULES
from arena.league.schedules.line_ups import sides_needed
from arena.league.until import until, worded
from arena.model import Clock, Entrant, Extension, League, Partners, UserError, no_such
from arena.sandbox import require
from arena.store import Bot, Store, folded
from arena.submissions import check_built, check_kept
from protocol.text import pasted

SANDBOX = "bwrap"
SCHEDULE = "round-robin"
AUTO_FORCED = True
"""Of leagues that begin now."""


class Plan(msgspec.Struct, frozen=True):
    """A league that stands in the store, and what its user should know before it is played."""

    league: League
    notes: tuple[str, ...] = ()


class Change(Enum):
    """What is to be written."""

    NEW = auto()
    GROWN = auto()
    NONE = auto()


class Proposal(msgspec.Struct, frozen=True):
    """A league as it would be, before anything is written."""

    plan: Plan
    change: Change


def plan(store: Store, wish: Wish) -> Plan:
    """Find or make the league that is wished for, or let it grow; raises UserError.

    Walls that this machine cannot put up, and versions whose files were changed, are refused before anything
    is written.
    """
    return settled(store, proposed(store, wish), here=wish.cluster is None)


def settled(store: Store, proposal: Proposal, *, here: bool = True) -> Plan:
    """Write down what is proposed, once it is known that it can be played; raises UserError.

    What is not played `here` needs no walls and no builds here: whoever plays it sees to that.
    """
    league = proposal.plan.league
    check_kept(store.submissions, league.extensions[-1].entrants)
    if here:
        require(league.sandbox)
        check_built(store.submissions, league.extensions[-1].entrants, sandbox=league.sandbox)
    match proposal.change:
        case Change.NEW:
            store.create_league(league)
        case Change.GROWN:
            with store.running(league.name):
                store.extend_league(league.name, league.extensions[-1])
    return proposal.plan


def proposed(store: Store, wish: Wish) -> Proposal:
    """The league that is wished for; only reads. Raises UserError."""
    league = store.league(wish.name) if wish.name else None
    if league:
        return _go_on(store, league, wish)
    return _begin(store, wish)


def _begin(store: Store, wish: Wish) -> Proposal:
    league = _wished(store, wish)
    check_league(league)
    begun = None if wish.name else _unfinished(store, league, wish)
    if begun:
        note = (
            f"going on with {begun.name}, which is not at its end and has the same bots, boards and rules; "
            f"to begin another league add --name"
        )
        return Proposal(Plan(begun, (note,)), Change.NONE)
    usual_name = _usual_name(league)
    if wish.name or league.name == usual_name:
        return Proposal(Plan(league), Change.NEW)
    note = f"{usual_name} is there, so this is {league.name}; to go on with it: arena run {usual_name}"
    return Proposal(Plan(league, (note,)), Change.NEW)


def _wished(store: Store, wish: Wish) -> League:
    """A new league as it is wished for; stands nowhere yet."""
    game = _game(store, wish)
    players = wish.players or GAMES[game].players[0]
    sides_needed(game, players)
    schedule = _schedule(wish)
    gauntlet = tuple(admitted_bot(store, game, name) for name in wish.gauntlet or ())
    bots = _bots(store, game, wish.bots)
    bots += tuple(bot for bot in gauntlet if bot not in bots)
    league = League(
        name=wish.name or "",
        game=game,
        players=players,
        options=game_options(game, wish.option),
        clock=Clock(**named(wish.clock)),
        block=wish.block or SCHEDULES[schedule].block,
        sandbox=wish.sandbox or SANDBOX,
        extensions=(
            Extension(
                entrants=tuple(map(_entrant, bots)),
                boards=wish.boards or SCHEDULES[schedule].boards,
                secret=secret_of(wish, 0),
                until=worded(until(wish.until)),
            ),
        ),
        fill_house=wish.fill == "house",
        schedule=schedule,
        partners=wish.partners or Partners.SAME,
        lineups=wish.lineups,
        gauntlet=tuple(bot.name for bot in gauntlet),
        auto_forced=AUTO_FORCED if wish.auto_forced is None else wish.auto_forced,
    )
    return (
        league if wish.name else msgspec.structs.replace(league, name=free_name(store, _usual_name(league)))
    )


def _schedule(wish: Wish) -> str:
    """The schedule that is named, or that goes with the other words."""
    if wish.schedule is not None and wish.schedule not in SCHEDULES:
        raise UserError(no_such("schedule", wish.schedule, SCHEDULES))
    return wish.schedule or ("gauntlet" if wish.gauntlet else "adaptive" if wish.until else SCHEDULE)


def _unfinished(store: Store, wished: League, wish: Wish) -> League | None:
    """The newest league that was begun without a name, by the same wish, and is not at its end."""
    numbered = re.compile(re.escape(_usual_name(wished)) + r"(-\d+)?")
    alike = _but_for_its_name(wished, wish)
    for league in reversed(store.leagues()):
        if (
            numbered.fullmatch(league.name)
            and _but_for_its_name(league, wish) == alike
            and end_of(store, league) is None
        ):
            return league
    return None


def _but_for_its_name(league: League, wish: Wish) -> League:
    """What makes two leagues one and the same wish, however its bots were ordered if that is no seeding.

    A wish without a seed cannot know the secret, and one that is silent on forced decisions takes either.
    """
    seeded = schedule_of(league).seeded
    parts = tuple(
        msgspec.structs.replace(
            part,
            entrants=part.entrants if seeded else tuple(sorted(part.entrants)),
            secret=b"" if wish.seed is None else part.secret,
        )
        for part in league.extensions
    )
    auto_forced = league.auto_forced if wish.auto_forced is not None else AUTO_FORCED
    return msgspec.structs.replace(league, name="", extensions=parts, auto_forced=auto_forced)


def _go_on(store: Store, league: League, wish: Wish) -> Proposal:
    _refuse_contradictions(league, wish)
    last = league.extensions[-1]
    pinned = {folded(entrant.name) for entrant in last.entrants}
    asked = _bots(store, league.game, wish.bots) if wish.bots else ()
    fresh = tuple(_entrant(bot) for bot in asked if folded(bot.name) not in pinned)
    boards = wish.boards or last.boards
    if boards < last.boards:
        raise UserError(
            f"league {league.name} has {last.boards} boards for each line-up and cannot have {boards}: "
            f"a league loses none; for a smaller one begin a new league with another --name"
        )
    end = worded(until(wish.until)) or last.until
    if not fresh and (boards, end) == (last.boards, last.until):
        _refuse_other_seed(league, wish)
        return Proposal(Plan(league, (*_no_choice(league, asked), *_news(store, league))), Change.NONE)
    extension = Extension(last.entrants + fresh, boards, secret_of(wish, len(league.extensions)), end)
    grown = msgspec.structs.replace(league, extensions=(*league.extensions, extension))
    check_league(grown)
    added = f"; new: {', '.join(entrant.name for entrant in fresh)}" if fresh else ""
    added += f"; until {end}" if end != last.until else ""
    note = f"league {league.name} grows to {boards} boards for each of its line-ups{added}"
    return Proposal(Plan(grown, (note, *_news(store, grown))), Change.GROWN)


def _no_choice(league: League, asked: tuple[Bot, ...]) -> Iterator[str]:
    """Say that naming some of a league's bots does not leave the others out."""
    names = {folded(bot.name): bot.name for bot in asked}
    others = [each.name for each in league.extensions[-1].entrants if folded(each.name) not in names]
    if names and others:
        yield (
            f"{', '.join(names.values())} in league {league.name} already, and it keeps {', '.join(others)}: "
            f"--bots adds bots to a league and takes none out"
        )


def _game(store: Store, wish: Wish) -> str:
    if wish.game in GAMES:
        return wish.game
    games = ", ".join(GAMES)
    if wish.game:
        raise UserError(no_such("game", wish.game, GAMES))
    if wish.name:
        leagues = (league.name for league in store.leagues())
        unknown = no_such("league", wish.name, leagues, of=f"in {store.workspace.absolute()}")
        raise UserError(f"{unknown}; to begin it, add --game with one of {games}")
    raise UserError(f"a new league needs a game; type: arena run --game with one of {games}")


def _usual_name(league: League) -> str:
    return f"{league.game}-{league.players}p"


def free_name(store: Store, usual: str) -> str:
    """A league's usual name, numbered where it is taken."""
    taken = {league.name for league in store.leagues()}
    numbered = (f"{usual}-{number}" for number in count(2))
    return usual if usual not in taken else next(name for name in numbered if name not in taken)


def _bots(store: Store, game: str, names: tuple[str, ...] | None) -> tuple[Bot, ...]:
    """Bots of these names, or all that may enter."""
    if names is None:
        return tuple(_admitted(store, game))
    return tuple(admitted_bot(store, game, name) for name in names)


def _admitted(store: Store, game: str) -> Iterator[Bot]:
    return (bot for bot in store.bots() if game in bot.games and not bot.retired)


def admitted_bot(store: Store, game: str, name: str) -> Bot:
    """The bot of that name at its latest version; raises UserError when it may not play the game."""
    bot = store.latest(name)
    names = [each.name for each in _admitted(store, game)]
    if bot is None:
        raise UserError(no_such("bot", name, names, of=f"for {game}"))
    admitted = ", ".join(names) or "none yet"
    if game not in bot.games:
        raise UserError(f"bot {bot.name} was not admitted to {game}; the bots for {game} are: {admitted}")
    if bot.retired:
        raise UserError(f"bot {bot.name} is retired; the bots for {game} are: {admitted}")
    return bot


def _entrant(bot: Bot) -> Entrant:
    return Entrant(bot.name, bot.version)


def game_options(game: str, given: dict[str, Any]) -> dict[str, Any]:
    """Every option of a game with its value; raises UserError for one that was given wrongly."""
    try:
        return dataclasses.asdict(parse_options(GAMES[game].options, given))
    except BadOption as error:
        raise UserError(f"{game}: {error}") from None


def secret_of(wish: Wish, number: int) -> bytes:
    """Secret of an extension, numbered from 0."""
    return os.urandom(32) if wish.seed is None else league_secret(str(wish.seed), number)


def _refuse_contradictions(league: League, wish: Wish) -> None:
    """A league is what it began as; only bots and boards are added."""
    has = {
        "game": league.game,
        "players": league.players,
        "block": league.block,
        "sandbox": league.sandbox,
        "schedule": league.schedule,
        "partners": league.partners,
        "fill": "house" if league.fill_house else None,
        "lineups": league.lineups,
        "gauntlet": league.gauntlet or None,
        "auto_forced": league.auto_forced,
        **{f"option {word}": value for word, value in league.options.items()},
        **msgspec.structs.asdict(league.clock),
    }
    given = {word: value for word, value in named(wish).items() if word in has}
    options = game_options(league.game, {**league.options, **wish.option})
    given |= {f"option {word}": options[word] for word in wish.option} | named(wish.clock)
    for word, value in given.items():
        if value != has[word]:
            found = f"no {word}" if has[word] is None else f"{word} {has[word]}"
            raise UserError(
                f"league {league.name} has {found} and cannot change to {value}: its results "
                f"would not belong together; leave it out to go on, or begin a new league with another --name"
            )


def _refuse_other_seed(league: League, wish: Wish) -> None:
    secrets = {extension.secret for extension in league.extensions}
    if wish.seed is None or any(secret_of(wish, number) in secrets for number in range(len(secrets))):
        return
    raise UserError(
        f"league {league.name} is dealt from another seed than {str(wish.seed)!r}; leave it out to go on, "
        f"or begin a new league with another --name"
    )


def _news(store: Store, league: League) -> tuple[str, ...]:
    """What came to the workspace since and is not played: newer versions, other bots."""
    pinned = league.extensions[-1].entrants
    names, versions = {folded(each.name) for each in pinned}, {each.version for each in pinned}
    newer, others = [], []
    for bot in _admitted(store, league.game):
        if folded(bot.name) not in names:
            others.append(bot.name)
        elif bot.version not in versions:
            newer.append(bot.name)
    notes = []
    if newer:
        notes.append(
            f"newer versions are there of {', '.join(newer)}; league {league.name} keeps those it has, "
            f"a new league takes the newest"
        )
    if others:
        line = pasted("arena", "run", league.name, "--bots", ",".join(others))
        notes.append(f"not in this league: {', '.join(others)}; to add: {line}")
    return tuple(notes)
