"""One seat with its warden: how soon it sees things, what it keeps, what it charges."""

import os
import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import runtimes, sandbox
from arena.model import Answer, FaultKind, Question, SeatFault
from arena.sandbox import Limits
from arena.seats.channel import Channel, Closed
from arena.seats.headtail import KEPT_BYTES, HeadTail
from arena.seats.lines import Lines
from arena.seats.link import Line, Refused, pair
from arena.seats.remote import Remote
from protocol import messages
from tests.tables import BAD_BOTS, LONG, Room, room, wait_until

WELCOME = messages.Welcome(1, "sticks", {}, 2, messages.Clock(1_000, 1_000, 1_000), 1)
BACKENDS = pytest.mark.parametrize("backend", ["plain", pytest.param("bwrap", marks=pytest.mark.box)])


def question(turn: int, limit_ms: float = 20_000.0) -> Question:
    return Question(0, turn, {}, (), ("take 1",), limit_ms, 10_000.0)


@contextmanager
def seated(here: Room, program: str, name: str = "bot") -> Iterator[Remote]:
    with called(here, program, name) as seat:
        assert seat.ready(WELCOME) is None
        seat.start(messages.Start(1, 0, 0, 1))
        yield seat


@contextmanager
def called(here: Room, program: str, name: str = "bot") -> Iterator[Remote]:
    bot = here.bot(name, program, beside=[BAD_BOTS / "speak.py"])
    folder = here.submissions / bot.version
    manifest = runtimes.read_manifest(folder)
    walled, limits = here.backend != "plain", Limits(cpu_s=1_000)

    def box(path: str):
        return runtimes.box(manifest, folder, walled=walled, limits=limits, socket=path, seat=0)

    sockets = here.sockets / name
    sockets.mkdir()
    seat = Remote(sockets, 0, box, backend=here.backend, clock=LONG)
    seat.call()
    try:
        yield seat
    finally:
        seat.close()
        shutil.rmtree(sockets, ignore_errors=True)  # a warden that was just let go has done it


DIES = """
import os, sys, time
from protocol.client import run

def choose(decision):
    sys.stderr.write(str(time.monotonic()))
    sys.stderr.flush()
    {}

run(choose)
"""


@pytest.mark.process
@BACKENDS
@pytest.mark.parametrize("death", ["os._exit(3)", "os.kill(os.getpid(), 11)"])
def test_a_death_is_seen_within_100_ms(backend, death, tmp_path, monkeypatch) -> None:
    with room(tmp_path, backend, monkeypatch) as here:
        seen_ms = []
        for attempt in range(5):  # the machine may be busy with something else once or twice
            with seated(here, DIES.format(death), f"bot-{attempt}") as seat:
                fault = seat.ask(1, question(1))
                seen = time.monotonic()
                seat.dismiss(None)
                died = float(seat.report())
            assert isinstance(fault, SeatFault)
            assert fault.kind is FaultKind.CRASH
            seen_ms.append((seen - died) * 1e3)
            if seen_ms[-1] < 100:
                break

    assert min(seen_ms) < 100


@pytest.mark.process
def test_the_time_of_a_decision_is_the_bots_and_not_ours(tmp_path, monkeypatch) -> None:
    program = """
import time
from protocol.client import run

def choose(decision):
    time.sleep(0.05)
    return decision.legal[0]

run(choose)
"""
    with room(tmp_path, "plain", monkeypatch) as here, seated(here, program) as seat:
        time.sleep(0.1)  # before it is asked: nobody's time
        began = time.monotonic()
        answer = seat.ask(1, question(1))
        took_ms = (time.monotonic() - began) * 1e3

    assert isinstance(answer, Answer)
    assert 50 <= answer.wall_ms <= took_ms
    assert answer.cpu_ms is not None
    assert answer.cpu_ms < 50


@pytest.mark.process
def test_a_hasty_first_byte_does_not_stop_the_clock(tmp_path, monkeypatch) -> None:
    program = """
import time, speak

peer = speak.shaken()
whole = speak.frame(b'{"type":"action","match":1,"turn":1,"action":"take 1"}')
heard = b""
while b"decide" not in heard:
    heard += peer.recv(65536)
peer.sendall(whole[:1])
time.sleep(0.5)
peer.sendall(whole[1:])
speak.waits()
"""
    with room(tmp_path, "plain", monkeypatch) as here, seated(here, program) as seat:
        answer = seat.ask(1, question(1))

    assert isinstance(answer, Answer)
    assert answer.wall_ms >= 500


def held(pid: int) -> dict[int, str]:
    """Open files of a process, as far as they stay open."""
    found = {}
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found[int(path.name)] = str(path.readlink())
    return found


@pytest.mark.process
def test_a_warden_that_runs_into_its_limits_is_its_bots_fault(tmp_path, monkeypatch) -> None:
    program = f"""
import pathlib, time
while not pathlib.Path({str(tmp_path)!r}, "go").exists():
    time.sleep(0.001)
import speak
speak.shaken()
speak.waits()
"""
    with room(tmp_path, "plain", monkeypatch) as here, called(here, program) as seat:
        warden = seat._processes[-1].pid
        assert warden is not None
        wait_until(lambda: {"anon_inode:[pidfd]", "anon_inode:[eventpoll]"} <= set(held(warden).values()))
        free = min(set(range(64)) - held(warden).keys())
        resource.prlimit(warden, resource.RLIMIT_NOFILE, (free, free))
        (tmp_path / "go").touch()

        fault = seat.ready(WELCOME)

    assert isinstance(fault, SeatFault)
    assert (fault.kind, fault.detail) == (
        FaultKind.MALFORMED,
        "took its own warden down, which ran into its own limits over what it did",
    )


