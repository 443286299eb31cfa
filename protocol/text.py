"""Hostile text made safe to show: in logs, tables, notes and error messages."""

INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Characters that Unicode calls printable though they show nothing: joiners, fillers, variation selectors."""

LAYOUT = frozenset("\n\t")


def escaped(text: str | bytes, limit: int) -> str:
    """One line of at most `limit` characters, in which nothing can move the cursor, hide or turn round.

    Controls, bidirectional and zero-width characters, lone surrogates, odd blanks and unassigned
    characters become escapes such as `\\x1b` and `\\u202e`; bytes that are not UTF-8 become `\\xff`.
    """
    return _capped(_text(text, limit).translate(_ESCAPES), limit)


def escaped_lines(text: str | bytes, limit: int) -> str:
    """Like `escaped`, but line feeds and tabs stay: for what a bot wrote to its log."""
    return _capped(_text(text, limit).translate(_ESCAPES_IN_LINES), limit)


def _text(text: str | bytes, limit: int) -> str:
    """The beginning of it, long enough to see whether it is too long."""
    if isinstance(text, str):
        return text[: limit + 1]
    return text[: 4 * (limit + 1)].decode("utf-8", "backslashreplace")  # 4 bytes at most a character


def _capped(shown: str, limit: int) -> str:
    return shown if len(shown) <= limit else shown[: max(0, limit - 3)] + "..."[:limit]


def _visible(char: str) -> str:
    if char.isprintable() and char not in INVISIBLE:
        return char
    return (
        char.encode("ascii", "backslashreplace").decode("ascii")
        if ord(char) > 0x7F
        else f"\\x{ord(char):02x}"
    )


class _Escapes(dict[int, str]):
    """Code of a character -> what is shown of it. Of all characters it keeps a few: hostile text has many."""

    def __missing__(self, code: int) -> str:
        return _visible(chr(code))


_ESCAPES = _Escapes((code, _visible(chr(code))) for code in range(0x100))
_ESCAPES_IN_LINES = _Escapes(_ESCAPES | {ord(char): char for char in LAYOUT})
