"""Priors: the adversary's probability distribution over the values of the secret before any observation.

Every distribution must sum to 1 within 1e-9; a sum that is off by more than 1e-14 divides the distribution.
"""

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.errors import InvalidPriorError, TooLargeError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Reals
from discretion.validation import (
    MAX_VALUES,
    SUM_ROUNDING,
    SUM_TOLERANCE,
    Fractions,
    NotNumbersError,
    as_count,
    as_fractions,
    as_index,
    as_reals,
)


def uniform(k: int) -> Reals:
    """Return the uniform prior on k values, ``π_x = 1/k``.

    Parameters
    ----------
    k
        Number of values, at least 1.

    Returns
    -------
    numpy.ndarray
        Shape ``(k,)``, read-only.

    Raises
    ------
    TooLargeError
        If k is more than a hundred million.

    Examples
    --------
    >>> uniform(4).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    k = as_count(k, "k", at_least=1)
    if k > (most := limits.current().numbers(MAX_VALUES)):
        raise TooLargeError(f"an explicit prior has at most {most:,} values; choose a measure that needs no prior")
    return _frozen(np.full(k, 1.0 / k))


def point(k: int, i: int) -> Reals:
    """Return the prior of an adversary that is certain that the secret is the i-th of k values.

    Parameters
    ----------
    k
        Number of values, at least 1.
    i
        Index of the certain value, in ``0..k-1``.

    Returns
    -------
    numpy.ndarray
        Shape ``(k,)``, read-only.

    Examples
    --------
    >>> point(3, 1).tolist()
    [0.0, 1.0, 0.0]
    """
    k = as_count(k, "k", at_least=1)
    prior = np.zeros(k)
    prior[as_index(i, "i", k)] = 1.0
    return _frozen(prior)


def as_distribution(values: ArrayLike, name: str) -> Reals:
    """Return ``values`` as a read-only probability vector with sum 1, or raise an error."""
    try:
        vector = as_reals(values)
    except NotNumbersError:
        raise InvalidPriorError(f"{name} must hold numbers only, got {short_repr(values)}") from None
    if vector.ndim != 1 or vector.size == 0:
        raise InvalidPriorError(f"{name} must be one row of probabilities, got an array of shape {vector.shape}")
    if not np.isfinite(vector).all():
        at = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InvalidPriorError(f"{name} must hold numbers, got {vector[at]} at index {at}")
    if vector.min() < 0:
        at = int(vector.argmin())
        raise InvalidPriorError(f"{name} must not be negative, got {vector[at]} at index {at}")
    total = float(vector.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InvalidPriorError(
            f"{name} must sum to 1, got a sum of {total:.12g}; divide it by its sum if that is meant"
        )
    if abs(total - 1) > SUM_ROUNDING:
        vector /= total
    return _frozen(vector)


def exact_distribution(values: ArrayLike, name: str) -> Fractions | None:
    """Return a probability vector as fractions that sum to 1, or None if some entries are doubles."""
    exact = as_fractions(values)
    if exact is not None and (total := sum(exact)) != 1:
        raise InvalidPriorError(
            f"{name} of fractions must sum to exactly 1, got a sum of {total}; divide it by its sum if that is meant"
        )
    return exact


def as_prior(prior: ArrayLike | None, k: int, name: str = "prior") -> Reals | None:
    """Return the prior as a probability vector on k secrets, or None if it is uniform."""
    if prior is None:
        return None
    vector = as_distribution(prior, name)
    if vector.size != k:
        raise InvalidPriorError(f"{name} must have one probability per secret ({k}), got {vector.size}")
    return None if (vector == 1 / k).all() else vector


def prior_vector(prior: Reals | None, k: int) -> Reals:
    """Return a checked prior on k secrets as a vector; None is the uniform prior."""
    return uniform(k) if prior is None else prior


def _frozen(vector: Reals) -> Reals:
    vector.setflags(write=False)
    return vector
