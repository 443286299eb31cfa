"""What the benchmarks have in common: rounds in turns, ratios with their spread, what they ran on, the form.

Absolute numbers move with the machine and the hour, so whatever is compared is measured in turns, round by
round, and what counts is the median of the rounds' ratios.
"""

import argparse
import operator
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

Run = Callable[[], float]
"""Measures once."""

IN_SHORT = "In short: "
"""Begins the lines that `python -m benchmarks` puts into the README."""


class Spread(NamedTuple):
    """Some measurements of one thing."""

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f} to {self.most:.2f})"


def spread(values: Sequence[float]) -> Spread:
    """Their median and both ends."""
    return Spread(statistics.median(values), min(values), max(values))


def ratio(found: Sequence[float], base: Sequence[float]) -> Spread:
    """How many times as much as another thing, round by round."""
    return spread(list(map(operator.truediv, found, base)))


def in_turns(runs: Mapping[str, Run], rounds: int) -> dict[str, list[float]]:
    """Every run once in each round, after one to warm up: a slow moment of the machine meets all alike."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            measured = run()
            if number:
                found[name].append(measured)
    return found


def compared(title: str, unit: str, found: Mapping[str, Sequence[float]], goals: Mapping[str, float]) -> str:
    """Table of medians, and of the ratios to the first row, which are to stay below their goals."""
    base = next(iter(found.values()))
    rows = []
    for name, values in found.items():
        times = ratio(values, base)
        goal = goals.get(name)
        verdict = "" if goal is None else f"{'yes' if times.median <= goal else 'NO'}, <= {goal:.3g}"
        rows.append((name, statistics.median(values), str(times), verdict))
    return tabulate(rows, (title, unit, "ratio", "goal"), floatfmt=".2f", disable_numparse=[2])


def machine() -> str:
    """What it ran on, and how busy that was."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.1f}"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{python}, {_processor()}, {cores} cores, {platform.system()}, {load}"


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text("utf-8", "replace").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.machine()} ({names[0]})" if names else platform.machine()


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Parser whose help is the module's docstring."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def in_short(text: str) -> None:
    """Print what the README says of it."""
    print(f"{IN_SHORT}{text}")
