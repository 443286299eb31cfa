"""Worker processes that die, and a coordinator that dies: real processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from arena.league.workers import WorkerLost, Workers

pytestmark = pytest.mark.process

BOUND_S = 20
"""Every wait of these tests ends by then; on an idle machine it takes milliseconds."""


def square(number: int) -> int:
    return number * number


def end_self(number: int) -> None:
    os.kill(os.getpid(), number)
    threading.Event().wait(BOUND_S)


def die_in_the_middle_of_the_answer() -> bytes:
    def send_half(connection: Connection, message: bytes) -> None:
        os.write(connection.fileno(), bytes(message[: len(message) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send_half
    return b"answer" * 1000


def wait_for_ever(started: str) -> None:
    try:
        Path(started).write_text(str(os.getpid()))
        threading.Event().wait(BOUND_S)
    finally:
        Path(started).unlink()


class PickyError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("picky")


def raise_picky() -> None:
    raise PickyError(1, 2)


def raise_value_error() -> None:
    raise ValueError("no such card")


@pytest.fixture
def workers() -> Iterator[Workers]:
    pool = Workers(2, preload=())
    yield pool
    pool.stop()


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_calls_give_their_results(workers: Workers) -> None:
    assert list(workers.map(square, range(20))) == [number * number for number in range(20)]


def test_an_exception_comes_back_with_where_it_was_raised(workers: Workers) -> None:
    with pytest.raises(ValueError, match="no such card") as caught:
        workers.submit(raise_value_error).result(BOUND_S)

    assert "in raise_value_error" in caught.value.__notes__[0]


def test_an_exception_that_cannot_travel_comes_back_as_its_text(workers: Workers) -> None:
    with pytest.raises(RuntimeError, match="PickyError: picky"):
        workers.submit(raise_picky).result(BOUND_S)

    assert workers.submit(square, 3).result(BOUND_S) == 9


def test_what_cannot_be_sent_fails_only_itself(workers: Workers) -> None:
    there = workers.submit(lambda: 1)
    back = workers.submit(threading.Lock)

    assert there.exception(BOUND_S) is not None
    assert "pickle" in str(back.exception(BOUND_S))
    assert workers.submit(square, 3).result(BOUND_S) == 9


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_killed_worker_fails_only_its_own_call(workers: Workers, number: signal.Signals) -> None:
    lost = workers.submit(end_self, number)
    others = [workers.submit(square, n) for n in range(20)]

    error = lost.exception(BOUND_S)

    assert isinstance(error, WorkerLost)
    assert "worker process" in str(error)
    assert [other.result(BOUND_S) for other in others] == [n * n for n in range(20)]


def test_a_lost_worker_says_how_it_ended(workers: Workers) -> None:
    error = workers.submit(end_self, signal.SIGKILL).exception(BOUND_S)

    assert "was ended by SIGKILL; was it killed because memory ran out?" in str(error)


def test_a_worker_killed_in_the_middle_of_its_answer_fails_only_its_own_call(workers: Workers) -> None:
    error = workers.submit(die_in_the_middle_of_the_answer).exception(BOUND_S)

    assert isinstance(error, WorkerLost)
    assert list(workers.map(square, range(8))) == [n * n for n in range(8)]


def test_as_many_workers_as_there_are_slots_however_many_died(workers: Workers) -> None:
    for _ in range(3):
        lost = [workers.submit(end_self, signal.SIGKILL) for _ in range(2)]
        assert all(isinstance(one.exception(BOUND_S), WorkerLost) for one in lost)

    barrier = [workers.submit(os.getpid) for _ in range(20)]

    assert {one.result(BOUND_S) for one in barrier} <= set(workers.pids())
    assert len(workers.pids()) == 2


def test_an_idle_worker_that_was_killed_is_replaced(workers: Workers) -> None:
    pid = workers.submit(os.getpid).result(BOUND_S)
    os.kill(pid, signal.SIGKILL)
    until(lambda: gone(pid), "the killed worker")

    results = [workers.submit(square, n).exception(BOUND_S) for n in range(4)]

    assert sum(result is not None for result in results) <= 1
    assert workers.submit(square, 3).result(BOUND_S) == 9


def test_workers_of_a_killed_fork_server_are_replaced() -> None:
    with Workers(1, preload=()) as workers:
        fork_server = workers.submit(os.getppid).result(BOUND_S)
        os.kill(fork_server, signal.SIGKILL)
        until(lambda: gone(fork_server), "the fork server")

        lost = workers.submit(os.getppid).exception(BOUND_S)

        assert isinstance(lost, WorkerLost)
        assert workers.submit(os.getppid).result(BOUND_S) != fork_server


def test_a_call_that_is_taken_back_ends_in_order_and_the_others_go_on(tmp_path: Path) -> None:
    started = tmp_path / "started"
    with Workers(1, preload=()) as workers:
        running = workers.submit(wait_for_ever, str(started))
        queued, last = workers.submit(square, 3), workers.submit(square, 4)
        until(started.exists, "the first call")

        workers.abandon(queued)
        workers.abandon(running)

        assert isinstance(running.exception(BOUND_S), WorkerLost)
        assert queued.cancelled()
        assert last.result(BOUND_S) == 16
    assert not started.exists(), "its finally clause ran"


def test_workers_leave_ctrl_c_to_the_coordinator(workers: Workers) -> None:
    pid = workers.submit(os.getpid).result(BOUND_S)

    os.kill(pid, signal.SIGINT)

    assert list(workers.map(square, range(8))) == [n * n for n in range(8)]
    assert pid in workers.pids()


def test_shutting_down_waits_for_what_was_queued() -> None:
    with Workers(1, preload=()) as workers:
        queued = [workers.submit(square, n) for n in range(5)]

    assert [one.result(0) for one in queued] == [0, 1, 4, 9, 16]
    assert workers.pids() == []
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(square, 1)


def test_stopping_ends_what_runs_in_order_and_cancels_the_rest(tmp_path: Path) -> None:
    workers = Workers(1, preload=())
    started = tmp_path / "started"
    running = workers.submit(wait_for_ever, str(started))
    queued = workers.submit(square, 3)
    until(started.exists, "the first call")

    workers.stop()

    assert isinstance(running.exception(0), WorkerLost)
    with pytest.raises(CancelledError):
        queued.result(0)
    assert not started.exists(), "its finally clause ran"
    assert workers.pids() == []


COORDINATOR = """
import sys
from arena.league.workers import Workers
from tests.test_workers import wait_for_ever
if __name__ == "__main__":
    workers = Workers(3, preload=())
    for started in sys.argv[1:]:
        workers.submit(wait_for_ever, started)
    workers.shutdown()
