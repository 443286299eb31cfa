"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

PLAIN = "plain"
"""The sandbox without walls."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _in_utf_8(_ctx: click.Context, _option: click.Parameter, path: Path) -> Path:
    """The path; the environment may hold one that no sentence could name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise click.BadParameter(f"{ascii(str(path))[:200]} is not UTF-8") from None
    return path


def workspace_option(command: Command) -> Command:
    """Add `--workspace`; the command gets it as a Path named `workspace`, whether it exists or not."""
    return click.option(
        "--workspace",
        envvar="ARENA_WORKSPACE",
        default="results",
        show_default=True,
        show_envvar=True,
        type=click.Path(file_okay=False, path_type=Path),
        callback=_in_utf_8,
        help="Folder of the database, the submissions and the transcripts.",
    )(command)


def style_option(command: Command) -> Command:
    """Add `--style`; the command gets it as `style`, for `arena.grid`."""
    return click.option(
        "--style",
        default="simple",
        show_default=True,
        help="Of the table: csv, json, or any of tabulate's, such as github or rounded_outline.",
    )(command)
