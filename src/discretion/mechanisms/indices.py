"""Whole numbers in a row, such as people's values or reports that are numbered."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion import validation
from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Integers


def as_indices(values: ArrayLike, name: str, size: int) -> Integers:
    """Return the values as a row of whole numbers in ``0..size-1``, or say what is wrong with them."""
    array = as_array(values, name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidValueError(
            f"{name} must be whole numbers in one row, got an array of {array.dtype} of shape {array.shape}"
        )
    wrong = array[(array < 0) | (array >= size)]
    if wrong.size:
        raise InvalidValueError(f"{name} must be in 0..{size - 1}, got {wrong[0]}")
    return array.astype(np.int64, copy=False)


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return the values as an array, or say what is wrong with them."""
    try:
        return validation.as_array(values)
    except validation.NotNumbersError:
        raise InvalidValueError(f"{name} must be in rows of equal length, got {short_repr(values)}") from None
