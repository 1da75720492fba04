"""Gower's distance between records, in whole units, so that equal distances are exactly equal."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.numerics.arrays import Codes, Integers, Reals
from discretion.numerics.compiled import compiled

# What a column adds at most: sums over 2^13 columns are exact.
UNIT = float(1 << 40)
_MISSING, _INFINITE = 4.0, 8.0


@dataclass(frozen=True)
class Records:
    """Records: numbers scaled by `gower_numbers`, shape (columns, records), and other values as codes.

    ``units`` has the number of units of a difference of 1 in each column of numbers.
    """

    numbers: Reals
    units: Reals
    codes: Codes

    @property
    def size(self) -> int:
        """The number of records."""
        return self.numbers.shape[1]

    def select(self, places: Integers | slice) -> "Records":
        """Return some of the records."""
        numbers = np.ascontiguousarray(self.numbers[:, places])
        return Records(numbers, self.units, np.ascontiguousarray(self.codes[:, places]))


def gower_numbers(numbers: Reals, low: float, high: float) -> tuple[Reals, float]:
    """Return numbers relative to ``low``, and the units of a difference of 1; from low to high there are UNIT units.

    They are divided by a power of two only, so that equal differences stay equal and are then rounded to whole units.
    NaN is at least UNIT away from every number; numbers far outside of the range keep the largest distance to all
    inside.
    """
    width = high - low
    exponent = math.frexp(width)[1]
    with np.errstate(invalid="ignore", over="ignore"):
        inside = np.ldexp(np.clip(numbers - low, -width, 2 * width), -exponent)
    inside = np.where(np.isinf(numbers), np.copysign(_INFINITE, numbers), inside)
    return np.where(np.isnan(numbers), _MISSING, inside), UNIT / math.ldexp(width, -exponent)


def gower_distances(rows: Records, references: Records) -> Reals:
    """Return ``Σ_columns min(|x − y|, 1)`` over numbers, plus 1 for each other value that differs, in units.

    Shape (rows, references). Source: Gower, A general coefficient of similarity and some of its properties, 1971.

    Examples
    --------
    >>> numbers, units = gower_numbers(np.array([[0.0, 5.0, 10.0]]), 0, 10)
    >>> known = Records(numbers, np.array([units]), np.array([[0, 1, 1]], np.int32))
    >>> (gower_distances(known.select(slice(1)), known) / UNIT).tolist()
    [[0.0, 1.5, 2.0]]
    """
    distances = np.zeros((rows.size, references.size))
    compiled(_add_distances)(
        references.numbers, references.codes, rows.numbers, rows.codes, references.units, UNIT, distances
    )
    return distances


def _add_distances(  # noqa: PLR0917 - a loop over arrays
    numbers: Reals, codes: Codes, row_numbers: Reals, row_codes: Codes, units: Reals, unit: float, distances: Reals
) -> None:
    for i in range(distances.shape[0]):
        for column in range(numbers.shape[0]):
            number = row_numbers[column, i]
            for j in range(distances.shape[1]):
                away = abs(numbers[column, j] - number) * units[column]
                distances[i, j] += min(np.floor(away + 0.5), unit)
        for column in range(codes.shape[0]):
            code = row_codes[column, i]
            for j in range(distances.shape[1]):
                distances[i, j] += unit if codes[column, j] != code else 0.0
