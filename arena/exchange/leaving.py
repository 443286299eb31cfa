"""From a league that is at its end to its file."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena import transcript
from arena.exchange import form
from arena.league.course import Course, end_of
from arena.model import HOUSE, League, TableJob, UserError
from arena.store import Kept, MatchRow, Store
from arena.store.arrivals import Newcomer
from arena.store.evidence import Charter
from arena.store.packing import transcripts_unpacked
from arena.store.records import microseconds
from arena.submissions import check_kept
from arena.submissions.importing import read_folder
from arena.transcript import Transcript


def export(store: Store, league: League, path: Path, *, with_bots: bool) -> None:
    """Write a league into a new file, with the submissions themselves if wanted; raises UserError."""
    if end_of(store, league) is None:
        raise UserError(
            f"league {league.name} is not at its end, and its file would give its secret away; "
            f"to play it to its end type: arena run {league.name}"
        )
    if Kept.TRANSCRIPTS in store.keeping().trimmed(league.name):
        raise UserError(
            f"the transcripts of league {league.name} were trimmed, so nobody could play it again: it is not "
            "exported; to take all there is elsewhere copy the folder of the workspace"
        )
    if with_bots:
        check_kept(store.submissions, league.extensions[-1].entrants)
    form.write(path, _lines(store, league, with_bots=with_bots))


def _lines(store: Store, league: League, *, with_bots: bool) -> Iterator[form.Lines]:
    (charter,) = (each for each in store.evidence().charters() if each.name == league.name.encode())
    yield _head(store, league, charter)
    for entrant in league.extensions[-1].entrants if with_bots else ():
        if entrant != HOUSE:
            for file in read_folder(store.submissions / entrant.version).files:
                yield form.File(entrant.version, file.path, file.executable, file.content)
    course = Course(league, finished=(), results=lambda before: store.batch_results(league.name, before))
    for batch in course.batches():
        for job in batch:
            yield from _table(store, league, charter, job)
    yield form.End()


def _head(store: Store, league: League, charter: Charter) -> form.Head:
    return form.Head(
        form=form.FORM,
        league=charter.content.decode(),
        parts=tuple(
            form.Part(each.content.decode(), each.commitment.decode(), each.hash.decode())
            for each in charter.extensions
        ),
        versions=tuple(_versions(store, league)),
        tables=len(store.finished(league.name)),
        hash=store.league_hash(league.name),
    )


def _versions(store: Store, league: League) -> Iterator[Newcomer]:
    for entrant in league.extensions[-1].entrants:
        bot = store.find_version(entrant.version)
        if bot is not None:
            yield Newcomer(bot.name, bot.version, bot.games, bot.submitted, bot.sandbox)


def _table(store: Store, league: League, charter: Charter, job: TableJob) -> Iterator[form.Lines]:
    matches, stored = store.table(league.name, job.key), store.evidence().table(charter.id, job.key)
    if not matches or stored is None or stored.transcripts is None:
        raise _not_whole(league, job)
    yield form.Table(
        key=job.key,
        seating=job.seating,
        hash=stored.hash.hex(),
        finished=microseconds(matches[0].finished),
        layers=matches[0].layers,
        void=matches[0].void,
    )
    try:
        for match, packed in zip(matches, transcripts_unpacked(stored.transcripts), strict=True):
            known = transcript.setting(league.game, league.options, match.board.seed, match.seating)
            yield _match(match, transcript.read(packed, known))
    except (ValueError, msgspec.MsgspecError):
        raise _not_whole(league, job) from None


def _match(match: MatchRow, played: Transcript) -> form.Match:
    return form.Match(
        board=match.board.number,
        places=match.outcome.places,
        scores=match.outcome.scores,
        faults=match.outcome.faults,
        decisions=tuple(form.Step(each.seat, each.action, each.note) for each in played.decisions),
        cost=match.measurement,
    )


def _not_whole(league: League, job: TableJob) -> UserError:
    return UserError(
        f"table {job.key} of league {league.name} is not whole, so it is not exported; "
        f"to see what is wrong type: arena verify {league.name}"
    )
