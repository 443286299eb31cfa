"""The languages that bots may be written in: how each is built, and how it is started."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial

import msgspec

from arena.runtimes import tools
from arena.runtimes.tools import Toolchain

MAIN = "{main}"
"""In the words of a command: the main file, as `./main.c`: no file name is taken for an option."""
STEM = "{stem}"
"""The same without folder and suffix."""
MEMORY = "{memory}"
"""The memory of the box in MiB."""


class Transport(StrEnum):
    """How a bot talks to the arena."""

    ZMQ = "zmq"
    STDIO = "stdio"


class Build(msgspec.Struct, frozen=True):
    """How a program is made of its main file, in the bot's folder."""

    tool: str
    """What its author types; `find` says where that is."""
    words: tuple[str, ...]
    """Behind the tool."""
    find: Callable[[], Toolchain]
    """Raises `SandboxError` with what to install where the machine lacks the tool."""
    leaves: str
    """The file that must be there afterwards, whatever built it."""


class Runtime(msgspec.Struct, frozen=True):
    """How the bots of one language are started."""

    suffixes: tuple[str, ...]
    main: str
    """The main file of a bot that names none."""
    transport: Transport
    """What a bot speaks that does not say."""
    find: Callable[[], Toolchain]
    """Raises `SandboxError` with what to install where the machine lacks the tool."""
    seven: str
    """The shortest program: ends with exit code 7. The doctor runs it."""
    words: tuple[str, ...] = (MAIN,)
    """Behind the tool."""
    build: Build | None = None
    """How it is built when its `bot.toml` does not say; None where a program is run as it is written."""


def compiled(suffixes: tuple[str, ...], build: Build, seven: str, **env: str) -> Runtime:
    """A language whose build leaves a program that needs no tool to run."""
    return Runtime(
        suffixes,
        f"main{suffixes[0]}",
        Transport.STDIO,
        lambda: Toolchain(argv=(), walled_env=env),
        seven,
        words=(f"./{build.leaves}",),
        build=build,
    )


C = Build(
    "gcc",
    ("-O2", "-std=gnu11", "-Wall", "-o", "bot", MAIN, "-lm"),
    partial(tools.compiler, "gcc", package="gcc"),
    "bot",
)
CPP = Build(
    "g++",
    ("-O2", "-std=c++17", "-Wall", "-o", "bot", MAIN),
    partial(tools.compiler, "g++", package="g++"),
    "bot",
)
RUST = Build("rustc", ("--edition=2021", "-O", "-C", "strip=symbols", "-o", "bot", MAIN), tools.rust, "bot")
GO = Build("go", ("build", "-o", "bot", MAIN), tools.go, "bot")
JAVA_THREADS = ("-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")
"""Else it starts threads by the number of cores, more than a box may have on a large machine."""
JAVA_MEMORY = (f"-XX:MaxRAM={MEMORY}m", "-XX:MaxRAMPercentage=60")
"""The heap by the box, which it cannot see, with room for what is not heap."""
JAVAC = Build(
    "javac",
    (*(f"-J{word}" for word in JAVA_THREADS), "-J-Xmx512m", "-encoding", "UTF-8", "-d", ".", MAIN),
    partial(tools.java, "javac", package="default-jdk-headless"),
    f"{STEM}.class",
)

RUNTIMES = {
    "python": Runtime((".py",), "main.py", Transport.ZMQ, tools.python, "raise SystemExit(7)\n"),
    "javascript": Runtime(
        (".js", ".mjs", ".cjs"),
        "main.js",
        Transport.STDIO,
        partial(tools.native, "node", package="nodejs"),
        "process.exit(7)\n",
    ),
    "c": compiled((".c",), C, "int main(void) { return 7; }\n"),
    "cpp": compiled((".cpp", ".cc", ".cxx"), CPP, "int main() { return 7; }\n"),
    "rust": compiled((".rs",), RUST, "fn main() { std::process::exit(7) }\n"),
    "go": compiled(
        (".go",),
        GO,
        'package main\n\nimport "os"\n\nfunc main() { os.Exit(7) }\n',
        GOMAXPROCS=tools.GO_THREADS,
    ),
    "java": Runtime(
        (".java",),
        "Main.java",
        Transport.STDIO,
        partial(tools.java, "java", *JAVA_THREADS, package="default-jdk-headless"),
        "class Main { public static void main(String[] given) { System.exit(7); } }\n",
        words=(*JAVA_MEMORY, "-XX:TieredStopAtLevel=1", "-cp", ".", STEM),
        build=JAVAC,
    ),
    "perl": Runtime(
        (".pl",), "main.pl", Transport.STDIO, partial(tools.native, "perl", package="perl"), "exit 7;\n"
    ),
    "awk": Runtime(
        (".awk",),
        "main.awk",
        Transport.STDIO,
        # mawk waits for a full buffer unless told; others pass over an option that they do not know
        partial(tools.native, "awk", "-Winteractive", "-f", package="mawk"),
        "BEGIN { exit 7 }\n",
    ),
    "bash": Runtime(
        (".sh", ".bash"),
        "main.sh",
        Transport.STDIO,
        partial(tools.native, "bash", package="bash"),
        "exit 7\n",
    ),
}
"""Language -> how its bots are built and started. One is added with a line here and a starter."""
