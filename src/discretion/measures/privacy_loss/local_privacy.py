"""Local differential privacy: the largest log-ratio that one observation can bear."""

import math
from functools import singledispatch

import numpy as np

from discretion.channels.channel import System
from discretion.measures.measure import Method, Plan, as_plain, measure

EXTREMES = Method("extremes of every column", "exact")


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
    >>> import discretion as dc
    >>> round(ldp_epsilon(dc.Channel([[0.75, 0.25], [0.25, 0.75]])), 6)
    1.098612
    """
    return plan_ldp_epsilon(as_plain(system))


@singledispatch
def plan_ldp_epsilon(system: System) -> Plan[float]:
    """Plan ε by comparing the largest and the least entry of every column."""
    return Plan(EXTREMES, lambda: _largest_log_ratio(system))


def _largest_log_ratio(system: System) -> float:
    rows = system.channel().storage
    largest, least = rows.column_maxima(), rows.column_minima()
    possible = largest > 0
    if np.any(least[possible] == 0):
        return math.inf
    return float(np.max(np.log(largest[possible]) - np.log(least[possible])))
