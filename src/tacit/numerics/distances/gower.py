"""Gower's distance between records, in whole units, so that equal distances are equal."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.compiled import compiled

Reals = NDArray[np.float64]
Codes = NDArray[np.int32]

# What a column adds at most: sums over 2^13 columns are exact.
UNIT = float(1 << 40)
_MISSING = 4 * UNIT


@dataclass(frozen=True)
class Records:
    """Records with their numbers in units, shape (columns, records), and their other values as codes, likewise."""

    numbers: Reals
    codes: Codes

    @property
    def size(self) -> int:
        """How many there are."""
        return self.numbers.shape[1]

    def taken(self, places: NDArray[np.int64] | slice) -> "Records":
        """Return some of them."""
        return Records(np.ascontiguousarray(self.numbers[:, places]), np.ascontiguousarray(self.codes[:, places]))


def in_units(numbers: Reals, low: float, high: float) -> Reals:
    """Return numbers in units of distance, of which there are UNIT from low to high; NaN is UNIT from every number.

    What is further than that outside is as far from all inside anyhow.
    """
    with np.errstate(invalid="ignore"):
        within = np.clip((numbers - low) / (high - low), -1.0, 2.0)
    return np.where(np.isnan(numbers), _MISSING, np.rint(within * UNIT))


def gower_distances(asked: Records, known: Records) -> Reals:
    """Return ``Σ_columns min(|x − y|, 1)`` over numbers, and 1 for each other value that differs, in units.

    Shape (asked, known). Source: Gower, A general coefficient of similarity and some of its properties, 1971.

    Examples
    --------
    >>> known = Records(in_units(np.array([[0.0, 5.0, 10.0]]), 0, 10), np.array([[0, 1, 1]], np.int32))
    >>> (gower_distances(known.taken(slice(1)), known) / UNIT).tolist()
    [[0.0, 1.5, 2.0]]
    """
    found = np.zeros((asked.size, known.size))
    compiled(_add_distances)(known.numbers, known.codes, asked.numbers, asked.codes, UNIT, found)
    return found


def _add_distances(  # noqa: PLR0917 - a loop over arrays
    numbers: Reals, codes: Codes, asked_numbers: Reals, asked_codes: Codes, unit: float, found: Reals
) -> None:
    for i in range(found.shape[0]):
        for column in range(numbers.shape[0]):
            number = asked_numbers[column, i]
            for j in range(found.shape[1]):
                found[i, j] += min(abs(numbers[column, j] - number), unit)
        for column in range(codes.shape[0]):
            code = asked_codes[column, i]
            for j in range(found.shape[1]):
                found[i, j] += unit if codes[column, j] != code else 0.0
