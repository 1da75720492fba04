"""How much more often one thing fails than another, by how often either did."""

import math

from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit


def excess_limits(  # noqa: PLR0917 - two rates and how they compare
    hits: float, trials: int, other_hits: float, other_trials: int, scale: float, misses: float
) -> tuple[float, float, float]:
    """Return ``1 − (1 − p)/(1 − s·q)`` for two binomial rates p and q, and its lower and upper limit; cut at −1.

    The Clopper–Pearson limits of both rates, each of which misses on either side with half of ``misses``, are squared
    and added (MOVER): a ratio r is within them if ``(1 − p) − r(1 − s·q)`` is 0 within ``√(δ² + (r·δ')²)``, where δ and
    δ' are how far the limits of ``1 − p`` and ``1 − s·q`` are on the side that matters. (Donner and Zou, Closed-form
    confidence intervals for functions of the normal mean and standard deviation, 2012, by the roots that keep their
    digits.)

    Examples
    --------
    >>> [round(end, 3) for end in excess_limits(60, 100, 20, 100, 1.0, 0.05)]
    [0.5, 0.352, 0.626]
    """
    fails, least, most = _of_failures(hits, trials, 1.0, misses)
    others, least_of_others, most_of_others = _of_failures(other_hits, other_trials, scale, misses)
    ratio = fails / others if others else math.inf if fails else 1.0
    below, above = fails - least, most_of_others - others
    product, rest = fails * others, fails**2 - below**2
    root = math.sqrt(max(0.0, product**2 - (others**2 - above**2) * rest))
    smallest = rest / (product + root) if product + root > 0 else math.inf if rest > 0 else 0.0
    below, above = most - fails, others - least_of_others
    lead = others**2 - above**2
    if lead > 0:
        largest = (product + math.sqrt(max(0.0, product**2 - lead * (fails**2 - below**2)))) / lead
    else:
        largest = math.inf
    low, high = max(-1.0, 1 - largest), max(-1.0, 1 - smallest)
    return min(max(1 - ratio, low), high), low, high


def _of_failures(hits: float, trials: int, scale: float, misses: float) -> tuple[float, float, float]:
    """Return how often something fails that succeeds ``scale`` times as often as this, and its limits."""
    low, high = (float(limit(hits, trials, misses / 2)) for limit in (lower_limit, upper_limit))
    rate, least, most = (max(0.0, 1 - scale * p) for p in (hits / trials, high, low))
    return rate, least, most
