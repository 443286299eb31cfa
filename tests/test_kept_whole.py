"""Commands that keep a workspace, killed by the kernel as they write: all is done, or nothing."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store import Store
from arena.submissions.unclaimed import unclaimed
from arena.verify import examined, verify
from tests.replays import entered, league, play_all

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
ARENA = Path(sys.executable).with_name("arena")
BOUND_S = 60
STEPS = (30_000, 1 << 20)
"""Bytes that a file may have, before which whoever writes more is killed."""

COMMANDS = {
    "delete league cup --yes": lambda store: store.league("cup") is None,
    "delete bot eve --yes": lambda store: store.latest("eve") is None,
    "trim cup --transcripts --yes": lambda store: bool(store.keeping().trimmed("cup")),
    "import two.league": lambda store: store.league("two") is not None,
}
"""Command -> whether it is done."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two leagues and a bot that is in none, and the file of a third one."""
    folder = tmp_path_factory.mktemp("world")
    with Store.open(folder / "results") as store:
        cup = league(store, ("ann", "falls", "errs"))
        play_all(store, cup)
        subprocess.run([ARENA, "export", "cup", "cup.league"], cwd=folder, check=True, timeout=BOUND_S)
        store.keeping().rename_league("cup", "two")
        subprocess.run([ARENA, "export", "two", "two.league"], cwd=folder, check=True, timeout=BOUND_S)
        store.keeping().rename_league("two", "cup")
        entered(store, ("eve",), "idiot")
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def killed_at(folder: Path, command: str, most: int) -> int:
    """Run a command whose files may grow so far; gives its exit code."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    program = (
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); from arena.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *command.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=limited,
        capture_output=True,
        timeout=BOUND_S,
        check=False,
    )
    return ran.returncode


@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_as_it_writes_leaves_all_of_it_or_nothing(world: Path, tmp_path: Path, command: str) -> None:
    seen = set()
    for most in STEPS:
        folder = Path(shutil.copytree(world, tmp_path / str(most)))
        code = killed_at(folder, command, most)
        with Store.open(folder / "results") as store:
            done = COMMANDS[command](store)
            seen.add((code, done))
            for each in store.leagues():
                if not store.keeping().trimmed(each.name):
                    assert verify(store, examined(store, each.name), told=lambda *_: None).tables == 12
            assert list(store.evidence().damages()) == []
            kept = {bot.version for bot in store.bots()}
            assert kept <= {path.name for path in store.submissions.iterdir()}
            assert {path.name for path in unclaimed(store)}.isdisjoint(kept)

    assert (0, True) in seen
    assert {code for code, _ in seen} <= {0, -signal.SIGXFSZ}
    assert (-signal.SIGXFSZ, False) in seen
