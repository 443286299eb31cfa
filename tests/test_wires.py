"""The formats on the way to a bot, by their bytes: whatever a stranger sends, and however it is cut."""

from collections.abc import Callable
from contextlib import closing
from itertools import pairwise

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from arena.seats.lines import Lines
from arena.seats.wire import MAX_BYTES, Wire, WireViolation
from arena.seats.zmtp import GREETING, MAX_CHATTER, Zmtp

READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
HANDSHAKE = GREETING + READY
HELLO = b"\x00\x02{}"


def heard(wire: Wire, pieces: list[bytes]) -> tuple[list[bytes], str | None]:
    """Messages that came through, and what the wire said about the rest."""
    messages: list[bytes] = []
    try:
        for piece in pieces:
            messages.extend(wire.feed(piece))  # also keeps what came before a violation
    except WireViolation as violation:
        return messages, str(violation)
    return messages, None


def cut(data: bytes, places: list[int]) -> list[bytes]:
    at = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(at)]


def frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + len(body).to_bytes(8, "big") + body


def test_a_dealer_is_let_in_and_its_messages_come_through() -> None:
    assert heard(Zmtp(), [HANDSHAKE + frame(b"one") + frame(b"x" * 300) + frame(b"")]) == (
        [b"one", b"x" * 300, b""],
        None,
    )


def test_the_whole_greeting_goes_out_before_a_byte_came_in() -> None:
    wire = Zmtp()

    assert wire.chatter() == GREETING
    assert wire.chatter() == b""


def test_a_message_of_the_greatest_size_is_taken_and_one_byte_more_is_not() -> None:
    assert heard(Zmtp(), [HANDSHAKE + frame(b"x" * MAX_BYTES)]) == ([b"x" * MAX_BYTES], None)
    assert heard(Zmtp(), [HANDSHAKE + frame(b"x" * (MAX_BYTES + 1))]) == (
        [],
        "found a message of 65537 bytes, at most 65536 allowed",
    )


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "found a connection that starts with G"),
        (bytes(64), r"found a connection that starts with \x00"),
        (b"\xff" * 64, r"found a connection that starts with \xff\xff"),
        (b"\x01\x00\x00\x05hello", r"found a connection that starts with \x01"),
        (GREETING[:10] + b"\x01\x05", "found ZMTP version 1"),
        (GREETING.replace(b"NULL", b"CURV"), "found mechanism CURV"),
        (GREETING + HELLO, "found a message before the READY command"),
        (GREETING + READY.replace(b"DEALER", b"ROUTER"), "found a socket of type ROUTER"),
        (GREETING + frame(b"\x05READY", 4), "found a socket of type (none)"),
        (GREETING + frame(b"\x05READY\x0bSocket", 4), "found a READY command whose properties"),
        (GREETING + frame(b"\x05ERROR\x03bad", 4), "the bot's ZeroMQ library gave up: bad"),
        (GREETING + frame(b"", 4), "found command (empty), allowed is READY"),
        (HANDSHAKE + READY, "found command READY, allowed is PING"),
        (HANDSHAKE + frame(b"\x09SUBSCRIBE", 4), "found command SUBSCRIBE"),
        (HANDSHAKE + frame(b"\x04PING" + bytes(30), 4), "found command PING"),
        (HANDSHAKE + frame(b"x" * 513, 4), "found a command of 513 bytes, at most 512"),
        (HANDSHAKE + b"\x01\x05hello", "found a multi-part message"),
        (HANDSHAKE + b"\x03" + bytes(8), "found a multi-part message"),
        (HANDSHAKE + b"\x05\x01x", "found a frame with flags 0x05"),
        (HANDSHAKE + b"\x80\x01x", "found a frame with flags 0x80"),
        (HANDSHAKE + b"\x02" + b"\x80" + bytes(7), "found a message of 9223372036854775808 bytes"),
        (HANDSHAKE + b"\x02\xff" + b"\xff" * 7, "found a message of 18446744073709551615 bytes"),
        (HANDSHAKE + frame(b"\x04PING\x00\x00", 4) * (MAX_CHATTER + 1), "found over 1000 commands"),
    ],
)
def test_what_is_no_dealer_is_refused_and_named(sent: bytes, said: str) -> None:
    messages, violation = heard(Zmtp(), [sent])

    assert messages == []
    assert violation is not None
    assert violation.startswith(said)


def test_messages_before_a_violation_still_count() -> None:
    assert heard(Zmtp(), [HANDSHAKE + HELLO + b"\x01\x00"]) == (
        [b"{}"],
        "found a multi-part message, allowed is one frame a message",
    )


