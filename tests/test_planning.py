"""From a wish to a league in the store: defaults, pins, growth, refusals."""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.deals import league_secret
from arena.league import planning
from arena.league.config import ClockWish, Wish
from arena.league.planning import Plan, plan
from arena.model import Clock, Entrant, Extension, League, Partners, UserError
from arena.sandbox import SandboxError, require
from arena.store import Store
from arena.submissions import check_kept
from tests import league_fakes as fakes


def version(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def submit(store: Store, name: str, *games: str, content: str | None = None) -> Entrant:
    tree = version(content or name)
    store.add_version(name, tree, games=games or ("idiot",), submitted=datetime.now(UTC), sandbox="plain")
    return Entrant(name, tree)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as made:
        for name in ("bea", "ann"):
            submit(made, name)
        submit(made, "imp_only", "imp")
        yield made


@pytest.fixture(autouse=True)
def walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """These leagues are never played: a machine without walls is fine."""
    monkeypatch.setattr(planning, "require", lambda name: require("plain" if name == "bwrap" else name))


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bots have a name and a version and no program."""
    monkeypatch.setattr(planning, "check_kept", lambda _folder, _entrants: None)
    monkeypatch.setattr(planning, "check_built", lambda _folder, _entrants, sandbox: None)


ANN, BEA = Entrant("ann", version("ann")), Entrant("bea", version("bea"))


def begun(store: Store, **words: Any) -> League:
    wish = Wish(**{"game": "idiot", "name": "test", "boards": 4, "seed": "s", **words})
    return plan(store, wish).league


def test_a_new_league_says_everything_with_its_value(store: Store) -> None:
    found = plan(store, Wish(game="idiot", seed=7, option={"rounds": "2"}, clock=ClockWish(move_ms=50)))

    assert found == Plan(
        League(
            name="idiot-2p",
            game="idiot",
            players=2,
            options={"rounds": 2, "seven_low": False, "lowest_starts": False, "max_plies": 500},
            clock=Clock(move_ms=50),
            block=8,
            sandbox="bwrap",
            extensions=(Extension((ANN, BEA), 32, league_secret("7", 0)),),
            auto_forced=True,
        )
    )
    assert store.leagues() == [found.league]


def test_a_league_without_a_seed_is_dealt_at_random(store: Store) -> None:
    one, other = (plan(store, Wish(game="idiot", name=name)).league for name in ("one", "other"))

    assert one.extensions[0].secret != other.extensions[0].secret
    assert len(one.extensions[0].secret) == 32


def test_a_name_that_is_taken_is_numbered_and_told(store: Store) -> None:
    plan(store, Wish(game="idiot"))

    found = [plan(store, Wish(game="idiot", boards=boards)) for boards in (2, 3)]

    assert [each.league.name for each in found] == ["idiot-2p-2", "idiot-2p-3"]
    assert found[0].notes == (
        "idiot-2p is there, so this is idiot-2p-2; to go on with it: arena run idiot-2p",
    )


@pytest.mark.parametrize(
    "wish",
    [
        Wish(game="idiot"),
        Wish(game="idiot", seed="s", boards=4, bots=("bea", "ann"), option={"rounds": "2"}),
    ],
)
def test_the_same_wish_without_a_name_goes_on_with_what_it_began(store: Store, wish: Wish) -> None:
    begun = plan(store, wish)

    again = plan(store, wish)

    note = (
        "going on with idiot-2p, which is not at its end and has the same bots, boards and rules; "
        "to begin another league add --name"
    )
    assert again == Plan(begun.league, (note,))
    assert store.leagues() == [begun.league]


@pytest.mark.parametrize(
    "other",
    [
        Wish(game="idiot", seed="t"),
        Wish(game="idiot", seed="s", boards=3),
        Wish(game="idiot", seed="s", block=2),
        Wish(game="idiot", seed="s", option={"rounds": "2"}),
        Wish(game="idiot", seed="s", clock=ClockWish(move_ms=7)),
        Wish(game="idiot", seed="s", auto_forced=False),
    ],
)
def test_another_wish_without_a_name_begins_another_league(store: Store, other: Wish) -> None:
    plan(store, Wish(game="idiot", seed="s"))

    assert plan(store, other).league.name == "idiot-2p-2"


def test_a_league_that_was_named_or_has_grown_or_has_ended_is_not_gone_on_with_unasked(store: Store) -> None:
    begun(store, name="friday")
    grown = plan(store, Wish(game="idiot", boards=4, block=1)).league
    plan(store, Wish(name=grown.name, boards=5))
    ended = plan(store, Wish(game="idiot", boards=1)).league
    for job in fakes.tables(ended):
        store.commit(ended.name, job, fakes.play(job))

    names = [plan(store, Wish(game="idiot", boards=boards, block=1)).league.name for boards in (4, 5)]
    names.append(plan(store, Wish(game="idiot", boards=1)).league.name)

    assert names == ["idiot-2p-3", "idiot-2p-4", "idiot-2p-5"]


def test_a_newer_version_begins_a_new_league(store: Store) -> None:
    plan(store, Wish(game="idiot"))
    submit(store, "ann", content="ann, better")

    assert plan(store, Wish(game="idiot")).league.name == "idiot-2p-2"


def test_only_active_bots_that_were_admitted_play_unless_named(store: Store) -> None:
    submit(store, "cid")
    store.retire("cid")

    assert begun(store).extensions[0].entrants == (ANN, BEA)


def test_a_league_goes_on_by_its_name_alone(store: Store) -> None:
    league = begun(store)

    assert plan(store, Wish(name="test")) == Plan(league)
    assert plan(store, Wish(name="test", game="idiot", boards=4, seed="s", bots=("bea", "ann"))) == Plan(
        league
    )


def test_naming_some_of_its_bots_leaves_none_out_of_a_league_and_is_told(store: Store) -> None:
    league = begun(store)

    assert plan(store, Wish(name="test", bots=("ANN",))) == Plan(
        league,
        ("ann in league test already, and it keeps bea: --bots adds bots to a league and takes none out",),
    )


def test_a_league_grows_by_boards_with_a_secret_of_its_own(store: Store) -> None:
    league = begun(store)

    grown = plan(store, Wish(name="test", boards=6, seed="s"))

    later = Extension((ANN, BEA), 6, league_secret("s", 1))
    assert grown.league == msgspec.structs.replace(league, extensions=(*league.extensions, later))
    assert store.league("test") == grown.league
    assert grown.notes == ("league test grows to 6 boards for each of its line-ups",)


def test_new_bots_play_only_when_they_are_named(store: Store) -> None:
    league = begun(store)
    cid = submit(store, "cid")

    told = plan(store, Wish(name="test"))
    grown = plan(store, Wish(name="test", bots=("cid",)))

    assert told == Plan(league, ("not in this league: cid; to add: arena run test --bots cid",))
    assert grown.league.extensions[-1].entrants == (ANN, BEA, cid)
    assert grown.notes == ("league test grows to 4 boards for each of its line-ups; new: cid",)


def test_a_league_keeps_the_versions_it_began_with_and_tells_of_newer_ones(store: Store) -> None:
    league = begun(store)
    submit(store, "ann", content="ann, better")

    assert plan(store, Wish(name="test", bots=("ann", "bea"))) == Plan(
        league,
        ("newer versions are there of ann; league test keeps those it has, a new league takes the newest",),
    )


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (Wish(game="imp"), "has game idiot and cannot change to imp"),
        (Wish(players=3), "has players 2 and cannot change to 3"),
        (Wish(block=2), "has block 8 and cannot change to 2"),
        (Wish(sandbox="plain"), "has sandbox bwrap and cannot change to plain"),
        (Wish(fill="house"), "has no fill and cannot change to house"),
        (Wish(option={"rounds": "2"}), "has option rounds 1 and cannot change to 2"),
        (Wish(clock=ClockWish(move_ms=1)), "has move_ms 1000 and cannot change to 1"),
        (Wish(auto_forced=False), "has auto_forced True and cannot change to False"),
        (Wish(partners=Partners.MIXED), "has partners same and cannot change to mixed"),
        (Wish(schedule="swiss"), "has schedule round-robin and cannot change to swiss"),
        (Wish(boards=3), "has 4 boards for each line-up and cannot have 3"),
        (Wish(seed="other"), "is dealt from another seed than 'other'"),
    ],
)
def test_what_contradicts_the_league_is_refused_and_changes_nothing(
    store: Store, wish: Wish, message: str
) -> None:
    league = begun(store)

    with pytest.raises(UserError, match=message):
        plan(store, msgspec.structs.replace(wish, name="test"))

    assert store.leagues() == [league]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        (Wish(), "a new league needs a game; type: arena run --game with one of "),
        (
            Wish(name="other"),
            r"no league 'other'; the leagues in /.* are: none yet; to begin it, add --game",
        ),
        (Wish(game="whist"), "no game 'whist'; the games are: "),
        (Wish(game="idiot", players=40), "idiot is played by .*, not by 40"),
        (Wish(game="idiot", bots=("bob",)), "no bot 'bob'; the bots for idiot are: ann, bea"),
        (Wish(game="idiot", bots=("imp_only", "ann")), "imp_only was not admitted to idiot"),
        (Wish(game="idiot", bots=("ann", "ANN")), "name each bot once"),
        (
            Wish(game="idiot", bots=("ann",)),
            r"1 bot here, 2 are needed .* name more of them \(--bots A,B\), or type --fill house",
        ),
        (Wish(game="idiot", option={"round": "2"}), "idiot: unknown option 'round'; the options are rounds"),
        (Wish(game="idiot", option={"rounds": "x"}), "option rounds is 'x'; a whole number from 1 to 10"),
        (
            Wish(game="idiot", schedule="ladder"),
            "no schedule 'ladder'; the schedules are: round-robin, gauntlet",
        ),
        (Wish(game="idiot", sandbox="tin"), "unknown sandbox 'tin'; known are bwrap, plain"),
        (Wish(game="idiot", name="../up"), "league name '../up'"),
        (Wish(game="idiot", name="x.toml"), r"league name 'x.toml': .* and no \.toml last"),
    ],
)
def test_what_cannot_be_played_is_told_and_leaves_nothing(store: Store, wish: Wish, message: str) -> None:
    with pytest.raises(UserError, match=message):
        plan(store, wish)

    assert store.leagues() == []


def test_walls_that_cannot_be_put_up_are_told_and_leave_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise SandboxError(f"no {name}")

    monkeypatch.setattr(planning, "require", refuse)

    with pytest.raises(SandboxError, match="no bwrap"):
        begun(store)

    assert store.leagues() == []


@pytest.mark.parametrize("wish", [Wish(name="test"), Wish(name="test", boards=6), Wish(game="idiot")])
def test_a_version_whose_files_were_changed_is_told_and_leaves_all_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch, wish: Wish
) -> None:
    league = begun(store)
    monkeypatch.setattr(planning, "check_kept", check_kept)

    with pytest.raises(UserError, match=rf"version {ANN.version[:12]} of ann cannot .* is missing; .*submit"):
        plan(store, wish)

    assert store.leagues() == [league]


def test_a_retired_bot_is_refused_by_name(store: Store) -> None:
    store.retire("ann")

    with pytest.raises(UserError, match="bot ann is retired; the bots for idiot are: bea"):
        begun(store, bots=("ann", "bea"))


def test_one_bot_plays_with_the_house(store: Store) -> None:
    league = begun(store, bots=("ann",), fill="house")

    assert (league.fill_house, league.extensions[0].entrants) == (True, (ANN,))


def test_a_league_that_is_running_does_not_grow(store: Store) -> None:
    league = begun(store)

    with store.running("test"), pytest.raises(UserError, match="is being run by process"):
        plan(store, Wish(name="test", boards=6))

    assert store.league("test") == league


def test_other_words_choose_the_schedule_that_knows_them(store: Store) -> None:
    submit(store, "cid")

    found = [
        begun(store, name="one", gauntlet=("cid",), bots=("ann", "bea")),
        begun(store, name="two", until="top  1 Separated", boards=None),
        begun(store, name="three", schedule="knock-out", boards=None, bots=("cid", "ann")),
    ]

    assert [(each.schedule, each.block) for each in found] == [
        ("gauntlet", 8),
        ("adaptive", 2),
        ("knock-out", 8),
    ]
    assert [each.extensions[0].boards for each in found] == [4, 128, 33]
    assert found[0].gauntlet == ("cid",)
    assert [bot.name for bot in found[0].extensions[0].entrants] == ["ann", "bea", "cid"]
    assert found[1].extensions[0].until == "top 1 separated"
    assert [bot.name for bot in found[2].extensions[0].entrants] == ["cid", "ann"]


def test_a_league_gets_another_end_and_goes_on(store: Store) -> None:
    submit(store, "cid")
    league = begun(store, until="error < 90", boards=20)

    same = plan(store, Wish(name="test", until="error<90"))
    further = plan(store, Wish(name="test", until="error < 50", seed="s"))

    assert same == Plan(league)
    assert [part.until for part in further.league.extensions] == ["error < 90", "error < 50"]
    assert further.notes[0] == "league test grows to 20 boards for each of its line-ups; until error < 50"
    assert store.leagues() == [further.league]


def test_a_seeding_is_part_of_the_wish_and_other_orders_are_not(store: Store) -> None:
    submit(store, "cid")
    wish = Wish(game="idiot", schedule="knock-out", boards=3)

    names = [
        plan(store, msgspec.structs.replace(wish, bots=bots)).league.name
        for bots in (("ann", "bea", "cid"), ("ann", "bea", "cid"), ("bea", "ann", "cid"))
    ]

    assert names == ["idiot-2p", "idiot-2p", "idiot-2p-2"]


@pytest.mark.parametrize("wish", [Wish(game="idiot", name="new"), Wish(name="test", boards=9)])
def test_what_is_proposed_is_written_nowhere(store: Store, wish: Wish) -> None:
    begun(store)
    before = store.leagues()

    proposal = planning.proposed(store, wish)

    assert proposal.plan.league not in before
    assert store.leagues() == before
