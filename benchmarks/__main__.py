"""Runs every benchmark, writes `benchmarks/latest.md` of what they print, and a section of the README.

What the scripts say in short goes to the README, all of it to `latest.md`.
With the usual counts that takes a quarter of an hour of an idle machine; `--brief` shows in some minutes that
all of them run; `--only` renews the parts of some.

Example:
  python -m benchmarks --brief
  python -m benchmarks --only bench_table bench_startup
"""

import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks import common

ROOT = Path(__file__).parent.parent
LATEST = Path("benchmarks/latest.md")
README = Path("README.md")
MARKS = ("<!-- benchmarks: `make bench` writes these lines -->\n", "<!-- end of benchmarks -->\n")


FEW = "all of this from a brief run (`make bench BENCH=--brief`), whose rounds are too few to count."


class Script(NamedTuple):
    """One benchmark, with the words for its counts."""

    name: str
    usual: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()


SCRIPTS = (
    Script("bench_table", (), ("--rounds", "3", "--decisions", "200")),
    Script("bench_engines", (), ("--rounds", "3", "--seconds", "0.2")),
    Script("bench_startup", (), ("--rounds", "5")),
    Script("bench_scale", (), ("--matches", "20000", "--bots", "20", "--rounds", "1")),
    Script("bench_growth", (), ("--brief",)),
    Script("bench_ratings", ("--leagues", "100"), ("--leagues", "5")),
    Script("bench_compare", ("--runs", "200"), ("--runs", "5")),
    Script("bench_schedules", ("--leagues", "5"), ("--leagues", "1")),
)


class Ran(NamedTuple):
    """What came of one."""

    words: tuple[str, ...]
    printed: str
    seconds: float


def ran(script: Script, *, brief: bool) -> Ran:
    """Run one; what it prints goes to the screen too. Raises CalledProcessError when it fails."""
    words = ("-m", f"benchmarks.{script.name}", *(script.brief if brief else script.usual))
    print(f"\n$ python {' '.join(words)}", flush=True)
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    return Ran(words, done.stdout, time.perf_counter() - began)


def section(run: Ran) -> str:
    """Its part of the page."""
    title = f"## python {' '.join(run.words)}"
    when = f"{run.seconds:.0f} s; {datetime.now(UTC):%Y-%m-%d}, commit {commit()}."
    return f"{title}\n\n{when}\n\n```text\n{run.printed.strip()}\n```\n"


def page(sections: Iterable[str], *, brief: bool) -> str:
    """All of them under a title."""
    counts = "with few rounds: no figure counts" if brief else "with the usual counts"
    return "\n".join([f"# Measured last\n\n`make bench` writes this page; this time {counts}.\n", *sections])


def sections_of(text: str) -> dict[str, str]:
    """The sections of a page by their titles."""
    _, *found = text.split("\n## ")
    return {each.partition("\n")[0]: f"## {each.rstrip()}\n" for each in found}


def in_short(text: str) -> list[str]:
    """What the README says: the lines that the scripts begin so."""
    return [
        line.removeprefix(common.IN_SHORT) for line in text.splitlines() if line.startswith(common.IN_SHORT)
    ]


def renewed(readme: str, lines: Iterable[str]) -> str:
    """The README with these lines between its two marks."""
    before, first, rest = readme.partition(MARKS[0])
    _, last, after = rest.partition(MARKS[1])
    assert first and last, "the README has lost its marks"  # noqa: PT018 - one thing is wrong with both
    return "".join([before, first, *(f"- {line[0].upper()}{line[1:]}\n" for line in lines), last, after])


def commit() -> str:
    """Short name of what is checked out, and whether it was changed since."""
    words = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def main() -> None:
    """Run them one after the other, write both pages."""
    parser = common.parser(__doc__)
    parser.add_argument("--brief", action="store_true", help="few rounds, to see that all of them run")
    parser.add_argument(
        "--only",
        nargs="+",
        choices={each.name for each in SCRIPTS},
        metavar="SCRIPT",
        help="renew the parts of these; with --brief nothing is written",
    )
    wanted = parser.parse_args()
    chosen = [each for each in SCRIPTS if wanted.only is None or each.name in wanted.only]
    new = page([section(ran(each, brief=wanted.brief)) for each in chosen], brief=wanted.brief)
    if wanted.only and wanted.brief:
        return
    if wanted.only:
        earlier = (ROOT / LATEST).read_text("utf-8")
        new = page((sections_of(earlier) | sections_of(new)).values(), brief=False)
    (ROOT / LATEST).write_text(new, "utf-8")
    readme = ROOT / README
    lines = [*in_short(new), *([FEW] if wanted.brief else [])]
    readme.write_text(renewed(readme.read_text("utf-8"), lines), "utf-8")
    print(f"\nwritten: {LATEST}, and a section of {README}")


if __name__ == "__main__":
    main()
