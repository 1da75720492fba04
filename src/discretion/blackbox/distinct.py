"""The distinct values of a column, and the code of each entry among them."""

import math
from decimal import Decimal
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers

NUMBERS = "biuf"

_CHUNK = 1 << 16
_SPARSEST = 4


def distinct(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Integers]:
    """Return the distinct values of a column, and the code of each entry: its place among them."""
    if column.dtype.kind in "biu":
        return distinct_integers(column)
    if column.dtype.kind == "f":
        return _sorted_apart(column)
    return _distinct_objects(column, name)


def distinct_integers(column: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
    """Return the distinct whole numbers, ascending, and the codes; in linear time if the numbers are dense."""
    low, high = int(column.min()), int(column.max())
    span = high - low + 1
    if span > _SPARSEST * column.size:
        return _sorted_apart(column)
    # Modulo 2⁶⁴ differences and sums are correct for both signed and unsigned numbers.
    lowest = np.uint64(low % 2**64)
    above = (column.astype(np.uint64) - lowest).view(np.int64)
    there = np.zeros(span, dtype=np.bool_)
    there[above] = True
    places = np.cumsum(there) - 1
    return (np.flatnonzero(there).astype(np.uint64) + lowest).astype(column.dtype), places[above]


def codes_of_rows(rows: NDArray[Any], name: str = "observations") -> Integers:
    """Return the code of each observation, a value or a row of values, among the distinct ones."""
    columns = rows.reshape(len(rows), -1).T
    known, codes = distinct(columns[0], name)
    for column in columns[1:]:
        if known.size == codes.size and column.dtype.kind in NUMBERS:
            break  # all are already distinct, and numbers need no check
        values, more = distinct(column, name)
        known, codes = distinct_integers(codes * values.size + more)
    return codes


def first_places(codes: Integers, count: int) -> Integers:
    """Return the first place of each of ``count`` codes."""
    first = np.empty(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]  # of several writes the last one stays
    return first


def _sorted_apart(column: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
    values, codes = np.unique(column, return_inverse=True)
    return values, codes.astype(np.int64, copy=False)


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
                f"{name} must be hashable for comparison ({error}); convert each to a tuple or text, "
                "or compare observations by NearestNeighbours with a metric"
            ) from None
        codes[start : start + len(entries)] = np.fromiter(map(table.__getitem__, entries), np.int64, len(entries))
    for value, code in table.items():
        if not _is_finite(value):
            row = int(np.argmax(codes == code))
            raise InvalidValueError(f"{name} must be finite, got {value} in row {row} (the first is 0)")
    values = np.empty(len(table), dtype=object)
    for value, code in table.items():
        values[code] = value
    return (values if column.dtype.kind == "O" else values.astype(column.dtype)), codes


def _is_finite(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_finite, cast(tuple[Any, ...], value)))
    return not isinstance(value, (float, np.floating, Decimal)) or math.isfinite(cast(float, value))
