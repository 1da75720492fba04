"""What is too large to sum over, from a sample: an estimate with an interval that holds at every sample size.

A draw is a crowd: the target's value from the prior, then all reports. It gives the posterior law of the target's
value, and the leak is the mean of a function of that law. The posterior's own mean is known, it is the prior: that
makes it the control variate. Where the prior is also the population's law, the posterior is the mean over the reports
of what each of them says. Hoeffding's inequality then keeps all draws close to the prior, where the function ranges
little, and the posterior's variance is known too.
"""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import System
from tacit.errors import TooLargeError
from tacit.estimate import Estimate
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.unary_encoding import UnaryEncoding
from tacit.numerics.bounded_mean import empirical_bernstein, fitted_mix
from tacit.shuffling.others import Group, report_types

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

CONFIDENCE = 0.95
METHOD = "Monte Carlo with a control variate"

# Numbers drawn in all, and at a time; draws at least and at most.
_CELLS, _CHUNK = 1 << 25, 1 << 21
_FEWEST, _MOST, _MOST_COST = 1 << 11, 1 << 18, 1 << 17
_PILOT = 0.1
# The share of the misses that is left to draws farther from the prior than Hoeffding's inequality allows for.
_FAR = 0.1
# What a report says that nobody but the target can have sent, beside what all others say.
_CERTAIN = 1e30


class Leak(Protocol):
    """A function of the posterior law whose mean is asked for."""

    @property
    def prior(self) -> Reals:
        """The law of the target's value."""
        ...

    def values(self, posteriors: Reals) -> Reals:
        """Return the function of each row, less the part whose mean is known."""
        ...

    def width(self, reach: float) -> float:
        """Return how far the values range while no posterior probability is farther than the reach from its prior."""
        ...

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the part that was left out, given the variances of the posterior probabilities."""
        ...


class Reports(Protocol):
    """How to draw the reports of a crowd, and what they say of the target."""

    cost: int
    """How many numbers a draw takes."""

    def draw(self, rng: np.random.Generator, others: int, targets: Integers) -> Reals:
        """Return ``Σ Q[x, y] / q_y`` over the reports y of each draw, a column per value x, up to a factor."""
        ...

    def says(self, prior: Reals) -> float:
        """Return how far the posterior probability of a value can differ between two single reports."""
        ...

    def variances(self, prior: Reals) -> Reals:
        """Return the variance of each value's posterior probability given a single report."""
        ...


def mean_over_crowds(
    mechanism: System, group: Group, leak: Callable[[bool], Leak], rng: np.random.Generator
) -> Estimate:
    """Return the mean of a leak over the crowds with one group of others.

    The leak is made knowing whether the posterior is a mean of independent parts, with known variance.
    """
    reports = reports_of(mechanism, group)
    if reports.cost > _MOST_COST:
        raise TooLargeError(
            f"a sample of crowds of {group.count + 1:,} users with {mechanism.secrets:,} values would take hours; take "
            "fewer values or users, or a uniform prior and population, for which k-RR has a closed form"
        )
    prior = leak(False).prior
    is_mean = np.array_equal(prior, group.law(prior.size))
    function = leak(is_mean)
    posteriors = _posteriors(reports, group.count, prior, rng)
    values = function.values(posteriors)
    pilot = int(_PILOT * values.size)
    mix = fitted_mix(values[:pilot], posteriors[:pilot])
    sample = values[pilot:] - (posteriors[pilot:] - prior) @ mix
    width, misses, bias, known = function.width(math.inf) + float(np.ptp(mix)), 1 - CONFIDENCE, 0.0, 0.0
    if is_mean:
        n = group.count + 1
        known = function.known_mean(reports.variances(prior) / n)
        far = _FAR * misses / sample.size
        reach = reports.says(prior) * math.sqrt(math.log(2 * prior.size / far) / (2 * n))
        near = function.width(reach) + 2 * reach * float(np.abs(mix - np.median(mix)).sum())
        if near < width:
            # Draws beyond the reach might as well be cut: that happens with the chance set apart for it, and moves the
            # mean by less than their range times the chance of one.
            width, misses, bias = near, (1 - _FAR) * misses, width * far
    mean, half = empirical_bernstein(sample, width, misses)
    return Estimate(known + mean, known + mean - half - bias, known + mean + half + bias, CONFIDENCE, METHOD)


