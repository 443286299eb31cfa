"""Commands that look after the arena itself."""

import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from select import select
from subprocess import DEVNULL

import click
from tabulate import tabulate

from arena import runtimes
from arena.cli.options import workspace_option
from arena.sandbox import BACKENDS, Box, Check, Limits, SandboxError, spending, trial
from arena.submissions.building import BuildFailed
from arena.submissions.builds import make_ready

WALLS = BACKENDS["bwrap"]
CANARY = Path(trial.__file__).parent / "canary"
LIMITS = Limits(cpu_s=10)
SMALL = Limits(cpu_s=10, memory_mib=64)

SEVEN = 7
"""What the shortest program of each language ends with."""
FOUND_WIDTH = 90
"""Characters of a line of what was found; a single word may be longer."""


@click.command()
@workspace_option
def doctor(workspace: Path) -> None:
    """Try whether this machine can hold untrusted bots, by letting a canary try to get out.

    Ends with 0 when every wall holds and with 1 when not.

    \b
    Example:
      arena doctor
    """
    walls = tuple(tried(workspace))
    click.echo(table((*walls, *languages(walled=held(walls)))))
    click.echo(verdict(walls))
    sys.exit(0 if held(walls) else 1)


def tried(workspace: Path) -> Iterator[Check]:
    """Check the tools, and, when they are all there, the walls they make."""
    tools = WALLS.check()
    yield from tools
    if held(tools):
        try:
            yield from trial.tried(WALLS, canary("main.py", LIMITS), workspace=workspace)
            yield from spending.tried(WALLS, canary("spender.py", SMALL))
            yield spending.leftovers()
        except SandboxError as error:
            yield Check("Python bots", ok=False, found=error.found, remedy=error.remedy)


def canary(main: str, limits: Limits) -> Box:
    """Give the box of one of our own programs that try the walls."""
    manifest = runtimes.single_file_manifest(main)
    return runtimes.box(manifest, CANARY, walled=True, limits=limits, socket=None, seat=0)


def held(checks: tuple[Check, ...]) -> bool:
    """Whether nothing is missing."""
    return all(check.ok for check in checks)


def languages(*, walled: bool) -> Iterator[Check]:
    """Run the shortest program of each language; what is missing keeps only that language's bots out."""
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        for language, runtime in runtimes.RUNTIMES.items():
            yield language_check(language, runtime, Path(folder), walled=walled)


def language_check(language: str, runtime: runtimes.Runtime, parent: Path, *, walled: bool) -> Check:
    """Build a language's shortest program, where it has to be, and run it as a bot."""
    sandbox = "bwrap" if walled else "plain"
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
