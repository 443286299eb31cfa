"""Hostile text made safe to show: in logs, tables, notes and error messages."""

import shlex

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


def pasted(*words: str) -> str:
    """Words as a command line: what a shell makes of it is those words, and nothing in it is unsafe to show.

    The quotes around hostile words, `$'...'`, are understood by every shell but the barest.
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if all(_visible(char) == char for char in word):
        return shlex.quote(word)
    return "$'" + "".join(map(_spelled, word)) + "'"


def _spelled(char: str) -> str:
    """A character between `$'` and `'`."""
    if char in "\\'":
        return f"\\{char}"
    if _visible(char) == char:
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


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
