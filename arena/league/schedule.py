"""Whether a league can be played, and how much that is."""

from arena.games import GAMES
from arena.league import partners
from arena.league.batches import Schedule, Size
from arena.league.schedules import SCHEDULES
from arena.league.schedules.line_ups import sides_needed
from arena.league.tables import tag
from arena.model import League, Partners, UserError, no_such


def schedule_of(league: League) -> Schedule:
    """Schedule that a league is played by; raises UserError for one that is not there."""
    if league.schedule not in SCHEDULES:
        raise UserError(no_such("schedule", league.schedule, SCHEDULES))
    return SCHEDULES[league.schedule]


def size_of(league: League) -> Size:
    """How much a league plays when it runs to its end, at most or exactly."""
    return schedule_of(league).size(league)


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
