"""Tables of texts as commands print them."""

from collections.abc import Mapping, Sequence

from tabulate import tabulate, tabulate_formats

from arena.leaderboard import BARRED, HARMLESS
from arena.model import UserError
from protocol.text import escaped


def table(rows: Sequence[Mapping[str, str]], style: str) -> str:
    """Rows under their keys. Cells are taken as they are: 007 stays 007, and a bar ends no cell."""
    if style not in tabulate_formats:
        raise UserError(f"no style '{escaped(style, 40)}'; the styles are: {', '.join(tabulate_formats)}")
    if style in BARRED:
        rows = [{key: cell.replace("|", r"\|") for key, cell in row.items()} for row in rows]
    return tabulate(
        rows,
        headers="keys",
        tablefmt=HARMLESS.get(style, style),
        disable_numparse=True,
        preserve_whitespace=True,
    )
