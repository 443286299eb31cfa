"""Whether the machine, and not the bot, is why an answer was late."""

from collections.abc import Sequence

from arena.grid import short
from arena.model import Circumstances, Entrant, Late, TableResult

SHARE = 0.5
"""Of the time that there was: with less of it on a core, a bot has used little; with as much of it in wait
for one, its host is overloaded."""


def starved(measured: Circumstances) -> bool:
    """Whether a bot that was late had used little CPU time while its host was overloaded.

    A bot that sleeps does not wait for a core, however busy the host is. And one that keeps its own threads
    waiting, by others that work, uses the core for as long as they wait: it is never both.
    """
    if measured.limit_ms is None or measured.cpu_ms is None or measured.waited_ms is None:
        return False
    return measured.cpu_ms < SHARE * measured.limit_ms <= measured.waited_ms


def void_said(tables: int) -> tuple[str, ...]:
    """How many tables were void, as a sentence; none, when none was."""
    counted = "1 table was" if tables == 1 else f"{tables} tables were"
    return (f"{counted} void once, and played again: the machine made a bot late.",) if tables else ()


def reason(late: Late, seating: Sequence[Entrant]) -> str:
    """What made a table void, as people say it."""
    measured = late.circumstances
    return (
        f"on board {late.board} {short(seating[late.seat].name)} in seat {late.seat} was late after "
        f"{measured.limit_ms:.0f} ms, in which it stood ready for a core for {measured.waited_ms:.0f} ms "
        f"and had one for {measured.cpu_ms:.0f} ms"
    )


def starvations(result: TableResult) -> tuple[Late, ...]:
    """All of a table, in the order of its matches."""
    return tuple(
        Late(match.board, fault.seat, measured)
        for match in result.matches
        for fault, measured in zip(match.outcome.faults, match.measurement.circumstances, strict=True)
        if starved(measured)
    )
