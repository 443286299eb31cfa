"""A comparison by the command line, with real bots in real boxes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARENA = Path(sys.executable).with_name("arena")
BOUND_S = 90


def arena(workspace: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [ARENA, *words, "--workspace", workspace], capture_output=True, text=True, timeout=BOUND_S, check=True
    )


@pytest.mark.process
@pytest.mark.box
def test_two_real_bots_are_compared_on_the_same_deals(tmp_path: Path):
    for name in ("random", "idiot_thumb"):
        arena(tmp_path, "submit", str(ROOT / "sample_bots" / name))

    words = ("compare", "idiot_thumb", "random", "--fixed", "2", "--block", "2", "--seed", "s")
    (row,) = json.loads(arena(tmp_path, *words, "--style", "json").stdout)

    assert (row["game"], row["verdict"], row["boards"], row["matches"]) == ("idiot", "fixed", 2, 4)
    assert (row["faults_new"], row["faults_old"]) == (0, 0)
    assert row["won"] + row["lost"] + row["alike"] == 2
    listed = arena(tmp_path, "show", "--league", row["comparison"], "--style", "json").stdout
    assert len(json.loads(listed)) == 4
