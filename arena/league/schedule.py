"""Whether a league can be played, and how much that is."""

from collections.abc import Callable

import msgspec

from arena.games import GAMES
from arena.league import partners
from arena.league.batches import Feature, Schedule, Size
from arena.league.schedules import SCHEDULES
from arena.league.schedules.line_ups import sides_needed
from arena.league.tables import tag
from arena.league.until import Until, until, worded
from arena.model import League, Partners, UserError, no_such


def schedule_of(league: League) -> Schedule:
    """Schedule that a league is played by; raises UserError for one that is not there."""
    if league.schedule not in SCHEDULES:
        raise UserError(no_such("schedule", league.schedule, SCHEDULES))
    return SCHEDULES[league.schedule]


def size_of(league: League) -> Size:
    """How much a league plays when it runs to its end, at most or exactly."""
    return schedule_of(league).size(league)


FEATURES: dict[Feature, Callable[[League], bool]] = {
    Feature.LINEUPS: lambda league: league.lineups is not None,
    Feature.GAUNTLET: lambda league: bool(league.gauntlet),
    Feature.UNTIL: lambda league: any(part.until for part in league.extensions),
    Feature.MIXED: lambda league: league.partners is Partners.MIXED,
    Feature.HOUSE: lambda league: league.fill_house,
    Feature.SIDES: lambda league: sides_needed(league.game, league.players) > 2,
    Feature.GROWTH: lambda league: len(league.extensions) > 1,
}
"""How each is seen of a league."""

APART = ({Feature.LINEUPS, Feature.MIXED},)
"""Features of one schedule that do not go together."""


def check_league(league: League) -> None:
    """Raise UserError for a league that cannot be played, with what to type instead."""
    schedule_of(league)
    sides_needed(league.game, league.players)
    _check_features(league)
    _check_entrants(league)
    schedule_of(league).check(league)


def _check_features(league: League) -> None:
    schedule = schedule_of(league)
    has = {feature for feature, there in FEATURES.items() if there(league)}
    for feature in sorted(has - schedule.features):
        able = [name for name, each in SCHEDULES.items() if feature in each.features]
        raise UserError(
            f"{feature} does not go with --schedule {league.schedule}, only with {' or '.join(able)}; "
            f"leave it out, or choose another schedule"
        )
    for pair in APART:
        if pair <= has:
            raise UserError(f"{' and '.join(sorted(pair))} do not go together; leave one of them out")
    asked = msgspec.structs.asdict(until(league.extensions[-1].until))
    for word, value in asked.items():
        if value is not None and word not in schedule.until:
            text = worded(Until(**{word: value}))
            raise UserError(
                f"--until '{text}' does not go with --schedule {league.schedule}, which knows: "
                f"{', '.join(sorted(schedule.until))}"
            )


def _check_entrants(league: League) -> None:
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
            f"submit more bots, name more of them (--bots A,B), or type --fill house to let the built-in bot "
            f"take the free seats"
        )
    if len({tag(entrant) for entrant in entrants}) < len(entrants):
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
