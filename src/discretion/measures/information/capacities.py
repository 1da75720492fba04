"""Capacities: the largest information, Shannon's or of an order α, of an observation over all priors."""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from discretion import limits
from discretion.channels.channel import System
from discretion.channels.storage import Storage
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.information.alpha_information import log_column_norms, plan_sibson_information, sibson_of
from discretion.measures.information.mutual_information import Unit, nats_in, plan_mutual_information
from discretion.measures.measure import Method, Plan, as_plain, measure
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances.information_radius import central_weights
from discretion.numerics.excess import deviance
from discretion.validation import MAX_ENTRIES, as_order, as_real

# Products added up in search of the prior that attains a capacity: minutes.
MAX_CAPACITY_TERMS = 1 << 40

NEWTON = Method("Newton's method, certified by the largest divergence", "bound")

# The rounding error of a sum of divergences: under 1e-14 of the sum, and of the rows' sums.
_ROUNDING = 1e-13
# The precision of a float.
_PROMISED, _AT_LEAST = 1e-10, 1e-12
# The number of secrets in the first set, and the share of the uniform law in a mixture, so that it excludes nothing.
_SECRETS_AT_ONCE, _OF_ALL = 256, 1e-14
# The number of Newton steps for a mixture.
_USUAL_STEPS = 20
# A mixture's probabilities stay above this, whose logarithm is finite.
_TINY = 1e-300


@measure
def shannon_capacity(system: System, tol: float = 1e-9, unit: Unit = "nats") -> Plan[Estimate]:
    """Return the largest mutual information of secret and observation over all priors, between certified bounds.

    ``C = max_π I(π; C) = min_q max_x D(C_x ‖ q)``: the information at any prior is a lower bound, and the largest
    divergence of a row from any law of the observation is an upper bound (Blahut and Arimoto).

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets, as for `discretion.mutual_information`.
    tol
        The largest distance between the two bounds, positive, in the unit.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    Estimate
        In [0, log k]; certified. Where, by symmetry, the uniform prior attains it, its width is the precision of a
        float. The bounds are further apart than ``tol`` if that is below the rounding error, 1e-13; for channels that
        would take minutes; and for crowds with too many histograms to list.

    Raises
    ------
    InvalidValueError
        If the tolerance is not positive.
    TooLargeError, UnsupportedError
        If the system has no explicit channel and no symmetry by which the best prior is known.

    Notes
    -----
    Source of the bounds: Arimoto, An algorithm for computing the capacity of arbitrary discrete memoryless channels,
    1972. Both are summed from the channel at the final prior, and hold for any prior. An interior-point Newton method
    finds the prior on the secrets with the largest divergences, and adds secrets until no other one has a larger
    divergence.

    Examples
    --------
    >>> import discretion as dc
    >>> capacity = shannon_capacity(dc.Channel([[1, 0], [0.5, 0.5]]), unit="bits")  # the Z channel: log2(5/4)
    >>> round(capacity.value, 9), capacity.high - capacity.low <= 1e-9, capacity.certified
    (0.321928095, True, True)
    """
    nats = nats_in(unit)
    tolerance = as_real(tol, "tol")
    if tolerance <= 0:
        raise InvalidValueError(f"tol must be positive, got {tol!r}")
    return plan_shannon_capacity(as_plain(system), tolerance * nats).then(lambda capacity: capacity / nats)


@singledispatch
def plan_shannon_capacity(system: System, tolerance: float) -> Plan[Estimate]:
    """Plan the capacity, in nats, from the explicit channel."""
    return Plan(NEWTON, lambda: capacity_of(system.channel().storage, tolerance))


def attained_uniformly(system: System) -> Plan[Estimate]:
    """Plan the capacity of a system that is symmetric in its secrets: that of the uniform prior, as I is concave."""
    plan = plan_mutual_information(system, None)
    return certified(plan.named(f"uniform prior by symmetry: {plan.method.name}"))


def certified(plan: Plan[float | Estimate]) -> Plan[Estimate]:
    """Return a plan of a float as a plan of certified bounds at the float's precision."""
    method = Method(plan.method.name, "estimate" if plan.rung == "estimate" else "bound")

    def ends() -> Estimate:
        information = plan.compute()
        if isinstance(information, Estimate):
            return information
        off = max(_AT_LEAST, _PROMISED * information)
        return Estimate(information, max(0.0, information - off), information + off, None, method.name)

    return Plan(method, ends)


def capacity_of(rows: Storage, tolerance: float) -> Estimate:
    """Return the capacity, in nats, of the rows of a channel."""
    means = rows.column_means()

    def ends(weights: Reals) -> tuple[float, Reals]:
        law = with_all(weights)
        mixture = np.maximum((1 - _OF_ALL) * rows.mixtures(weights) + _OF_ALL * means, _TINY)
        divergences = rows.row_sums(lambda p, y: deviance(p, mixture[y]))
        return float(law @ divergences), divergences

    return narrowed(rows, tolerance, ends)


def with_all(weights: Reals) -> Reals:
    """Return the weights mixed with a little of the uniform law, so that a mixture excludes nothing."""
    return (1 - _OF_ALL) * weights + _OF_ALL / weights.size


