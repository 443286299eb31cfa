"""Ways to choose what a league plays, one module for each family."""

from arena.league.batches import Schedule
from arena.league.schedules.round_robin import round_robin, round_robin_size

SCHEDULES = {"round-robin": Schedule(round_robin, round_robin_size)}
"""Name -> schedule. A schedule is added with its functions and one line here."""
