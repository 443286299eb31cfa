"""A league played again: what is as it was, and every way in which it may not be."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import transcript
from arena.cli import group
from arena.league.course import end_of
from arena.model import Decision, FaultRecord
from arena.store import Store, briefs, cache
from arena.store.packing import transcripts_packed, transcripts_unpacked
from arena.verify import Difference, Differs, Place, Verified, examined, verify
from tests.replays import NOON, bout, league, play_all

FAIR, ROUGH = ("ann", "bea", "falls"), ("ann", "never", "falls", "errs")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A small league whose bots crash, play what is not legal, and never start; not to be changed."""
    with Store.open(tmp_path_factory.mktemp("played")) as store:
        play_all(store, league(store, ROUGH))
        yield store


@pytest.fixture
def copy(played: Store, tmp_path: Path) -> Iterator[Store]:
    played._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(played.workspace, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as store:
        yield store


def found(store: Store) -> Verified:
    return verify(store, examined(store, None), told=lambda _done, _all: None)


def difference(store: Store) -> Difference:
    with pytest.raises(Differs) as differs:
        found(store)
    return differs.value.difference


def arena(store: Store, *arguments: str) -> Ran:
    return CliRunner().invoke(group, ["verify", *arguments, "--workspace", str(store.workspace)])


def test_a_league_with_every_kind_of_fault_holds(played: Store) -> None:
    matches = played.matches("cup")

    verified = found(played)

    assert {fault.forfeit for match in matches for fault in match.outcome.faults} == {False, True}
    assert (verified.tables, verified.matches) == (24, len(matches)) == (24, 60)
    assert verified.decisions == sum(match.outcome.decisions for match in matches)
    assert verified.absent == ()


@pytest.mark.parametrize("players", [3, 4])
def test_a_league_of_several_at_a_table_holds(tmp_path: Path, players: int) -> None:
    with Store.open(tmp_path) as store:
        play_all(store, league(store, ROUGH, players=players))

        assert found(store).matches == len(store.matches("cup"))


@pytest.mark.parametrize("tables", [0, 1, 4, 7, None])
def test_a_comparison_whose_boards_are_of_two_line_ups_holds(tmp_path: Path, tables: int | None) -> None:
    with Store.open(tmp_path) as store:
        play_all(store, bout(store, ("ann", "bea")), most=tables)

        assert found(store).tables == len(store.finished("bout")) == (12 if tables is None else tables)


def test_workers_find_what_one_process_finds(copy: Store) -> None:
    with ThreadPoolExecutor(3) as executor:
        whole = verify(copy, examined(copy, None), told=lambda _done, _all: None, executor=executor)
        copy._connection.execute("UPDATE played SET hash = zeroblob(32) WHERE id > 5")
        with pytest.raises(Differs) as differs:
            verify(copy, examined(copy, None), told=lambda _done, _all: None, executor=executor)

    assert whole.tables == 24
    assert differs.value.difference == difference(copy)


def test_a_league_that_is_still_played_holds_as_far_as_it_is(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        made = league(store, FAIR)
        for tables in (0, 1, 3, 9):
            play_all(store, made, most=tables)

            assert found(store).tables == len(store.finished("cup"))


@pytest.mark.parametrize("tables", [0, 5, 12, None])
def test_a_league_whose_schedule_hangs_on_its_results_holds(tmp_path: Path, tables: int | None) -> None:
    with Store.open(tmp_path) as store:
        made = league(store, FAIR, schedule="adaptive")
        play_all(store, made, most=tables)

        assert found(store).tables == len(store.finished("cup"))
        assert (end_of(store, made) is None) == (tables is not None)


SEEN = {
    "league.id": "points to a row of league",
    "league.name": "name",
    "league.content": "hash of the league with its part 1",
    "extension.id": None,
    "extension.league_id": "points to a row of league",
    "extension.content": "hash of the league with its part",
    "extension.commitment": "commitment to the secret of part",
    "extension.hash": "hash of the league with its part",
    "lineup.id": "points to a row of lineup",
    "lineup.league_id": "points to a row of league",
    "lineup.bots": "line-up",
    "lineup.seatings": "number of seatings of the line-up",
    "seating.id": "points to a row of seating",
    "seating.lineup_id": "line",
    "seating.bots": "seating",
    "block.id": "points to a row of block",
    "block.lineup_id": "line",
    "block.first_board": "first board",
    "block.seeds": "seed of board",
    "played.id": "points to a row of played",
    "played.league_id": "points to a row of league",
    "played.key": "table",
    "played.seating_id": "seating",
    "played.hash": "hash",
    "played.first_match": "has matches from number",
    "played.block_id": "block|board|matches from number",
    "played.outcomes": "places|scores|number of|faults",
    "transcript.played_id": "points to a row of played",
    "transcript.content": "transcript",
}
"""Columns that say what was played -> a pattern of what is named when one byte or number in them is another.

Of `extension.id` nothing but the order is used, which has a test of its own.
"""


def test_every_column_that_says_what_was_played_is_in_the_list(played: Store) -> None:
    tables = ("league", "extension", "lineup", "seating", "block", "played", "transcript")

    columns = {f"{table}.{row[1]}" for table in tables for row in played._rows(f"PRAGMA table_info({table})")}

    assert columns == set(SEEN)


def test_a_cache_is_not_believed(copy: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(briefs, "WORTH_KEEPING", 1)
    copy.briefed("cup")
    path = copy.workspace / "cache" / "cup.brief"
    kept = cache.read(path, briefs.Kept)
    assert kept
    cache.write(path, msgspec.structs.replace(kept, boards=kept.boards[1:]))

    seen = difference(copy)

    assert seen.what == "results that ratings and standings are made of"
    assert seen.stored == "something else, perhaps in the cache"


READ = (
    *(("leaderboard",), ("matrix",), ("crosstable",), ("seats",), ("leaderboard", "--since", "0")),
    *(("history", "ann"), ("faults",), ("status",), ("leagues",)),
)


def read(store: Store, *arguments: str) -> Ran:
    """What a command says, which ends by no exception."""
    ran = CliRunner().invoke(group, [*arguments, "--workspace", str(store.workspace)])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), (arguments, ran.exception)
    return ran


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((f"{table}.league_id", 99) for table in ("extension", "lineup", "played")),
        *(("league.id", 99), ("seating.id", 99), ("played.seating_id", 99), ("seating.lineup_id", 99)),
        *(("played.block_id", 99), ("block.lineup_id", 99), ("lineup.seatings", 1)),
        *(("seating.bots", "[]"), ("lineup.bots", "[]"), ("block.seeds", b"s" * 31), ("block.seeds", b"")),
        *(
            ("played.outcomes", each)
            for each in ("", "1", "1 - 0", "1,2 3 4", "1,2 - 0 9.CRASH.0", "1,2,3 - 0")
        ),
    ],
)
def test_rows_that_do_not_fit_each_other_leave_no_command_without_words(
    copy: Store, column: str, value: object
) -> None:
    table, name = column.split(".")
    copy._connection.execute("PRAGMA foreign_keys = OFF")
    copy._connection.execute("PRAGMA ignore_check_constraints = ON")
    copy._connection.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = 1", (value,))
    if column == "played.outcomes":
        copy._connection.execute("UPDATE played SET outcomes = ?", (f"{value}\n" * 3 + str(value),))

    assert all(read(copy, *arguments).exit_code in (0, 2) for arguments in READ)
    assert arena(copy, "--match", "1").exit_code in (0, 1)
    assert difference(copy)


