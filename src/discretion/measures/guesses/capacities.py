"""Capacities: the largest leakage of a channel over all priors, as a factor or as a difference."""

from fractions import Fraction
from functools import singledispatch

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain, as_gain
from discretion.channels.channel import System
from discretion.estimate import Estimate, settled
from discretion.measures.guesses.rational import exact_capacity
from discretion.measures.guesses.worst_prior import MAX_CHOICES_TRIED, certified_share, largest_fall, way_to_worst
from discretion.measures.measure import Method, Plan, as_plain, measure
from discretion.numerics.distances import pairwise


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

    Notes
    -----
    Source: Alvim et al., The Science of Quantitative Information Flow, chapter 7.

    Examples
    --------
    >>> import discretion as dc
    >>> round(multiplicative_bayes_capacity(dc.Channel([[0.9, 0.1], [0.2, 0.8]])), 12)
    1.7
    """
    plain = as_plain(system)
    return exact_capacity(plain) or plan_multiplicative_bayes_capacity(plain)


@singledispatch
def plan_multiplicative_bayes_capacity(system: System) -> Plan[float | Estimate]:
    """Plan the capacity by summing the largest entry of every column."""
    return Plan(Method("sum of column maxima", "exact"), lambda: float(system.channel().storage.column_maxima().sum()))


_COLUMNS_AT_ONCE = 64

_SETS = Method("all sets of secrets", "exact")
_GREEDY = Method("a greedy set of secrets, and total variation", "bound")


@measure
def additive_capacity(system: System, gain: Gain | None = None) -> Plan[float | Estimate]:
    """Return the largest additive leakage over all priors: ``max_π V_g[π ▷ C] - V_g(π)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    gain
        None means identity: the largest increase of the probability of naming the secret.

    Returns
    -------
    float or Estimate
        At least 0, at most ``1 - Σ_y min_x C[x, y]`` times the gain from knowing the secret. An `Estimate` with
        certified bounds where the search for the best prior, which is NP-hard in general, would take too long.

    Raises
    ------
    InvalidGainError
        If the gain has another number of secrets.
    TooLargeError, UnsupportedError
        If the object is not a system, or its explicit channel is too large, or the gain has too many guesses.

    Notes
    -----
    Source: Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi and Smith, Additive and multiplicative notions of
    leakage, and their capacities, CSF 2014. There is a best prior at which the number of equally good guesses is the
    number of possible secrets; for the identity gain, it is uniform on a set of secrets. For two secrets the capacity
    is half of their total variation.

    Examples
    --------
    >>> import discretion as dc
    >>> round(additive_capacity(dc.Channel([[0.9, 0.1], [0.2, 0.8]])), 12)
    0.35
    """
    plain = as_plain(system)
    return plan_additive_capacity(plain, as_gain(gain, plain.secrets))


@singledispatch
def plan_additive_capacity(system: System, gain: Gain) -> Plan[float | Estimate]:
    """Plan the capacity from the explicit channel, by the losses of each guess against the best one for the secret."""
    if isinstance(gain, IdentityGain):
        few = 1 << system.secrets <= limits.current().steps(MAX_CHOICES_TRIED)
        return Plan(_SETS, lambda: _over_sets(system)) if few else Plan(_GREEDY, lambda: _over_some_sets(system))
    gains = gain.guesses()
    losses = gains.max(axis=0) - gains
    return Plan(way_to_worst(losses), lambda: largest_fall(system.channel().storage, losses))


def _over_sets(system: System) -> float:
    """Return the largest ``(Σ_y max_{x in S} C[x, y] - 1) / |S|`` over all sets S of secrets.

    On the priors with a given likeliest secret the leakage is convex, and their corners are uniform on sets.
    """
    rows = system.channel().reduced().dense()
    sums = np.zeros(1 << len(rows))
    for part in np.array_split(rows, -(-rows.shape[1] // _COLUMNS_AT_ONCE), axis=1):
        tops = np.zeros((1, part.shape[1]))
        for row in part:
            tops = np.concatenate([tops, np.maximum(tops, row)])
        sums += tops.sum(axis=1)
    sizes = np.bitwise_count(np.arange(1, sums.size))
    return max(0.0, float(((sums[1:] - 1) / sizes).max()))


def _over_some_sets(system: System) -> float | Estimate:
    """Return a lower bound, attained by a set grown from the leakiest pair, and an upper bound for sets of any size.

    Each further secret adds at most the largest total variation to the sum, and no sum exceeds that of all secrets.
    """
    rows = system.channel().reduced().dense()
    furthest = pairwise.furthest_rows(rows)
    distance, whole = furthest.distance / 2, float(rows.max(axis=0).sum()) - 1
    if not distance:
        return 0.0
    sizes = np.arange(1, len(rows) + 1)
    high = float(np.minimum((1 - 1 / sizes) * distance, whole / sizes).max())
    low, tops = 0.0, rows[list(furthest.first())].max(axis=0)
    for size in range(2, len(rows) + 1):
        attained = (float(tops.sum()) - 1) / size
        if attained < low:
            break
        low = attained
        tops = np.maximum(tops, rows[np.maximum(rows, tops).sum(axis=1).argmax()])
    return settled(certified_share(low, max(low, high), _GREEDY.name))
