"""The commands of leagues, with tables that no bot plays."""

import functools
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import group, progress
from arena.cli import league as cli
from arena.cli.said import duration
from arena.deals import commitment, league_secret
from arena.league import runner
from arena.league.config import Wish
from arena.league.planning import plan
from arena.league.runner import Progress
from arena.store import Store
from tests import league_fakes as fakes

ROOT = Path(__file__).parent.parent
Arena = Callable[..., Result]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    with Store.open(tmp_path) as store:
        for name in ("ann", "bea", "cid"):
            store.add_version(
                name,
                sha256(name.encode()).hexdigest(),
                games=("idiot",),
                submitted=datetime.now(UTC),
                sandbox="plain",
            )
    return tmp_path


@pytest.fixture
def arena(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """Run a command in the workspace; tables are played by a function."""
    monkeypatch.setattr(cli.runner, "run", functools.partial(runner.run, play=fakes.play))
    monkeypatch.setattr(cli.planning, "require", lambda name: None)
    monkeypatch.setattr(cli.planning, "check_kept", lambda _folder, _entrants: None)
    monkeypatch.setattr(cli.planning, "check_built", lambda _folder, _entrants, sandbox: None)

    def command(*words: str) -> Result:
        return CliRunner().invoke(
            group, list(words), env={"ARENA_WORKSPACE": str(workspace)}, catch_exceptions=False
        )

    return command


FRIDAY = ("run", "friday", "--game", "idiot", "--boards", "2", "--seed", "s", "--jobs", "1")


@pytest.mark.process
def test_a_league_is_announced_played_and_shown(arena: Arena) -> None:
    result = arena(*FRIDAY)

    secret = league_secret("s", 0)
    assert result.exit_code == 0
    said = result.stderr.splitlines()
    assert said[:4] == [
        "league friday: idiot, 2 players, 2 boards",
        "bots: ann, bea, cid",
        "3 line-ups, 6 tables, 12 matches",
        f"commitment: {commitment(secret)}",
    ]
    assert said[-2:] == [
        "all 6 tables are played, 6 of them now: every line-up has played its boards",
        f"secret: {secret.hex()}",
    ]
    assert result.stdout.startswith("League friday: idiot, 2 players")
    assert all(name in result.stdout for name in ("ann", "bea", "cid"))


@pytest.mark.process
def test_the_same_command_again_plays_nothing_and_shows_the_same(arena: Arena) -> None:
    first = arena(*FRIDAY)

    again = arena("run", "friday")

    assert again.exit_code == 0
    assert "all 6 tables are played, 0 of them now" in again.stderr
    assert again.stdout == first.stdout


@pytest.mark.process
def test_a_league_that_grew_shows_a_commitment_and_a_secret_for_each_part(arena: Arena) -> None:
    arena(*FRIDAY, "--bots", "ann,bea")

    grown = arena("run", "friday", "--bots", "cid", "--boards", "3", "--seed", "s", "--jobs", "1")

    assert "all 8 tables are played, 6 of them now" in grown.stderr
    for number in (1, 2):
        secret = league_secret("s", number - 1)
        assert f"commitment of part {number}: {commitment(secret)}" in grown.stderr
        assert f"secret of part {number}: {secret.hex()}" in grown.stderr


@pytest.mark.process
def test_a_file_names_the_league_and_the_command_line_wins(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_text('name = "saturday"\ngame = "idiot"\nboards = 5\nbots = ["ann", "bea"]\n')

    result = arena("run", str(path), "--boards", "1", "--option", "rounds=2", "--jobs", "1")

    assert result.exit_code == 0
    assert "league saturday: idiot (rounds=2), 2 players, 1 board" in result.stderr
    assert arena("status").stdout.startswith("league saturday: idiot (rounds=2), 2 players\n")
    assert re.search(r"^saturday +idiot +rounds=2 +2 ", arena("leagues").stdout, re.MULTILINE)
    with Store.open(tmp_path, read_only=True) as store:
        assert store.leagues()[0].options["rounds"] == 2


@pytest.mark.process
def test_plain_is_said_loudly_in_every_output(arena: Arena) -> None:
    result = arena(*FRIDAY, "--sandbox", "plain")

    assert "WITHOUT WALLS" in result.stderr
    assert "WITHOUT WALLS" in result.stdout
    assert "WITHOUT WALLS" in arena("status").stdout
    assert re.search(r"finished +none", arena("leagues").stdout)


@pytest.mark.process
def test_more_tables_at_a_time_than_cores_is_told(arena: Arena) -> None:
    result = arena(*FRIDAY, "--jobs", "99", "--boards", "1")

    assert "note: 99 tables at a time on " in result.stderr


@pytest.mark.process
def test_a_failure_of_ours_ends_with_1_and_its_reason(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.runner, "run", functools.partial(runner.run, play=fakes.play_full_disk))

    result = arena(*FRIDAY)

    assert result.exit_code == 1
    assert "could not be played in 3 tries: OSError: [Errno 28] No space left" in result.stderr


@pytest.mark.process
def test_leagues_and_status_tell_how_far_each_is(arena: Arena, workspace: Path) -> None:
    arena(*FRIDAY)
    with Store.open(workspace) as store, store.running("friday"):
        running = arena("status")
        listed = arena("leagues").stdout.splitlines()

    assert running.stdout.splitlines()[:2] == [
        "league friday: idiot, 2 players",
        "running: 6 of 6 tables, 12 matches in all",
    ]
    assert f"process {os.getpid()}: 6 tables in the last minute" in running.stdout
    assert re.fullmatch(r"friday +idiot +2 +3 +2 +6/6 +running +bwrap +\d{4}-\d\d-\d\d \d\d:\d\d", listed[2])
    ended = arena("status", "friday").stdout
    assert f"secret: {league_secret('s', 0).hex()}" in ended
    assert re.search(r"^ann +\w{12} +8$", ended, re.MULTILINE)


def test_an_unfinished_league_keeps_its_secret(
    arena: Arena, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_args: object, **_kwargs: object) -> runner.Ran:
        return runner.Ran(Progress(0, 6, 0, 0.0), end=None)

    monkeypatch.setattr(cli.runner, "run", nothing)

    result = arena(*FRIDAY)

    secret = league_secret("s", 0).hex()
    assert result.exit_code == 130
    assert "0 of 6 tables are played; to go on type: arena run friday\n" in result.stderr
    elsewhere = arena("status", "--workspace", str(workspace)).stdout
    assert f"to go on type: arena run friday --workspace {workspace}\n" in elsewhere
    status = arena("status").stdout
    assert "unfinished: 0 of 6 tables" in status
    assert secret not in result.output + status
    assert "not yet" in arena("leagues").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "a new league needs a game"),
        (("run", "one", "--name", "two"), "named twice, 'one' and 'two'"),
        (
            ("run", "--game", "idiot", "--option", "rounds"),
            "idiot: option rounds has no value; a whole number from 1 to 10 is expected",
        ),
        (
            ("run", "--game", "idiot", "--option", "seven_low=yes"),
            "idiot: option seven_low is 'yes'; true or false is expected",
        ),
        (
            ("run", "--game", "idiot", "--option", "seven_lo=true"),
            "the options are rounds (a whole number from 1 to 10), seven_low (true or false), lowest_starts",
        ),
        (
            ("run", "--game", "idiot", "--boards", "0"),
            "boards is 0; a whole number from 1 ",
        ),
        (("run", "--game", "idiot", "--fill", "nobody"), "'nobody' is not 'house'"),
        (("run", "--game", "idiot", "--partners", "both"), "'both' is not one of 'same', 'mixed'"),
        (("run", "--game", "idiot", "--partners", "mixed"), "idiot with 2 players has no two sides of two"),
        (("run", "none.toml"), "none.toml"),
        (("status",), "no league yet"),
        (("status", "monday"), "no league yet"),
    ],
)
def test_wrong_usage_is_2_and_a_sentence(arena: Arena, words: tuple[str, ...], message: str) -> None:
    result = arena(*words)

    assert result.exit_code == 2
    assert message in result.stderr


