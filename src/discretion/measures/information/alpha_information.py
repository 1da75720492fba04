"""Information of an order α: Shannon's information at 1, and at infinity the largest improvement of a guess."""

import math
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains import IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.channels.storage import Storage
from discretion.errors import UnsupportedError
from discretion.estimate import Estimate, mapped
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import EXPLICIT, Prior, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import Unit, nats_in, plan_mutual_information
from discretion.measures.measure import Plan, as_plain, measure, prior_on
from discretion.measures.privacy_loss.differential_privacy import log_likelihoods
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.validation import as_order

# This close to 1, the difference of a sum from 1 is summed instead, so that no digits are lost.
_NEAR = 0.5
# An observation with a smaller probability adds nothing.
_LEAST = 1e-300
# At a smaller order, probabilities too small for a double may matter: ``(1e-308)^α / α`` is above 1e-13.
_SMALL = 0.05


@measure
def sibson_information(
    system: System, order: float, prior: ArrayLike | None = None, unit: Unit = "nats"
) -> Plan[float | Estimate]:
    """Return Sibson's information of order α of secret and observation: ``min_q D_α(π C ‖ π × q)``.

    ``I_α = α/(α-1) log Σ_y (Σ_x π_x C[x, y]^α)^(1/α)``; at 1 the mutual information, at infinity the logarithm of the
    Bayes capacity of the secrets that are possible.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets.
    order
        α > 0, infinity included.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    float or Estimate
        At least 0; it grows with the order. An `Estimate` only for crowds that are too large to sum over.

    Raises
    ------
    TooLargeError, UnsupportedError
        If the object is not a system; at other orders than 1 and infinity, if it has no explicit channel.

    Notes
    -----
    Source: Sibson, Information radius, 1969; Verdú, α-mutual information, ITA 2015. Small orders give rare observations
    nearly the same weight as frequent ones. A 0 in a channel means impossible. In the channel of another system, a 0
    may be a probability under 1e-308, which no double can hold. Such systems are refused at orders under 0.05, unless
    they have the logarithms, as `discretion.Exponential` and `discretion.repeated` do.

    Examples
    --------
    >>> import discretion as dc
    >>> C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    >>> [round(dc.measures.sibson_information(C, order), 6) for order in (0.5, 1, 2, float("inf"))]
    [0.158347, 0.275396, 0.400991, 0.530628]
    """
    nats, alpha, plain = nats_in(unit), as_order(order), as_plain(system)
    return plan_sibson_information(plain, alpha, prior_on(plain, prior)).then(lambda information: information / nats)


@measure
def arimoto_information(
    system: System, order: float, prior: ArrayLike | None = None, unit: Unit = "nats"
) -> Plan[float | Estimate]:
    """Return Arimoto's information of order α: the decrease of the secret's Rényi entropy by the observation.

    ``I_α = α/(α-1) log (Σ_y (Σ_x (π_x C[x, y])^α)^(1/α) / (Σ_x π_x^α)^(1/α))``; at 1 the mutual information, at
    infinity the logarithm of the multiplicative leakage of a single guess (min-entropy leakage).

    Parameters
    ----------
    system, order, prior, unit
        As for `sibson_information`.

    Returns
    -------
    float or Estimate
        At least 0, at most the Rényi entropy of the prior.

    Notes
    -----
    Source: Arimoto, Information measures and capacity of order α for discrete memoryless channels, 1977. It is Sibson's
    information with a prior in proportion to ``π^α``, so that the maximum over all priors is the same.

    Examples
    --------
    >>> import math, discretion as dc
    >>> C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    >>> round(dc.measures.arimoto_information(C, math.inf, [0.6, 0.4]) - math.log(dc.leakage(C, [0.6, 0.4])), 12)
    0.0
    """
    nats, alpha, plain = nats_in(unit), as_order(order), as_plain(system)
    return plan_arimoto_information(plain, alpha, prior_on(plain, prior)).then(lambda information: information / nats)


@measure
def maximal_leakage(system: System, unit: Unit = "nats") -> Plan[float | Estimate]:
    """Return the maximal leakage: the log of the largest factor by which a guess about the secret can improve.

    ``log Σ_y max_x C[x, y]``, Sibson's information of infinite order and the logarithm of the Bayes capacity.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets, all of them possible.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    float or Estimate
        In [0, log k]; an `Estimate` where the Bayes capacity is one.

    Notes
    -----
    Source: Issa, Wagner and Kamath, An operational approach to information leakage, 2020. It depends on the prior only
    through the set of possible secrets, which `discretion.restricted` selects.

    Examples
    --------
    >>> import discretion as dc
    >>> dc.measures.maximal_leakage(dc.Channel([[1, 0, 0], [0, 0.5, 0.5]]), unit="bits")
    1.0
    """
    nats = nats_in(unit)
    return _logarithm(plan_multiplicative_bayes_capacity(as_plain(system))).then(lambda leakage: leakage / nats)


@singledispatch
def plan_sibson_information(system: System, order: float, prior: Prior) -> Plan[float | Estimate]:
    """Plan Sibson's information, in nats, by summing over the explicit channel, or by its limits at 1 and infinity."""
    if order == 1:
        return plan_mutual_information(system, prior)
    if order == math.inf and (prior is None or prior.all()):
        return _logarithm(plan_multiplicative_bayes_capacity(system))
    law = prior_vector(prior, system.secrets)
    if order <= _NEAR:
        return Plan(
            EXPLICIT, lambda: _raised(order, _log_norms(_log_rows(system, order), order, logarithms(law) / order))
        )
    return Plan(EXPLICIT, lambda: sibson_of(system.channel().storage, order, law))


