"""A table from its job to its result, with real processes, and what it leaves behind: nothing."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import runtimes
from arena.model import (
    HOUSE,
    Answer,
    Clock,
    Entrant,
    FaultKind,
    FaultRecord,
    MatchRecord,
    Outcome,
    TableJob,
)
from arena.sandbox import BACKENDS, Box, SandboxError, cgroups, cores
from arena.seats.link import WardenLost
from arena.seats.local import Local
from arena.table import cpu_seconds, play_table
from arena.transcript import Transcript, read, setting
from tests.tables import Room, bots_of, room, wait_until

pytestmark = pytest.mark.process

RANDOM = """
import random
from protocol.client import run
run(lambda decision: random.choice(decision.legal))
"""
CRASHES_IN_MATCH = """
import sys
from protocol.client import run

def choose(decision):
    if decision.match in {}:
        sys.exit(3)
    return decision.legal[0]

sys.stderr.write("started\\n")
run(choose)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    with room(tmp_path, "plain", monkeypatch) as made:
        yield made


def said(job: TableJob, match: MatchRecord) -> Transcript:
    """The transcript of a table's match."""
    (seed,) = (board.seed for board in job.boards if board.number == match.board)
    return read(match.transcript, setting(job.game, job.options, seed, job.seating))


def test_the_same_job_gives_the_same_outcomes_and_transcripts(here: Room) -> None:
    job = here.job(here.bot("one", RANDOM), here.bot("two", RANDOM), boards=3, sticks=20)

    one, two = here.play(job), here.play(job)

    assert [match.outcome for match in one.matches] == [match.outcome for match in two.matches]
    assert [match.transcript for match in one.matches] == [match.transcript for match in two.matches]
    assert len({match.transcript for match in one.matches}) == 3


def test_matches_come_in_the_order_of_the_boards_with_what_they_cost(here: Room) -> None:
    result = here.play(here.job(here.honest(), HOUSE, boards=2))

    assert result.key == "table"
    assert result.layers == ("no walls",)
    assert [match.board for match in result.matches] == [1, 2]
    for match in result.matches:
        spent = match.measurement
        assert match.outcome == Outcome(places=(2.0, 1.0), scores=(-1.0, 0.0), decisions=5)
        assert 0 < spent.slowest_ms[0] <= spent.seats_wall_ms[0] <= spent.wall_ms
        assert spent.seats_wall_ms[1] == spent.slowest_ms[1] == 0
        assert spent.seats_cpu_ms[0] is not None
        assert spent.seats_cpu_ms[0] > 0


@pytest.mark.box
def test_walls_are_named_in_the_result(tmp_path, monkeypatch) -> None:
    with room(tmp_path, "bwrap", monkeypatch) as here:
        result = here.play(here.job(here.honest(), HOUSE))

    assert result.layers[:3] == ("namespaces", "seccomp", "resource limits")
    assert ("one core" in result.layers) == BACKENDS["bwrap"].freezes()


@pytest.mark.box
@pytest.mark.skipif(not BACKENDS["bwrap"].freezes(), reason="no control group of version 2 can be written")
def test_a_table_of_bots_that_rest_is_played_on_one_core(tmp_path, monkeypatch) -> None:
    program = "import os, sys\nsys.stderr.write(f'{os.sched_getaffinity(0)}\\n')\n" + RANDOM
    seen = []

    def looks(self, match, question) -> Answer:
        seen.append(os.sched_getaffinity(0))
        return ask(self, match, question)

    ask = Local.ask
    monkeypatch.setattr(Local, "ask", looks)
    before = os.sched_getaffinity(0)
    with room(tmp_path, "bwrap", monkeypatch) as here:
        (match,) = here.play(here.job(here.bot("looks", program), HOUSE)).matches

    (core,) = {tuple(each) for each in seen}
    assert len(core) == 1
    assert match.measurement.logs[0] == f"{{{core[0]}}}\n"
    assert os.sched_getaffinity(0) == before


def test_tables_take_different_cores_while_there_are_some(monkeypatch) -> None:
    monkeypatch.setattr(cores, "NAME", f"\0card-arena test {os.getpid()} {{}}")
    with contextlib.ExitStack() as stack:
        taken = [cores.taken(stack, [3, 5, 8]) for _ in range(4)]

    assert sorted(taken[:3]) == [3, 5, 8]
    assert taken[3] == taken[0]


