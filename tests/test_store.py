"""The store: real SQLite files, real kills, real second processes."""

import os
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from arena.games import GAMES
from arena.model import (
    HOUSE,
    Board,
    Circumstances,
    Clock,
    Comparison,
    Entrant,
    Extension,
    FaultKind,
    FaultRecord,
    Late,
    League,
    MatchRecord,
    Measurement,
    Outcome,
    Result,
    TableJob,
    TableResult,
    UserError,
)
from arena.store import (
    Activity,
    AlreadyThere,
    Bot,
    NameTaken,
    NotThere,
    Store,
    StoreError,
    database,
    outcomes_hash,
)
from arena.store.records import deal_key, encoded, outcome_text

ANN, BEA = Entrant("Ann", "a" * 64), Entrant("Bea", "b" * 64)
NOON = datetime(2024, 5, 17, 12, 0, tzinfo=UTC)
SECRET = bytes(range(32))


NEWEST = len(database.MIGRATIONS)


def a_league(name: str = "cup", *, players: int = 2, game: str = "idiot", boards: int = 2) -> League:
    return League(
        name=name,
        game=game,
        players=players,
        options={"rounds": 1},
        clock=Clock(),
        block=boards,
        sandbox="plain",
        extensions=(Extension((ANN, BEA), boards, SECRET),),
    )


def a_job(key: str, *seating: Entrant, boards: int = 2, game: str = "idiot") -> TableJob:
    return TableJob(
        key=key,
        game=game,
        options={"rounds": 1},
        seating=seating,
        boards=tuple(Board(number, bytes([number]) * 32) for number in range(1, boards + 1)),
        clock=Clock(),
        sandbox="plain",
        submissions="/nowhere",
    )


def a_measurement(players: int, logs: tuple[str, ...] = ()) -> Measurement:
    return Measurement(
        wall_ms=12.5,
        seats_wall_ms=(1.0,) * players,
        seats_cpu_ms=(None,) * players,
        slowest_ms=(0.5,) * players,
        logs=logs,
    )


def a_result(job: TableJob, places: tuple[float, ...] = (1.0, 2.0)) -> TableResult:
    matches = tuple(
        MatchRecord(
            board=board.number,
            outcome=Outcome(places=places, scores=tuple(10.0 * place for place in places), decisions=7),
            measurement=a_measurement(len(job.seating)),
            transcript=b"transcript",
        )
        for board in job.boards
    )
    return TableResult(job.key, matches, layers=("none",))


def in_another_process(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: PLW1510 - the exit code is what the tests look at
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "work") as opened:
        opened.create_league(a_league())
        yield opened


# Opening


def test_reading_what_was_never_written_says_what_to_type(tmp_path):
    with pytest.raises(NotThere, match=r"nothing in the workspace .*arena submit.*arena run"):
        Store.open(tmp_path / "nothing", read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_a_file_left_empty_by_a_kill_counts_as_nothing_yet(tmp_path):
    (tmp_path / "arena.db").touch()

    with pytest.raises(NotThere):
        Store.open(tmp_path, read_only=True)
    with Store.open(tmp_path) as store:
        assert store.bots() == []


def test_a_folder_with_odd_characters_in_its_name_is_a_workspace(tmp_path):
    workspace = tmp_path / "50% ?mode=rw #1 é"

    Store.open(workspace).close()

    with Store.open(workspace, read_only=True) as store:
        assert store.bots() == []


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path):
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        connection.execute("PRAGMA user_version = 99")

    for read_only in (True, False):
        with pytest.raises(StoreError, match=rf"newer arena: its schema is 99, at most {NEWEST} is known"):
            Store.open(tmp_path, read_only=read_only)


def test_a_database_of_another_program_is_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")

    for read_only in (True, False):
        with pytest.raises(StoreError, match="another program"):
            Store.open(tmp_path, read_only=read_only)


def test_a_damaged_database_is_a_sentence(tmp_path):
    (tmp_path / "arena.db").write_bytes(b"not a database at all " * 100)

    for read_only in (True, False):
        with pytest.raises(StoreError, match="damaged or no database"):
            Store.open(tmp_path, read_only=read_only)


