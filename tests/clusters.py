"""A Dask cluster on this machine, as its page says how to start one, and tables to be played on it."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.model import TableJob, TableResult
from tests import league_fakes as fakes

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
BOUND_S = 60
MARKS = "ARENA_TEST_MARKS"
SCHEDULER, WORKER, RUN = re.findall(r"```sh\n(.*)\n```", (ROOT / "docs" / "cluster.md").read_text("utf-8"))
WRITTEN = "10.0.0.5"


def until(true: Callable[[], object], what: str | Callable[[], str]) -> None:
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, what if isinstance(what, str) else what()
        threading.Event().wait(0.02)


@contextmanager
def started(line: str, folder: Path, *words: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A line of the page, on 127.0.0.1."""
    program, *rest = shlex.split(line.replace(WRITTEN, "127.0.0.1"))
    surroundings = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DASK_TEMPORARY_DIRECTORY": str(folder / "dask"),
        MARKS: str(folder),
        **environment,
    }
    with (
        (folder / "dask.log").open("ab") as log,
        subprocess.Popen(
            [BIN / program, *rest, *words],
            env=surroundings,
            cwd=folder,
            start_new_session=True,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(BOUND_S)
            finally:
                killed(process)


def killed(process: "subprocess.Popen[bytes]") -> None:
    """All processes of a Dask worker, but those that it made for tables."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """One on a port of its own, with its address."""
    known = folder / "scheduler.json"
    with started(SCHEDULER, folder, "--port", "0", "--scheduler-file", str(known)) as process:
        until(lambda: known.exists() and known.read_text().endswith("}"), "the scheduler")
        yield json.loads(known.read_text())["address"], process


def at(line: str, address: str) -> str:
    """A line of the page, meant for the scheduler at an address."""
    return line.replace(f"tcp://{WRITTEN}:8786", address)


# Tables


def marks(name: str = "") -> Path:
    return Path(os.environ[MARKS]) / name


def play_gated(job: TableJob) -> TableResult:
    """Holds its deals, as none but it may, until the file `go` is there or it is ended."""
    held = [marks(f"deal-{board.seed.hex()}") for board in job.boards]
    for path in held:
        path.open("x").close()
    try:
        deadline = time.monotonic() + BOUND_S
        while not marks("go").exists() and time.monotonic() < deadline:
            threading.Event().wait(0.02)
        return fakes.play(job)
    finally:
        for path in held:
            path.unlink()


def wait_for_ever(there: str) -> None:
    """A file stands there meanwhile."""
    Path(there).touch()
    try:
        threading.Event().wait(BOUND_S)
    finally:
        Path(there).unlink()
