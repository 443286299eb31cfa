"""The command line: one group, each command loaded when it is asked for."""

import contextlib
import errno
import importlib
import keyword
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena import __version__
from protocol.text import escaped_lines

EXIT_INTERRUPTED = 130
"""As shells have it: 128 and the number of SIGINT."""

EXIT_UNWRITTEN = 1

MOST_SAID = 20_000
"""Characters of an error; the log of a build is the longest that one repeats."""

EXIT_CODES = {
    0: "done: a league that ran to its end ends so, whatever its bots did",
    1: "it ran and found a fault, or could not go on: a bot refused, walls that do not hold, something left "
    "over from dead runs, a match that differs, a league that a failure of ours stopped, output not written",
    2: "wrong usage: the sentence says what was found, and what to type",
    EXIT_INTERRUPTED: "stopped by Ctrl-C",
}
"""Exit code -> when a command ends with it."""

MOST_NAMED = 80
"""Characters of a name in a sentence."""

COMPLETE = "_ARENA_COMPLETE"
"""Set in the environment by a shell that asks for completions."""

UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""How writing to standard output fails; click sees to broken pipes, and errors of files name their file."""

COMMANDS = {
    "new": ("arena.cli.new", "Make a bot that plays, in a language of your choice."),
    "check": ("arena.cli.check", "Try a bot at what may go wrong, before it is submitted."),
    "submit": ("arena.cli.submit", "Enter a bot: a folder, an archive or a single file."),
    "bots": ("arena.cli.submit", "List the bots of this workspace."),
    "retire": ("arena.cli.submit", "Take a bot out of future leagues."),
    "run": ("arena.cli.league", "Play a league: begin one, go on with one, or let it grow."),
    "compare": ("arena.cli.compare", "Tell whether one bot is stronger than another."),
    "leagues": ("arena.cli.league", "List the leagues of this workspace."),
    "status": ("arena.cli.league", "Tell how far a league is, while it runs too."),
    "leaderboard": ("arena.cli.ranking", "Rank the bots of a league."),
    "matrix": ("arena.cli.ranking", "Compare every two bots of a league."),
    "crosstable": ("arena.cli.ranking", "Show what each bot scored against each other."),
    "history": ("arena.cli.ranking", "Show how strong each version of a bot is."),
    "seats": ("arena.cli.ranking", "Test whether the seat at the table matters."),
    "show": ("arena.cli.show", "Print a match, decision by decision."),
    "replay": ("arena.cli.replay", "Step through a match on the screen, forward and back."),
    "match": ("arena.cli.match", "Play bots against each other at once, entered or not."),
    "faults": ("arena.cli.faults", "Show what bots did wrong, and how."),
    "logs": ("arena.cli.faults", "Show what the bots of a match printed."),
    "verify": ("arena.cli.verify", "Play a league again and compare it with what is stored."),
    "play": ("arena.cli.play", "Play a game yourself, for practice."),
    "rules": ("arena.cli.rules", "Show the rules of a game; without its name, list the games."),
    "export": ("arena.cli.exchange", "Write a league into a file, for another workspace."),
    "import": ("arena.cli.exchange", "Take in a league from a file, once it holds."),
    "rename": ("arena.cli.keeping", "Give a bot or a league another name."),
    "delete": ("arena.cli.keeping", "Delete leagues, or bots that no league has."),
    "disk": ("arena.cli.keeping", "Show what takes room in this workspace."),
    "trim": ("arena.cli.keeping", "Make the database smaller."),
    "doctor": ("arena.cli.tools", "Try whether this machine can hold untrusted bots."),
}
"""Command -> the module that defines it under the same name, and its line in the list.

A name that Python keeps for itself has a `_` behind it there.
"""


class LazyGroup(click.Group):
    """Imports a command's module only when that command is run or its help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the commands in the order of the table, which is the order a user meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command; None for an unknown name, so that click says what there is."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        word = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(importlib.import_module(module), word)
        if COMPLETE in os.environ:
            from arena.cli.completion import taught  # noqa: PLC0415 - nothing but a completion needs it

            return taught(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Give the commands that begin so without loading any, and the options of the group."""
        commands = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown name say which was probably meant."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib  # noqa: PLC0415 - every command would wait for what only a slip needs

            close = difflib.get_close_matches(args[0][:MOST_NAMED].lower(), COMMANDS, n=1)
            meant = f"; did you mean '{close[0]}'?" if close else "."
            named = ascii(args[0][:MOST_NAMED])
            raise click.UsageError(f"No such command {named}{meant} All are listed by: arena --help", ctx=ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what is not UTF-8: Python makes halves of characters of it, which nothing can store."""
        for text in args:
            try:
                text.encode()
            except UnicodeEncodeError:
                raise click.UsageError(f"argument {ascii(text)[:200]} is not UTF-8", ctx=ctx) from None
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse what was typed."""
        with harmless():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what the user can put right is printed as a sentence, with exit code 2."""
        try:
            with harmless():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from arena.model import UserError  # noqa: PLC0415 - msgspec would double the time of --help

            if isinstance(error, UserError):
                raise click.UsageError(escaped_lines(str(error), MOST_SAID)) from None
            raise


@contextlib.contextmanager
def harmless() -> Iterator[None]:
    """Within, what is wrong with the words that were typed is said so that it is safe to show."""
    try:
        yield
    except click.ClickException as error:
        said = _example(error) if isinstance(error, click.MissingParameter) else error.message
        vars(error)["message"] = escaped_lines(said, MOST_SAID)
        raise


def _example(error: click.MissingParameter) -> str:
    """What could have been typed: the first example of the command's help."""
    _, _, examples = ((error.ctx and error.ctx.command.help) or "").partition("Example:\n")
    first = examples.strip().partition("\n")[0]
    return f"Type for example: {first}" if first else ""


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="arena")
def group() -> None:
    """Run leagues between card-playing bots and rank them.

    \b
    Example:
      arena submit my_bot.py
      arena run --game idiot --boards 16
      arena leaderboard
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the console script."""
    os.environ["PYTHONSAFEPATH"] = "1"  # else the fork servers, `python -c`, import from the user's folder
    try:
        group.main(args=None if argv is None else list(argv), prog_name="arena")
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITTEN:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left of it would fail once more at the exit
        click.echo(f"Error: the output could not be written: {error.strerror}", err=True)
        sys.exit(EXIT_UNWRITTEN)
