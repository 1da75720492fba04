"""Post-processing of raw estimates, which may leave [0, 1], into shares of a population, at no cost in privacy."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Reals
from discretion.validation import NotNumbersError, as_reals


def clipped(frequencies: ArrayLike) -> Reals:
    """Return the shares with negative ones set to 0 and the others divided by their sum.

    ``max(f_v, 0) / Σ_w max(f_w, 0)``

    Parameters
    ----------
    frequencies
        Raw estimates, such as `Mechanism.estimate_frequencies` returns, shape ``(k,)``.

    Returns
    -------
    numpy.ndarray
        Shape ``(k,)``, in [0, 1], summing to 1.

    Raises
    ------
    InvalidValueError
        If no frequency is positive.

    Notes
    -----
    Where many values are rare, their positive errors stay, and frequent values shrink: `norm_sub` and
    `iterative_bayesian_update` have smaller errors. Source: "Norm-Mul" of Wang, Lopuhaä-Zwakenberg, Li, Skoric and Li,
    Locally Differentially Private Frequency Estimation with Consistency, NDSS 2020.

    Examples
    --------
    >>> clipped([0.75, 0.5, -0.25]).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    positive = np.maximum(_as_numbers(frequencies, "frequencies"), 0)
    if not positive.any():
        raise InvalidValueError("clipped needs a positive frequency, got none; use norm_sub, which needs none")
    positive /= positive.max()
    return positive / positive.sum()


def simplex_projection(values: ArrayLike) -> Reals:
    """Return the shares nearest to the numbers: their Euclidean projection on the probability simplex.

    ``argmin_p Σ_v (p_v - f_v)²``, which is ``max(f_v - θ, 0)`` with the θ that makes it sum to 1.

    Parameters
    ----------
    values
        Any numbers, shape ``(k,)``.

    Returns
    -------
    numpy.ndarray
        Shape ``(k,)``, in [0, 1], summing to 1.

    Notes
    -----
    Proof: for a p of that form, ``f_v - p_v`` is θ where ``p_v > 0`` and at most θ elsewhere, so that for all shares r
    ``Σ_v (f_v - p_v)(r_v - p_v) <= θ Σ_v (r_v - p_v) = 0``, which means that p is nearest. The time is that of sorting
    the values less than 1 below the largest, since only these can stay positive. Source: Held, Wolfe and Crowder,
    Validation of subgradient optimization, Mathematical Programming 6, 1974.

    Examples
    --------
    >>> simplex_projection([0.75, 0.5, -0.25]).tolist()
    [0.625, 0.375, 0.0]
    """
    numbers = _as_numbers(values, "values")
    with np.errstate(over="ignore"):
        below = numbers - numbers.max()
    ranked = np.sort(below[below > -1])[::-1]
    thresholds = (np.cumsum(ranked) - 1) / np.arange(1, ranked.size + 1)
    shares = np.maximum(below - thresholds[np.count_nonzero(ranked > thresholds) - 1], 0)
    # The sum of a million numbers is off by more than their rounding; what is left of it is spread once more.
    excess = (shares.sum() - 1) / np.count_nonzero(shares)
    return np.where(shares > 0, np.maximum(shares - excess, 0), 0)


def norm_sub(frequencies: ArrayLike) -> Reals:
    """Return the shares with one amount taken from all of them and negative ones set to 0, so that they sum to 1.

    ``max(f_v - θ, 0)``. Norm-Sub is the literature's name for `simplex_projection` of raw estimates.

    Parameters
    ----------
    frequencies
        Raw estimates, such as `Mechanism.estimate_frequencies` returns, shape ``(k,)``.

    Returns
    -------
    numpy.ndarray
        Shape ``(k,)``, in [0, 1], summing to 1.

    Notes
    -----
    Source: Wang, Lopuhaä-Zwakenberg, Li, Skoric and Li, Locally Differentially Private Frequency Estimation with
    Consistency, NDSS 2020.

    Examples
    --------
    >>> norm_sub([0.75, 0.5, -0.25]).tolist()
    [0.625, 0.375, 0.0]
    """
    return simplex_projection(frequencies)


def _as_numbers(values: ArrayLike, name: str) -> Reals:
    try:
        numbers = as_reals(values)
    except NotNumbersError:
        numbers = np.empty(0)
    if numbers.ndim != 1 or numbers.size == 0 or not np.isfinite(numbers).all():
        raise InvalidValueError(f"{name} must be finite numbers in one row, got {short_repr(values)}")
    return numbers


#: What makes shares of raw estimates, by the names of the estimators that need no more than these.
POSTPROCESSING: Mapping[str, Callable[[Reals], Reals]] = {
    "raw": lambda raw: raw,
    "clipped": clipped,
    "norm_sub": norm_sub,
}