def test_without_walls_bots_run_where_they_like(here: Room) -> None:
    program = "import os, sys\nsys.stderr.write(f'{os.sched_getaffinity(0)}\\n')\n" + RANDOM

    (match,) = here.play(here.job(here.bot("looks", program), HOUSE)).matches

    assert match.measurement.logs[0] == f"{os.sched_getaffinity(0)}\n"


def test_a_bot_on_stdin_and_stdout_plays_like_any_other(here: Room) -> None:
    zmq = here.job(here.bot("zmq", RANDOM), HOUSE, sticks=30)
    stdio = here.job(here.bot("stdio", RANDOM, transport="stdio"), HOUSE, sticks=30)

    (over_zmq,), (over_stdio,) = here.play(zmq).matches, here.play(stdio).matches

    assert over_stdio.outcome == over_zmq.outcome
    assert said(stdio, over_stdio).decisions == said(zmq, over_zmq).decisions


def test_a_caller_may_bring_a_seat_of_its_own(here: Room) -> None:
    class Guest(Local):
        def ask(self, match, question):
            return Answer("take 2", wall_ms=0.0)

    job = here.job(here.honest(), Entrant("ann", "guest"))

    (match,) = play_table(job, guests={1: Guest()}).matches

    assert [(move.seat, move.action) for move in said(job, match).decisions[:2]] == [
        (0, "take 1"),
        (1, "take 2"),
    ]


def test_a_faulted_bot_gets_a_fresh_process_for_the_next_match(here: Room) -> None:
    crashes = here.bot("crashes", CRASHES_IN_MATCH.format([1]))

    first, second = here.play(here.job(crashes, here.honest(), boards=2)).matches

    assert first.outcome.faults == (FaultRecord(0, FaultKind.CRASH, 0),)
    assert second.outcome == Outcome(places=(2.0, 1.0), scores=(-1.0, 0.0), decisions=5)
    assert [match.measurement.logs[0] for match in (first, second)] == ["started\n", "started\n"]
    assert "places" in second.measurement.logs[1]


def test_after_three_faulted_matches_a_bot_forfeits_the_rest_of_its_table(here: Room) -> None:
    crashes = here.bot("crashes", CRASHES_IN_MATCH.format([1, 2, 4]))

    job = here.job(crashes, HOUSE, boards=6)

    result = here.play(job)

    faulted = [[fault.kind for fault in match.outcome.faults] for match in result.matches]
    logs = [match.measurement.logs[0] for match in result.matches]
    assert faulted == [[FaultKind.CRASH]] * 2 + [[]] + [[FaultKind.CRASH]] * 3
    assert logs == ["started\n", "started\n", "started\n", "", "", ""]
    assert result.matches[-1].measurement.fault_details == (
        "forfeits the rest of the table after 3 faulted matches; the last: exit code 3",
    )
    assert result.matches[-1].outcome.decisions == 0
    forfeited = [fault.forfeit for match in result.matches for fault in match.outcome.faults]
    assert forfeited == [False] * 3 + [True] * (len(forfeited) - 3)
    assert said(job, result.matches[-1]).faults == result.matches[-1].outcome.faults


def test_the_others_play_on_when_one_of_three_is_out(here: Room) -> None:
    crashes = here.bot("crashes", CRASHES_IN_MATCH.format([1]))

    (match,) = here.play(here.job(crashes, here.honest("a"), here.honest("b"), sticks=9)).matches

    assert match.outcome == Outcome(
        places=(3.0, 1.0, 2.0),
        scores=(0.0, 0.0, -1.0),
        decisions=9,
        faults=(FaultRecord(0, FaultKind.CRASH, 0),),
    )
    assert "places [3.0, 1.0, 2.0]" in match.measurement.logs[1]


def test_no_seat_is_told_who_sits_at_the_table(here: Room) -> None:
    echo = here.bot(
        "echo",
        """
import os, sys, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(os.environ["ARENA_ENDPOINT"])
socket.send(b'{"type":"hello","protocol":1,"name":""}')
while True:
    sys.stdout.write(socket.recv().decode() + str(dict(os.environ)) + "\\n")
    sys.stdout.flush()
    turn = str(1).encode()
    socket.send(b'{"type":"action","match":1,"turn":' + turn + b',"action":"take 1"}')
""",
    )

    (match,) = here.play(here.job(echo, here.honest("secretive"))).matches

    assert '"type":"welcome"' in match.measurement.logs[0]
    assert "secretive" not in match.measurement.logs[0]


