import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import BadMessage, decode_arena, decode_bot, encode
from protocol.messages import (
    MAX_ACTION,
    MAX_BYTES,
    MAX_NAME,
    MAX_NOTE,
    Action,
    Bye,
    Clock,
    Decide,
    End,
    Fault,
    FaultKind,
    Hello,
    Start,
    TimeLeft,
    Welcome,
)

HELLO = b'{"type":"hello","protocol":1,"name":"x"}'
FIELDS = ("protocol", "name", "simultaneous", "match", "turn", "action", "note", "seat")

odd = st.sampled_from([None, True, 0, 1, 2, -1, 2.0, 0.5, 2**31, 2**64, "", "1", "pickup", [], [1], {}])
numbers = st.integers(1, 2**31 - 1)
text = st.text(st.characters(exclude_categories=["Cs"]))
lines = st.lists(text, max_size=5).map(tuple)
leaf = st.none() | st.booleans() | st.integers(0, 99) | text
payload = st.dictionaries(text, st.recursive(leaf, st.lists, max_leaves=10), max_size=5)
millis = st.integers(0, 10**6)
places = st.lists(st.integers(2, 10).map(lambda half: half / 2), max_size=5).map(tuple)

BOT = (
    st.builds(Hello, numbers, text.map(lambda name: name[:MAX_NAME]), numbers),
    st.builds(Action, numbers, numbers, text, st.none() | text.map(lambda note: note[:MAX_NOTE])),
)
ARENA = (
    st.builds(
        Welcome, numbers, text, payload, numbers, st.builds(Clock, millis, millis, millis), matches=numbers
    ),
    st.builds(Start, numbers, st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**64 - 1)),
    st.builds(Decide, numbers, numbers, payload, lines, lines, st.builds(TimeLeft, millis, millis)),
    st.builds(End, numbers, places, st.none() | places, lines),
    st.builds(Fault, st.sampled_from(FaultKind), text, st.none() | numbers, st.none() | numbers),
    st.builds(Bye, text),
)


def refusal(decode: Callable[[bytes], object], data: bytes) -> str:
    """What is said against the bytes; nothing when they are a message."""
    try:
        decode(data)
    except BadMessage as refused:
        return str(refused)
    return ""


def action(**changes: object) -> bytes:
    whole = {"type": "action", "match": 1, "turn": 1, "action": "pickup", **changes}
    return json.dumps(whole).encode()