def _posteriors(reports: Reports, others: int, prior: Reals, rng: np.random.Generator) -> Reals:
    count = int(min(max(_CELLS // reports.cost, _FEWEST), _MOST))
    at_once = max(1, min(count, _CHUNK // reports.cost))
    posteriors = np.empty((count, prior.size))
    for start in range(0, count, at_once):
        part = slice(start, min(start + at_once, count))
        targets = rng.choice(prior.size, size=part.stop - part.start, p=prior / prior.sum())
        posterior = prior * reports.draw(rng, others, targets)
        posteriors[part] = posterior / posterior.sum(axis=1, keepdims=True)
    return posteriors


@singledispatch
def reports_of(mechanism: System, group: Group) -> Reports:
    """Return how to draw the reports of a crowd through this mechanism, all of whose others are of one group."""
    return _TypesOfReport(report_types(mechanism, (group,), tuple(range(mechanism.secrets))))


class _TypesOfReport:
    """Reports of few types, drawn by how many there are of each."""

    def __init__(self, types: Reals) -> None:
        self._rows, self._law = types[:-1], types[-1] / types[-1].sum()
        possible = self._law > 0
        self._says: Reals = np.where(possible, self._rows / np.where(possible, self._law, 1), self._rows * _CERTAIN)
        self._steps = np.cumsum(self._rows, axis=1)[:, :-1]
        self.cost = max(types.shape)

    def draw(self, rng: np.random.Generator, others: int, targets: Integers) -> Reals:
        counts = rng.multinomial(others, self._law, size=targets.size)
        own = (rng.random(targets.size)[:, None] >= self._steps[targets]).sum(axis=1)
        counts[np.arange(targets.size), own] += 1
        return counts @ self._says.T

    def says(self, prior: Reals) -> float:
        return float(np.ptp(prior[:, None] * self._says, axis=1).max())

    def variances(self, prior: Reals) -> Reals:
        return prior**2 * ((self._says - 1) ** 2 @ self._law)


class _Responses:
    """Reports of k-RR for any k: what they say of a value is a constant and a multiple of its own count."""

    def __init__(self, mechanism: RandomizedResponse, group: Group) -> None:
        self._p, self._q, self._gap = mechanism.p, mechanism.q, mechanism.gap
        self._law = self._q + self._gap * group.law(mechanism.k)
        self._law /= self._law.sum()
        self._inverse: Reals = 1 / np.maximum(self._law, 1 / _CERTAIN)
        self.cost = mechanism.k

    def draw(self, rng: np.random.Generator, others: int, targets: Integers) -> Reals:
        counts = rng.multinomial(others, self._law, size=targets.size)
        own = rng.integers(self._law.size - 1, size=targets.size)
        own = np.where(rng.random(targets.size) < self._p, targets, own + (own >= targets))
        counts[np.arange(targets.size), own] += 1
        weighted = counts * self._inverse
        return self._q * weighted.sum(axis=1, keepdims=True) + self._gap * weighted

    def says(self, prior: Reals) -> float:
        own = prior * self._p * self._inverse
        return float((own - prior * self._q * self._inverse.min()).max())

    def variances(self, prior: Reals) -> Reals:
        others = self._q**2 * float(self._inverse.sum())
        return prior**2 * np.maximum(others + (self._p**2 - self._q**2) * self._inverse - 1, 0.0)


class _BitRows:
    """Reports of unary encoding with too many values for a list of its types: the bits themselves."""

    def __init__(self, mechanism: UnaryEncoding, group: Group) -> None:
        self._mechanism, self._group = mechanism, group
        self._kappa, self._lam = mechanism.kappa, mechanism.lam
        self._odds = np.array(
            [mechanism.not_kappa / max(mechanism.not_lam, 1e-300), mechanism.kappa / max(mechanism.lam, 1e-300)]
        )
        self._population = group.law(mechanism.k)
        self.cost = (group.count + 1) * mechanism.k

    def draw(self, rng: np.random.Generator, others: int, targets: Integers) -> Reals:
        values = rng.choice(self._population.size, size=(targets.size, others + 1), p=self._population)
        values[:, 0] = targets
        bits = rng.random((*values.shape, self._population.size)) < self._lam
        own = rng.random(values.shape) < self._kappa
        np.put_along_axis(bits, values[..., None], own[..., None], axis=2)
        said = self._odds[bits.astype(np.int64)]
        return np.einsum("dux,du->dx", said, 1 / (said @ self._population))

    def says(self, prior: Reals) -> float:
        low, high = self._odds
        most = prior * high / (prior * high + (1 - prior) * low)
        least = prior * low / (prior * low + (1 - prior) * high)
        return float((most - least).max())

    def variances(self, prior: Reals) -> Reals:
        types = (report_types(self._mechanism, (self._group,), (value,)) for value in range(prior.size))
        return prior**2 * np.array([float(np.sum((row - law) ** 2 / law)) for row, law in types])


@reports_of.register
def _(mechanism: RandomizedResponse, group: Group) -> Reports:
    return _Responses(mechanism, group)


@reports_of.register
def _(mechanism: UnaryEncoding, group: Group) -> Reports:
    # Drawing the bits takes a number for each; drawing the types one for each row of bits that there is.
    few = mechanism.k <= _MOST_BITS and 2**mechanism.k <= (group.count + 1) * mechanism.k
    if few:
        return _TypesOfReport(report_types(mechanism, (group,), tuple(range(mechanism.k))))
    return _BitRows(mechanism, group)


_MOST_BITS = 12