def test_a_python_with_an_old_sqlite_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))

    with pytest.raises(StoreError, match=r"at least 3\.37 is needed"):
        Store.open(tmp_path)


def test_a_workspace_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="Not a directory"):
        Store.open(tmp_path / "file" / "work")


def test_a_migration_step_is_taken_once_and_keeps_the_rows(tmp_path):
    with Store.open(tmp_path) as store:
        store.add_version("Ann", ANN.version, games=["imp"], submitted=NOON, sandbox="plain")
    path = tmp_path / "arena.db"
    step = "ALTER TABLE bot ADD COLUMN home TEXT;\nUPDATE bot SET home = 'Lagos';\n"
    steps = [*["-- taken long ago"] * NEWEST, step]

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        database.migrate(connection, path, steps)
        database.migrate(connection, path, steps)

        rows = connection.execute("SELECT name, home FROM bot").fetchall()
        version = connection.execute("PRAGMA user_version").fetchone()
    assert (rows, version) == ([("Ann", "Lagos")], (NEWEST + 1,))


def test_a_migration_step_that_fails_changes_nothing(tmp_path):
    Store.open(tmp_path).close()
    path = tmp_path / "arena.db"
    steps = [*[""] * NEWEST, "ALTER TABLE bot ADD COLUMN home TEXT;\nINSERT INTO nowhere VALUES (1);\n"]

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            database.migrate(connection, path, steps)

        columns = [row[1] for row in connection.execute("PRAGMA table_info(bot)")]
        version = connection.execute("PRAGMA user_version").fetchone()
    assert ("home" in columns, version) == (False, (NEWEST,))


def written_down_by_match(store, path):
    """The same workspace as the schema had it before: a row for each match."""
    steps = resources.files("arena.store")
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        before = database.MIGRATIONS[: database.MIGRATIONS.index("0003_tables.sql")]
        database.migrate(old, path, [steps.joinpath(name).read_text("utf-8") for name in before])
        for table in ("bot", "version", "league", "extension", "lineup", "seating"):
            columns = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
            rows = store._rows(f"SELECT {', '.join(columns)} FROM {table}")
            old.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        tables = store._rows("SELECT id, league_id, key, seating_id, lower(hex(hash)) FROM played")
        old.executemany("INSERT INTO played VALUES (?, ?, ?, ?, ?)", tables)
        for league in store.leagues():
            for match in map(store.match, [row.id for row in store.matches(league.name)]):
                write_as_a_row(old, match)


def write_as_a_row(old, match):
    of_table = "SELECT id, seating_id FROM played WHERE key = ?"
    ((played_id, seating_id),) = old.execute(of_table, (match.table,))
    insert = "INSERT INTO {} VALUES ({}) ON CONFLICT DO NOTHING".format
    finished = match.finished.isoformat(timespec="microseconds")
    spent = (played_id, finished, encoded(match.layers), encoded(match.void))
    old.execute(insert("cost", "?, ?, ?, ?"), spent)
    place = (match.id, played_id, seating_id, match.board.number, match.board.seed)
    old.execute(insert("match", "?, ?, ?, ?, ?, ?"), (*place, outcome_text(match.outcome)))
    cost = msgspec.structs.replace(match.measurement, logs=(), sent=())
    old.execute(insert("measurement", "?, ?"), (match.id, encoded(cost)))
    old.execute(insert("transcript", "?, ?"), (match.id, match.transcript))
    for seat, log in enumerate(match.measurement.logs):
        if log:
            old.execute(insert("log", "?, ?, ?"), (match.id, seat, zlib.compress(log.encode())))
    for fault, sent in enumerate(match.measurement.sent):
        old.execute(insert("sent", "?, ?, ?"), (match.id, fault, zlib.compress(sent)))


