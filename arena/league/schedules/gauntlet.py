"""Some bots meet all others, which do not meet each other; played as a round robin of those line-ups."""

from arena.league.schedules.line_ups import sides_needed
from arena.model import League, UserError, no_such
from protocol.text import escaped


def check_gauntlet(league: League) -> None:
    """Raise UserError when the bots that run it are not there, or are too many for the rest."""
    names = [entrant.name for entrant in league.extensions[-1].entrants]
    if not league.gauntlet:
        raise UserError(f"a gauntlet needs a bot that runs it; type --gauntlet {escaped(names[-1], 80)}")
    for name in league.gauntlet:
        if name not in names:
            raise UserError(no_such("bot", name, names, of="of this league"))
    if len(set(league.gauntlet)) < len(league.gauntlet):
        raise UserError("--gauntlet has a bot twice; name each bot once")
    others, needed = len(names) - len(league.gauntlet), sides_needed(league.game, league.players) - 1
    if others < needed:
        raise UserError(
            f"{len(league.gauntlet)} of {len(names)} bots run the gauntlet, and {others} are left to meet; "
            f"{needed} are needed: submit more bots, or let fewer run"
        )
