"""The games that can be played: one line each. Bots import this package in the box: standard library only."""

from arena.games import idiot, imp, imperial, mpirimpa
from arena.games.base import Game

GAMES: dict[str, Game] = {
    "idiot": idiot.GAME,
    "imp": imp.GAME,
    "imperial": imperial.GAME,
    "mpirimpa": mpirimpa.GAME,
}