def test_logs_are_escaped_and_only_their_head_and_tail_are_kept(here: Room) -> None:
    loud = here.bot(
        "loud",
        """
import sys
from protocol.client import run
sys.stderr.write("\\x1b[2J" + "x" * 200_000 + "the end\\n")
run(lambda decision: decision.legal[0])
""",
    )

    log = here.play(here.job(loud, HOUSE)).matches[0].measurement.logs[0]

    assert log.startswith("\\x1b[2Jxxx")
    assert log.endswith("xxxthe end\n")
    assert "\n... 134476 bytes left out ...\n" in log


def test_the_time_to_start_is_not_taken_from_any_other_clock(here: Room) -> None:
    slow = here.bot("slow", "import time; time.sleep(0.5)\n" + RANDOM)

    (match,) = here.play(
        here.job(slow, HOUSE, clock=Clock(move_ms=250, bank_ms=100, start_ms=20_000))
    ).matches

    assert match.outcome.faults == ()


def test_a_box_that_cannot_be_put_up_is_our_failure_and_leaves_nothing(here: Room, monkeypatch) -> None:
    def nowhere(*args, **options) -> Box:
        found = box(*args, **options)
        return msgspec.structs.replace(found, folder="/no/such/folder") if found.seat == 1 else found

    box = runtimes.box
    monkeypatch.setattr(runtimes, "box", nowhere)

    with pytest.raises(SandboxError, match="/no/such/folder"):
        here.play(here.job(here.honest("one"), here.honest("two")))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_exception_in_the_middle_of_a_match_leaves_nothing(here: Room, monkeypatch, error) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(Local, "ask", fails)
    before = descriptors()

    with pytest.raises(error):
        here.play(here.job(here.honest(), HOUSE))

    assert descriptors() <= before | fork_server_descriptors()


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def fork_server_descriptors() -> set[str]:
    """Of the fork server, which is started with the first table of a process and stays."""
    from multiprocessing.forkserver import _forkserver
    from multiprocessing.resource_tracker import _resource_tracker

    return {str(_forkserver._forkserver_alive_fd), str(_resource_tracker._fd)}


def test_a_temporary_folder_with_a_long_path_is_no_trouble(here: Room, tmp_path) -> None:
    far = tmp_path / ("x" * 100)
    far.mkdir()
    job = msgspec.json.encode(here.job(HOUSE, here.honest())).decode()

    subprocess.run(
        [sys.executable, "-m", "tests.cost", job],
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"TMPDIR": str(far)},
        stdout=subprocess.DEVNULL,
        check=True,
    )

    assert list(far.iterdir()) == []


def test_a_warden_that_is_killed_is_our_failure_and_leaves_nothing(here: Room, monkeypatch) -> None:
    def kills_the_warden(_self, _match, question) -> Answer:
        (bot,) = bots_of(here.submissions)
        os.kill(warden_of(bot), signal.SIGKILL)
        return Answer(question.legal[0], wall_ms=0)

    monkeypatch.setattr(Local, "ask", kills_the_warden)

    with pytest.raises(WardenLost):
        here.play(here.job(here.honest(), HOUSE))

    wait_until(lambda: not bots_of(here.submissions))  # nobody is left to kill it, but it knows


def test_a_warden_that_its_bot_took_down_is_the_fault_of_that_seat(here: Room, monkeypatch) -> None:
    """An abort stands for whatever a bot may find one day: nobody else's process is in its reach."""

    aborted = set()

    def aborts_the_warden(_self, match, question) -> Answer:
        if match not in aborted:
            (bot,) = bots_of(here.submissions / "bad")
            os.kill(warden_of(bot), signal.SIGABRT)
            aborted.add(match)
        return Answer(question.legal[0], wall_ms=0)

    monkeypatch.setattr(Local, "ask", aborts_the_warden)

    result = here.play(here.job(here.honest("bad"), HOUSE, here.honest(), boards=2))

    for match in result.matches:
        assert match.outcome.faults == (FaultRecord(0, FaultKind.MALFORMED, 3),)
        assert match.outcome.places == (3.0, 2.0, 1.0)
        assert match.measurement.fault_details == (
            "took its own warden down, which was ended by SIGABRT over what it did",
        )
        assert match.measurement.logs[0] == ""
    wait_until(lambda: bots_of(here.submissions) == {})  # without walls a bot ends when it hears of it


