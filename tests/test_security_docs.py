"""The page of promises: what it names is there, and no hostile program is left out."""

import ast
import re
from pathlib import Path

import pytest

from tests.cases import cases
from tests.tables import BAD_BOTS

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "security.md").read_text("utf-8")
NODES = re.findall(r"`(test_\w+\.py)::(\w+)`", PAGE)
PROGRAMS = set(
    re.findall(r"`([a-z][a-z0-9_]+)`", PAGE.partition("## Nothing gets out")[2].partition("## A sub")[0])
)


@pytest.mark.parametrize("file", sorted({file for file, _ in NODES}))
def test_every_test_that_a_promise_names_is_there(file):
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    assert {name for in_file, name in NODES if in_file == file} - there == set()


def test_every_hostile_program_stands_on_the_page_and_every_other_word_is_known():
    programs = {case.name for case in cases(BAD_BOTS)}

    assert programs - PROGRAMS == set()
    assert PROGRAMS - programs == {"bpf", "io_uring"}


def test_every_row_of_promises_names_what_shows_it():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    promises = [row for row in rows if "shown by" not in row]

    assert len(promises) > 30
    assert [row for row in promises if not re.search(r"`(test_)?[a-z_]+(\.py::\w+)?` ", row)] == []
