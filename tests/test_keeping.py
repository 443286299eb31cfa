"""What is renamed, deleted and trimmed: what stays is as it was, and what goes is gone whole."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from arena.cli import group
from arena.model import Extension, UserError
from arena.store import AlreadyThere, Kept, NameTaken, Store, briefs
from arena.store.keeping import joined
from arena.submissions.unclaimed import unclaimed
from arena.verify import examined, verify
from tests.replays import NOON, entered, league, play_all


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two leagues whose tables were written in turns: cup before, after and between those of two."""
    with Store.open(tmp_path) as store:
        cup = league(store, ("ann", "falls"))
        two = msgspec.structs.replace(cup, name="two", extensions=cup.extensions[:1])
        store.create_league(two)
        for made in (cup, two, cup):
            play_all(store, made, most=1)
        play_all(store, two)
        play_all(store, cup)
        yield store


def holds(store: Store, name: str) -> int:
    """How many tables of a league hold."""
    return verify(store, examined(store, name), told=lambda _done, _all: None).tables


def rows(store: Store) -> dict[str, int]:
    """How many rows each table of the database has."""
    names = [name for (name,) in store._rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: store._rows(f"SELECT count(*) FROM {name}")[0][0] for name in names}


def test_a_league_is_renamed_and_all_that_was_played_holds(store: Store) -> None:
    before = store.league_hash("cup"), store.matches("two")

    store.keeping().rename_league("cup", "final")

    assert [each.name for each in store.leagues()] == ["final", "two"]
    assert (store.league_hash("final"), store.matches("two")) == before
    assert holds(store, "final") == len(store.finished("final"))


def test_a_league_takes_no_name_that_another_has(store: Store) -> None:
    with pytest.raises(AlreadyThere, match="there is a league 'two' already"):
        store.keeping().rename_league("cup", "two")

    assert [each.name for each in store.leagues()] == ["cup", "two"]


@pytest.mark.parametrize(("gone", "left"), [("cup", "two"), ("two", "cup")])
def test_a_deleted_league_leaves_nothing_and_the_others_hold(store: Store, gone: str, left: str) -> None:
    before = store.matches(left), store.league_hash(left)

    store.keeping().delete_league(gone)

    assert [each.name for each in store.leagues()] == [left]
    assert (store.matches(left), store.league_hash(left)) == before
    assert holds(store, left) == len(store.finished(left))
    assert list(store.evidence().damages()) == []
    store.keeping().delete_league(left)
    kept = ("bot", "version", "walls", "gone")
    assert {name for name, count in rows(store).items() if count} == set(kept)


def test_a_league_of_the_same_name_finds_nothing_that_was_kept_of_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(briefs, "WORTH_KEEPING", 1)
    folder = store.workspace / "cache"
    for name in ("cup", "two"):
        store.briefed(name)
        store.ended(name, lambda: "its end")
    assert {path.name for path in folder.iterdir()} == {"cup.brief", "cup.end", "two.brief", "two.end"}

    store.keeping().delete_league("cup")
    store.keeping().rename_league("two", "cup")

    assert list(folder.iterdir()) == []


def test_numbers_of_deleted_matches_are_not_given_again(store: Store) -> None:
    newest = max(match.id for name in ("cup", "two") for match in store.matches(name))
    cup = store.chosen_league("cup")

    for name in ("cup", "two"):
        store.keeping().delete_league(name)
    again = msgspec.structs.replace(cup, name="again")
    store.create_league(again)
    play_all(store, again, most=2)

    assert next(match.id for match in store.matches("again")) == newest + 1
    assert holds(store, "again") == 2
    assert store._rows("SELECT * FROM gone") == [(1, newest)]


@pytest.mark.parametrize("lie", ["UPDATE gone SET matches = matches + 1", "DELETE FROM gone"])
def test_a_gap_that_nobody_made_is_found(store: Store, lie: str) -> None:
    store.keeping().delete_league("two")

    store._connection.execute(lie)

    assert any("has matches from number" in damage for damage in store.evidence().damages())


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2)), max_size=20))
def test_joined_ranges_have_the_same_numbers_and_do_not_touch(parts: list[tuple[int, int]]) -> None:
    ranges, first = [], 1
    for number, gap in parts:
        ranges.append((first, number))
        first += number + gap

    found = joined(reversed(ranges))

    numbers = [{n for start, count in some for n in range(start, start + count)} for some in (ranges, found)]
    assert numbers[0] == numbers[1]
    assert all(start + count < after for (start, count), (after, _) in pairwise(found))


