"""The command `replay`: a stored match on the screen, forward and back, one decision at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from arena import grid, transcript
from arena.cli import drawing, screen
from arena.cli.match import guest
from arena.cli.matches import names_of
from arena.cli.options import MatchNumber, style_option, workspace_option
from arena.cli.spectator import failure
from arena.cli.words import told, worded
from arena.games import GAMES
from arena.games.base import State
from arena.grid import whole
from arena.model import HOUSE, Answer, Decision, Question, SeatFault, UserError
from arena.opinions import opinions
from arena.sandbox import BACKENDS
from arena.store import Store, StoredMatch
from arena.submissions.visiting import visiting
from arena.transcript import BadTranscript, Transcript

LEAP = 10
"""Decisions that a page key passes over."""

KEYS: dict[str, frozenset[str]] = {
    "next": frozenset({"\x1b[C", "\x1bOC", " ", "n", "l"}),
    "back": frozenset({"\x1b[D", "\x1bOD", "\x7f", "\x08", "p", "b", "h"}),
    "leap": frozenset({"\x1b[6~", "\x1b[B", "\x1bOB", "j"}),
    "leap back": frozenset({"\x1b[5~", "\x1b[A", "\x1bOA", "k"}),
    "first": frozenset({"\x1b[H", "\x1bOH", "\x1b[1~", "^"}),
    "last": frozenset({"\x1b[F", "\x1bOF", "\x1b[4~", "$"}),
    "fault": frozenset({"f"}),
    "go": frozenset({"\r", "\n", "g"}),
    "quit": frozenset({"q", "\x04"}),
}
"""What is meant by a key; `go` is to the number that was typed before, else on."""

HELP = (
    "→ next  ← back  ↑↓ ten  Home End  12 Enter: that one  f next fault  q quit",
    "→ ← ↑↓ Home End  f fault  q quit",
)
"""What the keys do, for a terminal of the usual width and a narrow one."""


class Scene(msgspec.Struct, frozen=True):
    """The match just before a decision, or at its end."""

    state: State
    happened: tuple[str, ...]
    """Events since the scene before."""
    decision: Decision | None


@click.command()
@click.argument("number", metavar="MATCH", type=MatchNumber())
@click.option("--seat", type=click.IntRange(min=0), help="Only what this seat saw.  [default: everything]")
@click.option("--from", "start", type=click.IntRange(min=1), default=1, help="Decision to begin with.")
@click.option(
    "--bot", metavar="BOT", help="Ask another bot, or a program at a path, what it would have done."
)
@click.option("--sandbox", type=click.Choice(list(BACKENDS)), default="bwrap", help="The walls of --bot.")
@style_option
@workspace_option
def replay(workspace: Path, **options: Any) -> None:
    """Step through a stored match on the screen, forward and back.

    Every decision is shown with all that could have been chosen, and what its bot noted beside it. MATCH is a
    number of `arena show --league`.

    With --bot the questions of one seat are put to another bot, entered or not, while the match takes the
    course it took; what it would have done differently is listed.

    \b
    Example:
      arena replay 7
      arena replay 7 --seat 1 --from 12
      arena replay 7 --seat 1 --bot ./my_bot.py
    """
    wish = Wish(**options)
    with Store.open(workspace, read_only=True) as store:
        match = store.match(wish.number)
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    try:
        played = transcript.read(match.transcript, known)
        stage = Stage(match, played, wish.seat)
    except BadTranscript as error:
        raise UserError(
            f"match {wish.number} cannot be replayed: {error}; type: arena show {wish.number}"
        ) from None
    if wish.bot is None:
        stage.play(wish.start - 1)
    else:
        click.echo(asked(wish, match, played, workspace))


class Wish(msgspec.Struct, frozen=True):
    """What was typed on the command line."""

    number: int
    seat: int | None
    start: int
    bot: str | None
    sandbox: str
    style: str


def asked(wish: Wish, match: StoredMatch, played: Transcript, workspace: Path) -> str:
    """What another bot would have done at one seat, as a table of what differs and a sentence."""
    if wish.seat is None or wish.bot is None:
        raise UserError(f"--bot answers for one seat; type for example --seat 0 --bot {wish.bot}")
    with Store.open(workspace, read_only=True) as store:
        clock = store.chosen_league(match.league).clock
    with visiting(wish.sandbox) as visit:
        bot = guest(wish.bot, played.game, visit, workspace)
        if bot == HOUSE:
            raise UserError("--bot house: the house needs no asking, it takes the first of the list")
        found = opinions(
            *(played, wish.seat, bot),
            clock=clock,
            sandbox=wish.sandbox,
            submissions=str(visit.submissions),
            auto_forced=match.auto_forced,
        )
    rows = [
        (each.decision, len(each.legal), each.stored or "failed", *_now(each.now))
        for each in found
        if each.differs()
    ]
    headers = ("decision", "choices", "played", f"{grid.short(bot.name)} now", "beside it")
    table = grid.listing(headers, rows, wish.style)
    if wish.style in grid.BARE_STYLES:
        return table
    count = f"{grid.counted(len(found), 'question')} of seat {wish.seat}, {len(rows)} answered differently"
    return f"{table}\n\n{count}." if rows else f"{count}."


def _now(reply: Answer | SeatFault) -> tuple[str, str]:
    if isinstance(reply, SeatFault):
        return reply.kind, whole(reply.detail)
    return whole(reply.action), "" if reply.note is None else whole(reply.note)


class Stage:
    """One match, with whoever looks at it."""

    def __init__(self, match: StoredMatch, played: Transcript, seat: int | None) -> None:
        if seat is not None and seat >= played.players:
            raise UserError(f"there is no seat {seat}; --seat may be 0 to {played.players - 1}")
        self._match = match
        self._typed = ""
        """Digits of a number that is being typed."""
        self._scenes = list(scenes(played))
        self._table = drawing.Table(
            game=played.game,
            names=tuple(names_of(played)),
            sides=GAMES[played.game].sides(played.players),
            seat=drawing.NOBODY if seat is None else seat,
        )
        self._faults = {
            fault.decision: (fault, detail)
            for fault, detail in zip(
                reversed(match.outcome.faults), reversed(match.measurement.fault_details), strict=True
            )
        }

    def play(self, at: int) -> None:
        """Show scene after scene, as the keys say."""
        at = min(at, len(self._scenes) - 1)
        with screen.keyboard() as pressed:
            while True:
                screen.clear()
                click.echo("\n".join(self.frame(at, drawing.Look(screen.width(), screen.in_colour()))))
                keys = pressed()
                for key in keys:
                    at = self._moved(at, key)
                if not keys or not KEYS["quit"].isdisjoint(keys):
                    return

    def _moved(self, at: int, key: str) -> int:
        last = len(self._scenes) - 1
        meant = next((word for word, keys in KEYS.items() if key in keys), None)
        steps = {"next": at + 1, "back": at - 1, "leap": at + LEAP, "leap back": at - LEAP}
        ends = {"first": 0, "last": last}
        if meant == "fault":
            return min((place for place in self._faults if place > at), default=at)
        typed, self._typed = self._typed, self._typed + key if key.isdecimal() else ""
        if meant == "go":
            steps["go"] = int(typed) - 1 if typed else at + 1
        return max(0, min({**steps, **ends}.get(meant or "", at), last))

    def frame(self, at: int, look: drawing.Look) -> list[str]:
        """Draw a scene."""
        scene, table = self._scenes[at], self._table
        looker = table.seat if table.seat != drawing.NOBODY else scene.state.to_act() or 0
        view = scene.state.view(looker)
        sections = [
            [drawing.title(table, look), self._where(at)],
            drawing.happened(told(scene.happened, table.names, table.seat, look.card), look),
            drawing.seats(view, table, look),
            [*drawing.labelled(drawing.zones(view, table, look), look), *drawing.facts(view, table, look)],
            drawing.labelled(self._hands(scene, look), look),
            list(self._chosen(scene, at, look)),
            [look.soft(HELP[len(HELP[0]) > look.columns])],
        ]
        return [line for lines in sections if lines for line in [*lines, ""]][:-1]

    def _where(self, at: int) -> str:
        decisions = len(self._scenes) - 1
        place = "its end" if at == decisions else f"decision {at + 1} of {decisions}"
        seen = "" if self._table.seat == drawing.NOBODY else f", as seat {self._table.seat} saw it"
        return f"  match {self._match.id} of league {self._match.league}, {place}{seen}"

    def _hands(self, scene: Scene, look: drawing.Look) -> list[drawing.Line]:
        """Of the one who looks, or of all."""
        table, state = self._table, scene.state
        legal = tuple(state.legal())
        lines = []
        for seat, name in enumerate(table.names):
            if table.seat in (seat, drawing.NOBODY):
                own = legal if state.to_act() == seat else ()
                question = Question(seat, 0, state.view(seat), (), own, 0.0, 0.0)
                lines += [
                    msgspec.structs.replace(line, label=f"{name} {line.label}")
                    for line in drawing.hand(question, table, look)
                ]
        return lines

    def _chosen(self, scene: Scene, at: int, look: drawing.Look) -> Iterator[str]:
        """What was decided, and what could have been."""
        table = self._table
        if at in self._faults:
            fault, detail = self._faults[at]
            yield failure(table.names[fault.seat], SeatFault(fault.kind, detail), look)
        if scene.decision is None:
            yield from self._end(look)
            return
        seat, action = scene.decision.seat, scene.decision.action
        note = "" if scene.decision.note is None else look.soft(f"  “{whole(scene.decision.note)}”")
        spent = look.soft(self._spent(at))
        yield f"  {look.loud(table.names[seat])} chose {look.loud(worded(action, look.card))}{spent}{note}"
        if table.seat in (seat, drawing.NOBODY):
            legal = scene.state.legal()
            question = Question(seat, 0, scene.state.view(seat), (), tuple(legal), 0.0, 0.0)
            yield from drawing.actions(drawing.arranged(question, table), look)

    def _spent(self, at: int) -> str:
        """How long the bot thought, where it was asked and that was kept."""
        paces = self._match.measurement.decisions_ms
        return "" if at >= len(paces) or paces[at] is None else f" ({paces[at]:.2g} ms)"

    def _end(self, look: drawing.Look) -> Iterator[str]:
        outcome = self._match.outcome
        for number, (side, place) in enumerate(zip(self._table.sides, outcome.places, strict=True)):
            who = " and ".join(self._table.names[seat] for seat in side)
            score = "forfeit" if outcome.scores is None else f"{outcome.scores[number]:g}"
            yield f"  {look.loud(who)}: place {place:g}, score {score}"


def scenes(played: Transcript) -> Iterator[Scene]:
    """The match before each decision and at its end."""
    for step in transcript.steps(played):
        yield Scene(step.state.clone(), (*step.acted, *step.dealt), step.decision)