@contextmanager
def changed(store: Store, column: str, row: int, value: object) -> Iterator[bool]:
    """One value is another for a while; False where the database itself refuses it."""
    table, name = column.split(".")
    run = store._connection.execute
    run("PRAGMA foreign_keys = OFF")
    run("PRAGMA ignore_check_constraints = ON")
    run("BEGIN")
    try:
        row_id = f"(SELECT rowid FROM {table} ORDER BY rowid LIMIT 1 OFFSET ?)"
        run(f"UPDATE {table} SET {name} = ? WHERE rowid = {row_id}", (value, row))
        yield True
    except sqlite3.IntegrityError:
        yield False
    finally:
        run("ROLLBACK")
        run("PRAGMA ignore_check_constraints = OFF")
        run("PRAGMA foreign_keys = ON")


def other(value: object, data: st.DataObject) -> object:
    """The same with one byte changed, or one more."""
    if isinstance(value, int):
        return value + data.draw(st.sampled_from([1, 1000]))
    place = data.draw(st.integers(0, len(value) - 1))
    if isinstance(value, str):
        kept = data.draw(
            st.characters(min_codepoint=32, max_codepoint=126).filter(lambda c: c != value[place])
        )
        return value[:place] + kept + value[place + 1 :]
    bit = 1 << data.draw(st.integers(0, 7))
    return value[:place] + bytes([value[place] ^ bit]) + value[place + 1 :]


