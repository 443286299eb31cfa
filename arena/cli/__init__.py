"""The command line: one group, each command loaded when it is asked for."""

import importlib
from collections.abc import Sequence

import click

from arena import __version__

COMMANDS = {
    "submit": "arena.cli.submit",
    "bots": "arena.cli.submit",
    "retire": "arena.cli.submit",
    "run": "arena.cli.league",
    "leagues": "arena.cli.league",
    "status": "arena.cli.league",
    "leaderboard": "arena.cli.show",
    "show": "arena.cli.show",
    "doctor": "arena.cli.tools",
}
"""Command -> the module that defines it under the same name. A command is added with one line here."""


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
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what the user can put right is printed as a sentence, with exit code 2."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            from arena.model import UserError  # noqa: PLC0415 - msgspec would double the time of --help

            if isinstance(error, UserError):
                raise click.UsageError(str(error)) from None
            raise


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
    group.main(args=None if argv is None else list(argv), prog_name="arena")
