"""Dense and sparse matrices, told apart without importing SciPy, whose sparse half takes half a second."""

import sys
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

RANK_TOLERANCE = 1e-9


def is_dense(matrix: object) -> TypeGuard[Reals]:
    """Whether the matrix is a NumPy array."""
    return isinstance(matrix, np.ndarray)


def is_sparse(matrix: object) -> bool:
    """Whether the matrix is scipy.sparse."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(matrix))


def dense(matrix: Any) -> Reals:
    """Return the matrix, or the row that a reduction left of it, as a NumPy array."""
    return matrix if is_dense(matrix) else cast(Reals, matrix.toarray())


def beside(matrices: Sequence[Any]) -> Any:
    """Return the matrices' columns side by side, sparse if one of them is."""
    if any(is_sparse(matrix) for matrix in matrices):
        from scipy.sparse import csr_array, hstack  # noqa: PLC0415 - half a second that dense users need not pay

        return hstack([csr_array(matrix) for matrix in matrices], format="csr")
    return np.hstack(matrices)


def rank(matrix: Reals) -> int:
    """Return the numerical rank: singular values up to 1e-9 of the largest one count as 0."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int((singular > RANK_TOLERANCE * singular[0]).sum())
