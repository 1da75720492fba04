"""Storages of the probabilities of a channel: one module for each kind, all with the same methods."""

from collections.abc import Iterable, Sequence
from typing import Any

from discretion.channels.storage.dense import Dense
from discretion.channels.storage.rational import Rational
from discretion.channels.storage.sparse import Sparse
from discretion.channels.storage.storage import Matrix, Storage

__all__ = ["Dense", "Matrix", "Storage", "kind_of", "leading", "matrices", "stored"]

# Kinds that know a matrix of theirs when they see it; any other is made an array.
KINDS = (Sparse, Rational)


def kind_of(matrix: Any) -> type[Dense | Sparse | Rational]:
    """Return the kind of storage for a matrix."""
    return next((kind for kind in KINDS if kind.holds(matrix)), Dense)


def stored(matrix: Any) -> Storage:
    """Return a storage of a matrix that was computed from channels, without a copy."""
    return kind_of(matrix)(matrix)


def leading(parts: Iterable[Storage]) -> Storage:
    """Return one of the parts whose kind decides how the parts are combined."""
    return max(parts, key=lambda part: part.precedence)


def matrices(parts: Sequence[Storage]) -> list[Any]:
    """Return the matrices of several storages for a combination: fractions if all are exact, else doubles."""
    exact = all(part.fractions is not None for part in parts)
    return [part.matrix if exact or part.fractions is None else part.dense() for part in parts]
