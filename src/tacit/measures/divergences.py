"""How far two probability distributions are apart."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.adversaries.priors import as_distribution
from tacit.errors import InvalidPriorError, InvalidValueError
from tacit.numerics.excess import deviance
from tacit.validation import as_real

Reals = NDArray[np.float64]

_LARGEST = 709.0


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return the total variation distance ``TV(p, q) = ½ Σ_y |p_y - q_y|``.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.

    Returns
    -------
    float
        In [0, 1]: what an observer of one draw can gain over a coin flip in telling p from q, times two.

    Raises
    ------
    InvalidPriorError
        If p or q is not a distribution, or they are over different numbers of outcomes.

    Notes
    -----
    Source: Bayes-sec, section III.

    Examples
    --------
    >>> total_variation([0.5, 0.5, 0], [0.5, 0, 0.5])
    0.5
    """
    left, right = _over_the_same(p, q)
    return min(1.0, float(np.abs(left - right).sum()) / 2)


def hockey_stick(p: ArrayLike, q: ArrayLike, epsilon: float) -> float:
    """Return the hockey-stick divergence ``Σ_y max(0, p_y - e^ε q_y)``: the least δ of (ε, δ)-closeness, one way.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.
    epsilon
        ε >= 0; infinity is fine.

    Returns
    -------
    float
        In [0, 1]; at ε = 0 the total variation.

    Raises
    ------
    InvalidPriorError
        If p or q is not a distribution, or they are over different numbers of outcomes.
    InvalidValueError
        If ε is not a number of at least 0.

    Notes
    -----
    Source: Balle, Bell, Gascón and Nissim, CRYPTO 2019. It is not symmetric.

    Examples
    --------
    >>> round(hockey_stick([0.5, 0.5], [0.25, 0.75], 0.5), 6)
    0.08782
    """
    left, right = _over_the_same(p, q)
    return min(1.0, excess_mass(left, right, as_epsilon(epsilon)))


def renyi_divergence(p: ArrayLike, q: ArrayLike, order: float) -> float:
    """Return the Rényi divergence ``D_α(p‖q) = log Σ_y p_y^α q_y^(1-α) / (α - 1)``, in nats.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.
    order
        α >= 0; at 1 the Kullback-Leibler divergence, at infinity ``log max_y p_y/q_y``.

    Returns
    -------
    float
        At least 0; infinite where q excludes an outcome of p and α >= 1, or the two have none in common.

    Raises
    ------
    InvalidPriorError
        If p or q is not a distribution, or they are over different numbers of outcomes.
    InvalidValueError
        If the order is negative or not a number.

    Notes
    -----
    Source: van Erven and Harremoës, Rényi divergence and Kullback-Leibler divergence, 2014.

    Examples
    --------
    >>> round(renyi_divergence([0.5, 0.5], [0.25, 0.75], 2), 6)
    0.287682
    """
    left, right = _over_the_same(p, q)
    level = as_real(order, "order")
    if level < 0:
        raise InvalidValueError(f"order must be at least 0, got {order!r}")
    if level == 0:
        common = min(1.0, float(right[left > 0].sum()))
        return -math.log(common) if common > 0 else math.inf
    return renyi_of(left, right, level)


def as_epsilon(epsilon: float) -> float:
    """Return ε, or say what was given."""
    level = as_real(epsilon, "epsilon")
    if level < 0:
        raise InvalidValueError(f"epsilon must be at least 0, got {epsilon!r}")
    return level


def excess_mass(p: Reals, q: Reals, epsilon: float) -> float:
    """Return ``Σ_y max(0, p_y - e^ε q_y)``."""
    if epsilon < _LARGEST:
        return excess_over(p, q, math.exp(epsilon))
    if math.isinf(epsilon):
        return excess_over(p, q, math.inf)
    above = p > 0
    with np.errstate(divide="ignore"):  # e^ε overflows: let the logarithms meet first
        excess = np.log(p[above]) - np.log(q[above]) - epsilon
    return float((p[above] * -np.expm1(-np.maximum(excess, 0.0))).sum())


def excess_over(p: Reals, q: Reals, ratio: float) -> float:
    """Return ``Σ_y max(0, p_y - ratio · q_y)``; an infinite ratio leaves what q excludes."""
    if math.isinf(ratio):
        return float(p[q == 0].sum())
    return float(np.maximum(p - ratio * q, 0.0).sum())


def renyi_of(p: Reals, q: Reals, order: float) -> float:
    """Return the Rényi divergence of order > 0."""
    both = (p > 0) & (q > 0)
    if not both.any() or (order >= 1 and np.any((q == 0) & (p > 0))):
        return math.inf
    logs = np.log(p[both]) - np.log(q[both])
    if math.isinf(order):
        return max(0.0, float(logs.max()))
    if order == 1:
        return float(deviance(p[q > 0], q[q > 0]).sum())
    # Near independence, and near order 1, Σ p (p/q)^β is nearly 1. Sum its excess, less β(p - q), which sums to 0.
    beta = order - 1
    with np.errstate(over="ignore"):
        terms = p[both] * (np.expm1(beta * logs) + beta * np.expm1(-logs))
    alone = beta * float(q[p == 0].sum()) - order * float(p[q == 0].sum())
    excess = float(terms.sum()) + alone
    if math.isfinite(excess):
        return max(0.0, math.log1p(excess) / beta) if excess > -1 else math.inf
    powers = np.log(p[both]) + beta * logs
    return (float(powers.max()) + math.log(float(np.exp(powers - powers.max()).sum()))) / beta


def _over_the_same(p: ArrayLike, q: ArrayLike) -> tuple[Reals, Reals]:
    left, right = as_distribution(p, "p"), as_distribution(q, "q")
    if left.size != right.size:
        raise InvalidPriorError(f"p and q must be over the same outcomes, got {left.size} and {right.size}")
    return left, right
