"""The laws of the histogram that a shuffled crowd shows, a row per value of the target, for `oracles.rows`."""

import itertools
import math
from functools import reduce

import pytest

mpmath = pytest.importorskip("mpmath")
mpf = mpmath.mpf


def with_target(rows, others):
    """Add the target's report to the others' histogram."""
    laws = [_added(others, row) for row in rows]
    seen = sorted(set().union(*laws))
    return [[law.get(histogram, mpf(0)) for histogram in seen] for law in laws]


def others(rows, known_counts, strangers=0, population=None):
    """The law of the others' histogram: so many hold each value, and some strangers' values come from a population."""
    laws = [_multinomial(row, count) for row, count in zip(rows, known_counts, strict=True) if count]
    if strangers:
        mean = [
            mpmath.fsum(p * cell for p, cell in zip(population, column, strict=True))
            for column in zip(*rows, strict=True)
        ]
        laws.append(_multinomial(mean, strangers))
    return reduce(_convolved, laws, {(0,) * len(rows[0]): mpf(1)})


def exchangeable(rows, n, alpha):
    """Given the target's value, the others' values are Dirichlet-multinomial with one more of it."""
    laws = []
    for target in range(len(rows)):
        urn = [mpf(a) + (value == target) for value, a in enumerate(alpha)]
        total = {}
        for counts in compositions(n - 1, len(rows)):
            balls = mpmath.fprod(
                mpmath.rf(a, count) / math.factorial(count) for a, count in zip(urn, counts, strict=True)
            )
            weight = balls * math.factorial(n - 1) / mpmath.rf(mpmath.fsum(urn), n - 1)
            for histogram, mass in others(rows, counts).items():
                total[histogram] = total.get(histogram, mpf(0)) + weight * mass
        laws.append(_added(total, rows[target]))
    seen = sorted(set().union(*laws))
    return [[law.get(histogram, mpf(0)) for histogram in seen] for law in laws]


def compositions(total, parts):
    """All ways to write a number as so many counts."""
    for bars in itertools.combinations(range(total + parts - 1), parts - 1):
        yield tuple(after - before - 1 for before, after in itertools.pairwise((-1, *bars, total + parts - 1)))


def _added(law, row):
    return _convolved(law, {tuple(int(y == z) for z in range(len(row))): p for y, p in enumerate(row) if p})


def _multinomial(row, count):
    def mass(histogram):
        orders = math.factorial(count) // math.prod(map(math.factorial, histogram))
        return orders * mpmath.fprod(p**c for p, c in zip(row, histogram, strict=True))

    law = {histogram: mass(histogram) for histogram in compositions(count, len(row))}
    return {histogram: p for histogram, p in law.items() if p}


def _convolved(left, right):
    law = {}
    for g, p in left.items():
        for h, q in right.items():
            both = tuple(map(sum, zip(g, h, strict=True)))
            law[both] = law.get(both, mpf(0)) + p * q
    return law
