"""The corners of the region above some lines, where a convex or concave function has its extremes."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from discretion.numerics.arrays import Reals

# Of the product of a system's row sums: below, its equations do not determine a point.
_SINGULAR = 1e-13
# How far a coordinate may be below 0, next to the largest, and a line below 1.
_ROUNDING = 1e-9


def corner_count(lines: int, coordinates: int) -> int:
    """Return the number of systems of equations that may determine a corner."""
    return math.comb(lines + coordinates, coordinates) - 1


def corners(lines: Reals) -> Reals:
    """Return all corners of ``{p >= 0: L p >= 1}``, shape ``(corners, coordinates)``, where no entry of L is negative.

    At a corner the number of lines that are 1 equals the number of coordinates that are not 0; all combinations are
    tried. Points that rounding leaves undecided count as corners.
    """
    count, coordinates = lines.shape
    maxima = [np.empty((0, coordinates))]
    for size in range(1, min(count, coordinates) + 1):
        rows = np.array(list(itertools.combinations(range(count), size)))
        for kept in itertools.combinations(range(coordinates), size):
            systems = lines[:, kept][rows]
            scale = systems.sum(axis=2).prod(axis=1)
            systems = systems[np.abs(np.linalg.det(systems)) > _SINGULAR * scale]
            solved = np.linalg.solve(systems, np.ones((len(systems), size, 1)))[:, :, 0]
            points = np.zeros((len(solved), coordinates))
            points[:, kept] = solved
            points = points[points.min(axis=1) >= -_ROUNDING * points.max(axis=1)].clip(0.0)
            maxima.append(points[(points @ lines.T).min(axis=1) >= 1 - _ROUNDING])
    return np.concatenate(maxima)


def exact_corners(lines: Sequence[Sequence[Fraction]]) -> Iterator[list[Fraction]]:
    """Yield the same corners, in fractions: for lines whose entries are too far apart for doubles.

    Examples
    --------
    >>> [[float(x) for x in corner] for corner in exact_corners([[Fraction(1), Fraction(10) ** 300]])]
    [[1.0, 0.0], [0.0, 1e-300]]
    """
    count, coordinates = len(lines), len(lines[0])
    for size in range(1, min(count, coordinates) + 1):
        for rows in itertools.combinations(range(count), size):
            for kept in itertools.combinations(range(coordinates), size):
                solved = _solved([[lines[row][place] for place in kept] for row in rows])
                if solved is None or min(solved) < 0:
                    continue
                point = [Fraction(0)] * coordinates
                for place, value in zip(kept, solved, strict=True):
                    point[place] = value
                if all(sum(a * b for a, b in zip(line, point, strict=True)) >= 1 for line in lines):
                    yield point


def _solved(system: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the x with ``A x = 1``, None if there is not exactly one (Gauss and Jordan)."""
    rows = [[*row, Fraction(1)] for row in system]
    for place in range(len(rows)):
        pivot = next((row for row in range(place, len(rows)) if rows[row][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for other in range(len(rows)):
            if other != place and (factor := rows[other][place]):
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[place], strict=True)]
    return [row[-1] for row in rows]
