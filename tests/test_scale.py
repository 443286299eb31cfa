"""What a match takes in the database; `benchmarks/bench_scale.py` measures more, and for a million."""

from argparse import Namespace
from pathlib import Path

from arena.store import Store
from benchmarks import bench_scale


def test_a_match_takes_less_than_a_hundred_bytes_beside_its_transcript(tmp_path: Path) -> None:
    options = Namespace(matches=12_000, bots=6, players=2, block=8, seed=1)
    with Store.open(tmp_path) as store:
        store.create_league(bench_scale.league(options))

    bench_scale.fill(tmp_path, options)

    sizes = dict(bench_scale.sizes(tmp_path / "arena.db"))
    assert sizes["without transcripts"] < 100