def test_lists_are_data_for_programs(arena: Arena, workspace: Path) -> None:
    with Store.open(workspace) as store:
        plan(store, Wish(name="friday", game="idiot", boards=2, seed="s"))

    (friday,) = json.loads(arena("leagues", "--style", "json").stdout)
    bots = json.loads(arena("status", "friday", "--style", "json").stdout)

    assert (friday["league"], friday["players"], friday["tables"]) == ("friday", 2, "0/6")
    assert [(row["bot"], row["matches"]) for row in bots] == [("ann", 0), ("bea", 0), ("cid", 0)]
    assert arena("bots", "--style", "csv").stdout.startswith(
        "bot,version,versions,games,submitted,state\nann,"
    )
    assert arena("show", "--style", "json").stdout == "[]\n"


def test_without_leagues_the_list_says_what_to_type(arena: Arena) -> None:
    assert arena("leagues").stdout == "no league yet; type: arena run --game idiot\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (99.4, "99 s"),
        (100, "2 min"),
        (5_900, "98 min"),
        (6_000, "1 h 40 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations_are_told_as_people_do(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
def test_a_line_of_progress_fits_its_terminal(columns: int) -> None:
    shown = progress.line("a-league-with-quite-a-long-name", Progress(999, 4_560, 999, 70.0), columns)

    assert len(shown) < columns
    assert "999/4560" in shown


def test_a_line_of_progress_leaves_out_what_matters_least() -> None:
    lines = [progress.line("friday", Progress(6, 24, 6, 3.0), columns) for columns in (60, 50, 36, 15, 5)]

    assert lines == [
        "friday  [####---------------]  6/24  2.0 tables/s, 9 s left",
        "friday  [##-------]  6/24  2.0 tables/s, 9 s left",
        "friday  [##-------]  6/24  9 s left",
        "friday  6/24",
        "6/24",
    ]


@pytest.mark.process
def test_a_terminal_shows_a_bar(workspace: Path) -> None:
    program = (
        "from arena.cli.progress import shown; from arena.league.runner import Progress\n"
        "from tests.test_runner import LEAGUE\n"
        "with shown(LEAGUE) as listener:\n"
        "    for done in range(5): listener.progress(Progress(done, 24, done, 0.5))\n"
        "    listener.say('table x is played again')\n"
    )
    near, far = pty.openpty()
    with os.fdopen(near, "rb", buffering=0) as screen:
        try:
            subprocess.run([sys.executable, "-c", program], stderr=far, cwd=ROOT, check=True, timeout=30)
        finally:
            os.close(far)
        shown = b""
        try:
            while block := screen.read(4096):
                shown += block
        except OSError:  # the end of a terminal
            pass

    assert b"[####--------------------]" in shown
    assert b"4/24" in shown
    assert b"8.0 tables/s" in shown
    assert b"table x is played again" in shown


@pytest.mark.process
def test_a_dry_run_shows_the_schedule_and_leaves_nothing(arena: Arena, workspace: Path) -> None:
    before = (workspace / "arena.db").read_bytes()

    result = arena("run", "friday", "--game", "idiot", "--boards", "2", "--jobs", "1", "--dry-run")

    guess = "a guess, as none was played here yet"
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "league friday: idiot, 2 players, 2 boards",
        "bots: ann, bea, cid",
        "3 line-ups, 6 tables, 12 matches",
        f"about 8 s, 1 table at a time and 500 ms a match ({guess}); nothing was played or written",
    ]
    rows = [re.split(r"  +", line) for line in result.stdout.splitlines()]
    assert rows[0] == ["line-up", "tables", "matches"]
    assert sorted(row[0] for row in rows[2:5]) == ["ann v bea", "ann v cid", "bea v cid"]
    assert rows[8:] == [
        ["matches of a bot", "8", "8.0", "8"],
        ["matches of two bots against each other", "4", "4.0", "4"],
        ["matches of a bot in one seat", "4", "4.0", "4"],
    ]
    assert arena("leagues").stdout.startswith("no league yet")
    assert (workspace / "arena.db").read_bytes() == before


