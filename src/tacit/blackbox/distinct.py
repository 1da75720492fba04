"""The distinct values of a column, and which of them each entry is."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidValueError

Integers = NDArray[np.int64]

NUMBERS = "biuf"

_CHUNK = 1 << 16
_SPARSEST = 4


def distinct(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Integers]:
    """Return the distinct values of a column, and the code of each entry: its place among them."""
    kind = column.dtype.kind
    if kind in "biu":
        return _distinct_integers(column)
    if kind == "f":
        values, codes = np.unique(column, return_inverse=True)
        return values, codes.astype(np.int64, copy=False)
    return _distinct_objects(column, name)


def _distinct_integers(column: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
    low, high = int(column.min()), int(column.max())
    span = high - low + 1
    if span > _SPARSEST * column.size + _CHUNK:
        values, codes = np.unique(column, return_inverse=True)
        return values, codes.astype(np.int64, copy=False)
    # Modulo 2⁶⁴ differences and sums are right for signed and unsigned numbers alike.
    lowest = np.uint64(low % 2**64)
    above = (column.astype(np.uint64) - lowest).view(np.int64)
    there = np.zeros(span, dtype=np.bool_)
    there[above] = True
    places = np.cumsum(there) - 1
    return (np.flatnonzero(there).astype(np.uint64) + lowest).astype(column.dtype), places[above]


def _distinct_objects(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Integers]:
    table: dict[Any, int] = {}
    codes = np.empty(column.size, dtype=np.int64)
    for start in range(0, column.size, _CHUNK):
        entries = column[start : start + _CHUNK].tolist()
        try:
            for value in dict.fromkeys(entries):
                table.setdefault(value, len(table))
        except TypeError as error:
            raise InvalidValueError(
                f"{name} must be hashable to be told apart ({error}); turn each into a tuple or text, "
                "or compare observations by NearestNeighbours with a metric"
            ) from None
        codes[start : start + len(entries)] = np.fromiter(map(table.__getitem__, entries), np.int64, len(entries))
    for value, code in table.items():
        if isinstance(value, float) and not math.isfinite(value):
            row = int(np.argmax(codes == code))
            raise InvalidValueError(f"{name} must be finite, got {value} in row {row} (the first is 0)")
    values = np.empty(len(table), dtype=object)
    for value, code in table.items():
        values[code] = value
    return (values if column.dtype.kind == "O" else values.astype(column.dtype)), codes
