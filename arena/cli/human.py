"""A human at a seat of a table: shows each question, waits for an answer to be typed."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from random import Random

import click
import msgspec

from arena.cli import drawing, rules, screen, typed
from arena.cli.words import UNLISTED, told, worded
from arena.games import GAMES
from arena.grid import whole
from arena.model import Answer, Question, SeatFault
from arena.seats.local import Local
from protocol.messages import End

SHOWN = 6
"""Actions that are named to who typed something that may be any of them."""


class Left(Exception):  # noqa: N818 - no error
    """The human has left the table."""


class Human(Local):
    """A `Seat` whose answers are typed. Its clock stands still."""

    def __init__(self, table: drawing.Table) -> None:
        self._table = table
        self._told: list[str] = []
        """Everything that happened so far."""
        self._news: list[str] = []
        """What of it is new since the last decision."""
        self._hand: list[str] = []
        """As it was at the last decision."""
        self._commands: dict[str, Callable[[Question], None]] = {
            "?": self._help,
            "help": self._help,
            "rules": self._rules,
            "log": self._log,
            "more": self._more,
        }

    def ask(self, match: int, question: Question) -> Answer | SeatFault:
        """Show the table and wait until an action was typed."""
        del match
        question = msgspec.structs.replace(question, legal=drawing.arranged(question, self._table))
        self._hear(question)
        self._draw(question)
        while True:
            text = typed_line(drawing.asked(question))
            if text in ("q", "quit"):
                raise Left
            if text in self._commands:
                self._commands[text](question)
            elif not text:
                self._draw(question)
            elif (action := self._action(text, question)) is not None:
                return Answer(action, wall_ms=0.0)

    def end(self, end: End) -> None:
        """Tell how the match went on after the last decision."""
        screen.clear()
        click.echo(drawing.title(self._table, self._look()))
        click.echo("\n".join(drawing.happened(self._sentences(end.events), self._look())) + "\n")

    def _look(self) -> drawing.Look:
        return drawing.Look(screen.width(), screen.in_colour())

    def _sentences(self, events: Sequence[str]) -> list[str]:
        return told(events, self._table.names, self._table.seat, self._look().card)

    def _hear(self, question: Question) -> None:
        """Take in what happened since the last decision."""
        look, hand = self._look(), question.view.get("hand", [])
        self._news = self._sentences(question.events) + drawing.drawn(self._hand, hand, look)
        self._told += self._news
        self._hand = hand

    def _draw(self, question: Question, *, more: bool = False) -> None:
        screen.clear()
        click.echo(
            "\n".join(drawing.frame(question, self._news, self._table, self._look(), more=more)) + "\n"
        )

    def _action(self, text: str, question: Question) -> str | None:
        """What was typed as an action; None after saying why it is none."""
        found = typed.meant(text, question.legal) or unlisted(text, question, self._table)
        if len(found) == 1:
            warning = UNLISTED.get(self._table.game) if found[0] not in question.legal else None
            return found[0] if warning is None or sure(warning) else None
        look = self._look()
        doubt = doubts(text, found, question, look)
        click.echo("\n".join(screen.flow(doubt.split(" "), look.columns, first="  ", rest="  ")))
        return None

    def _help(self, question: Question) -> None:
        screen.browse(drawing.guide(question, self._table, self._look(), rules.page(self._table.game)))
        self._draw(question)

    def _rules(self, question: Question) -> None:
        rules.show(self._table.game)
        self._draw(question)

    def _log(self, question: Question) -> None:
        screen.browse(drawing.happened(self._told, self._look(), most=len(self._told)))
        self._draw(question)

    def _more(self, question: Question) -> None:
        self._draw(question, more=True)


def typed_line(text: str) -> str:
    """Wait for a line; raises Left where the input ends, KeyboardInterrupt for Ctrl-C."""
    with aborting():
        return str(click.prompt(text, default="", show_default=False, prompt_suffix=" ")).strip()


def sure(warning: str) -> bool:
    """Ask whether it is meant."""
    with aborting():
        return click.confirm(f"  {warning} Play it?")


@contextlib.contextmanager
def aborting() -> Iterator[None]:
    """Within, an aborted prompt of click is told by what aborted it."""
    try:
        yield
    except click.Abort as aborted:
        if isinstance(aborted.__context__, EOFError):
            click.echo()
            raise Left from None
        raise KeyboardInterrupt from None


def unlisted(text: str, question: Question, table: drawing.Table) -> list[str]:
    """Actions that the text may mean and that the game takes, although it does not list them."""
    rng = Random(0)  # noqa: S311 - fills in what cannot be seen, which does not decide what may be done
    state = GAMES[table.game].from_view(question.view, rng)
    return [action for action in typed.spelled(text, question.legal) if state.is_legal(action)]


def doubts(text: str, found: Sequence[str], question: Question, look: drawing.Look) -> str:
    """Say what was expected instead."""
    count = len(question.legal)
    if found:
        shown = " or ".join(worded(action, look.card) for action in found[:SHOWN])
        more = f" or one of {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        return f"That may be {shown}{more}: type its number, or more of it."
    if text.isdecimal():
        return f"There is no {whole(text)}: the numbers are 1 to {count}."
    return f"No action now: {whole(text)}. Type a number from 1 to {count}, or the words beside it; ? helps."