@pytest.mark.process
def test_what_came_while_the_warden_could_not_look_is_not_late(tmp_path, monkeypatch) -> None:
    program = """
import os, signal, subprocess
from protocol.client import run

def choose(decision):
    warden = os.getppid()
    os.kill(warden, signal.SIGSTOP)
    subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -CONT {warden}"])
    return decision.legal[0]

run(choose)
"""
    with room(tmp_path, "plain", monkeypatch) as here, seated(here, program) as seat:
        answer = seat.ask(1, question(1, limit_ms=200.0))

    assert isinstance(answer, Answer)
    assert answer.wall_ms == 200.0


SPINS_ON = """
import os, time
from protocol.client import run

child = os.fork()
while child == 0:
    pass

def used_ms():
    return time.clock_gettime(~child << 3 | 2) * 1e3

before = 0

def choose(decision):
    global before
    note = f"{used_ms() - before:.3f}"
    before = used_ms()
    return decision.legal[0], note

run(choose)
"""
needs_freezer = pytest.mark.skipif(
    not sandbox.BACKENDS["bwrap"].freezes(), reason="no control group of version 2 can be written"
)


@pytest.mark.process
@pytest.mark.box
@needs_freezer
def test_a_bot_that_works_on_in_the_others_turn_gets_no_cpu_for_it(tmp_path, monkeypatch) -> None:
    with room(tmp_path, "bwrap", monkeypatch) as here, seated(here, SPINS_ON) as seat:
        used_ms = []
        for turn in range(1, 12):
            answer = seat.ask(1, question(turn))
            assert isinstance(answer, Answer)
            used_ms.append(float(answer.note or "inf"))
            time.sleep(0.05)  # the others think

    assert min(used_ms[1:]) < 5
    assert sorted(used_ms[1:])[5] < 20  # it runs for a moment: more of one where the machine is busy


@pytest.mark.process
@pytest.mark.box
def test_a_rested_bot_hears_what_it_was_told_meanwhile_and_ends_by_itself(tmp_path, monkeypatch) -> None:
    program = """
import sys
from protocol.client import run

class Bot:
    def choose(self, decision):
        return decision.legal[0]

    def start(self, start):
        sys.stderr.write(f"start {start.match}\\n")

    def end(self, end):
        sys.stderr.write(f"end {end.match}\\n")

run(Bot())
sys.stderr.write("goodbye\\n")
"""
    with room(tmp_path, "bwrap", monkeypatch) as here, seated(here, program) as seat:
        assert isinstance(seat.ask(1, question(1)), Answer)
        time.sleep(0.02)  # long enough to be put to rest
        seat.end(messages.End(1, (1.0, 2.0), None, ()))
        seat.start(messages.Start(2, 0, 0, 1))
        time.sleep(0.02)
        early = seat.report()
        assert isinstance(seat.ask(2, question(1)), Answer)
        seat.dismiss(None)

        said = early + seat.report()

    assert said == "start 1\nend 1\nstart 2\ngoodbye\n"


@given(pieces=st.lists(st.binary(max_size=3 * KEPT_BYTES // 2), max_size=6))
def test_a_log_keeps_its_head_and_its_tail_however_it_came(pieces: list[bytes]) -> None:
    output, whole = HeadTail(), b"".join(pieces)

    for piece in pieces:
        output.add(piece)

    dropped = len(whole) - 2 * KEPT_BYTES
    if dropped > 0:
        gap = b"\n... %d bytes left out ...\n" % dropped
        assert output.text() == whole[:KEPT_BYTES] + gap + whole[-KEPT_BYTES:]
    else:
        assert output.text() == whole


@pytest.mark.parametrize(
    ("written", "line"),
    [(b"", b""), (b"one\ntwo\n\n", b"two"), (b"one", b"one"), (b"x" * KEPT_BYTES + b"\nlast\n", b"last")],
)
def test_the_last_words_are_the_last_line_that_says_something(written: bytes, line: bytes) -> None:
    output = HeadTail()

    output.add(written)

    assert output.last_line() == line


def test_a_channel_never_waits_for_a_bot_that_does_not_read() -> None:
    theirs, writes = os.pipe()
    reads, answers = os.pipe()
    channel = Channel(reads, writes, Lines())

    channel.send(b"x" * 200_000)

    assert channel.unread() > 0
    os.close(theirs)
    with pytest.raises(Closed):
        channel.flush()
    os.close(answers)
    channel.close()


def test_a_channel_says_when_there_is_nothing_and_when_there_never_will_be() -> None:
    theirs, writes = os.pipe()
    reads, answers = os.pipe()
    channel = Channel(reads, writes, Lines())

    assert list(channel.messages()) == []
    assert channel.dry
    os.write(answers, b"one\ntwo\nthr")
    assert list(channel.messages()) == [b"one", b"two"]
    assert not channel.dry
    assert channel.unfinished() == 3
    os.close(answers)
    with pytest.raises(Closed):
        list(channel.messages())
    os.close(theirs)
    channel.close()


def test_a_warden_notices_that_it_was_let_go_with_words_unread():
    link, end = pair()
    with end:
        line = Line(end)
        line.send(Refused("nobody reads this"))
        link.close()
        line.send(Refused("nor this"))

        assert line.receive() is None