def test_line_ups_that_there_cannot_be_are_not_said_to_be_chosen(arena: Arena) -> None:
    words = ("run", "--game", "idiot", "--dry-run", "--lineups")

    some, every, more = (arena(*words, count).stderr.splitlines() for count in ("2", "3", "30"))

    assert some[2:4] == [
        "schedule: round-robin, 2 line-ups, chosen evenly",
        "2 line-ups, 16 tables, 128 matches",
    ]
    assert every[2] == "schedule: round-robin, all of the 3 line-ups there can be (3 asked for)"
    assert more[2] == "schedule: round-robin, all of the 3 line-ups there can be (30 asked for)"


@pytest.mark.process
def test_a_dry_run_of_a_league_that_adapts_shows_its_next_batch_and_its_bound(arena: Arena) -> None:
    words = ("--game", "idiot", "--until", "error < 150", "--boards", "40", "--block", "1", "--seed", "s")
    first = arena("run", "friday", *words, "--dry-run", "--style", "csv")
    arena("run", "friday", *words, "--jobs", "1")

    further = arena("run", "friday", "--until", "error < 90", "--dry-run")

    assert first.stdout.splitlines()[0] == "line-up,tables,matches"
    assert len(first.stdout.splitlines()) == 4
    assert (
        "schedule: adaptive, until error < 150\nat most 3 line-ups, 240 tables, 240 matches\n" in first.stderr
    )
    assert "below is the next batch, of 6 tables; what follows hangs on its results" in first.stderr
    assert "about at most " in first.stderr
    assert "below is the next batch, of 32 tables" in further.stderr
    assert re.search(r"0 ms a match \(the mean of the last \d+ matches here\)", further.stderr)
    assert "until error < 150" in arena("run", "friday", "--dry-run").stderr


