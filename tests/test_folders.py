"""Folders of sockets whose makers run, were killed, or are other programs."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.seats import folders

KILLED = """
import os, signal
from arena.seats import folders
with folders.{}():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(monkeypatch):
    with tempfile.TemporaryDirectory(prefix="test-", dir="/tmp") as folder:  # a short path
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.mark.process
@pytest.mark.parametrize("kind", ["of_table", "of_cache", "of_visit", "of_build"])
def test_the_folder_of_a_killed_process_is_removed_by_the_next_look(temporary, kind):
    ended = subprocess.run(
        [sys.executable, "-c", KILLED.format(kind)],
        env=os.environ | {"TMPDIR": str(temporary)},
        timeout=60,
        check=False,
    )
    (left,) = temporary.iterdir()

    folders.sweep()
    assert left.exists(), "it is too young to say"
    os.utime(left, (0, 0))
    folders.sweep()

    assert ended.returncode == -signal.SIGKILL
    assert not left.exists()


def test_what_is_held_or_another_program_has_made_stays(temporary):
    (temporary / "pymp-other").mkdir()
    (temporary / "arena-notes").mkdir()

    with folders.of_table() as folder:
        for path in temporary.iterdir():
            os.utime(path, (0, 0))
        folders.sweep()
        assert folder.exists()

    assert {path.name for path in temporary.iterdir()} == {"pymp-other", "arena-notes"}


def test_a_socket_has_room_in_the_longest_temporary_folder(monkeypatch):
    longest = Path(tempfile.mkdtemp(dir="/tmp", prefix="x" * (folders.MOST - len("/tmp/") - 8)))
    monkeypatch.setattr(tempfile, "tempdir", str(longest))
    try:
        with folders.of_table() as folder:
            assert folder.parent == longest
            assert len(f"{folder}/9.999999999") <= 107
    finally:
        longest.rmdir()