def test_a_bot_of_a_league_is_neither_renamed_nor_deleted(store: Store) -> None:
    ann = store.latest("ann")
    before = rows(store)

    for refused in (lambda: store.keeping().delete_bot(ann), lambda: store.keeping().rename_bot(ann, "eve")):
        with pytest.raises(
            UserError, match=r"leagues cup, two.*arena retire ann.*arena delete league cup two"
        ):
            refused()

    assert (store.latest("ann"), rows(store)) == (ann, before)


def test_a_bot_stands_in_a_league_by_any_of_its_versions(store: Store) -> None:
    newer = store.add_version("ann", "c" * 64, games=["idiot"], submitted=NOON, sandbox="plain")

    with pytest.raises(UserError, match="stands in leagues cup, two"):
        store.keeping().delete_bot(newer)


def test_a_bot_without_leagues_is_renamed_and_deleted_with_its_versions(store: Store) -> None:
    for version in "cd":
        bot = store.add_version("eve", version * 64, games=["idiot"], submitted=NOON, sandbox="plain")

    store.keeping().rename_bot(bot, "Eva")
    renamed = store.versions("eva")
    with pytest.raises(NameTaken, match="there is a bot 'ann' already"):
        store.keeping().rename_bot(renamed[0], "ANN")
    store.keeping().rename_bot(renamed[0], "EVA")
    store.keeping().delete_bot(store.latest("eva"))

    assert [(each.name, each.version[0]) for each in renamed] == [("Eva", "c"), ("Eva", "d")]
    assert [each.name for each in store.bots()] == ["ann", "falls"]
    assert store._rows("PRAGMA foreign_key_check") == []


def test_what_is_trimmed_is_gone_from_the_file_and_known_to_be(store: Store) -> None:
    keeping = store.keeping()
    before, whole = keeping.size("cup"), store.matches("cup")
    first = whole[0].id

    keeping.trim("cup", [Kept.TRANSCRIPTS])
    after = keeping.shrink()

    assert before.transcripts > 0
    assert keeping.size("cup") == msgspec.structs.replace(before, transcripts=0)
    assert after.unused == 0
    assert (store.workspace / "arena.db").stat().st_size == after.size
    assert (store.match(first).transcript, store.match(first).trimmed) == (b"", (Kept.TRANSCRIPTS,))
    assert (store.matches("cup"), store.matches("two")[0].id) == (whole, 5)
    assert holds(store, "two") == 2


def test_a_trimmed_league_that_goes_on_keeps_what_comes_then(store: Store) -> None:
    cup = store.chosen_league("cup")
    store.keeping().trim("cup", [Kept.TRANSCRIPTS])
    newest = store.matches("cup")[-1].id

    store.extend_league("cup", Extension(cup.extensions[0].entrants, 7, bytes(32)))
    play_all(store, store.chosen_league("cup"))

    trimmed = {match.id <= newest: store.match(match.id).trimmed for match in store.matches("cup")}
    assert trimmed == {True: (Kept.TRANSCRIPTS,), False: ()}


# Commands


