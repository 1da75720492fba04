"""Bounds that hold for every gain function and every loss, also for one that cannot be written out."""

from functools import singledispatch

from discretion.channels.channel import System
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.worst_prior import least_overlap
from discretion.measures.measure import Method, Plan, as_plain, measure
from discretion.validation import as_count, as_real

_SHARED = Method("the least that some secrets' observations have in common", "exact")
_MIRACLE = "miracle theorem, and what all secrets' observations have in common"


@measure(safe="low")
def bayes_security_of_losses(system: System, guesses: int | None = None) -> Plan[float | Estimate]:
    """Return the least Bayes security over all losses that are nowhere negative: no β_ℓ(π, C) is below it.

    For losses with m guesses it is ``min_{|S| <= m} Σ_y min_{x in S} C[x, y]``; for any number of guesses it is
    ``Σ_y min_x C[x, y]``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    guesses
        The number of guesses that the losses have, at least 1; None means any number.

    Returns
    -------
    float or Estimate
        In [0, 1]: after an observation the adversary's expected loss is at least this share of its loss before. With
        two guesses it is β*. The result is an interval of certified bounds where there are too many sets of m secrets.

    Notes
    -----
    Bayes-sec, section V-E, leaves open for which losses there is a bound. With ``μ_w(y) = Σ_x π_x ℓ(w, x) C[x, y]`` of
    mass ``m_w``, ``Σ_y min_w μ_w(y) / min_w m_w`` is at least ``Σ_y min_w μ_w(y)/m_w``, where each ``μ_w/m_w`` is a
    mixture of rows. This is concave in each, so it is least where each is a row. So with two guesses the bound is β*,
    and β* also bounds the loss of naming the block of a partition, since the laws of blocks are mixtures of rows. The
    loss of an adversary that must name a secret other than the true one attains the bound for any number of guesses.

    Examples
    --------
    >>> import numpy as np, discretion as dc
    >>> C = dc.RandomizedResponse(3, p=0.5)
    >>> round(bayes_security_of_losses(C), 12), round(dc.bayes_security(C, gain=dc.gain_matrix(-np.eye(3))), 12)
    (0.75, 0.75)
    """
    plain = as_plain(system)
    several = plain.secrets if guesses is None else as_count(guesses, "guesses", at_least=1)
    return plan_security_of_losses(plain, min(several, plain.secrets))


@singledispatch
def plan_security_of_losses(system: System, guesses: int) -> Plan[float | Estimate]:
    """Plan the bound from the explicit channel."""
    return Plan(_SHARED, lambda: least_overlap(system.channel().storage, guesses))


@measure
def posterior_vulnerability_bounds(system: System, before: float, most: float = 1.0) -> Plan[Estimate]:
    """Return bounds of the posterior vulnerability from the prior vulnerability, for any gain and any prior.

    ``V_g(π) <= V_g[π ▷ C] <= min(ML^×(C) V_g(π), c V_g(π) + (1 - c) most)`` with ``c = Σ_y min_x C[x, y]``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with an explicit channel.
    before
        The prior vulnerability, in ``[0, most]``.
    most
        The largest gain there is, finite; no gain is negative.

    Returns
    -------
    Estimate
        Certified, unless the Bayes capacity is a sampled estimate: then with the confidence of that estimate. The value
        is the upper bound.

    Raises
    ------
    InvalidValueError
        If the prior vulnerability is not between 0 and the largest gain, or that is not finite.

    Notes
    -----
    Source: Alvim et al., The Science of Quantitative Information Flow, Theorem 7.2 (the "miracle" theorem) for the
    first. For the second: with probability c the observation comes from the part of the laws that all secrets share,
    which reveals nothing; otherwise no guess gains more than ``most``.

    Examples
    --------
    >>> import discretion as dc
    >>> bounds = posterior_vulnerability_bounds(dc.RandomizedResponse(4, p=0.4), before=0.01)
    >>> bounds.low, round(bounds.high, 12)
    (0.01, 0.016)
    """
    plain = as_plain(system)
    largest, blind = as_real(most, "most"), as_real(before, "before")
    if not 0 <= blind <= largest < float("inf"):
        raise InvalidValueError(
            f"before must be in [0, most], and most finite, got before={before!r} and most={most!r}"
        )
    capacity, security = plan_multiplicative_bayes_capacity(plain), plan_security_of_losses(plain, plain.secrets)

    def bounds() -> Estimate:
        ratio, common = capacity.compute(), lowest(security.compute())
        high = max(blind, min(highest(ratio) * blind, common * blind + (1 - common) * largest))
        confidence = ratio.confidence if isinstance(ratio, Estimate) else None
        return Estimate(high, blind, high, confidence, _MIRACLE)

    return Plan(Method(_MIRACLE, "bound"), bounds)
