"""What the benchmarks have in common: figures in turns, one form, and the pages that are written of them."""

from pathlib import Path

import pytest

from benchmarks import common
from benchmarks.__main__ import (
    MARKS,
    README,
    ROOT,
    SCRIPTS,
    Ran,
    in_short,
    page,
    renewed,
    section,
    sections_of,
)

FILES = sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))
RAN = [
    Ran(("-m", "benchmarks.one"), "table\n\nIn short: a clone takes 1 us.\n", 12.0),
    Ran(("-m", "benchmarks.two"), "another table\n", 3.0),
]


def test_runs_are_measured_in_turns_after_one_to_warm_up() -> None:
    order: list[str] = []

    def run(name: str) -> float:
        order.append(name)
        return float(len(order))

    found = common.in_turns({"a": lambda: run("a"), "b": lambda: run("b")}, 2)

    assert order == ["a", "b"] * 3
    assert found == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_a_ratio_is_taken_round_by_round() -> None:
    assert common.ratio([2.0, 30.0, 4.0], [1.0, 10.0, 4.0]) == (2.0, 1.0, 3.0)


@pytest.mark.parametrize(("goal", "said"), [(2.0, "yes, <= 2"), (1.5, "NO, <= 1.5")])
def test_a_goal_is_held_against_the_median_of_the_ratios(goal: float, said: str) -> None:
    found = {"base": [1.0, 10.0, 1.0], "ours": [2.0, 2.0, 2.0]}

    table = common.compared("what", "ms", found, {"ours": goal})

    assert table.splitlines()[-1].split("  ")[-1].strip() == said


def test_every_benchmark_is_run_by_make_bench() -> None:
    assert sorted({script.name for script in SCRIPTS}) == FILES


@pytest.mark.parametrize("name", FILES)
def test_every_benchmark_says_how_it_is_run(name: str) -> None:
    text = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")

    assert f"\nExample:\n  python -m benchmarks.{name}" in text
    assert "common.machine()" in text


def test_the_page_has_all_that_was_printed_and_each_part_can_be_renewed_alone() -> None:
    text = page(map(section, RAN), brief=True)
    again = section(RAN[0]._replace(printed="newer", seconds=13.0))

    assert "few rounds: no figure counts" in text
    assert list(sections_of(text)) == ["python -m benchmarks.one", "python -m benchmarks.two"]
    assert page(sections_of(text).values(), brief=True) == text
    renewed_page = page((sections_of(text) | sections_of("\n" + again)).values(), brief=True)
    assert list(sections_of(renewed_page)) == list(sections_of(text))
    assert "newer" in renewed_page
    assert "clone" not in renewed_page
    assert "another table" in renewed_page


def test_the_readme_gets_what_is_said_in_short_and_keeps_the_rest() -> None:
    readme = f"before\n{MARKS[0]}- old\n{MARKS[1]}after\n"
    lines = in_short(page(map(section, RAN), brief=False))

    assert renewed(readme, lines) == f"before\n{MARKS[0]}- A clone takes 1 us.\n{MARKS[1]}after\n"


def test_the_readme_has_its_marks() -> None:
    text = Path(ROOT / README).read_text("utf-8")

    assert [text.count(mark) for mark in MARKS] == [1, 1]
