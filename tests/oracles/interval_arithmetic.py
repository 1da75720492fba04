"""Arithmetic of intervals over all pairs of rational numbers in a grid of both, corners included."""

import itertools
from fractions import Fraction

STEPS = 4


def members(low, high):
    """Rational numbers from the low end to the high one, 0 among them if it is between."""
    low, high = Fraction(low), Fraction(high)
    grid = {low + (high - low) * step / STEPS for step in range(STEPS + 1)}
    return grid | ({Fraction(0)} if low <= 0 <= high else set())


def images(operation, first, second):
    """What the operation can be of numbers in two intervals."""
    return [operation(a, b) for a, b in itertools.product(members(*first), members(*second))]
