"""Sampled leaks for crowds that are too large to sum over: estimates with intervals valid at every sample size.

Draw all n reports from the others' law. The weights ``π_x P(h | x) / P(h)`` are then means of n independent terms, one
for each report, with mean π, and the leak is the mean of a function of them. Their known means make them the control
variates, their known variances give the main part of the mutual information, and Hoeffding's and Bernstein's
inequalities keep all draws close to π, where the function ranges little.

If some reports reveal too much for that (the target may send reports that hardly any other user does), crowds are drawn
with the target's value from the prior. The weights are then the posterior law, which ranges over the simplex only.

Among other users whose values the adversary knows, crowds of k-RR are sampled too. Each user's report is their value
with probability p - q, else from the uniform law, which hides the target. Reports are drawn as if the target's report
were hidden with certainty; then the probability that it is each report of the histogram is known exactly
(`BlanketedHistograms`), and with it the weights ``π_x P(h | x) / P(h)``. Given the set of hidden users, these weights
are means over their reports; so they are means of such means, and stay as close to the prior.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from discretion.measures.measure import Method
from discretion.mechanisms.reporting import Response, Support, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import deviance
from discretion.numerics.histograms.blanketed_histograms import BlanketedHistograms, table_cells
from discretion.numerics.laws.binomial_limits import empirical_bernstein, fitted_mix
from discretion.shuffling.laws.groups import Group, OtherUsers, holders, report_types
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD

# Crowds of a sample; some thousands are drawn in any case.
MAX_CROWDS_DRAWN = 1 << 18
# Numbers that drawing one crowd takes.
MAX_NUMBERS_PER_CROWD = 1 << 17
# Values for which crowds are drawn among others who are known.
MAX_VALUES_SAMPLED = 1 << 10
# Cells of the tables that these are drawn by.
MAX_CELLS_SAMPLED = 1 << 23

CONFIDENCE = 0.95
SAMPLED = Method("Monte Carlo with a control variate", "estimate")

# Numbers drawn in all, and at a time; draws at least.
_CELLS, _CHUNK = 1 << 25, 1 << 21
_FEWEST = 1 << 11
_MAX_BITS = 12
_PILOT = 0.1
_ROUNDING = 1e-13
# The share of the misses that is left to draws farther from the prior than these inequalities allow for.
_FAR = 0.1
# So many products take as long as a draw; and so many draws are fitted for each control variate, or none is.
_PRODUCTS_PER_DRAW, _FITTED = 256, 4
# What a report says that nobody but the target can have sent, beside what all others say.
_CERTAIN = 1e30

SAMPLED_AMONG_KNOWN = Method(
    "Monte Carlo over the histograms of reports, and certified bounds: the tighter ends", "estimate"
)
_CHUNK_AMONG_KNOWN = 1 << 20
# What the integral leaves out.
_OFF = 1e-9


class Leak(Protocol):
    """A function of the weights of the target's values whose mean is estimated; it is homogeneous of degree 1."""

    @property
    def prior(self) -> Reals:
        """The law of the target's value."""
        ...

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        """Return the function of each row, less the part with a known mean unless the whole is requested."""
        ...

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        """Return the range of the values if all weights, and their sum, are within a reach of the prior, and of 1.

        The reach has an entry per value, and one for the sum; without one, return the range of the whole on the
        simplex.
        """
        ...

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the known part, given the variances of the weights and of their sum."""
        ...


class Reports(Protocol):
    """A sampler of the reports of a crowd, with the likelihoods of the target's values."""

    cost: int
    """The number of random numbers per draw."""

    def draw(self, rng: np.random.Generator, size: int, others: int, targets: Integers | None) -> Reals:
        """Return ``Σ Q[x, y] / q_y`` over the reports y of each draw, a column per value x.

        A draw has ``others`` reports of other users, and one report of each target's value if these are given.
        """
        ...

    def spread(self, prior: Reals) -> tuple[Reals, Reals]:
        """Return the range and the variance of ``π_x Q[x, y] / q_y`` for single reports, then of its sum over x."""
        ...


def mean_over_crowds(mechanism: System, group: Group, leak: Leak, rng: np.random.Generator) -> Estimate:
    """Return the mean of a leak over the crowds with one group of other users."""
    reports, n = reports_of(mechanism, group), group.count + 1

    def weights(count: int, as_they_are: bool) -> Reals:
        return _weights(reports, n, leak.prior, count, rng, as_they_are=as_they_are)

    return mean_of_leak(leak, reports.cost, weights, reports.spread(leak.prior), n, whole=False)


