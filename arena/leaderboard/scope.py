"""What a table is about: one league, or several that are rated together."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from arena.games import GAMES
from arena.grid import counted
from arena.model import HOUSE, Entrant, League, Partners, Result, UserError
from arena.ratings import Model

RULES = ("game", "players", "options", "clock", "partners")
"""What leagues that are rated together have in common: else a bot is not the same in all of them."""

MODELS = {
    Model.PAIRS: "Bradley-Terry of all pairs at once, a tie is half",
    Model.RANKINGS: "Plackett-Luce of whole rankings, with ties",
}
"""What the ratings rest on, as headers say it."""

WALLS = "; PLAYED WITHOUT WALLS (sandbox plain)"


class Scope(msgspec.Struct, frozen=True):
    """Leagues of one set of rules, and those of their results that count."""

    leagues: tuple[League, ...]
    """At least one."""
    results: Sequence[Result]
    said: tuple[str, ...] = ()
    """What was left out, in sentences."""
    hidden: frozenset[Entrant] = frozenset()
    """Rated with the others, and not shown."""
    model: Model = Model.PAIRS

    def entrants(self) -> set[Entrant]:
        """Everybody that entered and is to be shown, whether it played or not."""
        return {each for league in self.leagues for each in league.extensions[-1].entrants} - self.hidden

    def known(self) -> list[Entrant]:
        """Everybody that may be named, sorted."""
        house = {HOUSE} if any(league.fill_house for league in self.leagues) else set()
        return sorted(self.entrants() | house)

    def played(self) -> set[Entrant]:
        """Everybody that stands in a result."""
        return {each for row in self.results for side in row.sides for each in side}


def pooled(leagues: Sequence[tuple[League, Sequence[Result]]]) -> Scope:
    """Leagues to be rated together; raises UserError where their rules differ.

    What two of them played alike, with the same cards and the same bots in the same seats, counts once.
    """
    (first, results), *others = leagues
    for other, _ in others:
        _refuse_other_rules(first, other)
    if not others:
        return Scope((first,), results)
    rows = [row for _, results in leagues for row in results]
    once = list({(row.board, row.sides): row for row in rows}.values())
    again = len(rows) - len(once)
    said = (f"{counted(again, 'match')} on deals that were played before in the same seats: left out.",)
    return Scope(tuple(league for league, _ in leagues), once, said if again else ())


def _refuse_other_rules(one: League, two: League) -> None:
    field = unlike(one, two)
    if field:
        raise UserError(
            f"leagues {one.name} and {two.name} cannot be rated together: they differ in {field}; "
            f"name leagues of the same {', '.join(RULES)}"
        )


def unlike(one: League, two: League) -> str | None:
    """The first of their rules in which two leagues differ."""
    return next((field for field in RULES if getattr(one, field) != getattr(two, field)), None)


def outdated(entrants: Iterable[Entrant], numbers: Mapping[str, int]) -> frozenset[Entrant]:
    """Those of which a later version is there; `numbers` has which of its bot's versions each is, by hash."""
    newest: dict[str, Entrant] = {}
    older = set()
    for each in sorted(entrants, key=lambda entrant: numbers.get(entrant.version, 0)):
        if each.name in newest:
            older.add(newest[each.name])
        newest[each.name] = each
    return frozenset(older)


# How it is called


def title(scope: Scope) -> str:
    """What was played, as headers begin."""
    walls = WALLS if any(league.sandbox == "plain" for league in scope.leagues) else ""
    first, *others = scope.leagues
    names = ", ".join(league.name for league in scope.leagues)
    which = f"Leagues {names}, rated together" if others else f"League {names}"
    return f"{which}: {seated(first)}{walls}."


def seated(league: League) -> str:
    """Game and seats of a league with what is unusual about them, as headers say it."""
    unusual = options(league)
    rules = f"{league.game} ({unusual})" if unusual else league.game
    mixed = ", mixed partners" if league.partners is Partners.MIXED else ""
    return f"{rules}, {league.players} players{mixed}"


def options(league: League) -> str:
    """Options of a league that are not as usual, as they are typed; none is an empty text."""
    game = GAMES.get(league.game)
    usual: dict[str, Any] = dataclasses.asdict(game.options()) if game else {}
    return ", ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in league.options.items()
        if value != usual.get(name)
    )
