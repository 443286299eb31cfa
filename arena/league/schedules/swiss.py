"""Rounds in which those meet who stand alike, and nobody the same other twice."""

from collections.abc import Sequence

import msgspec

from arena.league import until as ends
from arena.league.batches import Batch, End, Played, Rate, Size, Story
from arena.league.schedules.duels import duel, met, rotations, scores
from arena.model import Entrant, League, UserError

MOST_TRIES = 20_000
"""Pairings that are looked at for a round without repetitions, and for one with one more, and so on."""

Pairs = list[tuple[int, int]]


class _Line(msgspec.Struct):
    """How a bot stands."""

    score: float = 0.0
    """One for a duel won and for a bye, one half for a tie."""
    points: float = 0.0
    buchholz: float = 0.0
    """The scores of all it met."""
    byes: int = 0
    others: list[int] = []


def swiss(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """The next round, by the standings after those before."""
    del rate
    if len(played) == rounds(league):
        return End(f"{len(played)} rounds are played")
    bots, extension = league.extensions[-1].entrants, league.extensions[-1]
    boards = met(played)
    pairs, _ = paired(_standings(league, played))
    return Batch(
        tuple(
            block
            for i, j in pairs
            for block in duel(
                league,
                bots[i],
                bots[j],
                first=boards.get(frozenset((bots[i], bots[j])), 0) + 1,
                boards=extension.boards,
            )
        )
    )


def swiss_size(league: League) -> Size:
    """All rounds of all pairs."""
    extension = league.extensions[-1]
    duels = rounds(league) * (len(extension.entrants) // 2)
    tables = duels * rotations(league) * -(-extension.boards // league.block)
    return Size(duels, tables, duels * rotations(league) * extension.boards)


def rounds(league: League) -> int:
    """As many as are asked for, or as leave one bot that won all of them."""
    extension = league.extensions[-1]
    return ends.until(extension.until).rounds or (len(extension.entrants) - 1).bit_length()


def check_swiss(league: League) -> None:
    """Raise UserError for more rounds than a bot has others to meet."""
    entrants = len(league.extensions[-1].entrants)
    most = entrants - 1 + entrants % 2
    if rounds(league) > most:
        raise UserError(
            f"{rounds(league)} rounds are asked for, and {entrants} bots have met all others after {most}; "
            f"type --until '{most} rounds' or fewer"
        )


def swiss_story(league: League, played: Sequence[Played]) -> Story:
    """The standings after the rounds that are played."""
    bots, lines = league.extensions[-1].entrants, _standings(league, played)
    rows = tuple(
        (
            str(rank),
            bots[bot].name,
            f"{lines[bot].score:g}",
            f"{lines[bot].buchholz:g}",
            f"{lines[bot].points:g}",
            str(lines[bot].byes),
        )
        for rank, bot in enumerate(_order(lines), start=1)
    )
    title = f"Standings after {len(played)} of {rounds(league)} rounds"
    return Story(title, ("#", "bot", "score", "Buchholz", "points", "byes"), rows)


def paired(lines: Sequence[_Line]) -> tuple[Pairs, int | None]:
    """Who meets whom, and who has a bye: the lowest of those who had fewest.

    Nobody meets another again as long as such a round is found within `MOST_TRIES`; then two do, and so on.
    """
    order = _order(lines)
    byes = [bot for bot in reversed(order) if lines[bot].byes == min(line.byes for line in lines)]
    for repeats in range(len(lines) // 2 + 1):
        for bye in byes if len(lines) % 2 else [None]:
            pairs = _Search(lines).pairs([bot for bot in order if bot != bye], repeats)
            if pairs is not None:
                return pairs, bye
    raise AssertionError(lines)


class _Search:
    """Looks for a round, the best first, and goes back where the rest cannot be paired."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._lines = lines
        self._tries = 0

    def pairs(self, order: Sequence[int], repeats: int) -> Pairs | None:
        """Pair the first with whom it should meet, then the rest."""
        if not order:
            return []
        first, *rest = order
        for other in self._preferred(first, rest):
            again = other in self._lines[first].others
            self._tries += 1
            if self._tries > MOST_TRIES:
                return None
            if again > repeats:
                continue
            found = self.pairs([bot for bot in rest if bot != other], repeats - again)
            if found is not None:
                return [(first, other), *found]
        return None

    def _preferred(self, first: int, rest: Sequence[int]) -> list[int]:
        """Equal scores first, of these the one half of the group below; then whoever is nearest."""
        score = self._lines[first].score
        half = (1 + sum(self._lines[bot].score == score for bot in rest)) // 2
        places = {bot: abs(place - half) for place, bot in enumerate(rest, start=1)}
        return sorted(rest, key=lambda bot: (abs(score - self._lines[bot].score), places[bot]))


def _order(lines: Sequence[_Line]) -> list[int]:
    """The best first: by score, Buchholz, points, and as they are seeded."""
    return sorted(
        range(len(lines)), key=lambda bot: (-lines[bot].score, -lines[bot].buchholz, -lines[bot].points, bot)
    )


def _standings(league: League, played: Sequence[Played]) -> list[_Line]:
    """By seed, after those rounds."""
    bots = league.extensions[-1].entrants
    lines = [_Line(others=[]) for _ in bots]
    for each in played:
        _add_round(bots, lines, each)
    for line in lines:
        line.buchholz = sum(lines[other].score for other in line.others)
    return lines


def _add_round(bots: Sequence[Entrant], lines: Sequence[_Line], played: Played) -> None:
    found = scores(played.results)
    pairs = {frozenset(block.line_up) for block in played.blocks}
    for bot, line in zip(bots, lines, strict=True):
        pair = next((pair for pair in pairs if bot in pair), None)
        if pair is None:
            line.byes += 1
            line.score += 1
            continue
        (other,) = pair - {bot}
        mine, theirs = found[bot].points, found[other].points
        line.score += (mine > theirs) + (mine == theirs) / 2
        line.points += mine
        line.others.append(bots.index(other))
