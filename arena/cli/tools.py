"""Commands that look after the arena itself."""

import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from select import select
from subprocess import DEVNULL

import click
from tabulate import tabulate

from arena import runtimes
from arena.cli import clock, leftovers
from arena.cli.beside import Beside
from arena.cli.options import PLAIN, Between, workspace_option
from arena.sandbox import BACKENDS, Box, Check, Limits, SandboxError, spending, trial
from arena.submissions.building import BuildFailed
from arena.submissions.builds import make_ready

WALLS = BACKENDS["bwrap"]
CANARY = Path(trial.__file__).parent / "canary"
LIMITS = Limits(cpu_s=10)
SMALL = Limits(cpu_s=10, memory_mib=64)

SEVEN = 7
"""What the shortest program of each language ends with."""
SLOW = ("java", "go")
"""Languages that take longest to be tried: they begin at once."""
FOUND_WIDTH = 90
"""Characters of a line of what was found; a single word may be longer."""


@click.command()
@click.option("--reap", is_flag=True, help="Remove what dead runs left, in this workspace too.")
@click.option(
    "--clock",
    "seconds",
    type=Between(min=0.1, max=86_400),
    metavar="SECONDS",
    help="Measure for so long how exact clocks are here, instead.",
)
@workspace_option
def doctor(workspace: Path, *, reap: bool, seconds: float | None) -> None:
    """Try whether this machine can hold untrusted bots, by letting a canary try to get out.

    Ends with 0 when every wall holds and nothing is left over from dead runs, and with 1 when not.

    \b
    Example:
      arena doctor
      arena doctor --reap
      arena doctor --clock 20
    """
    if seconds is not None:
        click.echo(clock.measured(WALLS.name if held(WALLS.check()) else PLAIN, seconds))
        return
    tools = WALLS.check()
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        languages = Beside(language_checks(Path(folder), walled=held(tools)))
        walls = (*tools, *(tried(workspace) if held(tools) else ()))
        left = leftovers.check(workspace, reap=reap)
        found = languages.all()
    click.echo(table((*walls, left, *(found[language] for language in runtimes.RUNTIMES))))
    click.echo(verdict(walls))
    sys.exit(0 if held((*walls, left)) else 1)


def tried(workspace: Path) -> Iterator[Check]:
    """Check the walls that the tools make."""
    try:
        yield from trial.tried(WALLS, canary("main.py", LIMITS), workspace=workspace)
        yield from spending.tried(WALLS, canary("spender.py", SMALL))
    except SandboxError as error:
        yield Check("Python bots", ok=False, found=error.found, remedy=error.remedy)


def canary(main: str, limits: Limits) -> Box:
    """Give the box of one of our own programs that try the walls."""
    manifest = runtimes.single_file_manifest(main)
    return runtimes.box(manifest, CANARY, walled=True, limits=limits, socket=None, seat=0)


def held(checks: tuple[Check, ...]) -> bool:
    """Whether nothing is missing."""
    return all(check.ok for check in checks)


def language_checks(folder: Path, *, walled: bool) -> dict[str, Callable[[], Check]]:
    """Give what runs the shortest program of each language, the slowest first.

    What is missing keeps only that language's bots out.
    """
    slowest_first = (*SLOW, *(each for each in runtimes.RUNTIMES if each not in SLOW))
    return {
        language: partial(language_check, language, folder / language, walled=walled)
        for language in slowest_first
    }


def language_check(language: str, parent: Path, *, walled: bool) -> Check:
    """Build a language's shortest program, where it has to be, and run it as a bot."""
    runtime, sandbox = runtimes.RUNTIMES[language], "bwrap" if walled else "plain"
    submissions = parent / "submissions"
    (submissions / language).mkdir(parents=True)
    (submissions / language / runtime.main).write_text(runtime.seven, "utf-8")
    manifest = runtimes.single_file_manifest(runtime.main)
    try:
        tool = runtimes.toolchain(language).argv[0]
        make_ready(manifest, submissions, language, sandbox)
        folder = runtimes.played(manifest, submissions, language)
        box = runtimes.box(manifest, folder, walled=walled, limits=LIMITS, socket=None, seat=0)
        code = exit_code(box, sandbox)
    except SandboxError as error:
        return Check(f"{language} bots", ok=False, found=error.found, remedy=error.remedy)
    except BuildFailed as failed:
        return Check(f"{language} bots", ok=False, found=f"{tool} does not build: {failed} {failed.log}")
    found = tool if code == SEVEN else f"{tool}: what it starts or makes ended with {code}, not {SEVEN}"
    return Check(f"{language} bots", ok=code == SEVEN, found=found)


def exit_code(box: Box, backend: str) -> int | None:
    """Run a bot to its end; None when it takes too long."""
    boxed = BACKENDS[backend].launch(box, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    try:
        select([boxed.pidfd], [], [], 10.0)
        return boxed.poll()
    finally:
        boxed.close()


def table(checks: tuple[Check, ...]) -> str:
    """Give one line a layer."""
    rows = [(check.layer, "ok" if check.ok else "missing", "\n".join(said(check))) for check in checks]
    return tabulate(rows, headers=("layer", "", "found"), tablefmt="plain")


def said(check: Check) -> Iterator[str]:
    """Give what was found, no path broken, and on a line of its own, to be pasted, the remedy."""
    yield from textwrap.wrap(check.found, FOUND_WIDTH, break_long_words=False, break_on_hyphens=False)
    if check.remedy:
        yield check.remedy


def verdict(walls: tuple[Check, ...]) -> str:
    """Give the one sentence that it all comes to."""
    if held(walls):
        return "\nUntrusted bots can play here: every wall held."
    return "\nUntrusted bots cannot play here. Trusted ones can, without walls: add --sandbox plain"
