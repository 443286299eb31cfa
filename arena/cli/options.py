"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def workspace_option(command: Command) -> Command:
    """Add `--workspace`; the command gets it as a Path named `workspace`, whether it exists or not."""
    return click.option(
        "--workspace",
        envvar="ARENA_WORKSPACE",
        default="results",
        show_default=True,
        show_envvar=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the database, the submissions and the transcripts.",
    )(command)
