"""Leagues whose matches are thrown by known strengths: in memory, without a store."""

import math
from collections.abc import Mapping
from hashlib import sha256
from random import Random
from typing import Any

from arena.games import GAMES
from arena.league.course import Course
from arena.model import Clock, Entrant, Extension, League, Result, TableJob

ELO = 400 / math.log(10)


def league(elos: Mapping[str, float], *, boards: int, until: str | None = None, **fields: Any) -> League:
    entrants = tuple(Entrant(name, sha256(name.encode()).hexdigest()) for name in elos)
    usual = {"game": "idiot", "players": 2, "block": 4, "schedule": "adaptive", **fields}
    extension = Extension(entrants, boards, b"s" * 32, until)
    return League("sim", options={}, clock=Clock(), sandbox="plain", extensions=(extension,), **usual)


def throw(job: TableJob, elos: Mapping[str, float], seed: str) -> list[Result]:
    """Places by strength and luck (Gumbel noise: Bradley-Terry for every two); a function of job and seed."""
    sides = GAMES[job.game].sides(len(job.seating))
    bots = tuple((job.seating[seats[0]],) for seats in sides)
    rows = []
    for board in job.boards:
        dice = Random(f"{seed} {job.key} {board.number}")
        luck = [elos[bot.name] / ELO - math.log(-math.log(dice.random())) for (bot,) in bots]
        places = tuple(float(sorted(luck, reverse=True).index(each) + 1) for each in luck)
        rows.append(Result(board.seed.hex(), bots, places, None, ((),) * len(bots)))
    return rows


class Simulated:
    """A league that was played to its end."""

    def __init__(self, of: League, elos: Mapping[str, float], seed: str) -> None:
        self.jobs: list[list[TableJob]] = []
        self.kept: dict[str, list[Result]] = {}
        course = Course(of, finished=(), results=lambda before: self.kept[before])
        for batch in course.batches():
            jobs = list(batch)
            self.jobs.append(jobs)
            self.kept[jobs[0].key[:9]] = [row for job in jobs for row in throw(job, elos, seed)]
        self.course = course
        self.reason = course.end.reason
        self.matches = sum(len(job.boards) for jobs in self.jobs for job in jobs)
