import os
import subprocess
import sys
import textwrap
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from bot_peers import PATIENCE_S, PYTHON, ROOT, Peer, bot_over, decide, end, start

from protocol import client, messages
from protocol.client import TimeLeft
from protocol.messages import Action, Bye, Fault, FaultKind, Hello

pytestmark = pytest.mark.process

FIRST = """
    from protocol.client import run

    run(lambda decision: decision.legal[0])
"""


@pytest.fixture(params=["zmq", "stdio"])
def transport(request: pytest.FixtureRequest) -> str:
    return request.param


def bot(transport: str, folder: Path, source: str) -> AbstractContextManager[Peer]:
    (folder / "main.py").write_text(textwrap.dedent(source), "utf-8")
    return bot_over(transport, [*PYTHON, "main.py"], folder=folder)


def test_a_function_is_a_bot(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        peer.welcome()

        answers = [peer.ask(decide("play 3c", "pickup", turn=turn)) for turn in (1, 2)]

        assert answers == [Action(1, 1, "play 3c"), Action(1, 2, "play 3c")]


def test_the_first_thing_said_is_hello(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        assert peer.hear() == Hello(1, "python", simultaneous=16)


def test_bye_ends_a_bot(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        peer.welcome()
        peer.say(end(), Bye("the table is played"))

        assert (peer.exit_code(), peer.written()) == (0, "")


def test_a_bot_ends_quietly_when_the_arena_is_gone(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        peer.welcome()
        peer.ask(decide("pickup"))
        peer.hang_up()

        assert (peer.exit_code(), peer.written()) == (0, "")


def test_a_bot_ends_quietly_when_the_arena_goes_while_it_thinks(transport, tmp_path):
    source = """
        from protocol.client import run

        def choose(decision):
            with open("gate") as gate:
                gate.read()
            return decision.legal[0]

        run(choose)
    """
    os.mkfifo(tmp_path / "gate")
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()
        peer.say(decide("pickup"))
        with (tmp_path / "gate").open("w"):  # opens once the bot has begun to think
            peer.hang_up()

        assert (peer.exit_code(), peer.written()) == (0, "")


def test_a_bot_that_finds_no_arena_ends(tmp_path):
    (tmp_path / "main.py").write_text(textwrap.dedent(FIRST), "utf-8")

    done = subprocess.run(
        [*PYTHON, "main.py"],
        cwd=tmp_path,
        env={"ARENA_ENDPOINT": f"ipc://{tmp_path}/nothing", "PYTHONPATH": str(ROOT)},
        timeout=PATIENCE_S,
        check=False,
        capture_output=True,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_bot_started_by_hand_says_what_is_missing(tmp_path):
    (tmp_path / "main.py").write_text(textwrap.dedent(FIRST), "utf-8")

    done = subprocess.run(
        [*PYTHON, "main.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        timeout=PATIENCE_S,
        check=False,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ARENA_ENDPOINT is not set: the arena starts a bot: arena match GAME ./my_bot.py house\n"
    )


def test_a_class_with_start_and_end_is_a_bot(transport, tmp_path):
    source = """
        from protocol.client import run

        class Keeper:
            def start(self, start):
                self.told = f"{start.game} {start.players} {start.options} {start.matches} {start.seed}"

            def choose(self, decision):
                place = f"{decision.match} {decision.turn} {decision.seat} {decision.side}"
                return f"{self.told}; {place}; {decision.view} {decision.events} {decision.clock.bank_ms}"

            def end(self, end):
                print(end.places[end.side], end.scores, end.events, end.match)

        run(Keeper())
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome(players=3)
        answer = peer.ask(decide("pickup", view={"hand": ["3c"]}))
        peer.say(end(), Bye(""))

        assert answer.action == "idiot 3 {} 1 7; 1 1 0 0; {'hand': ['3c']} [] 10000"
        assert peer.written() == "1.0 None ['0 out 1'] 1\n"


def test_prints_never_break_play(transport, tmp_path):
    source = """
        import os, subprocess, sys
        print("before the import")
        from protocol.client import run
        print("after the import")

        def choose(decision):
            print("thinking")
            print("aloud", file=sys.stderr)
            os.write(1, b"raw\\n")
            subprocess.run(["echo", "child"], check=True)
            sys.__stdout__.write("underhand\\n")
            sys.__stdout__.flush()
            return decision.legal[0]

        run(choose)
        print("after the end")
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()
        answer = peer.ask(decide("pickup"))
        peer.say(Bye(""))

        assert answer == Action(1, 1, "pickup")
        assert sorted(peer.written().split("\n")) == sorted(
            [
                "",
                "before the import",
                "after the import",
                "thinking",
                "aloud",
                "raw",
                "child",
                "underhand",
                "after the end",
            ]
        )


def test_a_bot_over_stdio_reads_no_message_by_mistake(tmp_path):
    source = """
        import sys
        from protocol.client import run

        run(lambda decision: f"{sys.stdin.read()!r}")
    """
    with bot("stdio", tmp_path, source) as peer:
        peer.welcome()

        assert peer.ask(decide("pickup")).action == "''"


def test_an_exception_leaves_its_traceback_and_exit_code_1(transport, tmp_path):
    source = """
        from protocol.client import run

        def choose(decision):
            return decision.view["no such thing"]

        run(choose)
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()
        peer.say(decide("pickup"))

        assert peer.exit_code() == 1
        assert peer.written().startswith("Traceback (most recent call last):\n")
        assert peer.written().endswith("\nKeyError: 'no such thing'\n")


def test_an_answer_that_is_no_action_is_named(transport, tmp_path):
    source = """
        from protocol.client import run

        run(lambda decision: None)
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()
        peer.say(decide("pickup"))

        assert peer.exit_code() == 1
        assert peer.written().endswith(
            "TypeError: choose gave None, allowed is an action (str) or a tuple of action and note\n"
        )


def test_a_note_travels_with_the_action_and_is_cut_to_what_is_allowed(transport, tmp_path):
    source = """
        from protocol.client import run

        run(lambda decision: (decision.legal[0], "\\U0001f0a1" * 600))
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()

        assert peer.ask(decide("pickup")) == Action(1, 1, "pickup", "\U0001f0a1" * messages.MAX_NOTE)


def test_the_same_seed_gives_the_same_play(transport, tmp_path):
    source = """
        import random
        from protocol.client import run

        run(lambda decision: str(random.random()))
    """
    with bot(transport, tmp_path, source) as peer:
        peer.welcome()
        drawn = [peer.ask(decide("pickup")).action]
        for match, seed in ((2, 8), (3, 7)):
            peer.say(end(match - 1), start(match, seed=seed))
            drawn.append(peer.ask(decide("pickup", match=match)).action)

        assert drawn[0] == drawn[2] != drawn[1]


def test_a_fault_stands_in_the_log(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        peer.welcome()
        peer.say(Fault(FaultKind.ILLEGAL, "found fold", 1, 1), Bye("a fault"))

        assert peer.written() == "fault ILLEGAL: found fold\n"


def test_messages_and_fields_of_a_later_arena_are_ignored(transport, tmp_path):
    with bot(transport, tmp_path, FIRST) as peer:
        peer.welcome()
        peer.wire.send(b'{"type":"weather","rain":true}')
        peer.wire.send(
            b'{"type":"decide","match":1,"turn":1,"view":{},"events":[],"legal":["pickup"],'
            b'"clock":{"move_ms":1,"bank_ms":1,"moon":1},"mood":"good"}'
        )

        assert peer.hear() == Action(1, 1, "pickup")


def test_the_sdk_agrees_with_the_messages():
    assert (client.PROTOCOL, client.MAX_NOTE) == (messages.VERSION, messages.MAX_NOTE)


def test_the_sdk_loads_neither_the_arena_nor_zmq_before_they_are_needed():
    code = "import sys, protocol.client; print(sorted({'zmq', 'msgspec', 'arena'} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)

    assert done.stdout == "[]\n"


def test_the_clock_of_a_decision_tells_what_is_left_of_it(monkeypatch):
    moment = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: moment[0])
    clock = TimeLeft(move_ms=1_000, bank_ms=500, asked_s=100.0)
    moment[0] = 100.25

    assert (clock.spent_ms(), clock.left_ms()) == (250.0, 1_250.0)
