"""The best tests of two secrets by trying all: any set of outputs to accuse at, and mixtures of two."""

import itertools
from fractions import Fraction


def all_sets(p, q):
    """The false positives and false negatives of accusing at each set of outputs, as Fractions."""
    outputs = range(len(p))
    for size in range(len(p) + 1):
        for accused in itertools.combinations(outputs, size):
            yield sum((p[y] for y in accused), Fraction(0)), 1 - sum((q[y] for y in accused), Fraction(0))


def least_misses(points, rate):
    """The least false negatives of any test, or of drawing one of two, with no more than these false positives."""
    best = Fraction(1)
    for (x, y), (other_x, other_y) in itertools.product(points, repeat=2):
        if x <= rate:
            best = min(best, y)
        if x < rate < other_x:
            best = min(best, y + (other_y - y) * (rate - x) / (other_x - x))
    return best


def all_tests(rows):
    """The tests of all ordered pairs of rows."""
    return [point for a, b in itertools.permutations(rows, 2) for point in set(all_sets(a, b))]