@pytest.mark.box
def test_the_table_of_a_killed_warden_removes_its_control_groups(tmp_path, monkeypatch) -> None:
    killed = []

    def kills_the_warden(_self, _match, question) -> Answer:
        killed.extend({warden_of(bot) for bot in bots_of(here.submissions)})
        for warden in killed:
            os.kill(warden, signal.SIGKILL)
        return Answer(question.legal[0], wall_ms=0)

    monkeypatch.setattr(Local, "ask", kills_the_warden)
    with room(tmp_path, "bwrap", monkeypatch) as here:
        with pytest.raises(WardenLost):
            here.play(here.job(here.honest(), HOUSE))
        wait_until(lambda: not bots_of(here.submissions))

    (warden,) = killed
    folders = {place.folder for place in cgroups.places().values()}
    assert [left for folder in folders for left in Path(folder).glob(f"card-arena-{warden}-*")] == []


def warden_of(pid: int) -> int:
    """The next warden above a process."""
    while not Path(f"/proc/{pid}/comm").read_text().startswith("warden"):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


@pytest.mark.box
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_killed_takes_its_bots_and_its_folder_along(number, tmp_path, monkeypatch) -> None:
    with room(tmp_path, "bwrap", monkeypatch) as here:
        hangs = here.bot("hangs", "import time; time.sleep(100)")
        job = msgspec.structs.replace(here.job(hangs, HOUSE), game="idiot", options={})
        with worker(job, here) as process:
            wait_until(lambda: bots_of(here.submissions))

            process.send_signal(number)
            process.wait(60)

        wait_until(lambda: not bots_of(here.submissions))
        wait_until(lambda: not list(here.sockets.glob("arena-*")))
        for left in here.sockets.glob("pymp-*"):  # the killed interpreter's own
            shutil.rmtree(left)


@contextmanager
def worker(job: TableJob, here: Room):
    """A process that plays the job, and is killed if nobody did."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, msgspec.json.encode(job).decode()],
        env=os.environ | {"TMPDIR": str(here.sockets)},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


WORKER = """
import sys, msgspec
from arena.model import TableJob
from arena.table import play_table
play_table(msgspec.json.decode(sys.argv[1], type=TableJob))
"""


def test_tables_can_be_played_in_workers_that_a_fork_server_started(here: Room) -> None:
    job = msgspec.structs.replace(here.job(here.bot("random", RANDOM), HOUSE), game="idiot", options={})
    context = multiprocessing.get_context("forkserver")

    with ProcessPoolExecutor(1, mp_context=context) as executor:
        there = executor.submit(play_table, job).result(60)

    assert [match.transcript for match in there.matches] == [
        match.transcript for match in here.play(job).matches
    ]


@given(
    clock=st.builds(Clock, st.integers(1, 10_000), st.integers(0, 60_000), st.integers(1, 60_000)),
    boards=st.integers(1, 64),
)
def test_the_cpu_limit_has_room_for_all_clocks(clock: Clock, boards: int) -> None:
    allowed_ms = 1_000 * cpu_seconds(clock, boards)

    assert allowed_ms >= clock.start_ms + boards * (clock.bank_ms + 500 * clock.move_ms)


def test_the_cpu_limit_is_one_that_the_kernel_takes_however_long_the_clocks_are() -> None:
    allowed_s = cpu_seconds(Clock(10**30, 10**30, 10**30), 1_000)

    assert allowed_s * 10**9 < 2**63


def test_a_bot_hears_what_it_did_wrong_before_it_has_to_go(here: Room) -> None:
    cheats = here.bot(
        "cheats", "from protocol.client import run\nrun(lambda decision: 'take ' + '9' * decision.turn)\n"
    )

    first, second = here.play(here.job(cheats, HOUSE, boards=2)).matches

    said = "fault ILLEGAL: found action 'take 9', allowed are take 1, take 2\n"
    assert [match.measurement.logs[0] for match in (first, second)] == [said, said]
