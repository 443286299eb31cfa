"""The batches of a league are found again from its results, wherever and however they were played."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league import runner, status
from arena.league.batches import Batch, Block, End, Played, Rate, Schedule, Size
from arena.league.course import Astray, Course, end_of, standing
from arena.league.schedules import SCHEDULES
from arena.model import Clock, Entrant, Extension, League, Result, TableJob, TableResult
from arena.ratings import Fit
from arena.store import Store
from tests import league_fakes as fakes

BOTS = tuple(Entrant(name, sha256(name.encode()).hexdigest()) for name in ("ann", "bea", "cid", "dot"))
ROUNDS = 4


def leaders(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """First everybody, then in each extension four times the three that won most so far."""
    assert isinstance(rate(()), Fit)
    here = sum(each.extension == len(league.extensions) - 1 for each in played)
    if here == ROUNDS:
        return End("four rounds")
    won = Counter(
        side[0] for each in played for row in each.results for side in row.sides[: row.places[0] == 1.0]
    )
    best = sorted(sorted(league.extensions[-1].entrants), key=lambda bot: -won[bot])
    first = 2 * len(played) + 1
    return Batch(tuple(Block(pair, first, 2) for pair in combinations(sorted(best[: 3 if won else 4]), 2)))


def size(league: League) -> Size:
    return Size(6, 100 * len(league.extensions), 200, at_most=True)


@pytest.fixture(autouse=True, scope="module")
def schedule() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCHEDULES, "leaders", Schedule(leaders, size, adapts=True))
        yield


def league(extensions: int = 2) -> League:
    growth = tuple(Extension(BOTS, 8, bytes([number]) * 32) for number in range(extensions))
    return League(
        name="test",
        game="idiot",
        players=2,
        options={},
        clock=Clock(),
        block=2,
        sandbox="plain",
        extensions=growth,
        schedule="leaders",
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as made:
        made.create_league(league())
        yield made


def promised(store: Store) -> tuple[object, ...]:
    return store.league_hash("test"), store.results("test"), sorted(store.finished("test"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    with Store.open(tmp_path_factory.mktemp("whole")) as store:
        store.create_league(league())
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
        return promised(store)


@pytest.mark.process
def test_an_adapting_league_does_not_depend_on_the_number_of_workers(
    store: Store, whole: tuple[object, ...]
) -> None:
    ran = runner.run(store, "test", jobs=3, listener=fakes.Quiet(), play=fakes.play)

    assert ran.end == end_of(store, league()) == "four rounds"
    assert (ran.progress.total, ran.progress.at_most) == (200, True)
    assert promised(store) == whole


@pytest.mark.process
@pytest.mark.parametrize("cut", [1, 12, 13, 20, 30, 47])
def test_an_adapting_league_that_was_stopped_anywhere_comes_to_the_same(
    store: Store, whole: tuple[object, ...], cut: int
) -> None:
    for job in step_by_step(store, cut):
        store.commit("test", job, fakes.play(job))

    assert standing(store, league()).end is None
    runner.run(store, "test", jobs=2, listener=fakes.Quiet(), play=fakes.play)
    assert promised(store) == whole


def step_by_step(store: Store, cut: int) -> Iterator[object]:
    """The first tables of a league, each asked for when the ones before it are in the store."""
    course = Course(league(), finished=(), results=lambda before: store.batch_results("test", before))
    jobs = (job for batch in course.batches() for job in reversed(list(batch)))
    for _, job in zip(range(cut), jobs, strict=False):
        yield job


def test_where_a_league_stands_is_found_once_until_it_goes_on_or_grows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(status, "end_of", lambda store, league: asked.append(1) or end_of(store, league))

    def listed() -> list[str | None]:
        return [each.end for _ in range(3) for each in status.statuses(store)]

    assert (listed(), len(asked)) == ([None] * 3, 1)
    (job, *_) = first_batch()
    store.commit("test", job, fakes.play(job))
    assert (listed(), len(asked)) == ([None] * 3, 2)
    runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)
    assert (listed(), len(asked)) == (["four rounds"] * 3, 2)
    for path in (store.workspace / "cache").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert (listed(), len(asked)) == (["four rounds"] * 3, 3)
    store.extend_league("test", msgspec.structs.replace(league().extensions[-1], secret=b"3" * 32))
    assert (listed(), len(asked)) == ([None] * 3, 4)


def test_a_table_that_the_schedule_would_not_choose_is_told_before_anything_is_played(store: Store) -> None:
    job, *_ = first_batch()

    course = Course(league(), finished={"00-00000-00007-strange-0", job.key}, results=lambda _before: ())

    with pytest.raises(Astray, match="test has the table 00-00000-00007-strange-0, which its schedule"):
        next(course.batches())


def test_a_league_that_went_astray_is_listed_and_only_refused_when_it_is_played(store: Store) -> None:
    (job, *_), stranger = first_batch(), "00-00000-00007-strange-0"
    store.commit("test", msgspec.structs.replace(job, key=stranger), astray(job, stranger))

    assert end_of(store, league()) is None
    with pytest.raises(Astray, match=stranger):
        runner.run(store, "test", jobs=1, listener=fakes.Quiet(), play=fakes.play)


def first_batch() -> list[TableJob]:
    return list(next(Course(league(), finished=(), results=lambda _before: ()).batches()))


def astray(job: TableJob, key: str) -> TableResult:
    return msgspec.structs.replace(fakes.play(job), key=key)


@given(data=st.data())
def test_the_next_batch_hangs_on_what_was_played_and_nothing_else(data: st.DataObject) -> None:
    def found(*, shuffled: bool) -> list[list[str]]:
        kept: dict[str, list[Result]] = {}
        course = Course(league(1), finished=(), results=lambda before: kept[before])
        keys = []
        for batch in course.batches():
            jobs = list(batch)
            keys.append([job.key for job in jobs])
            order = data.draw(st.permutations(jobs)) if shuffled else jobs
            rows = {job.key: fakes.results(job) for job in order}
            kept[jobs[0].key[:9]] = [row for key in sorted(rows) for row in rows[key]]
        return keys

    assert found(shuffled=True) == found(shuffled=False)
    assert len(found(shuffled=False)) == ROUNDS
