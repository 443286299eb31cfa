"""A league that goes to another workspace as a file: what holds arrives there, and nothing else."""

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import exchange
from arena.cli import group
from arena.cli.exchange import played_again
from arena.exchange import form
from arena.exchange.form import BadExport
from arena.model import HOUSE, Entrant, UserError
from arena.store import NameTaken, Store
from arena.store.arrivals import Newcomer
from arena.submissions import check_kept
from arena.submissions.unclaimed import unclaimed
from arena.verify import Differs, examined, verify
from tests.replays import NOON, bout, league, play_all

ALTERED = int(os.environ.get("ARENA_ALTERED", "10"))
"""Files with something else in them that are tried."""

Line = dict[str, Any]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Where two leagues were played; not to be changed."""
    with Store.open(tmp_path_factory.mktemp("home")) as store:
        cup = league(store, ("ann", "errs", "falls"))
        play_all(store, cup)
        best = msgspec.structs.replace(
            cup, name="best", schedule="adaptive", extensions=cup.extensions[:1], block=2
        )
        store.create_league(best)
        play_all(store, best)
        yield store


@pytest.fixture(scope="module")
def lines(home: Store, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    path = tmp_path_factory.mktemp("file") / "cup.league"
    exchange.export(home, home.chosen_league("cup"), path, with_bots=True)
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


@pytest.fixture
def away(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "away") as store:
        yield store


def packed(folder: Path, lines: list[Line]) -> Path:
    path = folder / "some.league"
    path.write_bytes(gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines), 1))
    return path


def arrive(store: Store, path: Path, name: str | None = None) -> exchange.Arrived:
    return exchange.arrive(store, path, name=name, check=played_again)


def rows(store: Store) -> list[tuple[Any, ...]]:
    return [store._rows(f"SELECT count(*) FROM {table}") for table in ("league", "version", "bot", "played")]


def arena(*words: object) -> Result:
    return CliRunner().invoke(group, [str(word) for word in words])


@pytest.mark.parametrize("name", ["cup", "best"])
def test_a_league_holds_in_another_workspace_and_has_the_same_hash(
    home: Store, away: Store, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "friday.league"
    ran = [
        arena("export", name, path, "--with-bots", "--workspace", home.workspace),
        arena("import", path, "--workspace", away.workspace),
        arena("verify", name, "--workspace", away.workspace),
    ]

    assert [each.exit_code for each in ran] == [0, 0, 0], [each.output for each in ran]
    assert all(home.league_hash(name) in each.output for each in ran)
    assert away.chosen_league(name) == home.chosen_league(name)
    assert away.results(name) == home.results(name)
    check_kept(away.submissions, away.chosen_league(name).extensions[-1].entrants)
    assert {bot.name: bot.retired for bot in away.bots()} == dict.fromkeys(("ann", "errs", "falls"), True)
    first = {id(store): store.match(store.matches(name)[-1].id) for store in (home, away)}
    assert len({(each.transcript, each.outcome, each.finished) for each in first.values()}) == 1


@pytest.mark.parametrize("bots", [("ann", "bea"), ("ann",)])
@pytest.mark.parametrize("field", [(), (HOUSE,), (HOUSE, HOUSE)])
def test_a_comparison_arrives(
    away: Store, tmp_path: Path, bots: tuple[str, ...], field: tuple[Entrant, ...]
) -> None:
    with Store.open(tmp_path / "home") as store:
        play_all(store, bout(store, bots, field))
        exchange.export(store, store.chosen_league("bout"), tmp_path / "bout.league", with_bots=True)

        assert arrive(away, tmp_path / "bout.league").hash == store.league_hash("bout")
        assert away.results("bout") == store.results("bout")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": {"name": "ann", "version": "0" * 64}}, "a bot that it compares is not in it"),
        ({"field": [{"name": "\x1b[2J", "version": "0" * 64}]}, "a bot that it compares is not in it"),
        ({"field": []}, "it has 2 bots for 3 sides"),
        ({"batch": 0}, "odd batches"),
        ({"batch": 10**6}, "odd batches"),
        ({"bounds": {"elo0": 40.0}}, "its bounds make no sense"),
        ({"bounds": {"elo1": 1e300}}, "its bounds make no sense"),
        ({"bounds": {"alpha": 1e-300}}, "its risks make no sense"),
    ],
)
def test_a_comparison_that_nobody_could_begin_is_refused(
    away: Store, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with Store.open(tmp_path / "home") as store:
        play_all(store, bout(store, ("ann", "bea")))
        exchange.export(store, store.chosen_league("bout"), tmp_path / "bout.league", with_bots=True)
    file = [
        json.loads(line) for line in gzip.decompress((tmp_path / "bout.league").read_bytes()).splitlines()
    ]
    made = json.loads(file[0]["league"])
    file[0]["league"] = json.dumps({**made, "comparison": {**made["comparison"], **change}})

    with pytest.raises(BadExport, match=said):
        arrive(away, packed(tmp_path, file))


def test_leagues_arrive_beside_others_and_under_another_name(
    home: Store, away: Store, lines: list[Line], tmp_path: Path
) -> None:
    best = tmp_path / "best.league"
    exchange.export(home, home.chosen_league("best"), best, with_bots=False)
    path = packed(tmp_path, lines)

    without = arrive(away, best)
    cup = arrive(away, path)
    again = arrive(away, path, name="again")

    assert (without.new, without.without_files) == (("ann", "errs", "falls"),) * 2
    assert (cup.known, cup.new, cup.without_files) == (("ann", "errs", "falls"), (), ())
    assert again.hash == cup.hash == home.league_hash("cup")
    for name in ("best", "cup", "again"):
        assert verify(away, examined(away, name), told=lambda _done, _all: None).tables > 0
    with pytest.raises(UserError, match="there is a league 'cup' already; type another with --name"):
        arrive(away, path)
    assert sorted(path.name for path in away.workspace.iterdir() if path.is_dir()) == ["submissions"]


def test_an_earlier_version_that_arrives_later_is_not_the_latest(away: Store) -> None:
    older, newer = ("ann", "f" * 64, NOON), ("ann", "0" * 64, NOON + timedelta(days=1))
    bea = ("bea", "b" * 64, NOON + timedelta(days=2))
    for name, version, submitted in (newer, bea):
        away.add_version(name, version, games=["idiot"], submitted=submitted, sandbox="plain")
    name, version, submitted = older

    away.arrivals().enter([Newcomer(name, version, ("idiot",), submitted, "plain")])

    assert [bot.version for bot in away.versions("ann")] == ["f" * 64, "0" * 64]
    assert away.latest("ann") == away.versions("ann")[1]
    assert list(away.evidence().damages()) == []


def test_equal_leagues_have_equal_files_and_no_file_is_written_over(home: Store, tmp_path: Path) -> None:
    paths = tmp_path / "one", tmp_path / "two"
    for path in paths:
        exchange.export(home, home.chosen_league("cup"), path, with_bots=True)

    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(UserError, match="is there already; choose another name"):
        exchange.export(home, home.chosen_league("cup"), paths[0], with_bots=False)
    assert sorted(tmp_path.iterdir()) == list(paths)


def test_what_is_not_at_its_end_or_was_trimmed_is_not_exported(tmp_path: Path) -> None:
    with Store.open(tmp_path / "home") as store:
        cup = league(store, ("ann", "falls"))
        play_all(store, cup, most=1)
        at = ("--workspace", store.workspace)

        unfinished = arena("export", "cup", tmp_path / "file", *at)
        play_all(store, cup)
        arena("trim", "cup", "--transcripts", "--yes", *at)
        trimmed = arena("export", "cup", tmp_path / "file", *at)

    assert (unfinished.exit_code, trimmed.exit_code) == (2, 2)
    assert "would give its secret away; to play it to its end type: arena run cup" in unfinished.stderr
    assert "were trimmed" in trimmed.stderr
    assert not (tmp_path / "file").exists()


def test_names_that_are_others_here_are_refused(away: Store, lines: list[Line], tmp_path: Path) -> None:
    path = packed(tmp_path, lines)
    version = next(each["version"] for each in lines[0]["versions"] if each["name"] == "ann")

    away.add_version("Errs", "e" * 64, games=["idiot"], submitted=NOON, sandbox="plain")
    with pytest.raises(NameTaken, match=r"bot 'errs' is another one here.*--workspace"):
        arrive(away, path)
    away.keeping().delete_bot(away.latest("errs"))
    away.add_version("eve", version, games=["idiot"], submitted=NOON, sandbox="plain")
    with pytest.raises(NameTaken, match=r"bot 'ann' of the league is called 'eve' here.*--workspace"):
        arrive(away, path)

    assert away.leagues() == []


def altered(value: Any, data: st.DataObject) -> Any:
    """The same with one thing in it another one, or missing, or more."""
    odd = st.sampled_from([None, True, -1, 0, 10**30, 0.5, "", "\x1b[2J", "../x", "house", [], {}])
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: altered(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 4)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], altered(value[place], data), *value[place + data.draw(st.integers(0, 1)) :]]
    if isinstance(value, str) and value[:1] == "{":
        return json.dumps(altered(json.loads(value), data), sort_keys=True, separators=(",", ":"))
    if isinstance(value, int) and data.draw(st.booleans()):
        return value + 1
    return data.draw(odd.filter(lambda other: other != value))


def test_a_file_with_anything_else_in_it_is_refused_or_makes_no_difference(
    home: Store, lines: list[Line], tmp_path: Path
) -> None:
    @settings(max_examples=ALTERED)
    @given(data=st.data())
    def tried(data: st.DataObject) -> None:
        place = data.draw(st.integers(0, 9) | st.integers(0, len(lines) - 1))
        path = packed(tmp_path, [*lines[:place], altered(lines[place], data), *lines[place + 1 :]])
        folder = tmp_path / "tried"
        with Store.open(folder) as store:
            try:
                arrived = arrive(store, path)
            except (UserError, Differs):
                assert (rows(store), unclaimed(store)) == ([[(0,)]] * 4, [])
            else:
                assert arrived.hash == home.league_hash("cup")
                assert store.chosen_league("cup").extensions == home.chosen_league("cup").extensions
                name = arrived.league.name
                assert verify(store, examined(store, name), told=lambda _done, _all: None).absent == ()
        shutil.rmtree(folder)

    tried()


def other_first(line: str, **changes: Any) -> Callable[[list[Line]], list[Line]]:
    """The first line of a kind is another one."""

    def change(lines: list[Line]) -> list[Line]:
        place = next(number for number, each in enumerate(lines) if each["line"] == line)
        return [*lines[:place], {**lines[place], **changes}, *lines[place + 1 :]]

    return change


def test_a_file_of_another_kind_is_no_exported_league(away: Store, tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text("run(choose)\n")

    with pytest.raises(
        UserError, match=r"my_bot\.py is no exported league; type the path of what `arena export`"
    ):
        arrive(away, path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (other_first("head", form="card-arena league 2"), "has the form 'card-arena league 2'"),
        (other_first("head", hash="0" * 64), "the hash of all tables is another one"),
        (other_first("head", tables=3), "it has 3 tables, its schedule 12"),
        (other_first("file", path="../../main.py"), "refused at '../../main.py'"),
        (other_first("file", path="/etc/passwd"), "its path is absolute"),
        (other_first("file", content="AAAA"), "have another hash"),
        (other_first("file", version="f" * 64), "a file belongs to no version"),
        (other_first("table", layers=["\x1b[2J"]), "its walls are odd"),
        (other_first("table", seating=[]), "stands where the schedule has"),
        (other_first("match", places=[2.0, 2.0]), "is another one"),
        (other_first("match", decisions=[[7, "pickup", None]]), "a seat that is not there"),
        (lambda lines: lines[:-1], "nothing stands where a line 'end' is expected"),
        (lambda lines: lines[:-2], "nothing stands where a line 'match' is expected"),
        (lambda lines: [*lines, lines[-1]], "other tables than its schedule"),
        (lambda lines: [*lines[:1], *lines], "a line 'head' stands where a line 'table' is expected"),
        (lambda lines: [], "nothing stands where a line 'head' is expected"),
    ],
)
def test_what_is_refused_is_named_and_leaves_nothing(
    away: Store, lines: list[Line], tmp_path: Path, change: Callable[[list[Line]], list[Line]], said: str
) -> None:
    path = packed(tmp_path, change(lines))

    with pytest.raises(UserError) as refused:
        arrive(away, path)

    assert said in str(refused.value)
    assert rows(away) == [[(0,)]] * 4
    assert list(away.submissions.iterdir()) == []
    assert not (away.workspace / "importing").exists()


def test_a_move_that_nobody_may_make_does_not_arrive_though_every_hash_is_right(
    away: Store, lines: list[Line], tmp_path: Path
) -> None:
    place = next(
        number for number, each in enumerate(lines) if each["line"] == "match" and len(each["decisions"]) > 3
    )
    match = dict(lines[place])
    match["decisions"] = [*match["decisions"][:-1], [*match["decisions"][-1][:1], "fly", None]]
    path = packed(tmp_path, [*lines[:place], match, *lines[place + 1 :]])

    ran = arena("import", path, "--workspace", away.workspace)

    assert (ran.exit_code, "stored: fly" in ran.stdout) == (1, True), ran.output
    assert rows(away) == [[(0,)]] * 4


@pytest.mark.parametrize(
    "content", [b"", b"x", b"[" * 100_000, b"\xff"], ids=["none", "one", "deep", "binary"]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda content: gzip.compress(content)[:-4]])
def test_what_is_no_export_is_told(
    away: Store, tmp_path: Path, content: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "odd"
    path.write_bytes(pack(content))

    with pytest.raises(BadExport):
        arrive(away, path)


def test_a_file_that_unpacks_to_too_much_is_read_no_further(
    away: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b" " * (form.LINE_BYTES + 2), 1))
    many = tmp_path / "many"
    many.write_bytes(gzip.compress(b'{"line":"end"}\n' * 2_000))

    with pytest.raises(BadExport, match="it was read no further"):
        arrive(away, path)
    monkeypatch.setattr(form, "WHOLE_BYTES", 20_000)
    with pytest.raises(BadExport, match="it was read no further"):
        list(form.read(many))


def test_two_imports_do_not_meet_and_what_a_killed_one_left_goes(
    away: Store, lines: list[Line], tmp_path: Path
) -> None:
    (away.workspace / "importing" / "submissions").mkdir(parents=True)
    path = packed(tmp_path, lines)

    def meanwhile(_scratch: Store, _league: object) -> None:
        with pytest.raises(UserError, match="is importing; type the command again"):
            arrive(away, path)

    exchange.arrive(away, path, name=None, check=meanwhile)

    assert [each.name for each in away.leagues()] == ["cup"]
    assert not (away.workspace / "importing").exists()
