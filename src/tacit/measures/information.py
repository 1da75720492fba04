"""Shannon's measure: how many nats or bits the observation carries about the secret."""

import math
from functools import singledispatch
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tacit.adversaries.knowledge import Knowledge
from tacit.channels.channel import System
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate, mapped
from tacit.measures.measure import Plan, measure, prior_on, system_seen_by
from tacit.measures.vulnerability import EXPLICIT, Prior
from tacit.numerics.excess import deviance
from tacit.numerics.matrices import is_dense
from tacit.numerics.randomness import Seed

Unit = Literal["nats", "bits"]
_NATS_PER = {"nats": 1.0, "bits": math.log(2)}


@measure
def mutual_information(
    system: System,
    prior: ArrayLike | None = None,
    unit: Unit = "nats",
    adversary: Knowledge | None = None,
    rng: Seed = None,
) -> Plan[float | Estimate]:
    """Return the mutual information of secret and observation.

    ``I(X; Y) = Σ_x π_x Σ_y C[x, y] log(C[x, y] / (πC)_y)``

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets; for `tacit.Shuffled` the secret is the target's
        value.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.
    unit
        ``"nats"`` or ``"bits"``.
    adversary
        What is known of the other users, for a shuffled system only; None means `tacit.Uninformed()`.
    rng
        A generator or a seed, for crowds that are too large to sum over; None draws a fresh one.

    Returns
    -------
    float or Estimate
        In ``[0, H(π)]``; an `Estimate` only for crowds that are too large to sum over.

    Raises
    ------
    InvalidValueError
        If the unit is another word.
    InvalidPriorError
        If the prior is not a distribution on the secrets.
    UnsupportedError
        If the system is not one, or an adversary is given for a system without other users.

    Notes
    -----
    Summed as ``Σ_xy π_x D(C[x, y]; (πC)_y)`` with ``D(x; m) = x log(x/m) - x + m >= 0``, so that nearly independent
    pairs lose nothing to cancellation.

    Examples
    --------
    >>> import tacit as tc
    >>> mutual_information(tc.Channel([[1, 0], [0, 1]]), unit="bits")
    1.0
    """
    if unit not in _NATS_PER:
        raise InvalidValueError(f"unit must be 'nats' or 'bits', got {unit!r}")
    seen = system_seen_by(system, adversary, rng)
    plan = plan_mutual_information(seen, prior_on(seen, prior))
    return Plan(plan.method, lambda: mapped(plan.compute(), lambda nats: nats / _NATS_PER[unit]))


@singledispatch
def plan_mutual_information(system: System, prior: Prior) -> Plan[float | Estimate]:
    """Plan the mutual information, in nats, by summing over the explicit channel."""
    return Plan(EXPLICIT, lambda: information_of(system.channel().matrix, prior))


def information_of(matrix: Any, prior: Prior) -> float:
    """Return the mutual information, in nats, of a channel given as a dense or sparse matrix."""
    weights = np.full(matrix.shape[0], 1 / matrix.shape[0]) if prior is None else prior
    marginal = np.asarray(weights @ matrix, dtype=np.float64).ravel()
    if is_dense(matrix):
        possible = marginal > 0
        return max(0.0, float(weights @ deviance(matrix[:, possible], marginal[possible]).sum(axis=1)))
    # Where the matrix is 0 the deviance is the marginal itself; count that for all entries and correct the stored ones.
    entries = matrix.tocoo()
    seen = marginal[entries.col] > 0
    x, y, probability = entries.row[seen], entries.col[seen], entries.data[seen]
    corrections = weights[x] * (deviance(probability, marginal[y]) - marginal[y])
    return max(0.0, math.fsum([float(weights.sum() * marginal.sum()), *corrections.tolist()]))