@pytest.mark.process
def test_a_league_that_may_end_before_says_so_wherever_its_size_is_told(
    arena: Arena, workspace: Path
) -> None:
    arena("run", "cup", "--game", "idiot", "--schedule", "knock-out", "--boards", "3", "--seed", "s")

    status = arena("status", "cup").stdout
    assert re.search(r"^finished: \d+ of at most 16 tables, at most 24 matches in all$", status, re.MULTILINE)
    assert re.search(r"^ended: (ann|bea|cid) won the final$", status, re.MULTILINE)
    assert re.search(r"^final +\w+ \(\d\) +\w+ \(\d\) +[\d.]+ : [\d.]+ ", status, re.MULTILINE)
    assert "A knock-out: who lost early played little" in arena("leaderboard", "cup").stdout
    assert re.search(r"^cup +idiot .* \d+/≤16 +finished", arena("leagues").stdout, re.MULTILINE)
    with Store.open(workspace) as store:
        plan(store, Wish(name="next", game="idiot", until="error < 20", boards=4, seed="s"))
    assert "unfinished: 0 of at most " in arena("status", "next").stdout
    assert progress.line("cup", Progress(3, 12, 3, 1.5, at_most=True), 60).endswith(
        "3/≤12  2.0 tables/s, ≤ 4 s left"
    )


def test_void_tables_are_counted_wherever_a_league_is_shown(
    workspace: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.runner, "run", functools.partial(runner.run, play=fakes.play_void))
    counted = "6 tables were void once, and played again: the machine made a bot late."

    ran = arena("run", "cup", "--game", "idiot", "--boards", "2", "--block", "2", "--jobs", "1")

    assert counted in ran.stdout
    assert ran.stderr.count(" was void and was played again: on board 1 ") == 6
    for words in (("leaderboard",), ("status",)):
        assert counted in arena(*words).stdout
    assert progress.pace(Progress(3, 6, 3, 1.5, void=2)) == "2.0 tables/s, 2 void, 2 s left"