def test_a_ping_is_answered_with_its_context() -> None:
    wire = Zmtp()

    heard(wire, [HANDSHAKE])
    wire.chatter()
    heard(wire, [frame(b"\x04PING\x00\x0aabc", 4)])

    assert wire.chatter() == frame(b"\x04PONGabc", 4)


def test_heartbeats_between_messages_are_no_flood() -> None:
    wire = Zmtp()

    heard(wire, [HANDSHAKE])
    pings = frame(b"\x04PING\x00\x00", 4) * (MAX_CHATTER - 1)

    assert heard(wire, [pings]) == ([], None)
    wire.message(b"a question")
    assert heard(wire, [pings]) == ([], None)


@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.lists(
            st.one_of(
                st.binary(max_size=400).map(frame),
                st.binary(max_size=20).map(lambda context: frame(b"\x04PING\0\0" + context, 4)),
                st.binary(max_size=20),
            ),
            max_size=6,
        ).map(lambda parts: HANDSHAKE + b"".join(parts)),
    ),
    places=st.lists(st.integers(0, 10_000), max_size=12),
)
def test_how_a_connection_is_cut_makes_no_difference(data: bytes, places: list[int]) -> None:
    whole, pieces = Zmtp(), Zmtp()

    found = heard(whole, [data])

    assert heard(pieces, cut(data, places)) == found
    assert pieces.chatter() == whole.chatter()
    assert found[1] or pieces.unfinished() == whole.unfinished()


@given(data=st.binary(max_size=300))
def test_a_byte_at_a_time_is_the_same_as_all_at_once(data: bytes) -> None:
    pieces = [bytes([byte]) for byte in HANDSHAKE + data]

    assert heard(Zmtp(), pieces) == heard(Zmtp(), [HANDSHAKE + data])


def test_lines_come_through_one_by_one() -> None:
    assert heard(Lines(), [b'{"a":1}\n{"b":2}\r\n\nrest']) == ([b'{"a":1}', b'{"b":2}', b""], None)


def test_a_line_of_the_greatest_size_is_taken() -> None:
    line = b"x" * MAX_BYTES

    assert heard(Lines(), [line + b"\n"]) == ([line], None)


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_longer_line_is_refused_whether_or_not_it_ends(ending: bytes) -> None:
    assert heard(Lines(), [b"x" * (MAX_BYTES + 1) + ending]) == (
        [],
        "found a line of over 65536 bytes, at most 65536 allowed",
    )


@given(data=st.text(alphabet="ab\r\n", max_size=60).map(str.encode), places=st.lists(st.integers(0, 99)))
def test_how_lines_are_cut_makes_no_difference(data: bytes, places: list[int]) -> None:
    whole, pieces = Lines(), Lines()

    assert heard(pieces, cut(data, places)) == heard(whole, [data])
    assert pieces.unfinished() == whole.unfinished()


@pytest.mark.parametrize("wire", [Zmtp, Lines])
def test_a_wire_keeps_no_more_than_one_message_of_a_trickle(wire: Callable[[], Wire]) -> None:
    held = wire()
    heard(held, [HANDSHAKE if wire is Zmtp else b""])
    header = b"\x02" + MAX_BYTES.to_bytes(8, "big") if wire is Zmtp else b""

    assert heard(held, [header + b"x" * (MAX_BYTES - 1)]) == ([], None)
    assert held.unfinished() <= MAX_BYTES + 9


@pytest.mark.process
def test_a_real_dealer_and_the_wire_understand_each_other(tmp_path) -> None:
    import socket

    path = str(tmp_path / "s")
    wire = Zmtp()
    long = b"y" * 5_000
    with socket.socket(socket.AF_UNIX) as listener, zmq.Context() as context:
        listener.bind(path)
        listener.listen()
        with context.socket(zmq.DEALER) as dealer:
            dealer.linger = 0
            dealer.rcvtimeo = dealer.sndtimeo = 5_000
            dealer.connect(f"ipc://{path}")
            dealer.send(b"hello")
            dealer.send(long)
            with closing(listener.accept()[0]) as peer:
                peer.settimeout(5)
                messages: list[bytes] = []
                while len(messages) < 2:
                    peer.sendall(wire.chatter())
                    messages += wire.feed(peer.recv(100))
                peer.sendall(wire.chatter() + wire.message(b"short") + wire.message(long))

                assert messages == [b"hello", long]
                assert [dealer.recv(), dealer.recv()] == [b"short", long]
