"""JSON Schemas of all messages and of every game's view: `python -m protocol.schema` writes them anew.

They are made of the structs and types that the arena itself goes by, and stand as files beside them for
authors in other languages.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from protocol.messages import VERSION, ArenaMessage, BotMessage
from protocol.views import VIEWS

HERE = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def files() -> Iterator[tuple[Path, str]]:
    """Every file with its text."""
    yield HERE / "schema.json", _text(messages())
    for game in VIEWS:
        yield HERE / "schemas" / f"{game}.json", _text(view(game))


def messages() -> dict[str, Any]:
    """The schema of all messages, both ways."""
    (bot, arena), components = msgspec.json.schema_components(
        (BotMessage, ArenaMessage), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": DIALECT,
        "title": f"Messages of the card-arena protocol, version {VERSION}",
        "anyOf": [{"$ref": "#/$defs/FromBot"}, {"$ref": "#/$defs/FromArena"}],
        "$defs": {"FromBot": bot, "FromArena": arena, **components},
    }


def view(game: str) -> dict[str, Any]:
    """The schema of a game's view."""
    return {"$schema": DIALECT, **msgspec.json.schema(VIEWS[game])}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    for path, text in files():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
