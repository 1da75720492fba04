"""The attack curves that a guarantee allows: the least false negative rate at each false positive rate."""

import math

import numpy as np

from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.attack_curves.polygon import Polygon
from discretion.validation import as_epsilon, as_probability


def tradeoff_of_dp(epsilon: float, delta: float = 0.0) -> AttackCurve:
    """Return the curve that bounds every attack on an (ε, δ)-differentially private system from below.

    ``f(α) = max(0, 1 - δ - e^ε α, e^-ε (1 - δ - α))``

    Parameters
    ----------
    epsilon, delta
        ε >= 0, infinity is fine, and δ in [0, 1].

    Returns
    -------
    AttackCurve
        Attained by randomized response between two values that, with probability δ, reports the true value and reveals
        that it is the true one.

    Notes
    -----
    Source: Wasserman and Zhou, A statistical framework for differential privacy, JASA 2010; Kairouz, Oh and Viswanath,
    The composition theorem for differential privacy, ICML 2015.

    Examples
    --------
    >>> curve = tradeoff_of_dp(1.0, delta=0.01)
    >>> round(curve.at(0.1), 6), round(curve.advantage, 6), round(curve.compose(curve).epsilon(0.02), 6)
    (0.718172, 0.467496, 1.999809)
    """
    level, lost = as_epsilon(epsilon), as_probability(delta, "delta")
    more = (1 - lost) / (1 + math.exp(-level))
    masses = np.array([lost, more, more * math.exp(-level), 0.0])
    return AttackCurve(Polygon(masses[::-1], masses, np.array([math.inf, level, -level, -math.inf])))


def tradeoff_of_bayes_security(security: float) -> AttackCurve:
    """Return the curve that bounds every attack on a system with this Bayes security: ``f(α) = max(0, β* - α)``.

    Parameters
    ----------
    security
        β* in [0, 1].

    Returns
    -------
    AttackCurve
        The curve of (0, 1 - β*)-differential privacy: a total variation of 1 - β*.

    Examples
    --------
    >>> round(tradeoff_of_bayes_security(0.9).at(0.3), 12)
    0.6
    """
    return tradeoff_of_dp(0.0, 1 - as_probability(security, "security"))
