"""The most that a channel can leak, whatever the prior."""

from fractions import Fraction
from functools import singledispatch

from discretion.channels.channel import System
from discretion.estimate import Estimate
from discretion.measures.guesses.rational import exact_capacity
from discretion.measures.measure import Method, Plan, as_plain, measure


@measure
def multiplicative_bayes_capacity(system: System) -> Plan[float | Fraction | Estimate]:
    """Return the largest factor by which any guess can improve: ``Σ_y max_x C[x, y]``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets.

    Returns
    -------
    float, Fraction or Estimate
        In [1, k], a Fraction for a channel of fractions; attained by the uniform prior and the identity gain, and no
        prior with any non-negative gain exceeds it (the "miracle" theorem).

    Raises
    ------
    UnsupportedError
        If the system is not one.

    Notes
    -----
    Source: Alvim et al., The Science of Quantitative Information Flow, chapter 7.

    Examples
    --------
    >>> import discretion as dc
    >>> round(multiplicative_bayes_capacity(dc.Channel([[0.9, 0.1], [0.2, 0.8]])), 12)
    1.7
    """
    seen = as_plain(system)
    return exact_capacity(seen) or plan_multiplicative_bayes_capacity(seen)


@singledispatch
def plan_multiplicative_bayes_capacity(system: System) -> Plan[float | Estimate]:
    """Plan the capacity by summing the largest entry of every column."""
    return Plan(Method("sum of column maxima", "exact"), lambda: float(system.channel().storage.column_maxima().sum()))