HOSTILE = {
    "nothing": b"",
    "blanks": b"   ",
    "half": HELLO[:-1],
    "no object": b"[]",
    "array of messages": b"[" + HELLO + b"]",
    "a number": b"7",
    "null": b"null",
    "NaN": action(turn=float("nan")),
    "NaN alone": b"NaN",
    "Infinity": action(turn=float("inf")),
    "1e999": action().replace(b": 1,", b": 1e999,"),
    "float for int": action(turn=1.5),
    "whole float for int": action(turn=1.0),
    "text for int": action(turn="1"),
    "bool for int": action(turn=True),
    "null for int": action(turn=None),
    "int for text": action(action=3),
    "list for text": action(action=["pickup"]),
    "huge int": action().replace(b": 1,", b": " + b"9" * 4000 + b","),
    "minus": action(turn=-1),
    "zero": action(match=0),
    "over 31 bits": action(match=2**31),
    "deep array": b"[" * 30_000,
    "deep object": b'{"a":' * 10_000,
    "deep unknown field": b'{"type":"action","x":' + b"[" * 30_000,
    "deep known field": b'{"type":"action","action":' + b"[" * 30_000,
    "bad UTF-8": b'{"type":"hello","protocol":1,"name":"\xff"}',
    "overlong UTF-8": b'{"type":"hello","protocol":1,"name":"\xc0\xaf"}',
    "surrogate in UTF-8": b'{"type":"hello","protocol":1,"name":"\xed\xa0\x80"}',
    "high surrogate alone": b'{"type":"hello","protocol":1,"name":"\\ud800"}',
    "low surrogate alone": b'{"type":"hello","protocol":1,"name":"\\udc00"}',
    "surrogates the wrong way round": b'{"type":"hello","protocol":1,"name":"\\udc00\\ud800"}',
    "control in text": b'{"type":"hello","protocol":1,"name":"\n"}',
    "UTF-16": HELLO.decode().encode("utf-16"),
    "UTF-32": HELLO.decode().encode("utf-32-le"),
    "BOM": b"\xef\xbb\xbf" + HELLO,
    "trailing bytes": HELLO + b"x",
    "trailing zero": HELLO + b"\0",
    "two messages": HELLO + HELLO,
    "comment": HELLO + b"//",
    "single quotes": HELLO.replace(b'"', b"'"),
    "unknown field": action(seat=1),
    "unknown field that hides": action(**{"\u202e\x1b[2J": 1}),
    "field missing": b'{"type":"action","match":1,"turn":1}',
    "no type": b'{"match":1,"turn":1,"action":"pickup"}',
    "type not text": action(type=1),
    "type of the arena": b'{"type":"bye","reason":""}',
    "type unheard of": action(type="resign\u202e"),
    "long action": action(action="a" * (MAX_ACTION + 1)),
    "long note": action(note="a" * (MAX_NOTE + 1)),
    "long name": b'{"type":"hello","protocol":1,"name":"' + b"a" * (MAX_NAME + 1) + b'"}',
    "64 KiB and one": HELLO + b" " * (MAX_BYTES + 1 - len(HELLO)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_of_a_bot_are_refused_in_words_that_are_safe_to_print(data):
    with pytest.raises(BadMessage) as refused:
        decode_bot(data)

    assert str(refused.value).isprintable()
    assert "allowed" in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_refusal_says_what_was_found_and_what_was_allowed():
    with pytest.raises(BadMessage) as refused:
        decode_bot(b'{"type":"hello","protocol":1,"name":"x","seat":2}')

    assert str(refused.value) == (
        'found {"type":"hello","protocol":1,"name":"x","seat":2} (Object contains unknown field `seat`); '
        "allowed is one JSON object of type hello or action with its known fields"
    )


@pytest.mark.parametrize("text", [rb"\ud800", rb"\uDBFFx", rb"a\ud83d\u0041"])
def test_half_of_a_surrogate_pair_is_called_so(text):
    with pytest.raises(BadMessage, match=r"\(half of a surrogate pair\); allowed is"):
        decode_bot(HELLO.replace(b'"name":"', b'"name":"' + text))


def test_a_message_over_the_limit_is_refused_by_its_size():
    with pytest.raises(BadMessage) as refused:
        decode_bot(b" " * 70_213)

    assert str(refused.value) == "70213 bytes, at most 65536 allowed"


def test_a_message_of_the_very_limit_is_taken():
    assert decode_bot(HELLO + b" " * (MAX_BYTES - len(HELLO))) == Hello(1, "x")


def test_the_longest_action_and_note_are_taken():
    longest = Action(1, 1, "\U0001f0a1" * MAX_ACTION, "\U0001f0a1" * MAX_NOTE)

    assert decode_bot(encode(longest)) == longest


def test_of_a_key_that_stands_twice_the_last_counts():
    assert decode_bot(b'{"type":"action","match":1,"turn":1,"turn":2,"action":"a"}') == Action(1, 2, "a")


def test_a_message_over_the_limit_is_never_sent():
    with pytest.raises(BadMessage, match="at most 65536 allowed"):
        encode(Bye("x" * MAX_BYTES))


@given(st.one_of(BOT))
def test_what_a_bot_sends_comes_back_the_same(message):
    assert decode_bot(encode(message)) == message


@given(st.one_of(ARENA))
def test_what_the_arena_sends_comes_back_the_same(message):
    assert decode_arena(encode(message)) == message


@given(st.one_of(ARENA), st.text(st.characters(codec="ascii"), min_size=12), payload)
def test_bots_may_meet_unknown_fields(message, key, value):
    known = json.loads(encode(message))

    assert decode_arena(json.dumps({**known, key: value}).encode()) == message


@given(st.binary(max_size=300) | text.map(str.encode))
def test_any_bytes_are_a_message_or_refused_safely(data):
    for decode in (decode_bot, decode_arena):
        assert refusal(decode, data).isprintable()


@given(st.sampled_from(["hello", "action"]), st.dictionaries(st.sampled_from(FIELDS), odd))
def test_near_messages_are_whole_messages_or_refused(kind, fields):
    data = json.dumps({"type": kind, **fields}).encode()

    try:
        message = decode_bot(data)
    except BadMessage:
        return
    assert json.loads(encode(message)).items() >= fields.items()
