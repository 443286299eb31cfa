"""What a shell offers at the Tab key where a bot, a league or a game is to be named.

The shells' own lines come from click; here is which parameter means what. Names are offered only where no
shell could take them for anything else: a bot is called what its author likes.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click
import msgspec
from click.shell_completion import CompletionItem

from arena.games import GAMES
from arena.grid import STYLES
from arena.leaderboard import COLUMNS
from arena.model import HOUSE, UserError
from arena.runtimes import RUNTIMES
from arena.store import Store
from protocol.text import pasted

WORKSPACE = Path("results")

Names = Callable[[click.Context], Iterable[str]]


class Offer(msgspec.Struct, frozen=True):
    """What is offered for a parameter."""

    names: Names
    listed: bool = False
    """Whether several are typed, with commas between them."""
    files: bool = False
    """Whether it may be a path as well."""


def leagues(ctx: click.Context) -> Iterator[str]:
    """Give those of the workspace, the newest first."""
    with Store.open(_workspace(ctx), read_only=True) as store:
        yield from (league.name for league in reversed(store.leagues()))


def bots(ctx: click.Context) -> Iterator[str]:
    """Give those of the workspace."""
    with Store.open(_workspace(ctx), read_only=True) as store:
        yield from (bot.name for bot in store.bots())


def seated(ctx: click.Context) -> Iterator[str]:
    """Give those who can sit at a table, the built-in bot among them."""
    yield HOUSE.name
    yield from bots(ctx)


def of_kind(ctx: click.Context) -> Iterator[str]:
    """Give bots or leagues, as the word before says."""
    return leagues(ctx) if ctx.params.get("kind") == "league" else bots(ctx)


OFFERS = {
    **dict.fromkeys(("game", "games"), Offer(lambda _: GAMES)),
    **dict.fromkeys(("league", "leagues"), Offer(leagues)),
    **dict.fromkeys(("bot", "gauntlet"), Offer(bots)),
    **dict.fromkeys(("bots", "field", "against"), Offer(seated, listed=True)),
    "columns": Offer(lambda _: COLUMNS, listed=True),
    "sort": Offer(lambda _: COLUMNS),
    "style": Offer(lambda _: STYLES),
    "language": Offer(lambda _: RUNTIMES),
}
"""Name of a parameter -> what it means in every command."""

OWN = {
    ("run", "target"): Offer(leagues, files=True),
    ("status", "name"): Offer(leagues),
    ("retire", "name"): Offer(bots),
    ("rename", "old"): Offer(of_kind),
    ("delete", "names"): Offer(of_kind),
    ("match", "bots"): Offer(seated, files=True),
    ("replay", "bot"): Offer(bots, files=True),
    **dict.fromkeys((("compare", "new"), ("compare", "old")), Offer(seated)),
}
"""Command and name of a parameter -> what it means in this one."""


class Offered(click.types.StringParamType):
    """A text for which names are offered."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Give the names that begin so; nothing where there is no workspace."""
        del param
        before, comma, begun = incomplete.rpartition(",") if self._offer.listed else ("", "", incomplete)
        try:
            names = [name for name in self._offer.names(ctx) if _begins(name, begun)]
        except UserError:
            names = []
        there = before.split(",")
        items = [CompletionItem(before + comma + name) for name in names if name not in there]
        return items or [CompletionItem(incomplete, type="file")] * self._offer.files


def taught(command: click.Command) -> click.Command:
    """Give the command with the offers for its parameters."""
    for parameter in command.params:
        name = str(parameter.name)
        offer = OWN.get((str(command.name), name), OFFERS.get(name))
        if offer is not None:
            parameter.type = Offered(offer)
    return command


def _begins(name: str, begun: str) -> bool:
    return pasted(name) == name and name.casefold().startswith(begun.casefold())


def _workspace(ctx: click.Context) -> Path:
    return ctx.params.get("workspace") or WORKSPACE
