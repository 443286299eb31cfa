"""Boxes for bots: one to build it in, where that is needed, and one to play in."""

import os
from pathlib import Path, PurePosixPath

import msgspec

from arena.runtimes.languages import RUNTIMES
from arena.runtimes.manifest import Manifest
from arena.runtimes.tools import PATH, Toolchain, in_system
from arena.sandbox import Box, Limits

BUILT = "builds"
"""Beside the folder of the submissions: what the builds of versions left, each under its version."""
FILES = "files"
"""In the folder of one build: the bot's folder as it was afterwards."""

SCRATCH = "/tmp"  # noqa: S108 - the box's own
WALLED_ENV = {"PATH": PATH, "HOME": SCRATCH, "TMPDIR": SCRATCH, "LANG": "C.UTF-8"}

WORKSHOP = Limits(
    cpu_s=120, memory_mib=1_024, processes=128, files=1_024, file_mib=64, tmp_mib=512, locks=True
)
"""What a build may use. It runs beside no other bot of its table, so it may lock files."""

BUILDING = """
set -e
mkdir "$TMPDIR/bot"
cp -R ./. "$TMPDIR/bot"
cd "$TMPDIR/bot"
"$@" </dev/null >&2
exec tar --create --hard-dereference .
"""
"""Builds in a copy of the bot's folder and hands that over on stdout; all else is said on stderr.

Nothing of the host can be written from within, and whoever reads the archive counts its bytes.
"""


def box(  # noqa: PLR0913 - what a process is, in one call
    manifest: Manifest, folder: Path, *, walled: bool, limits: Limits, socket: str | None, seat: int
) -> Box:
    """Give the box of one bot process; raises `SandboxError` where the machine lacks the language's tool.

    `folder` is that of its submission, or what its build left.
    """
    granted = min(manifest.memory_mib or limits.memory_mib, limits.memory_mib)
    chain, argv = _started(manifest, granted)
    return Box(
        argv=argv,
        env=environment(chain, walled=walled),
        folder=str(folder.resolve()),
        binds=chain.binds,
        hidden=chain.hidden,
        limits=msgspec.structs.replace(limits, memory_mib=granted),
        socket=socket,
        seat=seat,
    )


def workshop(manifest: Manifest, folder: Path, *, scratch: Path | None) -> Box:
    """Give the box that builds a submission and says on stdout what is there afterwards, as a tar.

    `scratch` is an empty folder to build in without walls; None for a box with walls, which has its own.
    Raises `SandboxError` where the machine lacks the tool.
    """
    chain = Toolchain(argv=()) if manifest.language is None else toolchain(manifest.language)
    env = environment(chain, walled=scratch is None)
    if chain.argv and not in_system(tools := Path(chain.argv[0]).parent):
        env["PATH"] = f"{tools}{os.pathsep}{env['PATH']}"
    if scratch is not None:
        env["TMPDIR"] = str(scratch)
    steps = manifest.build or (*chain.argv, *recipe(manifest)[1:])
    return Box(
        argv=("/bin/sh", "-c", BUILDING, "sh", *steps),
        env=env,
        folder=str(folder.resolve()),
        binds=chain.binds,
        limits=WORKSHOP,
        socket=None,
        seat=0,
        hidden=chain.hidden,
    )


def recipe(manifest: Manifest) -> tuple[str, ...]:
    """Give the command that builds it, as its author would type it; empty where nothing is built."""
    if manifest.build is not None:
        return manifest.build
    build = None if manifest.language is None else RUNTIMES[manifest.language].build
    return () if build is None else (build.tool, *_filled(build.words, manifest))


def leaves(manifest: Manifest) -> str | None:
    """Give the file that is started or read first; None where its command may name anything."""
    if manifest.language is None:
        return None
    assert manifest.main is not None
    build = RUNTIMES[manifest.language].build
    return manifest.main if build is None else _filled((build.leaves,), manifest)[0]


def played(manifest: Manifest, submissions: Path, version: str) -> Path:
    """Give the folder that a version is played from."""
    if recipe(manifest):
        return submissions.parent / BUILT / version / FILES
    return submissions / version


def environment(chain: Toolchain, *, walled: bool) -> dict[str, str]:
    """Give all that a program finds in its environment, but for where the arena is."""
    return {**WALLED_ENV, **chain.walled_env} if walled else {**plain_env(), **chain.plain_env}


def plain_env() -> dict[str, str]:
    """Give the little of our own environment that a bot without walls needs to find its tools."""
    ours = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return {"PATH": PATH, "LANG": "C.UTF-8", **ours}


def _started(manifest: Manifest, memory_mib: int) -> tuple[Toolchain, tuple[str, ...]]:
    if manifest.command is not None:
        return Toolchain(argv=()), manifest.command
    assert manifest.language is not None
    runtime = RUNTIMES[manifest.language]
    chain = runtime.find()
    return chain, (*chain.argv, *_filled(runtime.words, manifest, memory=memory_mib))


def toolchain(language: str) -> Toolchain:
    """Find what a language needs on this machine: its compiler, or what its programs are run by."""
    runtime = RUNTIMES[language]
    return runtime.find() if runtime.build is None else runtime.build.find()


def _filled(words: tuple[str, ...], manifest: Manifest, **more: int) -> tuple[str, ...]:
    assert manifest.main is not None
    stem = PurePosixPath(manifest.main).stem
    return tuple(word.format(main=f"./{manifest.main}", stem=stem, **more) for word in words)
