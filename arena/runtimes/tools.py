"""Where the tools of the languages stand on this machine, and what a box needs of them."""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from arena.sandbox import Bind, SandboxError, remedies

LIBRARIES = "/opt/arena"
"""Where the box holds what the arena gives to Python bots: `protocol`, `arena.games` and pyzmq."""
PATH = "/usr/bin:/bin"
SHIM_REMEDY = "put the folder of the real program first in PATH, or install it for the whole system"
TOOL_WAIT_S = 30.0
"""How long a tool may take to say where it is installed."""


class Toolchain(msgspec.Struct, frozen=True):
    """A tool on this machine."""

    argv: tuple[str, ...]
    """How it is called; what it is to work on comes behind."""
    binds: tuple[Bind, ...] = ()
    """What the box needs of it beyond the system's own /usr."""
    hidden: tuple[str, ...] = ()
    walled_env: Mapping[str, str] = {}
    plain_env: Mapping[str, str] = {}
    """The same for a bot without walls, where nothing is bound elsewhere."""


def in_system(path: Path) -> bool:
    """Whether every box has the path: the system's folders without what an administrator put there."""
    text = f"{path}/"
    return text.startswith(("/usr/", "/bin/", "/lib")) and not text.startswith(("/usr/local/", "/usr/src/"))


def in_path(tool: str, *, package: str) -> Path:
    """Find a program in PATH; raises `SandboxError` with what to install."""
    found = shutil.which(tool)
    if found is None:
        raise SandboxError(f"{tool} is not in PATH", remedy=remedies.install(package))
    return Path(found)


def native(tool: str, *options: str, package: str) -> Toolchain:
    """Find a compiled program in PATH that needs nothing of its own beside it."""
    found = in_path(tool, package=package)
    real = found.resolve()
    if in_system(real):
        return Toolchain(argv=(str(real), *options))
    with real.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            raise SandboxError(f"{found} is a script that starts the real {tool}", remedy=SHIM_REMEDY)
    return Toolchain(argv=(str(real), *options), binds=(Bind(str(real), str(real)),))


def compiler(tool: str, *, package: str) -> Toolchain:
    """Find a compiler of the system, which knows its parts by where it stands; called by its usual name."""
    found = shutil.which(tool, path=PATH)
    if found is None:
        raise SandboxError(f"{tool} is not in /usr/bin", remedy=remedies.install(package))
    return Toolchain(argv=(found,))


# Python


def python() -> Toolchain:
    """Find the interpreter that runs us, without the environment it runs in, and the arena's libraries."""
    prefix = Path(sys.base_prefix).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    interpreter = Path(sys.executable).resolve()
    if not interpreter.is_relative_to(prefix):
        interpreter = prefix / "bin" / version
    packages = (f"lib/{version}/site-packages", f"lib/{version}/dist-packages", "lib/python3/dist-packages")
    own = () if in_system(interpreter) else (Bind(str(prefix), str(prefix)),)
    homes = dict.fromkeys(str(Path(bind.host).parent) for bind in libraries() if bind.inside in IMPORTED)
    return Toolchain(
        argv=(str(interpreter),),
        binds=(*own, *libraries()),
        hidden=tuple(str(prefix / folder) for folder in packages if (prefix / folder).is_dir()),
        walled_env={**PYTHON_ENV, "PYTHONPATH": LIBRARIES},
        plain_env={**PYTHON_ENV, "PYTHONPATH": os.pathsep.join(homes)},
    )


PYTHON_ENV = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # so that a bot that uses only the seed it is given plays the same again
    "PYTHONNOUSERSITE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
}
IMPORTED = (f"{LIBRARIES}/protocol", f"{LIBRARIES}/zmq")
"""The libraries whose parents a bot without walls has on its import path."""


@functools.cache
def libraries() -> tuple[Bind, ...]:
    """Give what a Python bot may import above the standard library, from wherever it is installed."""
    arena, protocol, zmq = (package(name) for name in ("arena", "protocol", "zmq"))
    shared = zmq.with_name("pyzmq.libs")  # libzmq itself, where pyzmq is a wheel
    return (
        Bind(str(protocol), f"{LIBRARIES}/protocol"),
        Bind(str(arena / "__init__.py"), f"{LIBRARIES}/arena/__init__.py"),
        Bind(str(arena / "games"), f"{LIBRARIES}/arena/games"),
        Bind(str(zmq), f"{LIBRARIES}/zmq"),
        *([Bind(str(shared), f"{LIBRARIES}/pyzmq.libs")] if shared.is_dir() else []),
    )


def package(name: str) -> Path:
    """Give the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve().parent


# Tools that are folders


def java(tool: str, *options: str, package: str) -> Toolchain:
    """Find a program of a Java installation: all of its folder, and what that links to in /etc."""
    real = in_path(tool, package=package).resolve()
    if real.parent.name != "bin":
        raise SandboxError(f"{real} is a script that starts the real {tool}", remedy=SHIM_REMEDY)
    home = real.parent.parent
    binds = [] if in_system(home) else [Bind(str(home), str(home))]
    settings = (home / "lib" / "jvm.cfg").resolve()
    if settings.parts[1] == "etc":
        folder = str(Path(*settings.parts[:3]))
        binds.append(Bind(folder, folder))
    return Toolchain(argv=(str(real), *options), binds=tuple(binds))


def rust() -> Toolchain:
    """Find the compiler that `rustc` stands for, which under rustup is another program in a home."""
    compiler("cc", package="gcc")  # with which it links
    home = said_by(str(in_path("rustc", package="rustc")), "--print", "sysroot")
    own = {"CARGO_BUILD_JOBS": "2", "CARGO_NET_OFFLINE": "true"}
    walled = {**own, "CARGO_TARGET_DIR": "/tmp/target"}  # noqa: S108 - the box's own
    return msgspec.structs.replace(rooted(home, "rustc"), walled_env=walled, plain_env=own)


GO_THREADS = "4"
"""That run at a time; else as many as the machine has cores, which may be more than a box may have."""


def go() -> Toolchain:
    """Find the Go tools; their cache lies in /tmp and is gone with the box."""
    home = said_by(str(in_path("go", package="golang-go")), "env", "GOROOT")
    chain = rooted(home, "go")
    own = {"CGO_ENABLED": "0", "GOFLAGS": "-p=2", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    return msgspec.structs.replace(chain, walled_env={**own, "GOMAXPROCS": GO_THREADS}, plain_env=own)


def rooted(home: str, tool: str) -> Toolchain:
    """A program with all of the folder that it is installed in."""
    return Toolchain(
        argv=(f"{home}/bin/{tool}",),
        binds=() if in_system(Path(home)) else (Bind(home, home),),
    )


@functools.cache
def said_by(*argv: str) -> str:
    """Give the path that a tool says; raises `SandboxError` when it says none."""
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, timeout=TOOL_WAIT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{' '.join(argv)} does not run ({error})") from None
    home = answer.stdout.strip()
    if not Path(home).is_dir():
        raise SandboxError(f"{' '.join(argv)} says {home!a:.200}, and there is no such folder")
    return os.path.realpath(home)
