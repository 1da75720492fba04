"""Pointwise maximal leakage: the most that a guess can improve by one observation, and how likely it is to be more."""

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

    Where the prior is estimated, all of it holds at once with the confidence: leakages are upper limits, and what is
    said of their law is an `Estimate` whose value is its upper end.

    Attributes
    ----------
    outputs
        The labels of the observations.
    leakages
        ``ℓ(X → y) = log max_x P(y | x) / P(y)`` of each, read-only; 0 of one that is impossible.
    confidence
        How often all this holds; None: always, the prior being given.
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
        """Return the least t beyond which no more is leaked but with probability δ: ``P(ℓ(X → Y) > t) <= δ``."""
        allowed = as_probability(delta, "delta")
        levels = np.unique(np.append(self.leakages, 0.0))
        first, last = 0, levels.size - 1
        while first < last:  # how likely a level is exceeded falls with it
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

    No guess of anything about the secret, by anybody, improves by more than the factor ``e^ℓ`` on seeing y.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and an explicit channel.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.
    counts
        Instead of a prior: how many people of a random sample have each secret, shape ``(k,)``. All secrets are then
        possible, and what is said holds of whatever prior they are drawn from.
    confidence
        How often it does, in (0, 1), if there are counts.
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
    maximal leakage, ``Σ_y max_x C[x, y]``. From counts, each secret's probability is between limits that hold for all
    of them at once; of the priors in between, each observation is as unlikely as it can be.

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
        raise InvalidValueError("the prior is either given or estimated from counts; got both, so leave one out")
    sure = as_confidence(confidence)
    low, high = _limits(counts, plain.secrets, 1 - sure)
    return plan_pointwise_leakage(plain, low, high, sure, nats)


@singledispatch
def plan_pointwise_leakage(
    system: System, low: Reals, high: Reals, confidence: float | None, nats: float
) -> Plan[PointwiseLeakage]:
    """Plan what each observation leaks, from the explicit channel, for priors between two ends."""

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
    """Return the least mean of each column under a law between these ends: what is free goes to the least values."""
    order = np.argsort(values, axis=0)
    room, ranked = (high - low)[order], np.take_along_axis(values, order, axis=0)
    free = max(0.0, 1.0 - float(low.sum()))
    added = np.clip(free - (np.cumsum(room, axis=0) - room), 0.0, room)
    return low @ values + (added * ranked).sum(axis=0)
