"""The rules pages of the games, and the command that shows them."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from pathlib import Path

import click

import arena
from arena import grid
from arena.cli import screen
from arena.games import GAMES
from arena.games.base import Game
from arena.grid import listing
from arena.model import UserError, no_such

PAGES = (Path(arena.__file__).parent / "rules", Path(arena.__file__).parents[1] / "docs" / "games")
"""Where the pages may be: in an installed package, in a checkout."""

MARKS = re.compile(r"\*\*(?P<bold>.+?)\*\*|`(?P<code>.+?)`|\*(?P<slant>[^*]+)\*|\[(?P<link>[^]]+)\]\([^)]*\)")
"""What Markdown has inside a line."""

LEAST_COLUMN = 8
GAP = 2


@click.command()
@click.argument("game", required=False)
@click.option(
    "--style", default="simple", show_default=True, help="Of the list: any of tabulate's, csv or json."
)
def rules(game: str | None, style: str) -> None:
    """Show the rules page of GAME; without one, list the games.

    \b
    Example:
      arena rules idiot
    """
    if game is None:
        click.echo(listing(("game", "players", "what it is"), [*games()], style))
    else:
        show(named(game).name)


def games() -> Iterator[tuple[str, str, str]]:
    """Name, numbers of players, and a line for each game."""
    for name, game in GAMES.items():
        yield name, ", ".join(map(str, game.players)), summary(page(name))


def named(name: str) -> Game:
    """The game of that name, in whatever case; raises UserError."""
    if name.lower() not in GAMES:
        raise UserError(no_such("game", name, GAMES))
    return GAMES[name.lower()]


def show(game: str) -> None:
    """Print the page: through a pager on a terminal, as it was written elsewhere."""
    if screen.in_colour():
        screen.browse(readable(page(game), screen.width()))
    else:
        click.echo(page(game), nl=False)


def page(game: str) -> str:
    """Rules of a game, in Markdown."""
    places = [folder / f"{game}.md" for folder in PAGES]
    return next(path for path in places if path.exists()).read_text("utf-8")


def summary(text: str) -> str:
    """First sentence of a page."""
    return re.split(r"(?<=\.)\s", opening(text), maxsplit=1)[0].replace("\n", " ")


def opening(text: str) -> str:
    """What stands between the title of a page and its first section."""
    return text.split("\n## ", 1)[0].split("\n", 1)[1].strip()


def section(text: str, title: str) -> str:
    """One section of a page; empty where there is none."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def readable(markdown: str, most: int) -> list[str]:
    """Lines of at most `most` columns for a terminal. Knows as much of Markdown as our pages use."""
    lines: list[str] = []
    for block in blocks(markdown):
        lines += [*drawn(block, most), ""]
    return lines[:-1]


def blocks(markdown: str) -> Iterator[list[str]]:
    """Paragraphs, lists, tables and listings, each as its lines."""
    for part in re.split(r"^(```.*?^```)$", markdown, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("```"):
            yield part.splitlines()
        else:
            for empty, lines in groupby(part.splitlines(), key=lambda line: not line.strip()):
                if not empty:
                    yield list(lines)


def drawn(block: list[str], most: int) -> list[str]:
    """One block as lines."""
    start = block[0]
    if start.startswith("```"):
        return [line for text in block[1:-1] for line in listed(text, most)]
    if start.startswith("#"):
        return [click.style(start.lstrip("# "), bold=True, underline=start.startswith("# "))]
    if start.startswith("|"):
        return table(block, most)
    if start.startswith("- "):
        items = re.split(r"^- ", "\n".join(block), flags=re.MULTILINE)[1:]
        return [line for item in items for line in screen.flow(words(item), most, first="- ", rest="  ")]
    return screen.flow(words(" ".join(block)), most)


def listed(text: str, most: int) -> list[str]:
    """One line of a listing, with its indentation kept."""
    blanks = "  " + text[: len(text) - len(text.lstrip())]
    return screen.flow(text.split(), most, first=blanks, rest=blanks + "  ")


def words(text: str) -> list[str]:
    """Words of a text, each styled as its marks say."""
    styled = MARKS.sub(_styled, " ".join(text.split()))
    return styled.split(" ")


def _styled(match: re.Match[str]) -> str:
    looks = {"bold": {"bold": True}, "code": {"fg": "cyan"}, "slant": {"italic": True}, "link": {}}
    kind = match.lastgroup or "link"
    return " ".join(click.style(word, **looks[kind]) for word in match[kind].split(" "))  # type: ignore[arg-type]


def table(block: Iterable[str], most: int) -> list[str]:
    """Rows of a table, the cells broken where they are too wide together."""
    rows = [
        [words(cell) for cell in line.strip()[1:-1].split("|")]
        for line in block
        if not set(line) <= set("|-: ")
    ]
    sizes = [max(grid.cells(" ".join(cell)) for cell in column) for column in zip(*rows, strict=True)]
    while sum(sizes) + GAP * (len(sizes) - 1) > most and max(sizes) > LEAST_COLUMN:
        sizes[sizes.index(max(sizes))] -= 1
    head, *body = [_row(row, sizes) for row in rows]
    rule = ["-" * size for size in sizes]
    return screen.grid([*head, rule, *(line for row in body for line in row)], gap=GAP)


def _row(cells: list[list[str]], sizes: list[int]) -> list[list[str]]:
    """A row of a table as the rows of a grid: as many as its tallest cell has lines."""
    broken = [screen.flow(cell, size) for cell, size in zip(cells, sizes, strict=True)]
    return [list(line) for line in zip_longest(*broken, fillvalue="")]
