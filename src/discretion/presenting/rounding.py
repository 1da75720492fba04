"""Ends of intervals as text, rounded outwards, so that what is printed still holds.

A float stands for the shortest number that rounds to it. One that may itself have been rounded outwards to the next
float, as an exact end is, can stand for the `shortest` between both.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_down(value: float, digits: int) -> str:
    """Return the largest number of so many significant digits that is at most this one.

    Examples
    --------
    >>> rounded_down(0.66666, 3), rounded_down(-0.66666, 3), rounded_down(0.5, 3), rounded_down(0.0, 3)
    ('0.666', '-0.667', '0.5', '0')
    """
    return _rounded(Decimal(repr(float(value))), digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int) -> str:
    """Return the least number of so many significant digits that is at least this one.

    Examples
    --------
    >>> rounded_up(0.66666, 3), rounded_up(0.00044, 1), rounded_up(0.99996, 3), rounded_up(float("inf"), 3)
    ('0.667', '0.0005', '1', 'inf')
    """
    return _rounded(Decimal(repr(float(value))), digits, ROUND_CEILING)


def shortest(end: float, inwards: float) -> Decimal:
    """Return the number with the fewest digits that rounds to a float or to the next one in a direction.

    Examples
    --------
    >>> shortest(0.5750000000000001, -math.inf), shortest(0.1, -math.inf)
    (Decimal('0.575'), Decimal('0.1'))
    """
    return Decimal(min(repr(float(end)), repr(math.nextafter(end, inwards)), key=len))


def _rounded(value: Decimal, digits: int, rounding: str) -> str:
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(value)):.{digits}g}"
