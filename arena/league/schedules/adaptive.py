"""Plays where it tells most about what is asked.

Theory of operation. The first batch of an extension is one round: every two bots that never met do so once.
Then each batch is chosen with the ratings of all results so far. Let V be the covariance of the strengths and
P the sum of c c' over the comparisons c that the league is to settle. A block between two bots, of contrast
x and information w = boards x seatings x weight x p (1 - p), makes V smaller by w V x x' V / (1 + w x' V x),
and so what is asked, the trace of P V, smaller by w x' S x / (1 + w x' V x) with S = V P V. The pair for
which that is most is picked, V and S are brought up to date as if it were played, and the next one is picked.
A table of more sides begins with the best pair and takes the bots that add most. Every tenth pick goes to
those who met least instead: should strength not be one number, that shows.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from arena.league import until as ends
from arena.league.batches import Batch, Block, End, LineUp, Played, Rate, Size
from arena.league.schedules.line_ups import line_up_count, sides_needed
from arena.league.schedules.round_robin import round_robin_size
from arena.league.tables import seatings, tag
from arena.model import League, UserError
from arena.ratings import Group
from arena.ratings.fit import ELO
from arena.ratings.intervals import logistic
from arena.ratings.linear import dot
from arena.ratings.pairs import weight

EVEN_EVERY = 10
"""Each so many picks one is for the bots that met least."""

LEAST_PICKS = 16
GROWTH = 8
"""A batch has at least so many blocks, and one for so many that are played: few fits, and little too many."""

TIED = 1e-9
TIED_DIGITS = 9
"""Gains that agree so far are equal, and the order of the bots decides."""


def adaptive(league: League, played: Sequence[Played], rate: Rate) -> Batch | End:
    """One round for all who never met, then batches where they tell most, until what is asked is known."""
    field = _Field(league, played)
    fresh = not any(each.extension == len(league.extensions) - 1 for each in played)
    opening = list(field.opening()) if fresh else []
    if opening:
        return Batch(tuple(opening))
    asked = ends.until(league.extensions[-1].until)
    (group,) = rate(row for each in played for row in each.results).groups
    reason = ends.reached(asked, group)
    if reason:
        return End(reason)
    left = _most_blocks(league) - field.blocks
    if left <= 0:
        return End(_spent(league, asked, group))
    picks = min(left, max(LEAST_PICKS, field.blocks // GROWTH))
    return Batch(tuple(field.chosen(_Outlook(field, group, asked), picks)))


def adaptive_size(league: League) -> Size:
    """All that its budget allows."""
    blocks, rotations = _most_blocks(league), _rotations(league)
    tables = blocks * rotations
    every = line_up_count(league, len(league.extensions) - 1)
    return Size(every, tables, tables * league.block, at_most=True)


def check_adaptive(league: League) -> None:
    """Raise UserError when there is nothing to choose, or not even one round can be played."""
    entrants = league.extensions[-1].entrants
    if line_up_count(league, len(league.extensions) - 1) < 2:
        raise UserError(
            f"{len(entrants)} bots have one line-up, so there is nothing to choose; "
            f"submit more bots, or leave --schedule and --until out"
        )
    round_of = sum(1 for _ in _Field(league, ()).opening())
    if _most_blocks(league) < round_of:
        least = round_of * _rotations(league) * league.block
        raise UserError(
            f"one round of every two bots is {least} matches (blocks of {league.block} boards), and fewer "
            f"are allowed; type --until '{least} matches' or more, or a smaller --block"
        )


def _most_blocks(league: League) -> int:
    """Blocks that may be played in all extensions: what was asked for, or as many as a round robin has."""
    matches = ends.until(league.extensions[-1].until).matches or round_robin_size(league).matches
    return matches // (_rotations(league) * league.block)


def _rotations(league: League) -> int:
    sides = sides_needed(league.game, league.players)
    line_up = tuple(sorted(league.extensions[-1].entrants, key=tag)[:sides])
    return len(seatings(league, Block(line_up, first=1, boards=1)))


def _spent(league: League, asked: ends.Until, group: Group) -> str:
    matches = _most_blocks(league) * _rotations(league) * league.block
    if asked.separated is None and asked.error is None:
        return f"{matches} matches are played"
    missing = []
    if asked.separated:
        pairs = ends.open_pairs(group, asked.separated)
        named = [" and ".join(group.ratings[bot].entrant.name for bot in pair) for pair in pairs[:3]]
        more = f" and {len(pairs) - len(named)} more pairs" if len(pairs) > len(named) else ""
        missing.append(f"not yet separated are {', '.join(named)}{more}")
    if asked.error:
        worst = max(rating.error for rating in group.ratings)
        missing.append(f"the largest error is {worst:.0f}")
    return f"{matches} matches are played, the most it may; {'; '.join(missing)}"


class _Field:
    """The bots, in the order of their tags, how often every two met, and how many boards line-ups have."""

    def __init__(self, league: League, played: Sequence[Played]) -> None:
        self.league = league
        self.bots = sorted(league.extensions[-1].entrants, key=tag)
        self.sides = sides_needed(league.game, league.players)
        self.blocks = 0
        self.met = [[0] * len(self.bots) for _ in self.bots]
        self._boards: dict[LineUp, int] = {}
        numbers = {entrant: number for number, entrant in enumerate(self.bots)}
        for each in played:
            for block in each.blocks:
                self._count([numbers[entrant] for entrant in block.line_up])

    def opening(self) -> Iterator[Block]:
        """One block for every two who never met, in as few line-ups as is easily found."""
        for one, other in combinations(range(len(self.bots)), 2):
            if self.met[one][other] == 0:
                yield self._block(self._filled([one, other]))

    def chosen(self, outlook: "_Outlook", picks: int) -> Iterator[Block]:
        """So many blocks, each chosen as if those before it were played."""
        for pick in range(picks):
            best = self._least_met() if pick % EVEN_EVERY == EVEN_EVERY - 1 else outlook.best(self.sides)
            outlook.expect(best)
            yield self._block(best)

    def _block(self, chosen: Sequence[int]) -> Block:
        line_up = self._count(chosen)
        first = (self._boards[line_up] - 1) * self.league.block + 1
        return Block(line_up, first, self.league.block)

    def _count(self, chosen: Sequence[int]) -> LineUp:
        line_up = tuple(self.bots[bot] for bot in sorted(chosen))
        self._boards[line_up] = self._boards.get(line_up, 0) + 1
        self.blocks += 1
        for one, other in combinations(chosen, 2):
            self.met[one][other] += 1
            self.met[other][one] += 1
        return line_up

    def _least_met(self) -> list[int]:
        """A line-up of bots that met least, and played least where that is equal."""
        plays = [sum(row) for row in self.met]
        pairs = combinations(range(len(self.bots)), 2)
        return self._filled(
            min(pairs, key=lambda pair: (self.met[pair[0]][pair[1]], sum(plays[i] for i in pair)))
        )

    def _filled(self, pair: Sequence[int]) -> list[int]:
        """A line-up of two and of those who met them least."""
        chosen = list(pair)
        while len(chosen) < self.sides:
            rest = (bot for bot in range(len(self.bots)) if bot not in chosen)
            chosen.append(
                min(rest, key=lambda bot: (sum(self.met[bot][i] for i in chosen), sum(self.met[bot])))
            )
        return chosen


class _Outlook:
    """What is known, and would be after some more blocks; in logits, bots in the order of the field."""

    def __init__(self, field: _Field, group: Group, asked: ends.Until) -> None:
        places = {rating.entrant: place for place, rating in enumerate(group.ratings)}
        order = [places[entrant] for entrant in field.bots]
        everyone = self._everyone = range(len(order))
        elo = [group.ratings[place].elo for place in order]
        self._known = [[group.covariance[i][j] / ELO**2 for j in order] for i in order]
        wanted = _asked_of(group, asked)
        asked_of = [[wanted[i][j] for j in order] for i in order]
        self._worth = _sandwich(self._known, asked_of)
        boards = field.league.block * _rotations(field.league) * weight(field.sides)
        self._tells = [[boards * _spread((elo[i] - elo[j]) / ELO) for j in everyone] for i in everyone]

    def best(self, sides: int) -> list[int]:
        """The pair that tells most, and those who add most to it."""
        gains = [(self._gain(i, j), i, j) for i in self._everyone for j in self._everyone[i + 1 :]]
        least = max(gains)[0] * (1 - TIED)
        chosen = next([i, j] for gain, i, j in gains if gain >= least)
        while len(chosen) < sides:
            rest = (bot for bot in self._everyone if bot not in chosen)
            chosen.append(max(rest, key=lambda bot: round(self._added(chosen, bot), TIED_DIGITS)))
        return chosen

    def expect(self, chosen: Sequence[int]) -> None:
        """Take a block as played."""
        for i, j in combinations(chosen, 2):
            tells = self._tells[i][j]
            scale = tells / (1 + tells * _between(self._known, i, j))
            shift = [row[i] - row[j] for row in self._known]
            worth = [row[i] - row[j] for row in self._worth]
            rest = scale * (worth[i] - worth[j])
            both = list(zip(shift, worth, strict=True))
            for a, (moved, gained) in enumerate(both):
                own, gain = scale * moved, scale * (rest * moved - gained)
                self._known[a] = [old - own * s for old, s in zip(self._known[a], shift, strict=True)]
                self._worth[a] = [
                    old + gain * s - own * w for old, (s, w) in zip(self._worth[a], both, strict=True)
                ]

    def _gain(self, i: int, j: int) -> float:
        known, worth, tells = self._known, self._worth, self._tells[i][j]
        gained = worth[i][i] + worth[j][j] - worth[i][j] - worth[j][i]
        return tells * gained / (1 + tells * (known[i][i] + known[j][j] - known[i][j] - known[j][i]))

    def _added(self, chosen: Sequence[int], bot: int) -> float:
        """What a bot adds to those chosen, as a share of what they tell."""
        told = sum(self._gain(i, j) for i, j in combinations(chosen, 2))
        more = sum(self._gain(bot, other) for other in chosen)
        return more / told if told > 0 else 0.0


def _spread(advantage: float) -> float:
    return logistic(advantage) * logistic(-advantage)


def _between(matrix: Sequence[Sequence[float]], i: int, j: int) -> float:
    """The value of x' M x for the difference of two bots."""
    return matrix[i][i] + matrix[j][j] - matrix[i][j] - matrix[j][i]


