"""What the adversary wants: a gain ``g(w, x)`` for each guess w when the secret is x."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import InvalidGainError, UnsupportedError
from tacit.validation import as_count, as_reals


class Joint(Protocol):
    """A joint law of secret and observation, entries ``[x, y]``, that is asked and need not be an array."""

    def column_maxima(self) -> NDArray[np.float64]:
        """Return the largest entry of each column."""
        ...

    def mixtures(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``weights @ joint``."""
        ...


class Gain(ABC):
    """A gain function over k secrets; a subclass says what the best guess gains."""

    secrets: int

    @abstractmethod
    def best(self, joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``max_w Σ_x g(w, x) joint[x, y]`` for every column y of ``joint``, whose entries are non-negative."""

    @abstractmethod
    def best_in(self, joint: Joint) -> NDArray[np.float64]:
        """Return the same of a joint law that need not be an array."""

    @abstractmethod
    def of_best(self, believed: NDArray[np.float64], joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the guess that is best for each column of ``believed`` gains in that of ``joint``."""

    @abstractmethod
    def guesses(self) -> NDArray[np.float64]:
        """Return the gain as a matrix, rows guesses and columns secrets."""

    @abstractmethod
    def from_least(self) -> "Gain":
        """Return the gain less each secret's least: it raises the vulnerability by as much, in sums of small terms."""

    @property
    @abstractmethod
    def width(self) -> float:
        """The largest gain less the least."""


@dataclass(frozen=True)
class IdentityGain(Gain):
    """Gain 1 for naming the secret in one try, else 0."""

    secrets: int

    def best(self, joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest entry of every column."""
        return joint.max(axis=0)

    def best_in(self, joint: Joint) -> NDArray[np.float64]:
        """Return the largest entry of every column."""
        return joint.column_maxima()

    def of_best(self, believed: NDArray[np.float64], joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each column's entry where the believed one is largest."""
        return np.take_along_axis(joint, believed.argmax(axis=0)[None, :], axis=0)[0]

    def guesses(self) -> NDArray[np.float64]:
        """Return the identity matrix."""
        return np.eye(self.secrets)

    def from_least(self) -> Gain:
        """Return the gain itself, whose least is 0."""
        return self

    @property
    def width(self) -> float:
        """A guess is right or wrong."""
        return 1.0


@dataclass(frozen=True, eq=False)
class MatrixGain(Gain):
    """A gain given as a matrix, rows guesses and columns secrets."""

    matrix: NDArray[np.float64]
    secrets: int

    def best(self, joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest expected gain in every column."""
        return (self.matrix @ joint).max(axis=0)

    def best_in(self, joint: Joint) -> NDArray[np.float64]:
        """Return the largest expected gain in every column."""
        return joint.mixtures(self.matrix).max(axis=0)

    def of_best(self, believed: NDArray[np.float64], joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each column's expected gain of the guess that is best for the believed one."""
        best = (self.matrix @ believed).argmax(axis=0)
        return np.einsum("yx,xy->y", self.matrix[best], joint)

    def guesses(self) -> NDArray[np.float64]:
        """Return the matrix itself."""
        return self.matrix

    def from_least(self) -> Gain:
        """Return the matrix less the least of each column."""
        return MatrixGain(self.matrix - self.matrix.min(axis=0), self.secrets)

    @property
    def width(self) -> float:
        """The range of the matrix."""
        return float(self.matrix.max() - self.matrix.min())


def identity_gain(k: int) -> Gain:
    """Return the gain of naming the secret in one try: ``g(w, x) = 1`` if ``w = x``, else 0.

    Parameters
    ----------
    k
        Number of secrets, at least 1.

    Raises
    ------
    InvalidValueError
        If k is not a whole number of at least 1.

    Notes
    -----
    The vulnerability of this gain is the Bayes vulnerability. For datasets it is the single-target gain (Shuffle,
    Definition 13) when the secret is the target's value.

    Examples
    --------
    >>> identity_gain(3).secrets
    3
    """
    return IdentityGain(as_count(k, "k", at_least=1))


def gain_matrix(W: ArrayLike) -> Gain:
    """Return the gain ``g(w, x) = W[w, x]``.

    Parameters
    ----------
    W
        Shape ``(guesses, secrets)``, finite, and the largest entry less the least is too. Entries may be negative as
        long as the vulnerabilities are not asked for as a ratio.

    Raises
    ------
    InvalidGainError
        If W is not a finite matrix with at least one row and one column.

    Notes
    -----
    What is said of absolute errors is in units of the gain's width, its largest entry less its least, where that is
    over 1: a vulnerability, and a leakage that is a difference, have a relative error of at most 1e-10 or an absolute
    one of 1e-12 times the width.

    Examples
    --------
    >>> gain_matrix([[1, 0, 0], [0, 1, 1]]).secrets  # is it the first value or not?
    3
    """
    try:
        matrix = as_reals(W)
    except ValueError:
        raise InvalidGainError("a gain matrix must hold numbers in rows of equal length") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidGainError(
            f"a gain matrix needs a row per guess and a column per secret, got an array of shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        w, x = (int(i) for i in np.argwhere(~np.isfinite(matrix))[0])
        raise InvalidGainError(f"a gain must be a number, got {matrix[w, x]} for guess {w} and secret {x}")
    if not math.isfinite(float(matrix.max()) - float(matrix.min())):
        raise InvalidGainError(
            f"gains must differ by a number, got {matrix.min():g} and {matrix.max():g}; take another unit"
        )
    matrix.setflags(write=False)
    return MatrixGain(matrix, matrix.shape[1])


def as_gain(gain: Gain | None, k: int) -> Gain:
    """Return the gain on k secrets; None means identity."""
    if gain is None:
        return IdentityGain(k)
    if not isinstance(gain, Gain):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(
            f"gain must be None or a gain function, got {type(gain).__name__}; wrap a matrix with tacit.gain_matrix"
        )
    if gain.secrets != k:
        raise InvalidGainError(f"the gain is over {gain.secrets} secrets and the system has {k}")
    return gain