def test_a_workspace_with_a_row_for_each_match_is_brought_up_to_date(store, tmp_path):
    for key, seating in (("t2", (ANN, BEA)), ("t1", (BEA, ANN))):
        job = a_job(key, *seating)
        fault = FaultRecord(seat=1, kind=FaultKind.CRASH, decision=3)
        measurement = msgspec.structs.replace(
            a_measurement(2, ("", "oh\n")), fault_details=("exit code 3",), sent=(b"{",)
        )
        crashed = MatchRecord(2, Outcome((1.0, 2.0), None, 3, (fault,)), measurement, b"moves")
        store.commit("cup", job, TableResult(key, (a_result(job).matches[0], crashed), ("net",)))
    there = tmp_path / "there"
    there.mkdir()
    written_down_by_match(store, there / "arena.db")

    with Store.open(there) as moved:
        assert [moved.match(number) for number in range(1, 5)] == [store.match(n) for n in range(1, 5)]
        assert moved.results("cup") == store.results("cup")
        assert moved.league_hash("cup") == store.league_hash("cup")
        for table in ("extension", "block", "played", "cost", "transcript", "log", "sent"):
            assert moved._rows(f"SELECT * FROM {table}") == store._rows(f"SELECT * FROM {table}")
        assert moved._rows("PRAGMA foreign_key_check") == []