def narrowed(
    rows: Storage,
    tolerance: float,
    ends: Callable[[Reals], tuple[float, Reals]],
    order: float = 1.0,
) -> Estimate:
    """Return the capacity of an order, between the information at some weights and the largest divergence of a row.

    ``ends`` returns both for given weights; the search considers the secrets with the largest divergences.
    """
    secrets, _ = rows.shape
    goal = max(tolerance, _ROUNDING)
    weights, chosen = np.full(secrets, 1 / secrets), np.empty(0, dtype=np.int64)
    # No information exceeds the logarithm of the Bayes capacity.
    low, high = 0.0, math.log(max(1.0, float(rows.column_maxima().sum())))
    terms_left = limits.current().steps(MAX_CAPACITY_TERMS)
    while True:
        attained, divergences = ends(weights)
        low, high = max(low, attained), min(high, float(divergences.max()))
        further = np.setdiff1d(np.flatnonzero(divergences > low + goal / 2), chosen)
        if high - low <= goal or not further.size:
            break
        support = chosen[weights[chosen] > goal / 1000 / secrets]
        outermost = further[np.argsort(-divergences[further], kind="stable")]
        chosen = np.sort(np.append(support, outermost[: max(_SECRETS_AT_ONCE - support.size, support.size)]))
        laws = _of_secrets(rows, chosen)
        terms_left -= _USUAL_STEPS * chosen.size**2 * sum(laws.shape)
        if terms_left < 0 or chosen.size * laws.shape[1] > limits.current().numbers(MAX_ENTRIES):
            break
        weights = np.zeros(secrets)
        weights[chosen] = central_weights(laws.dense(), goal / 4, order)
    off = _ROUNDING * (1 + high)
    return Estimate.between(max(0.0, low - off), max(low, high) + off, NEWTON.name)


def _of_secrets(rows: Storage, chosen: Integers) -> Storage:
    """Return the rows of some secrets, without the columns that are 0 in all of them."""
    chosen_rows = rows.rows(chosen.tolist())
    possible = np.flatnonzero(chosen_rows.column_maxima())
    return chosen_rows if possible.size == chosen_rows.shape[1] else chosen_rows.columns(possible)


# This close to 1 the difference of a sum from 1 is summed instead, and the best prior is that of order 1.
_NEAR, _NEXT_TO = 0.5, 1e-8
# From here on a divergence is no further below that of order infinity than 745/α, the logarithm of the least double.
_AS_GOOD_AS_INFINITE = 1e17


@measure
def sibson_capacity(system: System, order: float, tol: float = 1e-9, unit: Unit = "nats") -> Plan[Estimate]:
    """Return the largest Sibson information of order α over all priors, between certified bounds.

    ``C_α = max_π I_α(π; C) = min_q max_x D_α(C_x ‖ q)`` with Rényi's divergence; Arimoto's information has the same.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    order
        α > 0; at 1 it is `discretion.shannon_capacity`, at infinity `maximal_leakage`.
    tol
        The largest distance between the two bounds, positive, in the unit.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    Estimate
        In [0, log k]; certified, as `discretion.shannon_capacity`.

    Raises
    ------
    InvalidValueError
        If the tolerance is not positive.

    Notes
    -----
    Source: Csiszár, Generalized cutoff rates and Rényi's information measures, 1995. The algorithm is that of Shannon's
    capacity; where ``|α - 1|`` is under 1e-6, rounding keeps the bounds up to 1e-8 apart.

    Examples
    --------
    >>> import discretion as dc
    >>> capacity = dc.measures.sibson_capacity(dc.Channel([[0.9, 0.1], [0.1, 0.9]]), order=0.5, unit="bits")
    >>> round(capacity.value, 6)  # of a symmetric channel, 1 less a Rényi entropy: here of order 1/2
    0.321928
    """
    nats, alpha, tolerance = nats_in(unit), as_order(order), as_real(tol, "tol")
    if tolerance <= 0:
        raise InvalidValueError(f"tol must be positive, got {tol!r}")
    return plan_sibson_capacity(as_plain(system), alpha, tolerance * nats).then(lambda capacity: capacity / nats)


@singledispatch
def plan_sibson_capacity(system: System, order: float, tolerance: float) -> Plan[Estimate]:
    """Plan the capacity, in nats, from the explicit channel, or as the capacities at 1 and infinity."""
    if order == 1:
        return plan_shannon_capacity(system, tolerance)
    if order >= _AS_GOOD_AS_INFINITE:
        return certified(plan_sibson_information(system, math.inf, None))
    return Plan(NEWTON, lambda: _capacity(system.channel().storage, order, tolerance))


def _capacity(rows: Storage, order: float, tolerance: float) -> Estimate:
    def ends(weights: Reals) -> tuple[float, Reals]:
        mixture = with_all(weights)
        norms = log_column_norms(rows, order, mixture)
        top = float(norms.max())
        law = norms - (top + math.log(float(np.exp(norms - top).sum())))
        return sibson_of(rows, order, mixture), _divergences(rows, order, law)

    return narrowed(rows, tolerance, ends, order if abs(order - 1) > _NEXT_TO else 1.0)


def _divergences(rows: Storage, order: float, log_law: Reals) -> Reals:
    """Return Rényi's divergence of each row from a law, given by its logarithms."""
    above, tops = order - 1, logarithms(rows.column_maxima())
    possible = np.where(tops > -np.inf, log_law, 0.0)
    if abs(above) < _NEAR:

        def off(p: Reals, y: Any) -> Reals:
            return p * np.expm1(above * np.where(p > 0, np.log(np.where(p > 0, p, 1.0)) - possible[y], 0.0))

        return np.log1p(rows.row_sums(off)) / above
    # The largest ratio is divided out, so that the sum of the row with the largest divergence does not overflow.
    shift = max(0.0, float((above * (tops - possible)[tops > -np.inf]).max())) if above > 0 else 0.0
    sums = rows.row_sums(lambda p, y: np.exp(order * logarithms(p) - above * possible[y] - shift))
    return (logarithms(sums) + shift) / above