def mean_of_leak(
    leak: Leak, cost: int, draw: Callable[[int, bool], Reals], spread: tuple[Reals, Reals], hidden: int, *, whole: bool
) -> Estimate:
    """Return the mean of a leak over weights that are means of ``hidden`` independent reports, or means of such means.

    The weights are drawn under the law without information in the target's report, or else under the true law;
    ``spread`` has the ranges and variances for single reports. Unless the whole leak is sampled, these give its known
    part.
    """
    prior = leak.prior
    count = int(max(_FEWEST, min(_CELLS // cost, limits.current().steps(MAX_CROWDS_DRAWN, each=OPERATIONS_PER_CROWD))))
    pilot = int(_PILOT * count)
    ranges, variances = spread
    far = _FAR * (1 - CONFIDENCE) / (count - pilot)
    nats = math.log(2 * ranges.size / far)
    hoeffding = ranges * math.sqrt(nats / (2 * hidden))
    reach = np.minimum(hoeffding, np.sqrt(2 * variances * nats / hidden) + ranges * nats / (3 * hidden))
    simplex = leak.width(None, whole=True)
    near = leak.width(reach, whole=whole) if np.isfinite(reach).all() else math.inf
    as_they_are = near >= simplex
    weights = draw(count, as_they_are)
    values = leak.values(weights, whole=whole or as_they_are)
    mix = fitted_mix(values[:pilot], weights[:pilot]) if pilot > _FITTED * prior.size else np.zeros(prior.size)
    sample = values[pilot:] - (weights[pilot:] - prior) @ mix
    if as_they_are:
        mean, half = empirical_bernstein(sample, simplex + float(np.ptp(mix)), 1 - CONFIDENCE)
    else:
        # Draws beyond the reach might as well be cut: that happens with the chance set apart for it, and moves the mean
        # by less than their range times the chance of one.
        width = near + 2 * float(reach[:-1] @ np.abs(mix))
        mean, half = empirical_bernstein(sample, width, (1 - _FAR) * (1 - CONFIDENCE))
        mean, half = mean + (0.0 if whole else leak.known_mean(variances / hidden)), half + width * far
    half += _ROUNDING * (1 + abs(mean))
    return Estimate(mean, mean - half, mean + half, CONFIDENCE, SAMPLED.name)


def _weights(
    reports: Reports, n: int, prior: Reals, count: int, rng: np.random.Generator, *, as_they_are: bool
) -> Reals:
    at_once = max(1, min(count, _CHUNK // reports.cost))
    weights = np.empty((count, prior.size))
    for start in range(0, count, at_once):
        part = slice(start, min(start + at_once, count))
        size = part.stop - part.start
        if as_they_are:
            targets = rng.choice(prior.size, size=size, p=prior / prior.sum())
            joint = prior * reports.draw(rng, size, n - 1, targets)
            weights[part] = joint / joint.sum(axis=1, keepdims=True)
        else:
            weights[part] = prior * reports.draw(rng, size, n, None) / n
    return weights


def can_be_sampled(mechanism: System, group: Group) -> bool:
    """Whether sampling crowds takes seconds, not hours."""
    try:
        reports = reports_of(mechanism, group)
    except TooLargeError:
        return False
    return reports.cost <= limits.current().steps(MAX_NUMBERS_PER_CROWD, each=1 << 9)


@lru_cache(maxsize=2)  # asked for whether a crowd can be sampled, then to do so
def reports_of(mechanism: System, group: Group) -> Reports:
    """Return the sampler for a crowd that reports through this mechanism, with all other users in one group."""
    report = reporting(mechanism)
    if report.response is not None:
        return Responses(report.response, group)
    k = report.secrets
    # Drawing the bits takes a number for each; drawing the types one for each row of bits that there is.
    if report.bits is not None and (k > _MAX_BITS or 2**k > (group.count + 1) * k):
        return _BitRows(mechanism, report.bits, group)
    return _TypesOfReport(report_types(mechanism, (group,), range(k)))


class _TypesOfReport:
    """A sampler for reports of few types, by the number of reports of each type."""

    def __init__(self, types: Reals) -> None:
        self._rows, self._law = types[:-1], types[-1] / types[-1].sum()
        possible = self._law > 0
        self._says: Reals = np.where(possible, self._rows / np.where(possible, self._law, 1), self._rows * _CERTAIN)
        self._steps = np.cumsum(self._rows, axis=1)[:, :-1]
        self.cost = max(*types.shape, types.size // _PRODUCTS_PER_DRAW)  # reports are drawn one by one, and multiplied

    def draw(self, rng: np.random.Generator, size: int, others: int, targets: Integers | None) -> Reals:
        counts = rng.multinomial(others, self._law, size=size)
        if targets is not None:
            own = (rng.random(size)[:, None] >= self._steps[targets]).sum(axis=1)
            counts[np.arange(size), own] += 1
        return counts @ self._says.T

    def spread(self, prior: Reals) -> tuple[Reals, Reals]:
        weights = prior[:, None] * self._says
        weights = np.vstack([weights, weights.sum(axis=0)])
        means = np.append(prior, 1.0)
        return np.ptp(weights, axis=1), (weights - means[:, None]) ** 2 @ self._law


class Responses:
    """A sampler for k-RR with any k: a value's likelihood is a constant plus a multiple of the value's own count."""

    def __init__(self, response: Response, group: Group) -> None:
        self._p, self._q, self._gap = response.p, response.q, response.gap
        self._law = self._q + self._gap * group.law(response.k)
        self._law /= self._law.sum()
        self._inverse: Reals = 1 / np.maximum(self._law, 1 / _CERTAIN)
        self.cost = response.k

    def draw(self, rng: np.random.Generator, size: int, others: int, targets: Integers | None) -> Reals:
        """Return the sums of likelihood ratios over the reports of each draw, a column per value."""
        counts = rng.multinomial(others, self._law, size=size)
        if targets is not None:
            own = rng.integers(self._law.size - 1, size=size)
            own = np.where(rng.random(size) < self._p, targets, own + (own >= targets))
            counts[np.arange(size), own] += 1
        weighted = counts * self._inverse
        return self._q * weighted.sum(axis=1, keepdims=True) + self._gap * weighted

    def spread(self, prior: Reals) -> tuple[Reals, Reals]:
        """Return the range and the variance for single reports."""
        totals = (self._q + self._gap * prior) * self._inverse
        own, other = prior * self._p * self._inverse, prior * self._q
        ranges = np.maximum(own, other * self._inverse.max()) - np.minimum(own, other * self._inverse.min())
        squares = prior**2 * (self._q**2 * float(self._inverse.sum()) + (self._p**2 - self._q**2) * self._inverse)
        total = float((totals - 1) ** 2 @ self._law)
        return np.append(ranges, np.ptp(totals)), np.append(np.maximum(squares - prior**2, 0.0), total)


class _BitRows:
    """A sampler for reports of bits with too many values to list their types: it draws the bits themselves."""

    def __init__(self, mechanism: System, bits: Support, group: Group) -> None:
        self._mechanism, self._group = mechanism, group
        self._kappa, self._lam = bits.own, bits.other
        self._odds = np.array([bits.not_own / max(bits.not_other, 1e-300), bits.own / max(bits.other, 1e-300)])
        self._population = group.law(mechanism.secrets)
        self.cost = (group.count + 1) * mechanism.secrets

    def draw(self, rng: np.random.Generator, size: int, others: int, targets: Integers | None) -> Reals:
        values = rng.choice(self._population.size, size=(size, others), p=self._population)
        if targets is not None:
            values = np.column_stack([values, targets])
        bits = rng.random((*values.shape, self._population.size)) < self._lam
        own = rng.random(values.shape) < self._kappa
        np.put_along_axis(bits, values[..., None], own[..., None], axis=2)
        odds = self._odds[bits.astype(np.int64)]
        return np.einsum("dux,du->dx", odds, 1 / np.maximum(odds @ self._population, 1 / _CERTAIN))

    def spread(self, prior: Reals) -> tuple[Reals, Reals]:
        if not np.array_equal(prior, self._population):  # their sum over the values has no short law
            unbounded = np.full(prior.size + 1, math.inf)
            return unbounded, unbounded
        low, high = self._odds
        most = prior * high / (prior * high + (1 - prior) * low)
        least = prior * low / (prior * low + (1 - prior) * high)
        types = (report_types(self._mechanism, (self._group,), (value,)) for value in range(prior.size))
        variances = prior**2 * np.array([float(np.sum((row - law) ** 2 / law)) for row, law in types])
        return np.append(most - least, 0.0), np.append(variances, 0.0)


@dataclass(frozen=True, eq=False)
class GuessLeak:
    """The gain of the best guess."""

    prior: Reals
    gain: Gain

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        """Return the function of each row, less the part with a known mean unless the whole is requested."""
        return self.gain.best(weights.T)

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        """Return the range of the values within a reach, or on the simplex."""
        if reach is None:
            return self.gain.width
        if isinstance(self.gain, IdentityGain):
            least = max(float((self.prior - reach[:-1]).max()), (1 - float(reach[-1])) / self.prior.size)
            return float((self.prior + reach[:-1]).max()) - least
        return 2 * self.gain.largest_shift(reach[:-1])

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the known part."""
        return 0.0


@dataclass(frozen=True, eq=False)
class InformationLeak:
    """``Σ w_x log(w_x/π_x) - w log w`` of weights with sum w; its known part is half of that of the chi-square."""

    prior: Reals

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        """Return the function of each row, less the part with a known mean unless the whole is requested."""
        possible = self.prior > 0
        means = np.append(self.prior[possible], 1.0)
        weights = np.column_stack([weights[:, possible], weights.sum(axis=1)])
        terms = deviance(weights, means)
        if not whole:
            terms = terms - (weights - means) ** 2 / (2 * means)
        return terms[:, :-1].sum(axis=1) - terms[:, -1]

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        """Return the range of the values within a reach, or on the simplex."""
        possible = self.prior > 0
        if reach is None:
            return -float(np.log(self.prior[possible].min()))
        if whole:  # no more than the sum without what is taken off it, which rises on either side of the prior
            means, far = self.prior[possible], reach[:-1][possible]
            ends = np.maximum(means - far, 0.0), means + far
            return float(np.sum(np.maximum(*(deviance(end, means) for end in ends))))
        means = np.append(self.prior[possible], 1.0)
        far = np.append(reach[:-1][possible], reach[-1])
        if np.any(far >= means):
            return math.inf
        # w log(w/m) - w + m - (w-m)²/2m falls with w: it is highest at the lower end and least at the upper one.
        return float(np.sum(deviance(means - far, means) - deviance(means + far, means)))

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the known part."""
        possible = self.prior > 0
        return float(np.sum(variances[:-1][possible] / (2 * self.prior[possible]))) - float(variances[-1]) / 2


def can_be_sampled_among(response: Response, groups: OtherUsers) -> bool:
    """Whether sampling crowds among these other users takes seconds, and is possible for the mechanism."""
    if not response.q > 0 or response.k > MAX_VALUES_SAMPLED:
        return False
    if any(group.value is None and not group.is_uniform for group in groups):
        return False
    counts, more = _known_and_hidden(response, groups)
    cells = table_cells(counts, more, response.gap, response.k * response.q)
    return cells <= limits.current().numbers(MAX_CELLS_SAMPLED)


def mean_among_known(response: Response, groups: OtherUsers, leak: Leak, rng: np.random.Generator) -> Estimate:
    """Return the mean of a leak over the crowds with these other users, who are known or uniform."""
    k, hidden, prior = response.k, response.k * response.q, leak.prior
    counts, more = _known_and_hidden(response, groups)
    crowd = BlanketedHistograms(counts, more, response.gap, hidden, np.full(k, 1 / k))
    cost = k * crowd.nodes

    def drawn_weights(count: int, as_they_are: bool) -> Reals:
        weights = np.empty((count, k))
        at_once = max(1, _CHUNK_AMONG_KNOWN // cost)
        for start in range(0, count, at_once):
            part = slice(start, min(start + at_once, count))
            size = part.stop - part.start
            targets = rng.choice(k, size=size, p=prior / prior.sum()) if as_they_are else None
            shares = crowd.hidden_shares(crowd.draw(rng, size, targets))
            drawn = prior * (hidden + k * response.gap * shares)
            weights[part] = drawn / drawn.sum(axis=1, keepdims=True) if as_they_are else drawn
        return weights

    spread = Responses(response, Group(1)).spread(prior)
    mean = mean_of_leak(leak, cost, drawn_weights, spread, max(1, crowd.fewest_hidden), whole=True)
    return replace(mean.widened(_OFF * (1 + abs(mean.value))), method=SAMPLED_AMONG_KNOWN.name)


def _known_and_hidden(response: Response, groups: OtherUsers) -> tuple[Integers, int]:
    """Return the number of other users per known value, and the number of uniform reports, including the target's."""
    return holders(response.k, groups), 1 + sum(group.count for group in groups if group.value is None)
