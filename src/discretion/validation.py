"""Checks of arguments that many public functions share; each raises an error that names the given value."""

import math
import operator
from fractions import Fraction
from numbers import Rational
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discretion import limits
from discretion.errors import InvalidValueError, TooLargeError
from discretion.escaping import short_repr

# Values of a mechanism: no prior for more fits in memory.
MAX_VALUES = 10**8
# Entries of an explicit channel.
MAX_ENTRIES = 1 << 26

# Probabilities must sum to 1 within the first. A sum that misses it by more than the second, which is more than their
# own rounding explains, is divided out, so that all that is computed of them is of one law.
SUM_TOLERANCE = 1e-9
SUM_ROUNDING = 1e-14

# What NumPy can walk through.
_MAX_DIMENSIONS = 32

# Of `fractions.Fraction` only.
Fractions = NDArray[np.object_]


def as_count(value: Any, name: str, *, at_least: int) -> int:
    """Return a whole number of at least ``at_least``, or raise an error."""
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool) or count < at_least:
        raise InvalidValueError(f"{name} must be a whole number of at least {at_least}, got {short_repr(value)}")
    return count


def as_crowd(value: Any, name: str) -> int:
    """Return a number of users, at least 1 and at most the limit on people, or raise an error."""
    count = as_count(value, name, at_least=1)
    if count > (most := limits.current().people):
        raise TooLargeError(f"{name} must be at most {most:,}, beyond which nothing is computed; got more")
    return count


def as_index(value: Any, name: str, k: int) -> int:
    """Return an index in 0..k-1, or raise an error."""
    index = as_count(value, name, at_least=0)
    if index >= k:
        raise InvalidValueError(f"{name} must be in 0..{k - 1}, got {short_repr(value)}")
    return index


def as_real(value: Any, name: str) -> float:
    """Return a real number (infinity included, NaN not), or raise an error."""
    try:
        number = math.nan if _is_masked(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, bool | str):
        raise InvalidValueError(f"{name} must be a number, got {short_repr(value)}")
    return number


def as_epsilon(epsilon: float) -> float:
    """Return ε, from 0 to infinity, or raise an error."""
    number = as_real(epsilon, "epsilon")
    if number < 0:
        raise InvalidValueError(f"epsilon must be at least 0, got {short_repr(epsilon)}")
    return abs(number)  # -0.0 is 0


def as_confidence(value: Any) -> float:
    """Return a confidence in (0, 1), or raise an error."""
    confidence = as_real(value, "confidence")
    if not 0 < confidence < 1:
        raise InvalidValueError(f"confidence must be in (0, 1), got {short_repr(value)}")
    return confidence


def as_probability(value: Any, name: str) -> float:
    """Return a number in [0, 1], or raise an error."""
    probability = as_real(value, name)
    if not 0 <= probability <= 1:
        raise InvalidValueError(f"{name} must be in [0, 1], got {short_repr(value)}")
    return probability


def as_order(order: float) -> float:
    """Return the order of a Rényi divergence, above 0 and possibly infinite, or raise an error."""
    level = as_real(order, "order")
    if level <= 0:
        raise InvalidValueError(f"order must be positive, got {short_repr(order)}")
    return level


class NotNumbersError(Exception):
    """Values that are no array of real numbers: text, complex or masked numbers, ragged rows."""


def as_reals(values: Any) -> NDArray[np.float64]:
    """Return a copy of the numbers as an array of doubles.

    Raises
    ------
    TooLargeError
        If there are more numbers than the limits allow; an array is checked before it is copied.
    """
    check_length(size_of(values))
    array = as_array(values)
    if array.dtype.kind not in "biufO":
        raise NotNumbersError(f"{array.dtype} is not a real number")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotNumbersError(str(error)) from None


def size_of(values: Any) -> int:
    """Return how many numbers an array has, or all arrays in a list; 0 for any other value."""
    if isinstance(values, list | tuple):
        return sum(int(getattr(row, "size", 1)) for row in cast("list[Any]", values))
    size = getattr(values, "size", 0)
    return size if isinstance(size, int) else 0


def check_length(length: Any) -> None:
    """Refuse more values than the limits allow, before they are copied."""
    if isinstance(length, int) and length > (most := limits.current().numbers(MAX_VALUES)):
        raise TooLargeError(f"there may be at most {most:,} numbers, got {length:,}")


def as_array(values: Any) -> NDArray[Any]:
    """Return the values as an array, without copying an array.

    Raises
    ------
    NotNumbersError
        If some are masked, rows have different lengths, or lists are nested without end.
    TooLargeError
        If a list holds arrays of more numbers than the limits allow.
    """
    if are_masked(values):
        raise NotNumbersError("some are masked")
    if not hasattr(values, "dtype"):  # arrays in a list are copied
        check_length(size_of(values))
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotNumbersError(str(error)) from None
    if array.ndim > _MAX_DIMENSIONS:  # lists in lists without end
        raise NotNumbersError("lists are nested too deeply")
    return array


def as_indices(values: Any, name: str, size: int) -> NDArray[np.int64]:
    """Return the values as a row of whole numbers in ``0..size-1``, or raise an error that names a wrong one."""
    array = as_rows(values, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidValueError(
            f"{name} must be whole numbers in one row, got an array of {array.dtype} of shape {array.shape}"
        )
    wrong = array[(array < 0) | (array >= size)]
    if wrong.size:
        raise InvalidValueError(f"{name} must be in 0..{size - 1}, got {wrong[0]}")
    return array.astype(np.int64, copy=False)


def as_rows(values: Any, name: str) -> NDArray[Any]:
    """Return the values as an array, or raise an error if the rows have different lengths."""
    try:
        return as_array(values)
    except NotNumbersError:
        raise InvalidValueError(f"{name} must be in rows of equal length, got {short_repr(values)}") from None


def are_masked(values: Any) -> bool:
    """Return whether some of the values are masked; NumPy would replace these by NaN or by the hidden value."""
    if isinstance(values, np.ndarray):
        return type(cast(Any, values)) is not np.ndarray and bool(np.ma.getmaskarray(cast(Any, values)).any())
    if not isinstance(values, list | tuple):
        return False
    rows = cast("list[Any]", values)
    inner = [cast("list[Any]", row) for row in rows if isinstance(row, list | tuple)]
    return any(_is_masked(value) for row in (rows, *inner) for value in row)


def _is_masked(value: Any) -> bool:
    # The masked value is an array; NumPy loads its module when it is first named, which takes a tenth of a start.
    return isinstance(value, np.ndarray) and value is np.ma.masked


def holds_fractions(values: Any) -> bool:
    """Return whether the numbers are fractions and whole numbers only, and not all of them whole."""
    if getattr(values, "dtype", np.object_) != np.object_:
        return False
    check_length(size_of(values))
    return as_fractions(values) is not None and np.asarray(values).dtype == np.object_


def as_fractions(values: Any) -> Fractions | None:
    """Return a copy of the numbers as fractions if all are fractions or whole; None otherwise, as for doubles."""
    try:
        given = np.array(values, dtype=object)
    except ValueError:  # ragged
        return None
    if given.ndim > _MAX_DIMENSIONS or not all(isinstance(entry, Rational) for entry in given.flat):
        return None
    # NumPy's whole numbers would stay in a fraction, and overflow there.
    exact = [Fraction(int(entry.numerator), int(entry.denominator)) for entry in given.flat]
    return np.array(exact, dtype=object).reshape(given.shape)
