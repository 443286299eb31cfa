"""Ways to choose what a league plays, one module for each family."""

from arena.league.batches import Feature, Schedule
from arena.league.schedules.adaptive import adaptive, adaptive_size, check_adaptive
from arena.league.schedules.compare import check_compare, compare, compare_size
from arena.league.schedules.gauntlet import check_gauntlet
from arena.league.schedules.knockout import check_knockout, knockout, knockout_size, knockout_story
from arena.league.schedules.round_robin import round_robin, round_robin_size
from arena.league.schedules.swiss import check_swiss, swiss, swiss_size, swiss_story

SCHEDULES = {
    "round-robin": Schedule(
        round_robin,
        round_robin_size,
        frozenset({Feature.LINEUPS, Feature.MIXED, Feature.HOUSE, Feature.SIDES, Feature.GROWTH}),
    ),
    "gauntlet": Schedule(
        round_robin,
        round_robin_size,
        frozenset({Feature.GAUNTLET, Feature.SIDES, Feature.GROWTH}),
        check=check_gauntlet,
    ),
    "adaptive": Schedule(
        adaptive,
        adaptive_size,
        frozenset({Feature.UNTIL, Feature.SIDES, Feature.GROWTH}),
        until=frozenset({"separated", "error", "matches"}),
        check=check_adaptive,
        boards=128,
        block=2,
        adapts=True,
    ),
    "swiss": Schedule(
        swiss,
        swiss_size,
        frozenset({Feature.UNTIL}),
        until=frozenset({"rounds"}),
        check=check_swiss,
        adapts=True,
        seeded=True,
        story=swiss_story,
        note="A Swiss tournament: equals met, so wins alone tell little; `arena status` has the scores.",
    ),
    "knock-out": Schedule(
        knockout,
        knockout_size,
        frozenset(),
        check=check_knockout,
        boards=33,
        adapts=True,
        seeded=True,
        story=knockout_story,
        note="A knock-out: who lost early played little; `arena status` has the bracket, which Elo is not.",
    ),
    "compare": Schedule(
        compare,
        compare_size,
        frozenset({Feature.HOUSE, Feature.SIDES, Feature.GROWTH}),
        check=check_compare,
        block=4,
        adapts=True,
        note="A comparison of two bots: its verdict is in `arena compare`, which knows when it stopped.",
    ),
}
"""Name -> schedule. A schedule is added with its functions and one line here."""
