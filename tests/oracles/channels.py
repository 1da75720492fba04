"""Channels as lists of rows of Fractions, by double loops."""

from fractions import Fraction

import numpy as np


def exact(matrix):
    """The very numbers that the floats are."""
    rows = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
    return [[Fraction(float(entry)) for entry in row] for row in rows]


def cascade(C, D):
    rows, inner, columns = range(len(C)), range(len(D)), range(len(D[0]))
    return [[sum(C[x][y] * D[y][z] for y in inner) for z in columns] for x in rows]


def parallel(C, D):
    return [[a * b for a in left for b in right] for left, right in zip(C, D, strict=True)]


def reduced(C):
    """Zero columns dropped, proportional ones merged, in the order of their first members."""
    merged = []
    for column in zip(*C, strict=True):
        if not any(column):
            continue
        for i, other in enumerate(merged):
            if all(column[x] * sum(other) == other[x] * sum(column) for x in range(len(column))):
                merged[i] = tuple(a + b for a, b in zip(other, column, strict=True))
                break
        else:
            merged.append(column)
    return [list(row) for row in zip(*merged, strict=True)]


def randomized_response(k, p):
    """k-RR, the truth with probability p (a Fraction for exact answers)."""
    return [[p if x == y else (1 - p) / (k - 1) for y in range(k)] for x in range(k)]
