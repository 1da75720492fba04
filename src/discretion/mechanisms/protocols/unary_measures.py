"""The leakage of unary encoding, in closed form for any number of values.

Write q for 1-λ. Compared with k bits that are all 1 with probability λ, a value's row has a factor for its own bit
only: ``κ/λ >= 1`` if that is 1, ``(1-κ)/q <= 1`` if it is 0. So the best guess is the likeliest value, or the likeliest
value whose bit is 1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.protocols.ranked_supports import plan_other_gain
from discretion.mechanisms.protocols.unary_encoding import UnaryEncoding
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import binomial_window

CLOSED_FORM = Method("closed form of unary encoding", "closed form")

# Represents log 0 where 0⁰ must be 1 and any other power of 0 must be 0.
_LOG_OF_ZERO = -1e9


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_unary_encoding(
    system: UnaryEncoding, prior: Prior, gain: Gain
) -> Plan[float | Estimate]:
    if not isinstance(gain, IdentityGain):
        return plan_other_gain(system, prior, gain)
    if prior is None:
        return Plan(CLOSED_FORM, lambda: _capacity(system) / system.k)
    return Plan(CLOSED_FORM, lambda: _posterior_bayes_vulnerability(system, prior))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_unary_encoding(system: UnaryEncoding) -> Plan[float]:
    return Plan(CLOSED_FORM, lambda: _capacity(system))


@plan_bayes_risk.register
def _bayes_risk_of_unary_encoding(system: UnaryEncoding, prior: Prior) -> Plan[float]:
    if prior is None:
        return Plan(CLOSED_FORM, lambda: _uniform_bayes_risk(system))
    return Plan(CLOSED_FORM, lambda: _bayes_risk(system, prior))


@plan_mutual_information.register
def _mutual_information_of_unary_encoding(system: UnaryEncoding, prior: Prior) -> Plan[float | Estimate]:
    if prior is None:
        return Plan(Method("sum over the number of ones", "exact"), lambda: _uniform_information(system))
    return plan_mutual_information.dispatch(object)(system, prior)


def _posterior_bayes_vulnerability(system: UnaryEncoding, prior: Reals) -> float:
    """Return the posterior vulnerability: a sum over the likeliest value with bit 1, which is a best guess or not."""
    ranked = np.sort(prior)[::-1]
    likeliest, others = float(ranked[0]), ranked[1:]
    zeros = _all_zero(system, np.arange(system.k))
    guessed = np.maximum(others * (system.kappa * system.not_lam), likeliest * (system.lam * system.not_kappa))
    return likeliest * system.kappa + float(zeros[:-1] @ guessed) + likeliest * system.not_kappa * float(zeros[-1])


def _bayes_risk(system: UnaryEncoding, prior: Reals) -> float:
    """Return the probability that the same guesses are wrong, as a sum of positive terms that keeps all digits.

    The guess misses any value but the likeliest unless all likelier values' bits are 0 and its own is 1; then it misses
    either this value or the likeliest.
    """
    ranked = np.sort(prior)[::-1]
    likeliest, others = float(ranked[0]), ranked[1:]
    before = np.arange(1, system.k)
    missed = _some_one(system, before) + system.not_kappa * _all_zero(system, before)
    undecided = np.minimum(others * (system.kappa * system.not_lam), likeliest * (system.lam * system.not_kappa))
    return float(others @ missed) + float(undecided @ _all_zero(system, before - 1))


def _capacity(system: UnaryEncoding) -> float:
    return system.kappa * _sum_of_powers(system, system.k) + system.not_kappa * float(_all_zero(system, system.k - 1))


def _uniform_bayes_risk(system: UnaryEncoding) -> float:
    lost = _missing_from_sum_of_powers(system, system.k) + system.not_kappa * _sum_of_powers(system, system.k - 1)
    return lost / system.k


def _uniform_information(system: UnaryEncoding) -> float:
    """Return the mean divergence of the posterior from the uniform prior, a sum over the number of ones."""
    if system.gap == 0:
        return 0.0
    first, mass = binomial_window(system.k - 1, system.lam, system.not_lam)
    ones = np.arange(first, first + mass.size)
    return float(mass @ (system.kappa * _divergence(system, ones + 1) + system.not_kappa * _divergence(system, ones)))


def _divergence(system: UnaryEncoding, ones: Integers) -> Reals:
    # Posteriors are proportional to κ(1-λ) for the ones and (1-κ)λ for the zeros, whose difference is κ-λ.
    zeros = system.k - ones
    total = np.where(ones == 0, 1.0, ones * system.gap + system.k * (system.not_kappa * system.lam))
    raised, lowered = zeros * system.gap / total, np.where(zeros == 0, 0.0, -ones * system.gap / total)
    excess = ones * relative_excess(raised) + zeros * relative_excess(np.maximum(lowered, -1.0))
    return np.where(ones == 0, 0.0, excess / system.k)


def _log_not_lam(system: UnaryEncoding) -> float:
    if system.not_lam == 0:
        return _LOG_OF_ZERO
    return math.log1p(-system.lam) if system.lam < 0.5 else math.log(system.not_lam)


def _all_zero(system: UnaryEncoding, bits: ArrayLike) -> Reals:
    """Return ``q^bits``, the probability that all of this number of other values' bits are 0."""
    return np.exp(np.multiply(bits, _log_not_lam(system)))


def _some_one(system: UnaryEncoding, bits: ArrayLike) -> Reals:
    """Return ``1 - q^bits``, the probability that at least one of these bits is 1."""
    return -np.expm1(np.multiply(bits, _log_not_lam(system)))


def _sum_of_powers(system: UnaryEncoding, terms: int) -> float:
    """Return ``1 + q + … + q^(terms-1)``."""
    return float(_some_one(system, terms)) / system.lam if system.lam > 0 else float(terms)


def _missing_from_sum_of_powers(system: UnaryEncoding, terms: int) -> float:
    """Return ``Σ_m 1 - q^m`` for m from 1 to terms-1, where the sum of powers is nearly ``terms`` by its series."""
    if terms * system.lam > 0.5:
        return terms - _sum_of_powers(system, terms)
    term, total = float(terms), 0.0
    for order in range(1, min(terms, 20)):
        term *= -(terms - order) * system.lam / (order + 1)
        total -= term
    return total
