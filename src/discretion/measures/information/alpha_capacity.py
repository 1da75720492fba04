"""Capacity of an order α: the most information of that order over all priors, Sibson's and Arimoto's alike."""

import math
from functools import singledispatch
from typing import Any

import numpy as np

from discretion.channels.channel import System
from discretion.channels.storage import Storage
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.information.alpha_information import log_column_norms, plan_sibson_information, sibson_of
from discretion.measures.information.capacities import NEWTON, certified, narrowed, plan_shannon_capacity, with_all
from discretion.measures.information.mutual_information import Unit, nats_in
from discretion.measures.measure import Plan, as_plain, measure
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.validation import as_order, as_real

# So near to 1 what is left of a sum after 1 is summed instead; and its best prior is as good as that of 1.
_NEAR, _NEXT_TO = 0.5, 1e-8
# From here on a divergence is no further below that of order infinity than 745/α, the logarithm of the least double.
_AS_GOOD_AS_INFINITE = 1e17


@measure
def sibson_capacity(system: System, order: float, tol: float = 1e-9, unit: Unit = "nats") -> Plan[Estimate]:
    """Return the largest Sibson information of order α over all priors, between certified ends.

    ``C_α = max_π I_α(π; C) = min_q max_x D_α(C_x ‖ q)`` with Rényi's divergence; Arimoto's information has the same.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    order
        α > 0; at 1 it is `discretion.shannon_capacity`, at infinity `maximal_leakage`.
    tol
        How far apart the ends may be, positive, in the unit.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    Estimate
        In [0, log k]; certified, as `discretion.shannon_capacity`.

    Raises
    ------
    InvalidValueError
        If the order or tol is not positive, or the unit is another word.
    TooLargeError, UnsupportedError
        If the system is not one, or has no explicit channel.

    Notes
    -----
    Source: Csiszár, Generalized cutoff rates and Rényi's information measures, 1995. It is found as Shannon's; where
    ``|α - 1|`` is under 1e-6, rounding keeps the ends up to 1e-8 apart.

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
    """Plan the capacity, in nats, from the explicit channel, or as what it is at 1 and infinity."""
    if order == 1:
        return plan_shannon_capacity(system, tolerance)
    if order >= _AS_GOOD_AS_INFINITE:
        return certified(plan_sibson_information(system, math.inf, None))
    return Plan(NEWTON, lambda: _capacity(system.channel().storage, order, tolerance))


def _capacity(rows: Storage, order: float, tolerance: float) -> Estimate:
    def ends(weights: Reals) -> tuple[float, Reals]:
        held = with_all(weights)
        norms = log_column_norms(rows, order, held)
        top = float(norms.max())
        law = norms - (top + math.log(float(np.exp(norms - top).sum())))
        return sibson_of(rows, order, held), _divergences(rows, order, law)

    return narrowed(rows, tolerance, ends, order if abs(order - 1) > _NEXT_TO else 1.0)


def _divergences(rows: Storage, order: float, log_law: Reals) -> Reals:
    """Return Rényi's divergence of each row from a law, given by its logarithms."""
    above, tops = order - 1, logarithms(rows.column_maxima())
    possible = np.where(tops > -np.inf, log_law, 0.0)
    if abs(above) < _NEAR:

        def off(p: Reals, y: Any) -> Reals:
            return p * np.expm1(above * np.where(p > 0, np.log(np.where(p > 0, p, 1.0)) - possible[y], 0.0))

        return np.log1p(rows.row_sums(off)) / above
    # The largest ratio there is goes out, so that the sum of the row that is furthest off does not overflow.
    shift = max(0.0, float((above * (tops - possible)[tops > -np.inf]).max())) if above > 0 else 0.0
    sums = rows.row_sums(lambda p, y: np.exp(order * logarithms(p) - above * possible[y] - shift))
    return (logarithms(sums) + shift) / above