"""


def test_workers_end_when_the_coordinator_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "coordinator.py"
    program.write_text(COORDINATOR)
    started = [tmp_path / "one", tmp_path / "two"]
    root = Path(__file__).parent.parent
    with subprocess.Popen(
        [sys.executable, str(program), *map(str, started)], env={**os.environ, "PYTHONPATH": str(root)}
    ) as coordinator:
        until(lambda: all(path.exists() and path.read_text() for path in started), "the workers")
        pids = [int(path.read_text()) for path in started]

        coordinator.kill()

    until(lambda: all(map(gone, pids)), "the end of the workers")
    assert not any(path.exists() for path in started), "their finally clauses ran"


def test_the_sockets_of_a_killed_coordinator_are_removed_by_the_next_one(tmp_path: Path) -> None:
    program = "import os; from arena.league.workers import Workers; Workers(1); os.kill(os.getpid(), {})"
    left = []

    for number in (signal.SIGKILL, signal.SIGKILL, 0):
        subprocess.run(
            [sys.executable, "-c", program.format(int(number))],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            timeout=BOUND_S,
            check=False,
        )
        left.append(len(list(tmp_path.iterdir())))
        for path in tmp_path.iterdir():
            os.utime(path, (0, 0))  # as if it had been killed a while ago

    assert left == [1, 1, 0]


def test_an_interrupt_while_the_fork_server_imports_what_it_preloads_is_not_for_it(tmp_path):
    (tmp_path / "interrupts.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    program = (
        "from arena.league.workers import Workers\n"
        "if __name__ == '__main__':\n"
        "    with Workers(1, preload=('interrupts',)) as workers:\n"
        "        print(workers.submit(pow, 3, 2).result())\n"
    )
    (tmp_path / "main.py").write_text(program)

    ran = subprocess.run(
        [sys.executable, "main.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )

    assert (ran.stdout, ran.stderr) == ("9\n", "")
