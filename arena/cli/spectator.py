"""A match as somebody sees it who sees everything: each deal, action and fault in words and cards."""

import time
from collections.abc import Iterator, Sequence

import click

from arena import grid
from arena.cli import drawing, screen
from arena.cli.words import told, worded
from arena.games.base import State
from arena.grid import whole
from arena.model import Board, Decision, SeatFault
from arena.referee import Happening


class Spectator:
    """Prints what happens at a table, as `play_table` tells it."""

    def __init__(self, table: drawing.Table, *, pause_s: float = 0.0) -> None:
        self._table = table
        self._pause_s = pause_s
        self._decisions = 0

    def __call__(self, board: Board, happening: Happening) -> None:
        """Print one happening, and wait a moment where the user asked for it."""
        del board
        look = drawing.Look(screen.width(), screen.in_colour())
        for line in self._lines(happening, look):
            click.echo(line)
        if happening.decision is not None:
            time.sleep(self._pause_s)

    def _lines(self, happening: Happening, look: drawing.Look) -> Iterator[str]:
        if happening.fault is not None and happening.seat is not None:
            yield failure(self._table.names[happening.seat], happening.fault, look)
        elif happening.decision is not None:
            self._decisions += 1
            spent = "" if happening.answer is None else f"{happening.answer.wall_ms:.1f} ms"
            yield from act(
                self._decisions, happening.decision, happening.events, spent, table=self._table, look=look
            )
        else:
            yield ""
            yield from told(happening.events, self._table.names, drawing.NOBODY, look.card)
            yield from hands(happening.state, self._table, look)


def act(  # noqa: PLR0913 - a decision has this many parts
    number: int,
    decision: Decision,
    events: Sequence[str],
    spent: str,
    *,
    table: drawing.Table,
    look: drawing.Look,
) -> list[str]:
    """Number a decision and say what came of it, with the time it took and the author's note."""
    who = table.names[decision.seat]
    sentences = told(events, table.names, drawing.NOBODY, look.card)
    sentences = sentences or [f"{who} {worded(decision.action, look.card)}"]
    words = "; ".join(sentences).split(" ")
    beside = [look.soft(f"({spent})")] if spent else []
    beside += [] if decision.note is None else [look.soft(f"“{whole(decision.note)}”")]
    return screen.flow([*words, *beside], look.columns, first=f"{number:>4}  ", rest=" " * 8)


def failure(name: str, fault: SeatFault, look: drawing.Look) -> str:
    """Say which fault was committed, and what was found."""
    text = f"  !!  {name} has failed, {fault.kind}: {whole(fault.detail)}"
    return click.style(text, fg="red") if look.colour else text


def hands(state: State, table: drawing.Table, look: drawing.Look) -> list[str]:
    """What everybody holds, a line a seat."""
    held = [state.view(seat).get("hand", []) for seat in range(len(table.names))]
    width = max(map(grid.cells, table.names))
    return [
        line
        for name, cards in zip(table.names, held, strict=True)
        for line in screen.flow(
            [look.card(card) for card in cards],
            look.columns,
            first=screen.padded(f"      {look.soft(name)}", width + 8),
            rest=" " * (width + 8),
        )
    ]