@pytest.mark.parametrize("column", [column for column, named in SEEN.items() if named is not None])
@settings(max_examples=12)
@given(data=st.data())
def test_one_changed_byte_anywhere_is_found_and_named(
    played: Store, column: str, data: st.DataObject
) -> None:
    table, name = column.split(".")
    ((rows,),) = played._rows(f"SELECT count(*) FROM {table}")
    row = data.draw(st.integers(0, rows - 1))
    ((value,),) = played._rows(f"SELECT {name} FROM {table} ORDER BY rowid LIMIT 1 OFFSET ?", row)

    with changed(played, column, row, other(value, data)) as taken:
        if taken:
            seen = difference(played)
            assert re.search(SEEN[column], f"{seen.what} {seen.stored} {seen.found}")
            assert seen.stored != seen.found


@pytest.mark.parametrize("table", ["extension", "lineup", "seating", "block", "played", "transcript", "cost"])
def test_rows_that_are_gone_are_found_and_told_as_a_sentence(copy: Store, table: str) -> None:
    copy._connection.execute("PRAGMA foreign_keys = OFF")
    copy._connection.execute(f"DELETE FROM {table}")

    ran = [arena(copy), *(read(copy, *words) for words in (*READ, ("show", "1"), ("verify", "--match", "1")))]

    assert ran[0].exit_code == 1
    assert all(each.exit_code in (0, 1, 2) for each in ran)


def test_extensions_in_another_order_are_found(copy: Store) -> None:
    copy._connection.execute("UPDATE extension SET id = 99 WHERE id = 1")

    assert difference(copy).what == "hash of the league with its part 1"


@pytest.mark.parametrize(
    ("column", "what"), [("bot.name", "bot of version "), ("version.bot_id", "bot of version ")]
)
def test_a_version_of_somebody_else_is_found(copy: Store, column: str, what: str) -> None:
    table, name = column.split(".")
    value = "'eve'" if name == "name" else "2"
    copy._connection.execute(f"UPDATE {table} SET {name} = {value} WHERE id = 1")

    assert difference(copy).what.startswith(what)


@pytest.mark.parametrize("change", ["id = 99", "submitted = '2031-05-01T12:00:00.000000+00:00'"])
def test_another_version_as_the_latest_is_found(copy: Store, change: str) -> None:
    ann, later = copy.league("cup").extensions[0].entrants[0], NOON + timedelta(seconds=1)
    copy.add_version("ann", "0" * 64, games=["idiot"], submitted=later, sandbox="plain")
    assert found(copy)

    copy._connection.execute(f"UPDATE version SET {change} WHERE hash = ?", (ann.version,))

    assert "was submitted before the one that its bot had before it" in difference(copy).stored


def test_files_of_a_version_that_were_changed_are_found_and_missing_ones_told(copy: Store) -> None:
    ann, *_ = copy.league("cup").extensions[0].entrants
    program = copy.submissions / ann.version / "main.py"
    program.write_text("print('better')\n", "utf-8")

    seen = difference(copy)
    shutil.rmtree(program.parent)

    assert (seen.what, seen.found) == ("files of ann", "as they were")
    assert found(copy).absent == (ann,)
    assert f"Not checked: the files of ann {ann.version[:12]}, which are gone." in arena(copy).stdout


def doctored(store: Store, played_id: int, number: int, **changes: object) -> None:
    """Write another transcript for a match, with everything that it needs to be read."""
    ((packed,),) = store._rows("SELECT content FROM transcript WHERE played_id = ?", played_id)
    kept = list(transcripts_unpacked(packed))
    ((first,),) = store._rows("SELECT first_match FROM played WHERE id = ?", played_id)
    match = store.match(first + number)
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    said = transcript.read(kept[number], known)
    values = {"decisions": said.decisions, "faults": said.faults, **changes}
    kept[number] = transcript.write(transcript.played(known, **values))
    store._connection.execute(
        "UPDATE transcript SET content = ? WHERE played_id = ?", (transcripts_packed(kept), played_id)
    )


def decisions(store: Store, match_id: int) -> list[Decision]:
    match = store.match(match_id)
    known = transcript.setting(match.game, match.options, match.board.seed, match.seating)
    return list(transcript.read(match.transcript, known).decisions)