def _sandwich(outer: Sequence[Sequence[float]], inner: Sequence[Sequence[float]]) -> list[list[float]]:
    columns = list(zip(*inner, strict=True))
    left = [[dot(row, column) for column in columns] for row in outer]
    return [[dot(row, other) for other in outer] for row in left]


def _asked_of(group: Group, asked: ends.Until) -> list[list[float]]:
    """Sum of c c' over the comparisons that are to be settled, in the order of the group."""
    size = len(group.ratings)
    total = [[0.0] * size for _ in range(size)]
    for bot in ends.unsure(group, asked.error) if asked.error else ():
        own = [float(bot == other) - 1 / size for other in range(size)]
        for row, value in zip(total, own, strict=True):
            for other in range(size):
                row[other] += value * own[other]
    if asked.error and not asked.separated:
        return total
    for one, other in ends.open_pairs(group, asked.separated or size):
        doubt = _doubt(group, one, other)
        for i, j, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
            total[i][j] += sign * doubt
    return total


def _doubt(group: Group, one: int, other: int) -> float:
    """How open it is which of two is the stronger: 1 where they are equal."""
    difference = group.difference(group.ratings[one].entrant, group.ratings[other].entrant)
    return math.exp(-((difference.elo / difference.se) ** 2) / 2) if difference.se else 1.0
