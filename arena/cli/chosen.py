"""Which matches a command is about: leagues by name or by game, and what of them counts."""

import functools
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from arena.cli.options import workspace_option
from arena.cli.said import say
from arena.games import GAMES
from arena.grid import counted, short
from arena.leaderboard import Scope, outdated, pooled, unlike
from arena.model import League, Result, UserError, no_such
from arena.overload import void_said
from arena.ratings import Model, without_forfeits
from arena.store import Bot, Store

UNITS = {"min": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
DURATION = re.compile(rf"([0-9]{{1,4}}) ?({'|'.join(UNITS)})")
BOARD = re.compile(r"[0-9]{1,6}")

Command = TypeVar("Command", bound=Callable[..., Any])


class Asked(msgspec.Struct, frozen=True):
    """What somebody typed to say which matches are meant."""

    leagues: tuple[str, ...]
    """Rated together; none is the newest."""
    game: str | None
    """None is any, for the newest."""
    since: str | None
    without_forfeits: bool
    workspace: Path
    versions: str = "all"
    """`latest` or `all`."""
    model: str = Model.PAIRS


def matches_options(command: Command) -> Command:
    """Add what says which matches are meant; the command gets it as `asked`."""

    @click.argument("leagues", metavar="[LEAGUE]...", nargs=-1)
    @click.option("--game", metavar="GAME", help="Only leagues of this game.")
    @click.option(
        "--since",
        metavar="WHEN",
        help="Only boards finished since a day or a time (2031-05-01, 2031-05-01T18:00), within the last "
        "90min, 12h or 7d, or those from a board's number on.",
    )
    @click.option("--without-forfeits", is_flag=True, help="Leave out the boards on which a bot failed.")
    @workspace_option
    @functools.wraps(command)
    def asking(*args: Any, **words: Any) -> Any:
        fields = {field: words.pop(field) for field in Asked.__struct_fields__ if field in words}
        return command(*args, asked=Asked(**fields), **words)

    return asking  # type: ignore[return-value]  # click wraps what it is given


def versions_option(command: Command) -> Command:
    """Add `--versions`, for commands that list bots; it stands in `asked`."""
    return click.option(
        "--versions",
        type=click.Choice(["latest", "all"]),
        default="latest",
        show_default=True,
        help="Which versions of a bot to show, of those that played.",
    )(command)


def model_option(command: Command) -> Command:
    """Add `--model`, for commands that show ratings; it stands in `asked`."""
    return click.option(
        "--model",
        type=click.Choice([model.value for model in Model]),
        default=Model.PAIRS.value,
        show_default=True,
        help="How matches are read: as all their pairs, or as whole rankings (Plackett-Luce).",
    )(command)


def scope_of(asked: Asked) -> Scope:
    """Read the results that are meant."""
    with Store.open(asked.workspace, read_only=True) as store:
        leagues = _leagues(store, asked)
        found = pooled([(league, store.briefed(league.name)) for league in leagues])
        void = sum(store.void(league.name) for league in leagues)
        found = _said(found, found.results, *void_said(void))
        found = msgspec.structs.replace(found, model=Model(asked.model))
        if asked.since:
            found = _since(store, found, asked.since)
        if asked.without_forfeits:
            found = _without_forfeits(found)
        return _latest(store, found) if asked.versions == "latest" else found


def _leagues(store: Store, asked: Asked) -> list[League]:
    if asked.game and asked.leagues:
        raise UserError("--game chooses the newest league of a game; name leagues, or type --game, not both")
    if asked.leagues:
        return [store.chosen_league(name) for name in dict.fromkeys(asked.leagues)]
    if asked.game:
        return [_newest(store, asked.game)]
    return [newest_league(store)]


def newest_league(store: Store) -> League:
    """The newest league, with a word about the others."""
    league = store.chosen_league(None)
    names = [each.name for each in store.leagues() if each.comparison is None]
    if len(names) > 1:
        say(f"the newest of {len(names)} leagues: {', '.join(names)}; name another to see that one")
    return league


def _newest(store: Store, game: str) -> League:
    if game not in GAMES:
        raise UserError(no_such("game", game, GAMES))
    of_game = [league for league in store.leagues() if league.game == game and league.comparison is None]
    if not of_game:
        raise UserError(f"no league of {game} yet; type: arena run --game {game}")
    *others, newest = of_game
    if others:
        names = ", ".join(league.name for league in of_game)
        say(f"the newest of {len(of_game)} leagues of {game}: {names}; name several to rate them together")
    return newest


def _since(store: Store, scope: Scope, text: str) -> Scope:
    since = moment(text, now=datetime.now().astimezone())
    kept = {deal for league in scope.leagues for deal in store.deals_since(league.name, since)}
    results = [row for row in scope.results if row.board in kept]
    when = f"board {since}" if isinstance(since, int) else since.strftime("%Y-%m-%d %H:%M")
    return _said(scope, results, f"Only complete boards since {when}.")


def moment(text: str, *, now: datetime) -> datetime | int:
    """A day, a time, how long ago, or the number of a board; raises UserError."""
    if BOARD.fullmatch(text):
        return int(text)
    try:
        if ago := DURATION.fullmatch(text):
            return now - int(ago[1]) * UNITS[ago[2]]
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise UserError(
            f"--since {text!r} is no time; type a day such as {now:%Y-%m-%d}, a time such as "
            f"{now:%Y-%m-%dT%H:%M}, how long ago such as 90min, 12h or 7d, or the number of a board"
        ) from None


def past_of(name: str, asked: Asked) -> tuple[list[Bot], Scope]:
    """The versions of a bot, and what they played.

    That is in the leagues that are named; else in those whose rules the most of its versions met, of the
    newest of them where several are even.
    """
    with Store.open(asked.workspace, read_only=True) as store:
        versions = store.versions(name)
        if not versions:
            raise UserError(no_such("bot", name, (bot.name for bot in store.bots())))
    if asked.leagues:
        return versions, scope_of(asked)
    return versions, _past(asked, versions)


def _past(asked: Asked, versions: Sequence[Bot]) -> Scope:
    hashes = {bot.version for bot in versions}
    with Store.open(asked.workspace, read_only=True) as store:
        leagues = [league for league in store.leagues() if asked.game in (None, league.game)]
    entered = [league for league in leagues if hashes & _hashes(league)]
    if not entered:
        game = asked.game or versions[-1].games[0]
        raise UserError(f"{short(versions[0].name)} is in no league of {game}; type: arena run --game {game}")
    best = max(reversed(entered), key=lambda league: len(hashes & _hashes(*_alike(league, entered))))
    same = tuple(league.name for league in _alike(best, entered))
    others = [league.name for league in entered if league.name not in same]
    scope = scope_of(msgspec.structs.replace(asked, leagues=same, game=None))
    left = f"Left out, being of another game or other rules: {', '.join(others)}."
    return _said(scope, scope.results, left) if others else scope


def _alike(one: League, leagues: Sequence[League]) -> list[League]:
    """Those of the same rules."""
    return [league for league in leagues if not unlike(one, league)]


def _hashes(*leagues: League) -> set[str]:
    """Of the versions that entered any of them."""
    return {entrant.version for league in leagues for entrant in league.extensions[-1].entrants}


def _without_forfeits(scope: Scope) -> Scope:
    kept = without_forfeits(scope.results)
    left = counted(len(scope.results) - len(kept), "match")
    return _said(scope, kept, f"{left} left out: boards on which a bot failed.")


def _latest(store: Store, scope: Scope) -> Scope:
    entrants = scope.entrants()
    if len({entrant.name for entrant in entrants}) == len(entrants):
        return scope
    bots = [store.find_version(entrant.version) for entrant in entrants]
    older = outdated(scope.played(), {bot.version: bot.number for bot in bots if bot})
    if not older:
        return scope
    said = f"{counted(len(older), 'older version')} rated too and not shown: --versions all has them."
    return msgspec.structs.replace(scope, hidden=older, said=(*scope.said, said))


def _said(scope: Scope, results: Sequence[Result], *sentences: str) -> Scope:
    return msgspec.structs.replace(scope, results=results, said=(*scope.said, *sentences))
