"""Gains and losses of each guess, as explicit matrices."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains.gain import Gain, JointLaw
from discretion.errors import InvalidGainError
from discretion.numerics.arrays import Reals
from discretion.validation import Fractions, NotNumbersError, as_fractions, as_reals, holds_fractions

# Whole numbers below it are doubles.
_NOT_ROUNDED = 2.0**53


@dataclass(frozen=True, eq=False)
class MatrixGain(Gain):
    """A gain given as a matrix, rows guesses and columns secrets."""

    matrix: Reals
    fractions: Fractions | None = None

    def __repr__(self) -> str:
        guesses, secrets = self.matrix.shape
        return f"{type(self).__name__}({guesses:,} guesses × {secrets:,} secrets)"

    def __post_init__(self) -> None:
        self.matrix.setflags(write=False)

    @property
    def secrets(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The number of secrets: of columns of the matrix."""
        return self.matrix.shape[1]

    def best(self, joint: Reals) -> Reals:
        """Return the largest expected gain in every column."""
        return (self.matrix @ joint).max(axis=0)

    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return the largest expected gain in every column."""
        return joint.mixtures(self.matrix).max(axis=0)

    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return for each column the expected gain of the guess that is best for the believed column."""
        best = (self.matrix @ believed).argmax(axis=0)
        return np.einsum("yx,xy->y", self.matrix[best], joint)

    def guesses(self) -> Reals:
        """Return the matrix itself."""
        return self.matrix

    def from_least(self) -> Gain:
        """Return the matrix less the smallest gain of each column."""
        return MatrixGain(self.matrix - self.matrix.min(axis=0))

    def as_exact(self) -> Gain | None:
        """Return the gain as the fractions or whole numbers of the input, None if it has been rounded."""
        exact: Any = self.fractions
        if exact is None and (self.matrix == self.matrix.round()).all() and np.abs(self.matrix).max() < _NOT_ROUNDED:
            exact = as_fractions(self.matrix.astype(np.int64))
        return None if exact is None else MatrixGain(exact)

    def largest_shift(self, moved: Reals) -> float:
        """Return the most by which moving the secrets' law changes a guess's gain."""
        return float((np.abs(self.matrix) @ moved).max())

    @property
    def width(self) -> float:
        """The largest entry of the matrix minus the smallest."""
        return float(self.matrix.max() - self.matrix.min())

    @property
    def is_symmetric(self) -> bool:
        """Always False: the entries are not compared, although the matrix may be symmetric."""
        return False


@dataclass(frozen=True, eq=False)
class LossGain(MatrixGain):
    """A loss, which the adversary minimizes: its gain is minus the loss, and a risk is minus its vulnerability."""

    @property
    def losses(self) -> Reals:
        """The loss of each guess (row) for each secret (column)."""
        return 0.0 - self.matrix


def gain_matrix(W: ArrayLike) -> Gain:
    """Return the gain ``g(w, x) = W[w, x]``.

    Parameters
    ----------
    W
        Shape ``(guesses, secrets)``, finite, and the largest entry minus the smallest is finite too. Entries may be
        negative unless a measure divides by a vulnerability. Fractions and whole numbers stay exact for channels of
        fractions.

    Notes
    -----
    Absolute errors are in units of the gain's width, its largest entry minus its smallest, where that is over 1: a
    vulnerability, and a leakage that is a difference, have a relative error of at most 1e-10 or an absolute error of at
    most 1e-12 times the width.

    Examples
    --------
    >>> gain_matrix([[1, 0, 0], [0, 1, 1]]).secrets  # is it the first value or not?
    3
    """
    return MatrixGain(as_matrix(W, "gain", "gains"), fractions_in(W))


def loss_matrix(W: ArrayLike) -> Gain:
    """Return the gain of an adversary that pays the loss ``ℓ(w, x) = W[w, x]`` and minimizes it: ``g = -ℓ``.

    Parameters
    ----------
    W
        Shape ``(guesses, secrets)``, as for `gain_matrix`.

    Notes
    -----
    A vulnerability is then minus a risk: ``-posterior_vulnerability(system, prior, loss_matrix(W))`` is
    ``R_ℓ(π, C) = Σ_y min_w Σ_x π_x C[x, y] ℓ(w, x)``, and the additive leakage is the decrease of the risk by the
    observation. The rows of ``.losses`` are those of W. Source: Bayes-sec, Appendix F.

    Examples
    --------
    >>> import discretion as dc
    >>> miss = loss_matrix([[0, 10], [1, 0]])  # the guess "well" costs ten times as much for a sick person
    >>> round(-dc.posterior_vulnerability(dc.RandomizedResponse(2, p=0.75), gain=miss), 12)
    0.5
    """
    exact: Any = fractions_in(W)
    return LossGain(0.0 - as_matrix(W, "loss", "losses"), None if exact is None else -exact)


def fractions_in(W: ArrayLike) -> Fractions | None:
    """Return the matrix as fractions if it contains some and none has been rounded, else None."""
    return as_fractions(W) if holds_fractions(W) else None


def as_matrix(W: ArrayLike, what: str, several: str) -> Reals:
    """Return a copy of a finite matrix, or raise an error."""
    try:
        matrix = as_reals(W)
    except NotNumbersError:
        raise InvalidGainError(f"a {what} matrix must hold numbers in rows of equal length") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidGainError(
            f"a {what} matrix needs a row per guess and a column per secret, got an array of shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        w, x = (int(i) for i in np.argwhere(~np.isfinite(matrix))[0])
        raise InvalidGainError(f"a {what} must be a number, got {matrix[w, x]} for guess {w} and secret {x}")
    if not math.isfinite(float(matrix.max()) - float(matrix.min())):
        raise InvalidGainError(
            f"{several} must differ by a number, got {matrix.min():g} and {matrix.max():g}; take another unit"
        )
    return matrix
