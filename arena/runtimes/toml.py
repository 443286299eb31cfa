"""Files that people write in TOML: read, and what is wrong in them said in their words."""

import json
import re
import sys
import tomllib
from collections.abc import Sequence
from typing import Any

import msgspec

from protocol.text import escaped

LINE = re.compile(r"\s*([\w-]+)\s*[=:]([^#]*)(?:#.*)?")
"""A word and what it is, as somebody may write it who does not know TOML."""

QUOTES = "\"'\u201c\u201d"
PLAIN = re.compile(r"[^\W\d][^\"'\u201c\u201d\[\]{}=\\\0-\x1f]*|\.{0,2}/[\w./-]+")
"""A text of which it is plain that it is one; no number."""

LINE_WIDTH = 80
"""Characters of a line that are shown."""


def parsed_toml(content: bytes) -> dict[str, Any]:
    """What a TOML file says; whatever may be wrong with it is a ValueError with a sentence."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        found = content[error.start]
        raise ValueError(f"no text in UTF-8: found byte 0x{found:02x} at place {error.start + 1}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(_mistake(content.decode("utf-8"), str(error))) from None
    except ValueError:  # of `int`
        most = sys.get_int_max_str_digits()
        raise ValueError(f"a number of more than {most} digits") from None
    except RecursionError:
        raise ValueError("lists or tables in one another, deeper than anybody needs") from None


TOML_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number with a point",
    "int": "a whole number",
    "object": "a table",
    "str": "a text in quotes",
}
"""What msgspec calls a value -> what one reads in a TOML file."""


def misfit(error: msgspec.ValidationError) -> str:
    """What is wrong with a value of a TOML file, in the words of whoever wrote it."""
    missing = re.fullmatch(r"Object missing required field `(.+)`", str(error))
    if missing:
        return f"{missing[1]} is missing"
    parts = re.fullmatch(r"Expected `(.+?)`(?:, got `(.+?)`)?(.*) - at `\$\.?(.+)`", str(error))
    if not parts:
        return str(error)
    expected, got, bound, place = parts.groups()
    needed = " or ".join(TOML_KINDS.get(kind, kind) for kind in expected.split(" | ") if kind != "null")
    found = f" is {TOML_KINDS.get(got, got)};" if got else ":"
    return f"{place}{found} {needed}{bound} is needed"


def _mistake(text: str, found: str) -> str:
    """Which line is wrong, and how it should look where that can be guessed."""
    lines = text.splitlines() or [""]
    place = re.fullmatch(r"(.*) \(at (?:line ([0-9]+), column [0-9]+|end of document)\)", found)
    problem, number = (place[1], place[2]) if place else (found, None)
    line_number = min(int(number), len(lines)) if number else _first_wrong(lines)
    line = lines[line_number - 1]
    meant = _meant(line)
    said = f"it should be {escaped(meant, LINE_WIDTH)}" if meant else problem
    return f"line {line_number}: found {escaped(line.strip(), LINE_WIDTH) or 'nothing'}; {said}"


def _first_wrong(lines: Sequence[str]) -> int:
    """Number of the line that says no more than the beginning of something; the last where none does."""
    return next((number for number, line in enumerate(lines, 1) if _meant(line)), len(lines))


def _meant(line: str) -> str | None:
    """A line as TOML has it; None where it is that already, or where it is not plain what was meant."""
    parts = LINE.fullmatch(line)
    if not parts:
        return None
    word, value = parts[1], parts[2].strip(" \t,;")
    items = [item.strip(f"{QUOTES} ") for item in value.strip("[]").split(",")]
    if value.isdecimal() or value.lower() in ("true", "false"):
        value = value.lower()
    elif not all(PLAIN.fullmatch(item) for item in items):
        return None
    else:
        several = "[" in value or len(items) > 1
        value = json.dumps(items if several else items[0], ensure_ascii=False)
    meant = f"{word} = {value}"
    return None if meant == line.strip() else meant
