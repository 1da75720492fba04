"""Pointwise maximal leakage: the largest improvement of a guess by one observation, and the law of this leakage."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.errors import InvalidPriorError, InvalidValueError
from discretion.escaping import short_repr
from discretion.estimate import Estimate
from discretion.measures.guesses.vulnerability import EXPLICIT
from discretion.measures.information.mutual_information import Unit, nats_in
from discretion.measures.measure import Plan, as_plain, measure, prior_on
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial_limits import limits_of_parts
from discretion.validation import NotNumbersError, as_confidence, as_probability, as_real, as_reals

_METHOD = "limits of all secrets' probabilities at once"


@dataclass(frozen=True, eq=False)
class PointwiseLeakage:
    """The largest leakage of each observation, and the probability of the observation.

    If the prior is estimated, all results hold together with the confidence: leakages are upper limits, and `tail` and
    `level` return an `Estimate` whose value is its upper bound.

    Attributes
    ----------
    outputs
        The labels of the observations.
    leakages
        ``ℓ(X → y) = log max_x P(y | x) / P(y)`` of each, read-only; 0 for an impossible observation.
    confidence
        The probability with which all results hold; None if the prior is given, since they then hold always.
    """

    outputs: tuple[Hashable, ...]
    leakages: Reals
    confidence: float | None
    _rows: Reals
    _low: Reals
    _high: Reals

    def __repr__(self) -> str:
        kind = "" if self.confidence is None else f", confidence={self.confidence:g}"
        return f"PointwiseLeakage({len(self.outputs):,} outputs, at most {self.leakages.max():.6g}{kind})"

    def tail(self, threshold: float) -> float | Estimate:
        """Return the probability of a leakage above a threshold: ``P(ℓ(X → Y) > t)``."""
        return self._upper(self._exceeded(as_real(threshold, "threshold")))

    def level(self, delta: float) -> float | Estimate:
        """Return the least t that the leakage exceeds with probability at most δ: ``P(ℓ(X → Y) > t) <= δ``."""
        allowed = as_probability(delta, "delta")
        levels = np.unique(np.append(self.leakages, 0.0))
        first, last = 0, levels.size - 1
        while first < last:  # the probability of exceeding a level falls with it
            middle = (first + last) // 2
            enough = self._exceeded(float(levels[middle])) <= allowed
            first, last = (first, middle) if enough else (middle + 1, last)
        return self._upper(float(levels[first]))

    def _exceeded(self, threshold: float) -> float:
        event = self._rows[:, self.leakages > threshold].sum(axis=1, keepdims=True)
        return min(1.0, max(0.0, -float(_least_means(-event, self._low, self._high)[0])))

    def _upper(self, value: float) -> float | Estimate:
        return value if self.confidence is None else Estimate(value, 0.0, value, self.confidence, _METHOD)


@measure
def pointwise_maximal_leakage(
    system: System,
    prior: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    confidence: float = 0.95,
    unit: Unit = "nats",
) -> Plan[PointwiseLeakage]:
    """Return the leakage of each observation: ``ℓ(X → y) = log max_{x: π_x > 0} C[x, y] / (πC)_y``.

    When the adversary observes y, its guess of any function of the secret improves at most by the factor ``e^ℓ``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.
    counts
        In place of a prior: the number of people in a random sample with each secret, shape ``(k,)``. All secrets are
        then possible, and the results hold for the unknown prior from which the people are drawn.
    confidence
        The probability with which the results hold, in (0, 1), if there are counts.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    PointwiseLeakage
        ``.leakages`` of the ``.outputs``, ``.tail(threshold)`` and ``.level(delta)``.

    Raises
    ------
    InvalidValueError
        If both a prior and counts are given.

    Notes
    -----
    Source: Saeidian, Cervia, Oechtering and Skoglund, Pointwise maximal leakage, 2023. The mean of ``e^ℓ`` is that of
    maximal leakage, ``Σ_y max_x C[x, y]``. With counts, the secrets' probabilities lie between limits that hold for
    all of them at once; each observation has the least probability under any prior between these limits.

    Examples
    --------
    >>> import discretion as dc
    >>> C = dc.Channel([[0.75, 0.25, 0], [0.5, 0, 0.5]])
    >>> leak = dc.measures.pointwise_maximal_leakage(C, [0.5, 0.5], unit="bits")
    >>> leak.leakages.round(6).tolist(), leak.tail(0.5), round(leak.level(0.5), 6)
    ([0.263034, 1.0, 1.0], 0.375, 0.263034)
    """
    nats, plain = nats_in(unit), as_plain(system)
    if counts is None:
        law = prior_vector(prior_on(plain, prior), plain.secrets)
        return plan_pointwise_leakage(plain, law, law, None, nats)
    if prior is not None:
        raise InvalidValueError("got both a prior and counts; give one of them")
    sure = as_confidence(confidence)
    low, high = _limits(counts, plain.secrets, 1 - sure)
    return plan_pointwise_leakage(plain, low, high, sure, nats)


@singledispatch
def plan_pointwise_leakage(
    system: System, low: Reals, high: Reals, confidence: float | None, nats: float
) -> Plan[PointwiseLeakage]:
    """Plan the leakage of each observation, from the explicit channel, for priors between two bounds."""

    def leakage() -> PointwiseLeakage:
        channel: Channel = system.channel()
        rows = channel.dense()
        largest = rows[high > 0].max(axis=0)
        least = _least_means(rows, low, high)
        values = np.where(largest > 0, logarithms(largest) - logarithms(np.where(largest > 0, least, 1.0)), 0.0)
        leakages = np.maximum(0.0, values) / nats
        leakages.setflags(write=False)
        return PointwiseLeakage(tuple(channel.outputs), leakages, confidence, rows, low, high)

    return Plan(EXPLICIT, leakage)


def _limits(counts: ArrayLike, secrets: int, misses: float) -> tuple[Reals, Reals]:
    try:
        limits = as_reals(counts)
    except NotNumbersError:
        limits = np.array([-1.0])
    if limits.shape != (secrets,) or not (np.isfinite(limits).all() and (limits >= 0).all() and limits.sum() > 0):
        raise InvalidPriorError(
            f"counts must be a number of people for each of {secrets} secrets, got {short_repr(counts)}"
        )
    if (limits != np.floor(limits)).any():
        raise InvalidPriorError(f"counts must be whole numbers of people, got {short_repr(counts)}")
    return limits_of_parts(limits, int(limits.sum()), misses)


def _least_means(values: Reals, low: Reals, high: Reals) -> Reals:
    """Return the least mean of each column under laws between these bounds: free mass goes to the least values."""
    order = np.argsort(values, axis=0)
    room, ranked = (high - low)[order], np.take_along_axis(values, order, axis=0)
    free = max(0.0, 1.0 - float(low.sum()))
    added = np.clip(free - (np.cumsum(room, axis=0) - room), 0.0, room)
    return low @ values + (added * ranked).sum(axis=0)
