"""Local differential privacy: the largest log-ratio that one observation can bear."""

import math
from functools import singledispatch

import numpy as np

from tacit.channels.channel import System
from tacit.measures.measure import Plan, measure, system_seen_by
from tacit.numerics.matrices import dense, is_dense


@measure
def ldp_epsilon(system: System) -> Plan[float]:
    """Return the least ε for which the system is ε-locally differentially private.

    ``ε = max_{y, x, x'} log(C[x, y] / C[x', y])``

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system.

    Returns
    -------
    float
        At least 0; infinite when some observation excludes a secret that another one allows.

    Raises
    ------
    UnsupportedError
        If the system is not one.

    Notes
    -----
    Source: LDP-info, section 5.

    Examples
    --------
    >>> import tacit as tc
    >>> round(ldp_epsilon(tc.Channel([[0.75, 0.25], [0.25, 0.75]])), 6)
    1.098612
    """
    return plan_ldp_epsilon(system_seen_by(system))


@singledispatch
def plan_ldp_epsilon(system: System) -> Plan[float]:
    """Plan ε by comparing the largest and the least entry of every column."""
    return Plan("extremes of every column", lambda: _largest_log_ratio(system))


def _largest_log_ratio(system: System) -> float:
    matrix = system.channel().matrix
    if not is_dense(matrix):
        stored = np.bincount(matrix.indices, minlength=matrix.shape[1])
        if np.any((stored > 0) & (stored < matrix.shape[0])):
            return math.inf
        matrix = dense(matrix[:, np.flatnonzero(stored)])
    largest, least = matrix.max(axis=0), matrix.min(axis=0)
    possible = largest > 0
    if np.any(least[possible] == 0):
        return math.inf
    return float(np.max(np.log(largest[possible]) - np.log(least[possible])))
