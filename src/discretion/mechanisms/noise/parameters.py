"""Checks of the parameters of noise, and of the numbers to which it is added."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError, TooLargeError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import NotNumbersError, as_count, as_real, as_reals, as_rows

LARGEST_INTEGER = 1 << 53
_LARGEST_REPORT = (1 << 63) - 1


def as_positive(value: Any, name: str) -> float:
    """Return a finite number above 0, or raise an error that quotes the argument."""
    number = as_real(value, name)
    if not 0 < number < math.inf:
        raise InvalidValueError(f"{name} must be a positive, finite number, got {value!r}")
    return number


def check_ratio(sensitivity: float, scale: float, name: str) -> None:
    """Raise if the ratio of sensitivity and noise, which alone decides the leakage, does not fit in a double."""
    if not 0 < sensitivity / scale < math.inf:
        raise InvalidValueError(
            f"sensitivity/{name} must fit in a double, got {sensitivity:g}/{scale:g}; take values that are closer to "
            "each other"
        )


def as_distance(value: Any) -> int:
    """Return a sensitivity in whole numbers, at least 1 and small enough to be exact in a double."""
    distance = as_count(value, "sensitivity", at_least=1)
    if distance > LARGEST_INTEGER:
        raise TooLargeError("sensitivity must be at most 2^53, beyond which doubles skip whole numbers; got more")
    return distance


def as_finite(numbers: ArrayLike, name: str, row: int | None = None) -> Reals:
    """Return finite numbers, in one row or in rows of a given length, or raise an error that quotes the argument."""
    try:
        array = as_reals(numbers)
    except NotNumbersError:
        array = np.array(math.nan)
    if row is not None and array.shape == (0,):
        return np.empty((0, row))
    if array.shape[1:] != (() if row is None else (row,)) or array.ndim == 0 or not np.isfinite(array).all():
        where = "one row" if row is None else f"rows of {row:,}"
        raise InvalidValueError(f"{name} must be finite numbers in {where}, got {short_repr(numbers)}")
    return array


def as_whole(numbers: ArrayLike, name: str) -> Integers:
    """Return whole numbers of 64 bits in one row, or raise an error that quotes the argument."""
    array = as_rows(numbers, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuO"):
        raise InvalidValueError(
            f"{name} must be whole numbers in one row, got an array of {array.dtype} of shape {array.shape}"
        )
    for number in array.tolist() if array.dtype.kind in "uO" else ():  # of which some are larger than int64 holds
        if type(number) is not int or not -_LARGEST_REPORT - 1 <= number <= _LARGEST_REPORT:
            raise InvalidValueError(f"{name} must be whole numbers from -2^63 to 2^63 - 1, got {number!r:.60}")
    return array.astype(np.int64)
