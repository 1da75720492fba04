"""Thresholds as exact fractions, so that "fewer than t·n alike" is a question about integers."""

import math
import operator
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.validation import as_count

_DIGITS = 1000

Threshold = int | float | Fraction | Decimal | str


def as_fraction(threshold: Threshold) -> Fraction:
    """Return the threshold as an exact fraction.

    A float stands for the simplest fraction that rounds to it: neither its binary value nor its decimal print, since
    with either of them about half of all k/n would be off by one person.

    Parameters
    ----------
    threshold
        In [0, 1]: an int, a Fraction, a Decimal, text such as ``"0.001"`` or ``"1/3"``, or a float.

    Returns
    -------
    Fraction
        In [0, 1]. The float k/n gives back ``Fraction(k, n)`` for every n up to 10^7.

    Raises
    ------
    InvalidValueError
        If the threshold is not a number in [0, 1].

    Notes
    -----
    The simplest fraction of an interval has the smallest denominator; it is read off the continued fractions of the
    two ends (the Stern–Brocot tree). The ends of a rounding interval belong to it when the mantissa is even.

    Examples
    --------
    >>> as_fraction(0.1), as_fraction("0.001"), as_fraction(1 / 32561)
    (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 32561))
    """
    fraction = _exact(threshold)
    if fraction is None or not 0 <= fraction <= 1:
        raise InvalidValueError(
            f"a threshold must be a number in [0, 1] (an int, a Fraction, a Decimal, a float or text such as '0.001'), "
            f"got {short_repr(threshold)}"
        )
    return fraction


def most_exposed(people: int, budget: Threshold, name: str = "budget") -> int:
    """Return the largest number of people who may be exposed: the largest integer ≤ budget·n.

    Examples
    --------
    >>> most_exposed(32561, 0.01), most_exposed(3, 2 / 3)
    (325, 2)
    """
    share = _exact(budget)
    if share is None or not 0 <= share <= 1:
        raise InvalidValueError(f"{name} must be a share of the people in [0, 1], got {short_repr(budget)}")
    return math.floor(share * people)


def least_unexposed(people: int, k: int | None = None, threshold: Threshold | None = None) -> int:
    """Return the smallest class size that is not exposed: k, or the least integer ≥ t·n.

    Parameters
    ----------
    people
        The number of people, n.
    k, threshold
        Exactly one of them: a number of people, at least 1, or a share t of them in [0, 1].

    Raises
    ------
    UnsupportedError
        If none or both are given.

    Examples
    --------
    >>> least_unexposed(32561, threshold=0.001), least_unexposed(32561, k=10)
    (33, 10)
    """
    if (threshold is None) == (k is None):
        given = "neither" if k is None else "both"
        raise UnsupportedError(f"give either threshold=, a share of the people, or k=, a number of people; got {given}")
    if threshold is None:
        return as_count(k, "k", at_least=1)
    share = as_fraction(threshold)
    return -(-share.numerator * people // share.denominator)


def _exact(threshold: Any) -> Fraction | None:  # noqa: PLR0911 - one kind of threshold a line
    try:
        match threshold:
            case bool():
                return None
            case float() if 0 <= threshold <= 1:
                return _simplest_rounding_to(float(threshold))
            case str() if "/" in threshold:
                return Fraction(threshold)
            case str() | Decimal() if abs((number := Decimal(threshold)).adjusted()) <= _DIGITS:
                return Fraction(number)
            case Rational():
                return Fraction(operator.index(threshold.numerator), operator.index(threshold.denominator))
            case _:
                return None
    except (ValueError, ArithmeticError):
        return None


def _simplest_rounding_to(x: float) -> Fraction:
    if x == 0:
        return Fraction(0)
    exact = Fraction(x)
    low = (exact + Fraction(math.nextafter(x, 0))) / 2
    high = (exact + Fraction(math.nextafter(x, 2))) / 2
    even = int(x / math.ulp(x)) % 2 == 0
    return _simplest_between(low, high, closed=even)


def _simplest_between(low: Fraction, high: Fraction, *, closed: bool) -> Fraction:
    """Return the fraction of smallest denominator in the open or closed interval."""
    whole = low.numerator // low.denominator
    if closed and low == whole:
        return low
    if whole + 1 < high or (closed and whole + 1 == high):
        return Fraction(whole + 1)
    if low == whole:  # open: 1/q with the least q such that whole + 1/q lies below high
        return whole + Fraction(1, math.floor(1 / (high - whole)) + 1)
    return whole + 1 / _simplest_between(1 / (high - whole), 1 / (low - whole), closed=closed)
