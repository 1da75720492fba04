"""Gower's distance between records, in whole units, so that equal distances are equal."""

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
    """Records with their numbers as :func:`between` has them, shape (columns, records), and other values as codes.

    ``units`` is how many units a difference of 1 is in each column of numbers.
    """

    numbers: Reals
    units: Reals
    codes: Codes

    @property
    def size(self) -> int:
        """How many there are."""
        return self.numbers.shape[1]

    def select(self, places: Integers | slice) -> "Records":
        """Return some of them."""
        numbers = np.ascontiguousarray(self.numbers[:, places])
        return Records(numbers, self.units, np.ascontiguousarray(self.codes[:, places]))


def gower_numbers(numbers: Reals, low: float, high: float) -> tuple[Reals, float]:
    """Return numbers from low on, and how many units a difference of 1 is then; UNIT are from low to high.

    They are divided by a power of two only, so that differences that are equal stay so: it is these that are rounded to
    whole units. NaN is UNIT or more from every number, and what is far outside as far from all inside as it is anyhow.
    """
    width = high - low
    exponent = math.frexp(width)[1]
    with np.errstate(invalid="ignore", over="ignore"):
        inside = np.ldexp(np.clip(numbers - low, -width, 2 * width), -exponent)
    inside = np.where(np.isinf(numbers), np.copysign(_INFINITE, numbers), inside)
    return np.where(np.isnan(numbers), _MISSING, inside), UNIT / math.ldexp(width, -exponent)


def gower_distances(rows: Records, references: Records) -> Reals:
    """Return ``Σ_columns min(|x − y|, 1)`` over numbers, and 1 for each other value that differs, in units.

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