@pytest.mark.process
def test_a_workspace_that_may_only_be_read_can_be_read():
    """As another user, since permissions do not bind root; below /tmp, which every user may enter."""
    script = """
import os, pathlib, sys
from arena.store import Store, StoreError
os.chmod(sys.argv[1], 0o555)
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
with Store.open(pathlib.Path(sys.argv[1]), read_only=True) as store:
    print([league.name for league in store.leagues()])
try:
    Store.open(pathlib.Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""
    with TemporaryDirectory() as folder:
        with Store.open(Path(folder)) as store:
            store.create_league(a_league())
        ended = in_another_process(script, folder)
        Path(folder).chmod(0o755)

    listed, said = ended.stdout.splitlines()
    assert (ended.stderr, listed) == ("", "['cup']")
    assert "ermission" in said


@pytest.mark.process
def test_many_processes_may_open_a_new_workspace_at_once(tmp_path):
    script = (
        "import pathlib, sys; from arena.store import Store; Store.open(pathlib.Path(sys.argv[1])).close()"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "work")]

    started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ended = [(process.communicate(timeout=60)[1], process.returncode) for process in started]

    assert ended == [("", 0)] * 4


# Bots


def test_a_bot_has_its_versions_and_the_last_one_is_current(store):
    first = store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    second = store.add_version("Ann", "2" * 64, games=["imp", "idiot"], submitted=NOON, sandbox="bwrap")

    assert first == Bot("Ann", "1" * 64, ("imp",), NOON, False, 1, 1, "plain")
    assert second == Bot("Ann", "2" * 64, ("imp", "idiot"), NOON, False, 2, 2, "bwrap")
    assert store.latest("ANN") == second
    assert store.find_version("1" * 64) == msgspec.structs.replace(first, versions=2)
    assert store.bots() == [second]


def test_a_clock_that_was_put_back_puts_no_version_before_another(store):
    first = store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    early = NOON - timedelta(hours=1)

    second = store.add_version("Ann", "2" * 64, games=["imp"], submitted=early, sandbox="plain")
    other = store.add_version("Bea", "3" * 64, games=["imp"], submitted=early, sandbox="plain")

    assert (first.submitted, second.submitted, other.submitted) == (NOON, NOON, early)
    assert list(store.evidence().damages()) == []


def test_names_that_differ_in_case_or_composition_only_are_one(store):
    store.add_version("Zoë", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    composed = store.add_version("Zoe\u0308", "2" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    with pytest.raises(NameTaken, match="'ZOË' and 'Zoë' differ in case only"):
        store.add_version("ZOË", "3" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    assert (composed.name, composed.versions) == ("Zoë", 2)
    assert store.bots() == [composed]


def test_a_content_is_never_entered_twice(store):
    store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    with pytest.raises(AlreadyThere, match="as Ann"):
        store.add_version("Bea", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    assert [bot.name for bot in store.bots()] == ["Ann"]


def test_a_retired_bot_is_kept_and_can_come_back(store):
    bot = store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    retired = store.retire("ann")

    assert retired == msgspec.structs.replace(bot, retired=True)
    assert store.bots() == [retired]
    assert store.restore("ann") == bot
    assert store.bots() == [bot]


def test_a_new_version_brings_a_retired_bot_back(store):
    store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    store.retire("Ann")

    bot = store.add_version("Ann", "2" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    assert not bot.retired


def test_an_earlier_version_can_be_current_again_and_win_games(store):
    store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    store.add_version("Ann", "2" * 64, games=["imp"], submitted=NOON, sandbox="plain")
    store.retire("Ann")

    renewed = store.renew_version("1" * 64, games=["idiot", "imp"])

    assert renewed == Bot("Ann", "1" * 64, ("imp", "idiot"), NOON, False, 2, 1, "plain")
    assert store.latest("Ann") == renewed


def test_retiring_an_unknown_bot_lists_the_known_ones(store):
    store.add_version("Ann", "1" * 64, games=["imp"], submitted=NOON, sandbox="plain")

    with pytest.raises(NotThere, match="no bot 'Bob'; the bots are: Ann"):
        store.retire("Bob")


# Leagues


def test_a_league_comes_back_as_it_was_written_and_grows(store):
    extension = Extension((ANN, BEA, HOUSE), 5, bytes(32))

    store.extend_league("cup", extension)

    whole = msgspec.structs.replace(a_league(), extensions=(*a_league().extensions, extension))
    assert store.league("cup") == whole
    assert store.leagues() == [whole]


def test_the_newest_league_is_the_last(store):
    store.create_league(a_league("a-later-one"))

    assert [league.name for league in store.leagues()] == ["cup", "a-later-one"]


def test_a_league_name_is_taken_once(store):
    with pytest.raises(AlreadyThere, match="'cup'"):
        store.create_league(a_league(boards=9))

    assert store.leagues() == [a_league()]


@pytest.mark.parametrize("name", ["", "../up", "a b", ".hidden", "x" * 65, "a\n", "é"])
def test_a_league_name_that_no_file_can_have_is_refused(store, name):
    with pytest.raises(UserError, match="1 to 64 of A-Z"):
        store.create_league(a_league(name))

    assert store.leagues() == [a_league()]


def test_a_league_loses_nobody(store):
    with pytest.raises(AssertionError, match="loses nobody"):
        store.extend_league("cup", Extension((ANN,), 2, SECRET))

    assert store.league("cup") == a_league()


def test_an_unknown_league_is_none_or_a_sentence(store):
    assert store.league("cap") is None
    with pytest.raises(NotThere, match=r"no league 'cap'; did you mean 'cup'\? the leagues in /.* are: cup"):
        store.results("cap")


def test_who_names_no_league_means_the_newest(store, tmp_path):
    store.create_league(a_league("cap"))

    assert store.chosen_league(None) == a_league("cap")
    assert store.chosen_league("cup") == a_league()
    with pytest.raises(NotThere, match=r"no league 'cop'; did you mean 'cup'\? the leagues in /.* are: cup"):
        store.chosen_league("cop")
    store.create_league(msgspec.structs.replace(a_league("asked"), comparison=Comparison(ANN, BEA, 1)))
    assert store.chosen_league(None) == a_league("cap"), "a comparison is asked for by its own command"
    with Store.open(tmp_path / "new") as other:
        with pytest.raises(NotThere, match="no league yet; type: arena run"):
            other.chosen_league(None)
        other.create_league(msgspec.structs.replace(a_league("asked"), comparison=Comparison(ANN, BEA, 1)))
        assert other.chosen_league(None).name == "asked", "there is nothing else"


# Tables


def test_a_finished_table_stands_with_its_matches(store):
    job = a_job("t1", ANN, BEA)
    fault = FaultRecord(seat=1, kind=FaultKind.CRASH, decision=3)
    outcome = Outcome(places=(1.0, 2.0), scores=None, decisions=3, faults=(fault,))
    measurement = msgspec.structs.replace(
        a_measurement(2, logs=("", "oh no\n")), fault_details=("exit code 3",), sent=(b"\xff",)
    )
    records = tuple(MatchRecord(board, outcome, measurement, b"\x00moves") for board in (1, 2))

    store.commit("cup", job, TableResult("t1", records, layers=("namespaces", "seccomp")))

    assert store.finished("cup") == {"t1"}
    rows = store.matches("cup")
    assert [(row.id, row.board, row.seating, row.outcome) for row in rows] == [
        (1, job.boards[0], job.seating, outcome),
        (2, job.boards[1], job.seating, outcome),
    ]
    assert rows[0].measurement == msgspec.structs.replace(measurement, logs=(), sent=())
    whole = store.match(2)
    assert (whole.league, whole.table, whole.layers) == ("cup", "t1", ("namespaces", "seccomp"))
    assert (whole.measurement, whole.transcript) == (measurement, b"\x00moves")


def test_a_table_that_was_void_is_counted_and_says_why(store):
    late = Late(1, 0, Circumstances(limit_ms=100.0, cpu_ms=1.0, waited_ms=90.0))
    for key, seating, void in (("t1", (ANN, BEA), (late,)), ("t2", (BEA, ANN), ())):
        job = a_job(key, *seating)
        store.commit("cup", job, msgspec.structs.replace(a_result(job), void=void))

    assert [row.void for row in store.matches("cup")] == [(late,), (late,), (), ()]
    assert store.void("cup") == store.activity("cup", now=NOON).void == 1


def test_matches_can_be_the_newest_or_those_with_a_fault(store):
    crash = FaultRecord(seat=1, kind=FaultKind.CRASH, decision=3)
    for key, seating in (("t1", (ANN, BEA)), ("t2", (BEA, ANN))):
        job = a_job(key, *seating)
        crashed = MatchRecord(2, Outcome((1.0, 2.0), None, 3, (crash,)), a_measurement(2), b"moves")
        store.commit("cup", job, TableResult(key, (a_result(job).matches[0], crashed)))

    def ids(**wanted):
        return [row.id for row in store.matches("cup", **wanted)]

    assert store.matches_played("cup") == 4
    assert (ids(), ids(newest=3), ids(newest=9)) == ([1, 2, 3, 4], [2, 3, 4], [1, 2, 3, 4])
    assert (ids(faulted=True), ids(faulted=True, newest=1)) == ([2, 4], [4])


def test_a_key_is_never_written_twice(store):
    job = a_job("t1", ANN, BEA)
    store.commit("cup", job, a_result(job))
    before = store.matches("cup")

    with pytest.raises(AlreadyThere, match="'t1'"):
        store.commit("cup", job, a_result(job, places=(2.0, 1.0)))

    assert store.matches("cup") == before


def test_a_deal_is_never_written_twice_in_one_seating(store):
    store.commit("cup", a_job("t1", ANN, BEA), a_result(a_job("t1", ANN, BEA)))
    again = a_job("other-key", ANN, BEA)

    with pytest.raises(AssertionError, match="table other-key has a deal again"):
        store.commit("cup", again, a_result(again))

    assert store.finished("cup") == {"t1"}


def test_the_same_key_in_another_league_is_another_table(store):
    store.create_league(a_league("other"))
    job = a_job("t1", ANN, BEA)

    store.commit("cup", job, a_result(job))
    store.commit("other", job, a_result(job))

    assert [row.id for row in store.matches("other")] == [3, 4]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda result: msgspec.structs.replace(result, key="t2"),
        lambda result: msgspec.structs.replace(result, matches=result.matches[:1]),
        lambda result: msgspec.structs.replace(result, matches=result.matches[::-1]),
        lambda result: msgspec.structs.replace(result, matches=result.matches * 2),
    ],
    ids=["key", "too few", "order", "too many"],
)
def test_a_table_that_does_not_fit_its_job_is_a_bug_and_is_not_written(store, spoil):
    job = a_job("t1", ANN, BEA)

    with pytest.raises(AssertionError):
        store.commit("cup", job, spoil(a_result(job)))

    assert store.finished("cup") == set()


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(places=(1.0, 2.0, 3.0), scores=None, decisions=1),
        Outcome(places=(1.0, 2.0), scores=(1.0,), decisions=1),
        Outcome(places=(1.0, 2.0), scores=None, decisions=1, faults=(FaultRecord(2, FaultKind.CRASH, 0),)),
    ],
    ids=["places", "scores", "seat"],
)
def test_an_outcome_that_does_not_fit_its_game_is_a_bug_and_is_not_written(store, outcome):
    job = a_job("t1", ANN, BEA, boards=1)
    record = MatchRecord(1, outcome, a_measurement(2), b"")

    with pytest.raises(AssertionError):
        store.commit("cup", job, TableResult("t1", (record,)))

    assert store.finished("cup") == set()


def test_a_stranger_at_a_table_is_a_bug(store):
    job = a_job("t1", ANN, Entrant("Stranger", "c" * 64))

    with pytest.raises(AssertionError, match="Stranger"):
        store.commit("cup", job, a_result(job))


@pytest.mark.parametrize("spoilt", ["'{'", "'[3]'", "''", "CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize(
    ("column", "asked"),
    [
        ("version.games", lambda store: store.bots()),
        ("version.games", lambda store: store.latest("Ann")),
        ("version.submitted", lambda store: store.find_version("a" * 64)),
        ("league.content", lambda store: store.leagues()),
        ("extension.content", lambda store: store.chosen_league(None)),
        ("seating.bots", lambda store: store.matches_by_bot("cup")),
        ("played.outcomes", lambda store: store.results("cup")),
        ("cost.content", lambda store: store.matches("cup")),
        ("transcript.content", lambda store: store.match(1)),
        ("walls.layers", lambda store: store.match(1)),
        ("log.content", lambda store: store.match(1)),
    ],
)
def test_a_row_that_makes_no_sense_is_a_sentence(store, column, asked, spoilt):
    store.add_version("Ann", ANN.version, games=["imp"], submitted=NOON, sandbox="plain")
    for key, seating in (("t1", (ANN, BEA)), ("t2", (BEA, ANN))):
        job = a_job(key, *seating)
        matches = tuple(
            msgspec.structs.replace(match, measurement=a_measurement(2, ("hello", "")))
            for match in a_result(job).matches
        )
        store.commit("cup", job, TableResult(key, matches))
    table, name = column.split(".")
    value = "x'ff'" if table in ("cost", "log", "transcript") else spoilt
    store._connection.execute(f"UPDATE OR IGNORE {table} SET {name} = {value}")

    with pytest.raises(StoreError, match=r"arena\.db: .*is damaged or no database"):
        asked(store)


def test_results_of_a_game_that_is_not_there_any_more_are_a_sentence(store):
    store.create_league(a_league("old", game="whist"))

    with pytest.raises(UserError, match="league old cannot be read here: no game 'whist'; the games are: "):
        store.results("old")


def test_a_number_larger_than_any_match_has_is_not_there(store):
    with pytest.raises(NotThere, match=f"no match {2**63}; none was played yet"):
        store.match(2**63)


def test_a_match_that_was_never_played_says_which_was_the_newest(store):
    with pytest.raises(NotThere, match="no match 1; none was played yet"):
        store.match(1)
    job = a_job("t1", ANN, BEA)
    store.commit("cup", job, a_result(job))

    with pytest.raises(NotThere, match="no match 3; the newest is 2"):
        store.match(3)


# Results


def test_only_boards_played_in_every_seating_give_results(store):
    there, back = a_job("t1", ANN, BEA), a_job("t2", BEA, ANN, boards=1)

    store.commit("cup", there, a_result(there))
    alone = store.results("cup")
    store.commit("cup", back, a_result(back, places=(2.0, 1.0)))

    assert alone == []
    deal = deal_key(bytes([1]) * 32)
    assert store.results("cup") == [
        Result(deal, ((ANN,), (BEA,)), (1.0, 2.0), (10.0, 20.0), ((), ())),
        Result(deal, ((BEA,), (ANN,)), (2.0, 1.0), (20.0, 10.0), ((), ())),
    ]


def test_results_do_not_depend_on_the_order_in_which_tables_finish(tmp_path):
    jobs = [a_job("t1", ANN, BEA), a_job("t2", BEA, ANN)]
    found = []

    for number, order in enumerate((jobs, jobs[::-1])):
        with Store.open(tmp_path / str(number)) as store:
            store.create_league(a_league())
            for job in order:
                store.commit("cup", job, a_result(job))
            found.append((store.results("cup"), store.league_hash("cup")))

    assert found[0] == found[1]


def test_a_line_up_of_one_bot_has_one_seating(store):
    job = a_job("t1", ANN, ANN, boards=1)

    store.commit("cup", job, a_result(job))

    assert len(store.results("cup")) == 1


def test_the_rest_of_a_table_is_no_fault_of_its_matches(store):
    rest = FaultRecord(0, FaultKind.CRASH, 0, forfeit=True)
    job = a_job("t1", ANN, ANN, boards=1)
    outcome = Outcome(places=(2.0, 1.0), scores=None, decisions=0, faults=(rest,))

    store.commit("cup", job, TableResult("t1", (MatchRecord(1, outcome, a_measurement(2), b""),)))

    (found,) = store.results("cup")
    assert (found.faults, found.absent) == (((), ()), (0,))


def test_partners_stand_on_one_side_with_the_faults_of_both(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "pairs", replace(GAMES["idiot"], sides=lambda _players: ((0, 2), (1, 3))))
    first = FaultRecord(3, FaultKind.CRASH, 0)
    second = FaultRecord(1, FaultKind.ILLEGAL, 5)
    outcome = Outcome(places=(1.0, 2.0), scores=None, decisions=6, faults=(first, second))

    with Store.open(tmp_path) as store:
        store.create_league(a_league(players=4, game="pairs", boards=1))
        for key, seating in (("t1", (ANN, BEA, ANN, BEA)), ("t2", (BEA, ANN, BEA, ANN))):
            job = a_job(key, *seating, boards=1, game="pairs")
            record = MatchRecord(1, outcome, a_measurement(4), b"")
            store.commit("cup", job, TableResult(key, (record,)))
        results = store.results("cup")

    faults = ((), (FaultKind.ILLEGAL, FaultKind.CRASH))
    assert [(result.sides, result.faults) for result in results] == [
        (((ANN, ANN), (BEA, BEA)), faults),
        (((BEA, BEA), (ANN, ANN)), faults),
    ]


def test_the_hash_of_a_table_is_over_its_outcomes_alone():
    job = a_job("t1", ANN, BEA, boards=1)
    outcome = Outcome(places=(1.0, 2.0), scores=(10.0, 20.0), decisions=7)
    whole_points = Outcome(places=(1, 2), scores=(10, 20), decisions=7)
    slower = msgspec.structs.replace(job, clock=Clock(move_ms=9), sandbox="bwrap", submissions="/else")

    promised = outcomes_hash(job, [outcome])

    assert promised == outcomes_hash(job, [whole_points]) == outcomes_hash(slower, [outcome])
    assert promised != outcomes_hash(job, [msgspec.structs.replace(outcome, decisions=8)])
    assert promised != outcomes_hash(a_job("t1", BEA, ANN, boards=1), [outcome])


def test_the_hash_of_a_league_changes_with_each_outcome(store):
    job = a_job("t1", ANN, BEA)
    empty = store.league_hash("cup")

    store.commit("cup", job, a_result(job))

    assert len({empty, store.league_hash("cup")}) == 2


def test_activity_tells_how_far_a_league_is_and_how_fast(store):
    job = a_job("t1", ANN, BEA)
    before = store.activity("cup", now=datetime.now(UTC))

    store.commit("cup", job, a_result(job))

    first = store.matches("cup")[0].finished
    assert before == Activity(0, None, 0, 0)
    assert store.activity("cup", now=first + timedelta(seconds=59)) == Activity(1, first, 1, 0)
    assert store.activity("cup", now=first + timedelta(seconds=61)) == Activity(1, first, 0, 0)


def test_matches_are_counted_once_for_each_bot_at_the_table(store):
    for key, seating in (("t1", (ANN, BEA)), ("t2", (ANN, ANN))):
        job = a_job(key, *seating)
        store.commit("cup", job, a_result(job))

    assert store.matches_by_bot("cup") == {ANN: 4, BEA: 2}


# Failures and neighbours


@pytest.mark.process
@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_kill_in_the_middle_of_a_commit_leaves_the_store_whole(store, after):
    """The writer kills itself at the n-th statement inside the transaction of its second table."""
    script = """