def arena(store: Store, *words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(group, [*words, "--workspace", str(store.workspace)], input=text)


def test_the_commands_rename_delete_and_trim(store: Store) -> None:
    store.add_version("eve", "e" * 64, games=["idiot"], submitted=NOON, sandbox="plain")
    (store.submissions / ("e" * 64)).mkdir()
    words = (
        ("rename", "league", "cup", "final"),
        ("rename", "bot", "eve", "Eva"),
        ("trim", "final", "--logs", "--yes"),
        ("delete", "bot", "eva", "--yes"),
        ("delete", "league", "final", "--yes"),
        ("trim",),
    )

    ran = [arena(store, *each) for each in words]

    assert [each.exit_code for each in ran] == [0] * len(words), [each.output for each in ran]
    assert [each.name for each in store.leagues()] == ["two"]
    assert [each.name for each in store.bots()] == ["ann", "falls"]
    assert sorted(path.name for path in store.submissions.iterdir()) == sorted(
        bot.version for bot in store.bots()
    )
    assert holds(store, "two") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("delete", "league", "cup"), "league cup with 10 matches, for good; add --yes when you mean it"),
        (("trim", "cup", "--transcripts"), "for good; add --yes when you mean it"),
        (("delete", "bot", "ann", "--yes"), "to keep it out of the leagues to come type: arena retire ann"),
        (("rename", "bot", "ann", "eve"), "what was played keeps its names"),
        (("rename", "bot", "ann", "house"), "is the built-in bot's; choose another"),
        (("rename", "bot", "ann", "a,b"), "no comma is allowed"),
        (("rename", "league", "cup", "a b"), "1 to 64 of A-Z"),
        (("rename", "league", "cap", "b"), "no league 'cap'"),
        (("trim", "cup"), "arena trim LEAGUE --logs"),
        (("trim", "--logs"), "arena trim LEAGUE --logs"),
    ],
)
def test_what_is_refused_changes_nothing_and_says_what_to_type(
    store: Store, words: tuple[str, ...], said: str
) -> None:
    before = rows(store)

    ran = arena(store, *words)

    assert (ran.exit_code, said in ran.stderr) == (2, True), ran.output
    assert rows(store) == before


@pytest.mark.parametrize(
    "words",
    [
        ("delete", "league", "cup", "--yes"),
        ("rename", "league", "cup", "b"),
        ("trim", "two", "--logs", "--yes"),
        ("trim",),
    ],
)
def test_a_league_that_runs_is_left_alone(store: Store, words: tuple[str, ...]) -> None:
    before = rows(store)

    with store.running("cup"):
        ran = arena(store, *words)

    assert (ran.exit_code, "is being run by process" in ran.stderr) == (2, True), ran.output
    assert rows(store) == before


def test_a_bot_that_is_deleted_is_never_half_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("eve", "joe"):
        entered(store, (name,), "idiot")
    version = store.latest("eve").version

    def killed(_store: Store) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.keeping.sweep", killed)
        assert arena(store, "delete", "bot", "eve", "--yes").exit_code == 130

    assert (store.latest("eve"), (store.submissions / version).exists()) == (None, True)
    assert [path.name for path in unclaimed(store)] == [version]
    assert re.search(r"files of deleted bots +1 .*arena doctor --reap", arena(store, "disk").output)
    assert arena(store, "delete", "bot", "joe", "--yes").exit_code == 0
    assert (unclaimed(store), (store.workspace / "staging").exists()) == ([], False)
    assert all((store.submissions / bot.version).is_dir() for bot in store.bots())


def test_what_was_trimmed_is_told_and_never_called_nothing(store: Store) -> None:
    number = next(match.id for match in store.matches("cup") if match.outcome.faults)
    for what in ("--logs", "--transcripts"):
        assert arena(store, "trim", "cup", what, "--yes").exit_code == 0

    said = {
        words: arena(store, *words)
        for words in (
            *(("verify", "cup"), ("verify", "--match", str(number)), ("show", str(number))),
            *(("replay", str(number)), ("logs", str(number)), ("faults", "falls", "--match", str(number))),
        )
    }

    assert [(words[0], ran.exit_code) for words, ran in said.items()] == [
        *(("verify", 2), ("verify", 2), ("show", 2), ("replay", 2), ("logs", 0), ("faults", 0)),
    ]
    assert all("trimmed" in ran.output for ran in said.values()), {w: r.output for w, r in said.items()}
    assert "printed nothing" not in "".join(ran.output for ran in said.values())
    assert arena(store, "leaderboard", "cup").exit_code == 0


def test_what_takes_room_is_listed_with_what_to_type(store: Store) -> None:
    found = json.loads(arena(store, "disk", "--style", "json").stdout)

    lines = {row["what"]: (row["number"], row["to have it back"]) for row in found}
    at = f" --workspace {store.workspace}"
    assert lines["cup: transcripts"] == (4, f"arena trim cup{at} --transcripts")
    assert lines["two: results"] == (2, f"arena delete league two{at}")
    assert lines["submissions"] == (2, "")
    assert {row["what"]: row["bytes"] for row in found}["submissions"] > 0
