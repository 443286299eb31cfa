# CRASH exit code 1; last words: ZeroDivisionError
from protocol.client import run


def choose(decision):
    return decision.legal[1 // 0]


run(choose)