def test_the_first_decision_that_differs_is_named(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        play_all(store, league(store, ("ann", "bea")))
        said = decisions(store, 1)

        doctored(store, 1, 0, decisions=(*said[:9], Decision(said[9].seat, "fly"), *said[10:]))
        illegal = difference(store)
        doctored(store, 1, 0, decisions=(*said[:9], Decision(1 - said[9].seat, said[9].action), *said[10:]))
        seat = difference(store)
        doctored(store, 1, 0, decisions=said[:-1])
        short = difference(store)
        doctored(store, 1, 0, decisions=(*said, Decision(0, "pass")))
        long = difference(store)

    table = store_key(illegal)
    assert illegal == Difference(Place("cup", table, 1, 10), "action", "fly", "the game does not take it")
    assert seat == Difference(
        Place("cup", table, 1, 10), "seat to act", str(1 - said[9].seat), str(said[9].seat)
    )
    assert short == Difference(
        Place("cup", table, 1, len(said)),
        "action",
        "none, the transcript ends",
        f"seat {said[-1].seat} is to act",
    )
    assert long == Difference(Place("cup", table, 1, len(said) + 1), "action", "pass", "the match is over")


def store_key(difference: Difference) -> str:
    assert difference.place.table is not None
    return difference.place.table


NEVER_CAME = "1,2 - 0 1.START.0"


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("2,1 - 0 1.START.0", ("places", "2,1", "1,2")),
        ("1,2 3,4 0 1.START.0", ("scores", "3,4", "-")),
        ("1,2 - 7 1.START.0", ("number of decisions", "7", "0")),
        ("1,2 - 0 1.CRASH.0", ("faults", "1.CRASH.0", "1.START.0")),
        ("1,2 - 0", ("faults", "", "1.START.0")),
        ("", ("places", "", "1,2")),
    ],
)
def test_the_part_of_an_outcome_that_differs_is_named(
    copy: Store, written: str, named: tuple[str, str, str]
) -> None:
    ((key, outcomes, first),) = copy._rows(
        "SELECT key, outcomes, first_match FROM played WHERE outcomes LIKE ? || '%' ORDER BY key LIMIT 1",
        NEVER_CAME,
    )
    spoilt = outcomes.replace(NEVER_CAME, written, 1)
    copy._connection.execute("UPDATE played SET outcomes = ? WHERE key = ?", (spoilt, key))

    assert difference(copy) == Difference(Place("cup", key, first), *named)


def test_a_forfeit_that_three_faults_did_not_cause_is_found(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        made = league(store, ("ann", "never"))
        play_all(store, made)
        (fault,) = store.match(1).outcome.faults
        doctored(store, 1, 0, faults=(FaultRecord(fault.seat, fault.kind, 0, forfeit=True),))

        seen = difference(store)

    assert seen.what == "forfeit of seat 0 for 3 faulted matches before"
    assert seen.found == "[]"


def test_the_command_says_that_a_league_holds(played: Store) -> None:
    ran = arena(played, "cup")

    assert ran.exit_code == 0
    said = ran.stdout.splitlines()
    assert said[0].startswith("League cup holds: 60 matches at 24 tables, ")
    assert said[1:] == [
        "Its end: every line-up has played its boards.",
        *(f"commitment of part {n}: {sha256(bytes([n + 3]) * 32).hexdigest()}" for n in (1, 2)),
        f"hash of all tables: {played.league_hash('cup')}",
    ]


def test_the_command_names_what_differs_first(copy: Store) -> None:
    copy._connection.execute("UPDATE played SET outcomes = replace(outcomes, '1,2 ', '2,1 ')")

    ran = arena(copy)

    assert ran.exit_code == 1
    head, stored, wanted = ran.stdout.splitlines()
    assert re.fullmatch(r"Differs first: league cup, table 00-000001-\S+, match \d+, places", head)
    assert (stored, wanted) == ("  stored: 2,1", "  found:  1,2")


def test_one_match_can_be_played_again_with_its_table(copy: Store) -> None:
    copy._connection.execute("UPDATE played SET hash = zeroblob(32) WHERE id = 2")
    of_first, of_second = copy.match(1), copy.match(5)

    first, second = arena(copy, "--match", "1"), arena(copy, "--match", "5")

    assert (first.exit_code, second.exit_code) == (0, 1)
    assert first.stdout.startswith(f"Match 1 of league cup holds, with its table {of_first.table}: 4 matches")
    assert second.stdout.startswith(f"Differs first: league cup, table {of_second.table}, hash\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), "no league 'nobody'"),
        (("--match", "99"), "no match 99; the newest is 60"),
        (("cup", "--match", "1"), "a match is of one league"),
    ],
)
def test_wrong_usage_of_the_command_is_a_sentence(
    played: Store, arguments: tuple[str, ...], said: str
) -> None:
    ran = arena(played, *arguments)

    assert ran.exit_code == 2
    assert said in " ".join(ran.stderr.split())
