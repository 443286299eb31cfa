"""Writes the page of all commands: `python -m arena.cli.pages > docs/cli.md`.

It says what `--help` says, at a width of its own, so that it is the same wherever it is written.
"""

from typing import Any

import click

from arena.cli import COMMANDS, EXIT_CODES, group

SETTINGS: dict[str, Any] = {**group.context_settings, "terminal_width": 100}
"""How help is written for the page."""

HEAD = """\
# Commands

What `arena COMMAND --help` says, written by `python -m arena.cli.pages > docs/cli.md`; a test compares them.

| command | what it does |
| --- | --- |
"""

EXITS = """
## Exit codes

| code | when |
| ---: | --- |
"""

NAMES = """
## Names, numbers, the workspace

All that lasts is in one folder, the workspace: `results`, or `--workspace FOLDER`, or
`ARENA_WORKSPACE=FOLDER` for all commands of a shell. A name that nothing has is answered with those that are
there, and with the one that was probably meant.

Tables go to standard output and what is said about them to standard error, so a table can be piped;
`--style csv` and `--style json` are for programs.

## The Tab key

One line completes commands, options, and the names of bots, leagues, games, columns and styles.

bash, in `~/.bashrc`:

```sh
eval "$(_ARENA_COMPLETE=bash_source arena)"
```

zsh, in `~/.zshrc`:

```sh
eval "$(_ARENA_COMPLETE=zsh_source arena)"
```

fish, in `~/.config/fish/completions/arena.fish`:

```sh
_ARENA_COMPLETE=fish_source arena | source
```

A bot whose name a shell could take for something else is not offered.
"""


def page() -> str:
    """All of it, in Markdown."""
    listed = "".join(
        f"| [`{name}`](#arena-{name}) | {summary} |\n" for name, (_, summary) in COMMANDS.items()
    )
    codes = "".join(f"| {code} | {when} |\n" for code, when in EXIT_CODES.items())
    return HEAD + listed + EXITS + codes + NAMES + "".join(map(_section, COMMANDS))


def _section(name: str) -> str:
    with click.Context(group, info_name="arena", **SETTINGS) as above:
        command = group.get_command(above, name)
        assert command is not None, name
        with click.Context(command, above, info_name=name, **SETTINGS) as ctx:
            return f"\n## arena {name}\n\n```text\n{command.get_help(ctx)}\n```\n"


if __name__ == "__main__":
    click.echo(page(), nl=False)
