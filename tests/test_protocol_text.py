import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.text import escaped, escaped_lines, pasted

HIDDEN = [
    *("\x00", "\x1b", "\x7f", "\x85", "\x9b", "\r", "\n", "\t"),
    *("\u202a", "\u202e", "\u2066", "\u2069", "\u200b", "\u200f", "\u2060", "\ufeff"),
    *("\u2028", "\u00ad", "\ufe0f", "\u3164", "\ud800", "\udfff", "\U000e0001", "\U000e0100"),
]


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_what_moves_or_hides_is_escaped(char):
    shown = escaped(f"a{char}b", 40)

    assert shown.isascii()
    assert shown.isprintable()
    assert shown.startswith("a\\")
    assert int(shown[3:-1], 16) == ord(char)


def test_ordinary_text_stays():
    assert escaped("Zoë plays 7♣, 10♥ ≥ 王 and waits", 40) == "Zoë plays 7♣, 10♥ ≥ 王 and waits"


def test_bytes_that_are_no_text_are_shown():
    assert escaped(b"\xffok\x1b[2J", 40) == "\\xffok\\x1b[2J"


def test_logs_keep_their_lines():
    assert escaped_lines("one\n\ttwo\r\x1b[2J\n", 40) == "one\n\ttwo\\x0d\\x1b[2J\n"


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 10])
def test_long_text_is_cut_with_a_sign(limit):
    assert escaped("0123456789x", limit) == ("0123456"[: max(0, limit - 3)] + "...")[:limit]


def test_text_of_the_very_limit_is_whole():
    assert escaped("0123456789", 10) == "0123456789"


@given(st.text() | st.binary() | st.characters(categories=["Cs"]), st.integers(0, 60))
def test_nothing_hostile_is_ever_shown(text, limit):
    shown = escaped(text, limit)

    assert len(shown) <= limit
    assert shown.isprintable()
    assert escaped(shown, limit) == shown


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@given(words=st.lists(WORDS, min_size=1, max_size=3))
@settings(max_examples=60)
def test_a_line_to_paste_is_harmless_and_means_its_words(words):
    line = pasted("printf", r"%s\0", *words)

    assert escaped(line, len(line)) == line
    ran = subprocess.run(
        ["/bin/bash", "-c", line], env={"LC_ALL": "C.UTF-8"}, capture_output=True, check=True
    )
    assert ran.stdout.decode().split("\0") == [*words, ""]
