"""How far each league is and whether it runs: only reads, so that it never disturbs a run."""

from datetime import UTC, datetime
from enum import StrEnum

import msgspec

from arena.league.batches import Size
from arena.league.course import end_of
from arena.league.schedule import size_of
from arena.model import Entrant, League
from arena.store import Activity, Store


class Phase(StrEnum):
    """Where a league stands."""

    RUNNING = "running"
    FINISHED = "finished"
    UNFINISHED = "unfinished"


class Status(msgspec.Struct, frozen=True):
    """A league and how far it is."""

    league: League
    size: Size
    activity: Activity
    runner: int | None
    """Process that is running it."""
    end: str | None
    """Why it ended; None before its end, and while it runs."""

    @property
    def phase(self) -> Phase:
        """Running while a process holds its lock, whatever is left to play."""
        if self.runner is not None:
            return Phase.RUNNING
        return Phase.UNFINISHED if self.end is None else Phase.FINISHED

    @property
    def left_s(self) -> float | None:
        """Time to the end at the rate of the last minute, at most where the league may end before.

        None when it does not run or has no rate yet.
        """
        if self.runner is None or not self.activity.last_minute:
            return None
        return (self.size.tables - self.activity.tables) * 60 / self.activity.last_minute


def statuses(store: Store) -> list[Status]:
    """All leagues, the newest last."""
    return [_status(store, league) for league in store.leagues()]


def status(store: Store, name: str | None) -> Status:
    """One league: the one of that name, or else one that is running, or else the newest."""
    running = [league for league in store.leagues() if store.runner(league.name) is not None]
    return _status(store, running[-1] if running and name is None else store.chosen_league(name))


def matches_by_entrant(store: Store, league: League) -> list[tuple[Entrant, int]]:
    """How many matches each bot of a league has played, by name; those without any, too."""
    played = store.matches_by_bot(league.name)
    entrants = sorted({*league.extensions[-1].entrants, *played})
    return [(entrant, played.get(entrant, 0)) for entrant in entrants]


def _status(store: Store, league: League) -> Status:
    activity = store.activity(league.name, now=datetime.now(UTC))
    runner = store.runner(league.name)
    end = None if runner is not None else store.ended(league.name, lambda: end_of(store, league))
    return Status(league, size_of(league), activity, runner, end)
