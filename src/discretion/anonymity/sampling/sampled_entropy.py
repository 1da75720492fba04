"""Entropy of the law of a sample's people; the sample may be smaller than the support of the law."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from discretion.anonymity.people.conversion import People
from discretion.anonymity.sampling.sampled_exposure import sizes_of
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.laws.binomial_limits import limits_of_parts
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_confidence, as_count

METHOD = "limits of all shares, and bounded differences"
_HALVINGS = 60
# The rounding error of sums of bits.
_ROUNDING = 1e-11


def sampled_entropy(
    P: People | ClassSizes,
    confidence: float = 0.95,
    *,
    columns: Iterable[str] | None = None,
    domain: int | None = None,
) -> Estimate:
    """Return a confidence interval for the entropy in bits of the law that the people of a table were drawn from.

    ``H = Σ_v p(v) log₂ 1/p(v)`` for the unknown p, given m people drawn from it independently

    Parameters
    ----------
    P
        The sampled people, or the sizes of their equivalence classes.
    confidence
        The confidence of the interval, in (0, 1).
    columns
        The columns of the values; None is all columns. Not with class sizes.
    domain
        The number of possible values, including values that are not in the sample; None if it is not known.

    Returns
    -------
    Estimate
        The interval misses with probability at most ``1 - confidence``, for every p. If the domain is known, ``value``
        is an estimate: the entropy of the sample plus Miller and Madow's ``(values in the sample - 1)/2m`` nats, moved
        into the interval if it lies outside. If it is not known, ``value`` and ``low`` are a lower bound and ``high``
        is infinite: values too rare for the sample may add any number of bits.

    Raises
    ------
    InvalidValueError
        If the domain has fewer values than the sample.
    UnsupportedError
        If columns is given with class sizes.

    Notes
    -----
    Two intervals share the allowed misses, and the result is their intersection. First, the mean entropy Ĥ of a sample
    is at most H, and lower by at most ``log₂(1 + (|V|-1)/m)`` (Paninski, Estimation of entropy and mutual information,
    2003, Proposition 1). To replace one person changes Ĥ by at most the change from one class of m people to classes of
    m - 1 and 1, so McDiarmid's inequality bounds the distance of Ĥ from its mean. Second, limits of the shares of all
    values at once. The largest entropy within them has all shares at one level, where the limits allow it; chords of
    ``p log 1/p`` bound the least entropy. Source: Discretion; Anonymity, section 7.3.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> sample = Population("example:adult", columns=["sex", "race"])
    >>> bits = sampled_entropy(sample, domain=10)
    >>> bits.low < sample.class_sizes().entropy < bits.value < bits.high < bits.low + 0.2
    True
    >>> sampled_entropy(sample).high, sampled_entropy(sample).value_is
    (inf, 'lower bound')
    """
    sizes, confidence = sizes_of(P, columns), as_confidence(confidence)
    misses = 1 - confidence
    unseen = None if domain is None else as_count(domain, "domain", at_least=1) - sizes.classes
    if unseen is not None and unseen < 0:
        raise InvalidValueError(f"domain must be at least the {sizes.classes} values in the sample; got {domain}")
    mean, limits = _by_mean(sizes, misses / 2, unseen), _within_limits(sizes, misses / 2, unseen)
    low, high = max(mean[0], limits[0]) - _ROUNDING, min(mean[1], limits[1]) + _ROUNDING
    if low > high:  # one of both has missed
        low, high = min(mean[0], limits[0]), max(mean[1], limits[1])
    low, high = max(low, 0.0), high if domain is None else min(high, math.log2(domain))
    estimate = sizes.entropy + (sizes.classes - 1) / (2 * sizes.people * math.log(2))
    value = low if domain is None else min(max(estimate, low), high)
    return Estimate(value, low, high, confidence, METHOD)


def _by_mean(sizes: ClassSizes, misses: float, unseen: int | None) -> tuple[float, float]:
    """Return limits from the entropy of the sample and the distances of its mean from it and from the law's entropy."""
    m = sizes.people
    change = math.log2(m) / m + (m - 1) / m * math.log2(m / max(m - 1, 1))
    off = change * math.sqrt(m * math.log(2 / misses) / 2)
    bias = math.inf if unseen is None else math.log2(1 + (sizes.classes + unseen - 1) / m)
    return sizes.entropy - off, sizes.entropy + off + bias


def _within_limits(sizes: ClassSizes, misses: float, unseen: int | None) -> tuple[float, float]:
    """Return a lower bound on the least, and an upper bound on the largest, entropy of laws with shares in limits."""
    low, high = limits_of_parts(np.append(0, sizes.sizes), sizes.people, misses)
    values = np.append(math.inf if unseen is None else unseen, sizes.counts)
    at_least = float(sizes.counts @ _parts(low[1:]))
    # The rest of the mass goes to the value where it adds least.
    left = max(0.0, 1 - float(sizes.counts @ low[1:]))
    slopes = (_parts(high) - _parts(low)) / (high - low)
    for place in np.argsort(slopes):
        taken = min(left, float(values[place] * (high[place] - low[place])))
        at_least, left = at_least + taken * float(slopes[place]), left - taken
    if unseen is None:
        return at_least, math.inf

    def above(level: Reals) -> bool:
        return float(values @ np.clip(level, low, high)) > 1

    level, _ = (float(end) for end in bisected(lambda x: not above(x), 0.0, 1.0, _HALVINGS))
    price = -math.log2(level) - 1 / math.log(2) if level else 0.0
    shares = np.clip(level, low, high)
    return at_least, float(values @ (_parts(shares) - price * shares)) + price


def _parts(shares: ArrayLike) -> Reals:
    """Return ``p log₂ 1/p``, which is 0 at 0."""
    p = np.asarray(shares, dtype=np.float64)
    return -p * np.log2(np.where(p > 0, p, 1.0))
