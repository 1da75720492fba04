"""Ends of certified intervals: the floats next to a number that it is surely not below, and surely not above."""

import math
from fractions import Fraction


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most the number.

    Examples
    --------
    >>> below(Fraction(23, 40)), below(Fraction(1, 10)), below(Fraction(1, 2))
    (0.575, 0.09999999999999999, 0.5)
    """
    nearest = float(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def float_above(number: Fraction) -> float:
    """Return the least float that is at least the number.

    Examples
    --------
    >>> above(Fraction(23, 40)), above(Fraction(1, 10)), above(Fraction(1, 2))
    (0.5750000000000001, 0.1, 0.5)
    """
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)