@singledispatch
def plan_arimoto_information(system: System, order: float, prior: Prior) -> Plan[float | Estimate]:
    """Plan Arimoto's information, in nats, in the same way."""
    if order == 1:
        return plan_mutual_information(system, prior)
    law = prior_vector(prior, system.secrets)
    if order == math.inf:
        guess = plan_posterior_vulnerability(system, prior, IdentityGain(system.secrets))
        return _logarithm(guess.then(lambda right: right / float(law.max())))

    def information() -> float:
        if abs(order - 1) < _NEAR:
            tilted = law**order
            return _near_shannon(system.channel().storage, order, tilted / tilted.sum())
        logs = logarithms(law)
        logs = logs - _log_norms(logs[:, None], order, np.zeros(law.size))[0]
        if order <= _NEAR:
            return _raised(order, _log_norms(_log_rows(system, order), order, logs))
        return _raised(order, _log_column_norms(system.channel().storage, order, logs))

    return Plan(EXPLICIT, information)


def _log_rows(system: System, order: float) -> Reals:
    """Return the logarithms of all rows; raise if some entries underflow that matter at this order."""
    logs = log_likelihoods(system)
    has_its_own = log_likelihoods.dispatch(type(system)) is not log_likelihoods.dispatch(object)
    if order < _SMALL and not isinstance(system, Channel) and not has_its_own:
        unheld = np.isneginf(logs)
        if (unheld.any(axis=0) & ~unheld.all(axis=0)).any():
            raise UnsupportedError(
                f"at an order of {order:g} the probabilities of rare observations matter, and {system!r} has some "
                "under 1e-308, which no double can hold; take an order of at least 0.05, or .channel(), where they are "
                "0"
            )
    return logs


def sibson_of(rows: Storage, order: float, weights: Reals) -> float:
    """Return Sibson's information, in nats, of an order other than 1, of the rows of a channel."""
    if abs(order - 1) < _NEAR:
        return _near_shannon(rows, order, weights)
    return _raised(order, log_column_norms(rows, order, weights))


def log_column_norms(rows: Storage, order: float, weights: Reals) -> Reals:
    """Return ``log (Σ_x w_x C[x, y]^α)^(1/α)`` for every column; at infinity that of the largest with a weight."""
    logs = logarithms(weights)
    return _log_column_norms(rows, order, np.where(weights > 0, 0.0, logs) if order == math.inf else logs / order)


def _log_column_norms(rows: Storage, order: float, weights: Reals) -> Reals:
    """Return the logarithms of the α-norms of the columns, with the rows weighted by their log-weights."""
    tops = np.full(rows.shape[1], -np.inf)
    for start, block in rows.blocks():
        tops = np.maximum(tops, (weights[start : start + len(block), None] + logarithms(block)).max(axis=0))
    if order == math.inf:
        return tops
    sums = np.zeros(rows.shape[1])
    for start, block in rows.blocks():
        sums += _powers(logarithms(block), order, weights[start : start + len(block)], tops)
    return tops + np.log(np.maximum(sums, 1.0)) / order


def _log_norms(logs: Reals, order: float, weights: Reals) -> Reals:
    """Return the same from the logarithms of the rows, which include probabilities too small for a double."""
    tops = (weights[:, None] + logs).max(axis=0)
    return tops + np.log(np.maximum(_powers(logs, order, weights, tops), 1.0)) / order


def _powers(logs: Reals, order: float, weights: Reals, tops: Reals) -> Reals:
    return np.exp(order * (weights[:, None] + logs - np.where(tops > -np.inf, tops, 0.0))).sum(axis=0)


def _raised(order: float, log_norms: Reals) -> float:
    """Return ``α/(α-1) log Σ_y`` of column norms that are given by their logarithms."""
    top = float(log_norms.max())
    whole = top + math.log(float(np.exp(log_norms - top).sum()))
    return max(0.0, whole if order == math.inf else order / (order - 1) * whole)


def _near_shannon(rows: Storage, order: float, weights: Reals) -> float:
    """Return Sibson's information of an order near 1, from the differences ``Σ_x π_x C[x, y]^α / (πC)_y^α - 1``."""
    above, mixture = order - 1, rows.mixtures(weights)
    possible = np.where(mixture > _LEAST, mixture, 1.0)
    off, powers = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    for start, block in rows.blocks():
        posterior = weights[start : start + len(block), None] * block / possible
        ratios = np.where((posterior > 0) & (mixture > _LEAST), block, possible) / possible
        grown = above * np.log(ratios)
        off += (posterior * np.expm1(grown)).sum(axis=0)
        powers += (posterior * np.exp(grown)).sum(axis=0)
    # For an observation that only unlikely secrets allow, the sum is far below 1: take its own logarithm.
    few = off < -0.5
    logs = np.where(few, logarithms(np.maximum(powers, 0.0)), np.log1p(np.where(few, 0.0, off)))
    raised = float(mixture @ np.expm1(logs / order))
    return max(0.0, order / above * math.log1p(raised))


def _logarithm(plan: Plan[float | Estimate]) -> Plan[float | Estimate]:
    return plan.then(lambda ratio: mapped(ratio, lambda value: math.log(max(1.0, value))))
