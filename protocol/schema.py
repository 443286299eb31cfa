"""The JSON Schema of all messages, made of their structs: `python -m protocol.schema` writes it anew."""

import json
from pathlib import Path

import msgspec

from protocol.messages import VERSION, ArenaMessage, BotMessage

PATH = Path(__file__).with_name("schema.json")


def schema() -> str:
    """Text of schema.json."""
    (bot, arena), components = msgspec.json.schema_components(
        (BotMessage, ArenaMessage), ref_template="#/$defs/{name}"
    )
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages of the card-arena protocol, version {VERSION}",
        "anyOf": [{"$ref": "#/$defs/FromBot"}, {"$ref": "#/$defs/FromArena"}],
        "$defs": {"FromBot": bot, "FromArena": arena, **components},
    }
    return json.dumps(whole, indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema(), "utf-8")
