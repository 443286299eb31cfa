"""A sample league over every game, played by the bots of this folder: what `make demo` runs.

Each step is a command that you could type; they are shown as they run.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from arena.games import GAMES
from arena.sandbox import SandboxError, require

HERE = Path(__file__).parent
WORKSPACE = HERE.parent / "results" / "demo"
ARENA = Path(sys.executable).with_name("arena")
BOTS = ("random", *(f"{game}_thumb" for game in GAMES), "node" if shutil.which("node") else "awk")
SEED = "demo"


def arena(*words: str) -> None:
    """Run one command of the arena, and show it; a file gets its talk in order with its tables."""
    print("$ arena", *words, flush=True)
    subprocess.run(
        [ARENA, *words],
        check=True,
        env=os.environ | {"ARENA_WORKSPACE": str(WORKSPACE)},
        stderr=None if sys.stdout.isatty() else subprocess.STDOUT,
    )
    print(flush=True)


def walls() -> str:
    """Say which sandbox this machine can give; without walls our own bots still play."""
    try:
        require("bwrap")
    except SandboxError as error:
        print(f"This machine cannot wall bots in: {error}")
        print(
            "Our own sample bots are trusted, so the demo plays them without walls (--sandbox plain).\n",
            flush=True,
        )
        return "plain"
    return "bwrap"


def main() -> None:
    """Submit the sample bots, run a league of each game, show the leaderboards."""
    sandbox = walls()
    for bot in BOTS:
        arena("submit", os.path.relpath(HERE / bot), "--sandbox", sandbox)
    for game in GAMES:
        league = ("--game", game, "--seed", SEED, "--sandbox", sandbox)
        arena("run", f"demo-{game}", *league)
    bin_folder, workspace = shlex.quote(str(ARENA.parent)), shlex.quote(str(WORKSPACE))
    print("Look around in this demo's workspace, from any folder, with:")
    print(f"  export PATH={bin_folder}:$PATH ARENA_WORKSPACE={workspace}")
    print(
        "  arena bots; arena leagues; arena leaderboard demo-idiot --columns rank,bot,elo,error,place,score"
    )


if __name__ == "__main__":
    main()
