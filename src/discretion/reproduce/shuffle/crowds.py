"""The collections of the paper: k-RR, alone or through the shuffler."""

import discretion as dc
from discretion.reproduce.item import exact


def noisy(k: int, p: float) -> float:
    """Return the probability of guessing a target's value from their own report, ``V[N]``."""
    return exact(dc.posterior_vulnerability(dc.RandomizedResponse(k, p=p)))


def shuffled(k: int, p: float, n: int) -> float:
    """Return the guess of an adversary who knows nobody's value, ``V[NS]``; ``V[S]`` if p = 1."""
    return exact(dc.posterior_vulnerability(crowd(k, p, n)))


def all_but_one(p: float, first: int, second: int) -> float:
    """Return the guess of an adversary who knows the others' numbers of the first and the second of two values."""
    others = dc.AllButOne([first, second])
    return exact(dc.posterior_vulnerability(crowd(2, p, first + second + 1).seen_by(others)))


def crowd(k: int, p: float, n: int) -> dc.Shuffled:
    """Return n users with k values who report the truth with probability p."""
    return dc.Shuffled(dc.RandomizedResponse(k, p=p), n)
