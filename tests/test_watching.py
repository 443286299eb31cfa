"""A leaderboard that is shown anew while its league is played, on a terminal and elsewhere."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from arena.cli.watching import fitting
from arena.league.config import Wish
from arena.league.course import Course
from arena.league.planning import plan
from arena.model import TableJob
from arena.store import Store
from tests import league_fakes as fakes
from tests.terminals import terminal

ARENA = Path(sys.executable).with_name("arena")
WATCH = ("leaderboard", "friday", "--watch=0.2")


class League:
    """A league of 4 tables, played by the test one by one."""

    def __init__(self, store: Store) -> None:
        for name in ("ann", "bea"):
            version = sha256(name.encode()).hexdigest()
            store.add_version(name, version, games=("idiot",), submitted=datetime.now(UTC), sandbox="plain")
        plan(store, Wish(name="friday", game="idiot", boards=2, block=1, seed="s", sandbox="plain"))
        self._store = store
        self.workspace = store.workspace
        self._left = self._jobs()

    def _jobs(self) -> Iterator[TableJob]:
        course = Course(self._store.chosen_league("friday"), finished=(), results=lambda _before: ())
        for batch in course.batches():
            yield from batch

    def play(self, tables: int) -> None:
        for _ in range(tables):
            job = next(self._left)
            self._store.commit("friday", job, fakes.play(job))


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[League]:
    monkeypatch.setattr("arena.league.planning.check_kept", lambda _folder, _entrants: None)
    monkeypatch.setattr("arena.league.planning.check_built", lambda _folder, _entrants, sandbox: None)
    with Store.open(tmp_path) as store:
        yield League(store)


@pytest.mark.process
def test_a_terminal_shows_results_in_place_as_they_come_in_until_the_league_is_whole(league):
    with terminal(*WATCH, env={"ARENA_WORKSPACE": str(league.workspace)}) as screen:
        screen.until("friday: 0 of 4 tables, not running now; Ctrl-C ends watching")
        league.play(2)
        screen.until("friday: 2 of 4 tables")
        league.play(2)
        code = screen.ended()

    assert code == 0
    pages = re.split(r"\x1b\[\d+F", screen.shown)
    assert len(pages) >= 3, "each page is drawn over the one before"
    assert "4 matches on 2 complete boards" in pages[-1]
    assert "Ctrl-C" not in pages[-1]


@pytest.mark.process
def test_ctrl_c_ends_watching_with_130_and_the_terminal_as_it_was(league):
    with terminal(*WATCH, env={"ARENA_WORKSPACE": str(league.workspace)}) as screen:
        screen.until("Ctrl-C ends watching")
        code = screen.leave("\x03")

    assert code == 130
    assert re.findall(r"\x1b\[\?[0-9]+[hl]", screen.shown)[-1] == "\x1b[?7h", "lines wrap again"
    assert "\x1b[?1049" not in screen.shown, "no other screen"
    assert "\x1b[?25" not in screen.shown, "the cursor was never hidden"


@pytest.mark.process
def test_elsewhere_pages_follow_each_other_when_something_changed(league):
    with subprocess.Popen(
        [ARENA, *WATCH, "--workspace", str(league.workspace), "--style", "csv"],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        league.play(4)
        shown, _ = process.communicate(timeout=60)

    assert first == "friday: 0 of 4 tables, not running now\n"
    assert process.returncode == 0
    pages = shown.split("\n\n")
    assert len(pages) == len(set(pages)) >= 2
    assert all(page.startswith("rank,bot,") for page in pages)
    assert "\x1b" not in shown


@pytest.mark.process
def test_a_whole_league_is_shown_once(league):
    league.play(4)

    ran = subprocess.run(
        [ARENA, *WATCH, "--workspace", str(league.workspace)],
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("League friday:") == 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--watch", "friday"), "'friday' is no number of seconds; put --watch last, or type --watch=2"),
        (("--watch=0",), "0 s; from 0.2 to 3600 are allowed"),
    ],
)
def test_what_is_no_time_to_wait_is_told(words, said):
    from click.testing import CliRunner

    from arena.cli import group

    result = CliRunner().invoke(group, ["leaderboard", *words])

    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("rows", [4, 8, 24])
def test_a_page_takes_no_more_rows_than_there_are(rows):
    lines = [f"line {number}" for number in range(1, 21)] + ["", "how far"]

    shown = fitting(lines, rows)

    assert len(shown) == min(rows - 1, 22)
    assert shown[-1] == "how far"
    assert shown == lines or shown[:-2] == lines[: len(shown) - 2]