import os, pathlib, signal, sys
sys.path.insert(0, sys.argv[1])
from test_store import ANN, BEA, Store, a_job, a_result
store = Store.open(pathlib.Path(sys.argv[2]))
first, second = a_job("t1", ANN, BEA), a_job("t2", BEA, ANN)
store.commit("cup", first, a_result(first))
print("reported", flush=True)
inserts = []
def count(statement):
    inserts.append(statement)
    if sum(each.startswith("INSERT") for each in inserts) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
store._connection.set_trace_callback(count)
store.commit("cup", second, a_result(second))
"""
    ended = in_another_process(script, str(Path(__file__).parent), str(store.workspace), str(after))

    assert (ended.returncode, ended.stdout, ended.stderr) == (-9, "reported\n", "")
    assert store.finished("cup") == {"t1"}
    assert [row.table for row in store.matches("cup")] == ["t1", "t1"]
    second = a_job("t2", BEA, ANN)
    store.commit("cup", second, a_result(second))
    assert len(store.results("cup")) == 4
    assert store._connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert store._connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_reader_sees_what_was_committed_while_a_writer_is_in_the_middle(store):
    job = a_job("t1", ANN, BEA)
    store.commit("cup", job, a_result(job))

    with Store.open(store.workspace, read_only=True) as reader:
        with database.transaction(store._connection):
            store._connection.execute("DELETE FROM transcript")
            during = reader.match(1).transcript
        after = store._rows("SELECT count(*) FROM transcript")

    assert (during, after) == (b"transcript", [(0,)])


def test_a_reader_holds_up_no_writer(store):
    with Store.open(store.workspace, read_only=True) as reader:
        reader._connection.execute("BEGIN")
        before = reader.finished("cup")
        job = a_job("t1", ANN, BEA)
        store.commit("cup", job, a_result(job))

        assert (before, reader.finished("cup")) == (set(), set())
        reader._connection.execute("COMMIT")
        assert reader.finished("cup") == {"t1"}


def test_a_reader_cannot_write(store):
    with (
        Store.open(store.workspace, read_only=True) as reader,
        pytest.raises(StoreError, match="permissions"),
    ):
        reader.create_league(a_league("other"))


def test_a_full_disk_is_a_sentence_and_loses_nothing(store):
    job = a_job("t1", ANN, BEA)
    store.commit("cup", job, a_result(job))
    (pages,) = store._rows("PRAGMA page_count")[0]
    store._rows(f"PRAGMA max_page_count = {pages}")
    big = a_job("t2", BEA, ANN)
    result = a_result(big)
    record = msgspec.structs.replace(result.matches[0], transcript=bytes(1_000_000))

    with pytest.raises(StoreError, match=r"the disk is full.*what was reported as finished is kept"):
        store.commit("cup", big, msgspec.structs.replace(result, matches=(record, result.matches[1])))

    assert store.finished("cup") == {"t1"}
    store._rows(f"PRAGMA max_page_count = {pages + 1000}")
    store.commit("cup", big, result)
    assert store.finished("cup") == {"t1", "t2"}


def test_a_second_runner_of_a_league_is_refused_and_told_who_has_it(store):
    with (
        store.running("cup"),
        Store.open(store.workspace) as other,
        pytest.raises(UserError, match=f"'cup' is being run by process {os.getpid()}"),
        other.running("cup"),
    ):
        pass

    with store.running("cup"), store.running("another-league"):
        pass


def test_what_fails_during_a_run_is_not_taken_for_a_failure_of_the_store(store):
    with pytest.raises(BrokenPipeError), store.running("cup"):
        raise BrokenPipeError


def test_who_runs_a_league_can_be_asked_without_disturbing_it(store):
    with Store.open(store.workspace, read_only=True) as reader:
        never = reader.runner("cup")
        with store.running("cup"):
            during = reader.runner("cup")
        after = reader.runner("cup")

    assert (never, during, after) == (None, os.getpid(), None)


@pytest.mark.process
def test_a_killed_runner_leaves_no_lock(store):
    script = """
import os, pathlib, signal, sys
from arena.store import Store
store = Store.open(pathlib.Path(sys.argv[1]))
with store.running("cup"):
    os.kill(os.getpid(), signal.SIGKILL)
"""

    ended = in_another_process(script, str(store.workspace))

    assert ended.returncode == -9
    with store.running("cup"):
        pass


def test_opening_and_closing_leaves_no_descriptor(tmp_path):
    Store.open(tmp_path).close()
    before = len(list(Path("/proc/self/fd").iterdir()))

    for _ in range(20):
        Store.open(tmp_path).close()
        Store.open(tmp_path, read_only=True).close()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
