"""Ends of intervals as text, rounded outwards, so that what is printed still holds.

A float stands for the shortest number that rounds to it.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_down(value: float, digits: int) -> str:
    """Return the largest number of so many significant digits that is at most this one.

    Examples
    --------
    >>> rounded_down(0.66666, 3), rounded_down(-0.66666, 3), rounded_down(0.5, 3), rounded_down(0.0, 3)
    ('0.666', '-0.667', '0.5', '0')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int) -> str:
    """Return the least number of so many significant digits that is at least this one.

    Examples
    --------
    >>> rounded_up(0.66666, 3), rounded_up(0.00044, 1), rounded_up(0.99996, 3), rounded_up(float("inf"), 3)
    ('0.667', '0.0005', '1', 'inf')
    """
    return _rounded(value, digits, ROUND_CEILING)


def _rounded(value: float, digits: int, rounding: str) -> str:
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(Decimal(repr(float(value))))):.{digits}g}"
