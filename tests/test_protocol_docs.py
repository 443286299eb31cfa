"""docs/protocol.md says what the code does."""

import json
import re
import typing
from collections.abc import Iterator

import msgspec
import pytest
from bot_peers import ROOT

from arena.games import GAMES
from arena.runtimes import RUNTIMES, Manifest, Transport, leaves, read_manifest, recipe
from arena.sandbox import Limits
from arena.table import MOST_AT_ONCE
from protocol import messages
from protocol.codec import decode_arena, decode_bot, encode
from protocol.messages import Action, ArenaMessage, BotMessage, Decide, FaultKind, Hello
from protocol.session import Session

PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
TYPES = {kind.__struct_config__.tag: kind for kind in typing.get_args(BotMessage | ArenaMessage)}
"""Message classes by their type on the wire."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def listings() -> list[str]:
    """Single messages, each with all its fields."""
    return [text for text in blocks("json") if text.startswith("{")]


def section(title: str) -> str:
    found = re.search(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"no section {title}"
    return found[1]


def decoded(data: bytes) -> msgspec.Struct:
    """One message of either side."""
    from_bot = json.loads(data)["type"] in ("hello", "action")
    return decode_bot(data) if from_bot else decode_arena(data)


def example() -> Iterator[tuple[str, bytes]]:
    """Sender and bytes of each message of the worked example."""
    for line in section("A worked example").splitlines():
        if line.startswith(("bot ", "arena ")):
            sender, data = line.split(maxsplit=1)
            yield sender, data.encode()


@pytest.mark.parametrize("listing", listings(), ids=lambda text: json.loads(text)["type"])
def test_every_listing_is_a_message_with_all_its_fields_in_order(listing):
    shown = json.loads(listing)

    message = decoded(listing.encode())

    assert [*shown] == ["type", *message.__struct_fields__][: len(shown)]
    assert json.loads(encode(message)) == shown


def test_the_arrays_are_questions_and_their_answers():
    questions, answers = (text for text in blocks("json") if text.startswith("["))
    session = Session()
    session.hello(encode(Hello(1, "bot", 2)))
    asked = [decode_arena(json.dumps(each).encode()) for each in json.loads(questions)]
    session.asked_together([(each.match, each.turn) for each in asked])

    found = session.answers(answers.encode(), before_question=False)

    assert [answer.action for answer in found] == [each.legal[0] for each in asked]
    assert f"at most {MOST_AT_ONCE}" in section("Several matches at once")


def test_the_listings_and_the_table_name_every_type():
    table = re.findall(r"^\| (bot|arena) \| `(\w+)` \|", section("Messages"), re.MULTILINE)

    assert [json.loads(listing)["type"] for listing in listings()] == re.findall(
        r"^### (\w+)$", PAGE, re.MULTILINE
    )
    assert sorted(name for _, name in table) == sorted(TYPES)
    assert sorted(json.loads(listing)["type"] for listing in listings()) == sorted(TYPES)
    for sender, name in table:
        assert (TYPES[name] in typing.get_args(BotMessage)) == (sender == "bot")


def test_version_and_limits_are_those_of_the_code():
    assert f"This page describes version {messages.VERSION}." in section("Version")
    assert f"at most {messages.MAX_BYTES} bytes" in section("Messages")
    assert f"at most {messages.MAX_NAME} characters" in section("hello")
    assert f"at most {messages.MAX_ACTION} characters" in section("action")
    assert f"most {messages.MAX_NOTE} characters" in section("action")
    assert {int(number) for number in re.findall(r"\b(\d{5})\b bytes", PAGE)} == {messages.MAX_BYTES}


def test_the_faults_are_those_of_the_code():
    kinds = re.findall(r"^\| `([A-Z_]+)` \|", section("Faults"), re.MULTILINE)

    assert kinds == [kind.value for kind in FaultKind]


def test_the_box_is_as_large_as_the_code_makes_it():
    limits = Limits(cpu_s=1)
    table = section("What a bot may rely on")

    assert f"| `/tmp` | {limits.tmp_mib} MiB," in table
    assert f"| memory | {limits.memory_mib} MiB," in table
    assert f"| processes and threads | {limits.processes} together;" in table
    assert f"| open files | {limits.files} a process; a file of at most {limits.file_mib} MiB |" in table


def test_the_samples_of_bot_toml_are_taken(tmp_path):
    (tmp_path / "main.py").touch()
    found = []

    for listing in blocks("toml"):
        (tmp_path / "bot.toml").write_text(listing, "utf-8")
        found.append(read_manifest(tmp_path))

    assert found == [
        Manifest("my bot", ("idiot", "imp"), "python", "main.py", None, Transport.ZMQ, 256, ("make",)),
        Manifest("my bot", None, None, None, ("./my_bot", "--fast"), Transport.STDIO, None),
    ]


def test_the_table_of_languages_is_that_of_the_code():
    table = re.findall(r"^\| `(\w+)` \| (.*) \| `(.*)` \| (\w+) \|$", section("bot.toml"), re.MULTILINE)

    assert table == [
        (language, " ".join(f"`{suffix}`" for suffix in kind.suffixes), kind.main, kind.transport.value)
        for language, kind in RUNTIMES.items()
    ]


def test_the_table_of_builds_is_that_of_the_code():
    table = re.findall(r"^\| `(\w+)` \| `(.*)` \| `(.*)` \|$", section("Builds"), re.MULTILINE)

    told = {language: (words.split(" ... ", 1), left) for language, words, left in table}
    assert list(told) == [language for language, kind in RUNTIMES.items() if kind.build]
    for language, ((begin, *rest), left) in told.items():
        described = Manifest("x", language=language, main=RUNTIMES[language].main)
        built = " ".join(recipe(described))
        assert (built.startswith(begin), built.endswith("".join(rest)), leaves(described)) == (
            True,
            True,
            left,
        )


def test_the_worked_example_is_a_conversation_that_the_session_takes():
    session = Session()
    taken = []

    for sender, data in example():
        message = decoded(data)
        taken.append(type(message))
        if isinstance(message, Hello):
            session.hello(data)
        elif isinstance(message, Decide):
            session.asked(message.match, message.turn)
        elif isinstance(message, Action):
            session.answer(data, before_question=False)
        assert (sender == "bot") == isinstance(message, Hello | Action)

    assert {*taken} == {*TYPES.values()} - {messages.Fault}


def test_the_arena_writes_the_worked_example_byte_for_byte():
    for sender, data in example():
        if sender == "arena":
            assert encode(decode_arena(data)) == data


def test_the_worked_example_shows_views_as_the_game_gives_them():
    game = GAMES["idiot"]
    state = game.new(game.options(), 2, 1)
    state.deal(game.deck(game.options(), 2))
    shown = [
        message.view
        for message in map(decoded, (data for _, data in example()))
        if isinstance(message, Decide)
    ]

    assert [[*view] for view in shown] == [[*state.view(0)]] * len(shown)


def test_legal_lists_and_events_need_no_escapes():
    allowed = re.compile(r"[A-Za-z0-9_ .:+-]+")
    for game in GAMES.values():
        players = game.players[0]
        state = game.new(game.options(), players, 0)
        texts = state.deal(game.deck(game.options(), players))
        for _ in range(100):
            if state.to_act() is None:
                break
            legal = state.legal()
            texts += [*legal, *state.play(legal[-1])]

        assert all(allowed.fullmatch(text) for text in texts)
