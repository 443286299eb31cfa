"""The soak in short: the same program as `make soak`, with fewer tables and kills."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox import SandboxError, require

ROOT = Path(__file__).parents[2]


def soak(*words: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.soak", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-6000:]
    return ran.stdout


def walls() -> str:
    """Walls where there are some: what is killed leaves more behind there."""
    try:
        require("bwrap")
    except SandboxError:
        return "plain"
    return "bwrap"


@pytest.mark.process
def test_a_league_killed_again_and_again_ends_as_one_that_was_not():
    shown = soak("--tables", "0", "--ends", "3", "--seed", "3", "--sandbox", walls())

    assert "in a commit" in shown
    assert "of a coordinator" in shown


@pytest.mark.process
@pytest.mark.box
def test_every_table_of_a_league_is_played_once_whatever_is_killed():
    shown = soak("--tables", "12", "--kills", "4", "--ends", "0", "--seed", "2")

    assert "tables, each exactly once" in shown
