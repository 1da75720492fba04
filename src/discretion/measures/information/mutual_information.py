"""Shannon's mutual information of the observation and the secret, in nats or bits."""

import math
from functools import singledispatch
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import System
from discretion.channels.storage import Storage
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.guesses.vulnerability import EXPLICIT, Prior
from discretion.measures.measure import Plan, as_plain, measure, prior_on
from discretion.numerics.excess import deviance

Unit = Literal["nats", "bits"]
_NATS_PER = {"nats": 1.0, "bits": math.log(2)}


@measure
def mutual_information(
    system: System,
    prior: ArrayLike | None = None,
    unit: Unit = "nats",
) -> Plan[float | Estimate]:
    """Return the mutual information of secret and observation.

    ``I(X; Y) = Σ_x π_x Σ_y C[x, y] log(C[x, y] / (πC)_y)``

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets. For a `discretion.Shuffled` the secret is the
        target's value, and ``crowd.seen_by`` sets the adversary's knowledge of the other users.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    float or Estimate
        In ``[0, H(π)]``; an `Estimate` only for crowds that are too large to sum over.

    Notes
    -----
    The sum is ``Σ_xy π_x D(C[x, y]; (πC)_y)`` with ``D(x; m) = x log(x/m) - x + m >= 0``, so that there is no
    cancellation for nearly independent pairs.

    Examples
    --------
    >>> import discretion as dc
    >>> mutual_information(dc.Channel([[1, 0], [0, 1]]), unit="bits")
    1.0
    """
    nats = nats_in(unit)
    plain = as_plain(system)
    plan = plan_mutual_information(plain, prior_on(plain, prior))
    return plan.then(lambda information: information / nats)


def nats_in(unit: Unit) -> float:
    """Return the nats in one unit, or raise an error that lists the units."""
    if unit not in _NATS_PER:
        raise InvalidValueError(f"unit must be 'nats' or 'bits', got {unit!r}")
    return _NATS_PER[unit]


@singledispatch
def plan_mutual_information(system: System, prior: Prior) -> Plan[float | Estimate]:
    """Plan the mutual information, in nats, by summing over the explicit channel."""
    return Plan(EXPLICIT, lambda: information_of(system.channel().storage, prior))


def information_of(rows: Storage, prior: Prior) -> float:
    """Return the mutual information, in nats, of the rows of a channel."""
    weights = prior_vector(prior, rows.shape[0])
    marginal = rows.mixtures(weights)
    possible = np.flatnonzero(marginal > 0)
    means = marginal[possible]
    return max(0.0, rows.columns(possible).weighted_sum(weights, lambda p, y: deviance(p, means[y])))
