"""Types of arrays, and their inner product."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Integers = NDArray[np.int64]
AnyIntegers = NDArray[np.integer[Any]]  # of any width
Codes = AnyIntegers  # values of a column, numbered, in as few bytes as they need
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]  # of bits
Booleans = NDArray[np.bool_]

# Of longer products BLAS gives a part to each core, and then waits for longer than the sum takes.
_SUMMED_BY_ONE_CORE = 1 << 13


def code_type(count: int) -> np.dtype[np.integer[Any]]:
    """Return the narrowest type for the codes of this number of values, at most 2³¹.

    Examples
    --------
    >>> [str(code_type(count)) for count in (256, 257, 65_536, 65_537)]
    ['uint8', 'uint16', 'uint16', 'int32']
    """
    return np.dtype(next((kind for kind in ("u1", "u2") if count <= 1 << 8 * np.dtype(kind).itemsize), "i4"))


def inner_product(left: Reals, right: Reals | Integers) -> float:
    """Return ``Σ left · right``, the same on any number of cores.

    Examples
    --------
    >>> inner_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    parts = (slice(start, start + _SUMMED_BY_ONE_CORE) for start in range(0, left.size, _SUMMED_BY_ONE_CORE))
    return sum((float(left[part] @ right[part]) for part in parts), 0.0)
