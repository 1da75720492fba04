"""The histogram of draws from several laws in Fractions: a draw after the other, or binomial tails."""

import math
from collections import defaultdict
from fractions import Fraction


def law(counts, rows):
    """Every histogram that can be, with its probability."""
    m = len(rows[0])
    reached = {(0,) * m: Fraction(1)}
    for count, row in zip(counts, rows, strict=True):
        for _ in range(count):
            after = defaultdict(Fraction)
            for h, mass in reached.items():
                for y, p in enumerate(map(Fraction, row)):
                    if p:
                        after[*h[:y], h[y] + 1, *h[y + 1 :]] += mass * p
            reached = dict(after)
    return reached


def tail(counts, probabilities, at_least):
    """The probability of so many hits in two groups of draws, with one probability of a hit in each."""
    (first, second), (p, q) = counts, probabilities
    mass = [_binomial(second, hits, q) for hits in range(second + 1)]
    above = [Fraction(0)] * (second + 2)
    for hits in range(second, -1, -1):
        above[hits] = above[hits + 1] + mass[hits]
    others = ((_binomial(first, hits, p), max(0, at_least - hits)) for hits in range(first + 1))
    return float(sum(weight * above[min(least, second + 1)] for weight, least in others))


def _binomial(n, hits, p):
    return math.comb(n, hits) * p**hits * (1 - p) ** (n - hits)
