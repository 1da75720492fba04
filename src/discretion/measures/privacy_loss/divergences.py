"""Divergences between two probability distributions."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution, exact_distribution
from discretion.errors import InvalidPriorError, InvalidValueError
from discretion.estimate import quantity
from discretion.numerics.arrays import Reals
from discretion.validation import as_epsilon, as_real, holds_fractions

_LARGEST = 709.0
_NEAR_ZERO = 0.5


@quantity
def total_variation(p: ArrayLike, q: ArrayLike) -> float | Fraction:
    """Return the total variation distance ``TV(p, q) = ½ Σ_y |p_y - q_y|``.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.

    Returns
    -------
    float or Fraction
        In [0, 1]: twice the advantage over a coin flip with which an observer of one draw can distinguish p from q. A
        Fraction if p and q have fractions and whole numbers.

    Notes
    -----
    Source: Bayes-sec, section III.

    Examples
    --------
    >>> total_variation([0.5, 0.5, 0], [0.5, 0, 0.5])
    0.5
    """
    left, right = _over_the_same(p, q)
    if holds_fractions(p) or holds_fractions(q):
        exact = exact_distribution(p, "p"), exact_distribution(q, "q")
        if exact[0] is not None and exact[1] is not None:
            return Fraction(np.abs(exact[0] - exact[1]).sum(), 2)
    return min(1.0, float(np.abs(left - right).sum()) / 2)


@quantity
def hockey_stick(p: ArrayLike, q: ArrayLike, epsilon: float) -> float:
    """Return the hockey-stick divergence ``Σ_y max(0, p_y - e^ε q_y)``: the least δ of p against q at ε.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.
    epsilon
        ε >= 0, infinity included.

    Returns
    -------
    float
        In [0, 1]; at ε = 0 the total variation.

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


@quantity
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
    InvalidValueError
        If the order is below 0.

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
    return renyi_of_logs(logarithms(left), logarithms(right), level)


def excess_mass(p: Reals, q: Reals, epsilon: float) -> float:
    """Return ``Σ_y max(0, p_y - e^ε q_y)``."""
    if epsilon < _LARGEST:
        return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())
    return excess_mass_of_logs(logarithms(p), logarithms(q), epsilon)


def excess_over(p: Reals, q: Reals, ratio: float) -> float:
    """Return ``Σ_y max(0, p_y - ratio · q_y)``; an infinite ratio leaves what q excludes."""
    if math.isinf(ratio):
        return float(p[q == 0].sum())
    return float(np.maximum(p - ratio * q, 0.0).sum())


def excess_mass_of_logs(log_p: Reals, log_q: Reals, epsilon: float) -> float:
    """Return ``Σ_y max(0, p_y - e^ε q_y)`` of logarithms, so that neither e^ε overflows nor q underflows."""
    possible = log_p > -math.inf
    log_p, log_q = log_p[possible], log_q[possible]
    excluded = log_q == -math.inf
    excess = np.where(excluded, math.inf, log_p - np.where(excluded, 0.0, log_q) - epsilon)
    return float((np.exp(log_p) * -np.expm1(-np.maximum(excess, 0.0))).sum())


def logarithms(p: Reals) -> Reals:
    """Return the logarithms of probabilities, -∞ for 0."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def renyi_of_logs(log_p: Reals, log_q: Reals, order: float) -> float:
    """Return the Rényi divergence of order > 0 of laws given by the logarithms of their probabilities."""
    in_p, in_q = log_p > -math.inf, log_q > -math.inf
    common = in_p & in_q
    if not common.any() or (order >= 1 and np.any(in_p & ~in_q)):
        return math.inf
    logs = log_p[common], log_q[common]
    losses = logs[0] - logs[1]
    if math.isinf(order):
        return max(0.0, float(losses.max()))
    p, q = np.exp(logs[0]), np.exp(logs[1])
    p_alone, q_alone = float(np.exp(log_p[in_p & ~in_q]).sum()), float(np.exp(log_q[in_q & ~in_p]).sum())
    if order == 1:
        return float((p * losses + _difference(q, p, -losses)).sum()) + q_alone
    above = order - 1
    # A mean of powers of p/q under p, or of q/p under q, whichever has the smaller exponents.
    if order >= 0.5:
        base, log_base, other, power, ratios = p, logs[0], q, above, losses
    else:
        base, log_base, other, power, ratios = q, logs[1], p, -order, -losses
    exponents = power * ratios
    powers = log_base + exponents
    most = float(powers.max())
    log_moment = most + math.log(float(np.exp(powers - most).sum()))
    if abs(log_moment) < _NEAR_ZERO:
        # Near independence, and near order 0 or 1: sum the excess over 1, minus terms that sum to 0: all of one sign.
        grown = np.where(exponents < 1, base * np.expm1(np.minimum(exponents, 1.0)), np.exp(powers) - base)
        excess = float((grown + power * _difference(other, base, -ratios)).sum())
        log_moment = math.log1p(excess + above * q_alone - order * p_alone)
    return max(0.0, log_moment / above)


def _difference(x: Reals, y: Reals, logs: Reals) -> Reals:
    """Return x - y given ``log(x/y)``, in full relative precision where they are close."""
    return np.where(np.abs(logs) < 1, y * np.expm1(np.clip(logs, -1, 1)), x - y)


def _over_the_same(p: ArrayLike, q: ArrayLike) -> tuple[Reals, Reals]:
    left, right = as_distribution(p, "p"), as_distribution(q, "q")
    if left.size != right.size:
        raise InvalidPriorError(f"p and q must be over the same outcomes, got {left.size} and {right.size}")
    return left, right
