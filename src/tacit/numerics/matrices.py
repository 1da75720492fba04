"""Arrays of real numbers, and their rank."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

RANK_TOLERANCE = 1e-9


def rank(matrix: Reals) -> int:
    """Return the numerical rank: singular values up to 1e-9 of the largest one count as 0."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int((singular > RANK_TOLERANCE * singular[0]).sum())


def besides_maxima(matrix: Reals) -> float:
    """Return the sum of all entries but the largest in each column."""
    largest = np.asarray(matrix.argmax(axis=0))
    return float(np.delete(matrix.T.ravel(), largest + matrix.shape[0] * np.arange(largest.size)).sum())
