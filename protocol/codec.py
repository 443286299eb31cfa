"""Messages as bytes and back: one JSON object in UTF-8."""

import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from protocol.messages import MAX_BYTES, Action, ArenaMessage, BotMessage, Hello
from protocol.text import escaped

Message = TypeVar("Message")

SHOWN = 120
"""Characters of a bad message, and of what is wrong with it, that an error shows."""


class BadMessage(ValueError):  # noqa: N818 - reads as what it is
    """Bytes that are no message of the protocol; the text is safe to print."""


_BOT: msgspec.json.Decoder[Hello | Action] = msgspec.json.Decoder(BotMessage)
_ANSWERS: msgspec.json.Decoder[list[Action]] = msgspec.json.Decoder(list[Action])
_ARENA: msgspec.json.Decoder[ArenaMessage] = msgspec.json.Decoder(ArenaMessage)
_LONE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")
"""What msgspec says of it differs with the place, and may be that the data was truncated."""
_ENCODER = msgspec.json.Encoder()


def encode(message: BotMessage | ArenaMessage) -> bytes:
    """Bytes of one message, without a line feed. Raises BadMessage when it is over MAX_BYTES."""
    data = _ENCODER.encode(message)
    _check_size(data)
    return data


def encode_together(messages: Sequence[bytes]) -> bytes:
    """One JSON array of encoded messages. Raises BadMessage when it is over MAX_BYTES."""
    data = b"[" + b",".join(messages) + b"]"
    _check_size(data)
    return data


def decode_bot(data: bytes) -> Hello | Action:
    """What a bot sent, decoded strictly. Raises BadMessage.

    Of a key that stands there twice the last one counts.
    """
    return _decoded(_BOT, data, "one JSON object of type hello or action with its known fields")


def decode_answers(data: bytes) -> list[Action]:
    """What a bot sent to several questions at once, decoded as strictly. Raises BadMessage."""
    return _decoded(_ANSWERS, data, "a JSON array of one action for each question, with its known fields")


def decode_arena(data: bytes) -> ArenaMessage:
    """What the arena sent, unknown fields ignored. Raises BadMessage."""
    return _decoded(_ARENA, data, "one JSON object of a type that the arena sends")


def _decoded(decoder: "msgspec.json.Decoder[Message]", data: bytes, allowed: str) -> Message:
    _check_size(data)
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        wrong = "half of a surrogate pair" if _LONE.search(data) else escaped(str(error), SHOWN)
        raise BadMessage(f"found {escaped(data, SHOWN)} ({wrong}); allowed is {allowed}") from None


def _check_size(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise BadMessage(f"{len(data)} bytes, at most {MAX_BYTES} allowed")
