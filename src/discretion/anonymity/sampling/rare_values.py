"""Rare values of a law: upper limits of their probability from a sample, jointly for all numbers of frequent values."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discretion.numerics.arrays import Integers
from discretion.numerics.convex_hulls import Line
from discretion.numerics.laws.binomial_limits import limits_of_parts, upper_limit

if TYPE_CHECKING:
    from discretion.mechanisms.reporting import Response

# The part of the misses for recognizing frequent values by their counts; the rest is for the share of the others.
_ON_CUTS = 0.3
# Thresholds between frequent and rare: 1, and then each this share of the one before.
_STEP = math.sqrt(0.5)
# Below this risk no limit can be computed, and 1 is used.
_LEAST_RISK = 1e-280


@dataclass(frozen=True, eq=False)
class SampledValues:
    """The numbers of people of a sample who have, or report, each value of a column.

    Parameters
    ----------
    sizes, values
        The distinct numbers of people with a value, ascending from at least 1, and the number of values with each; both
        shape (s,).
    people
        The number of sampled people, m. People who are not in the sizes may have any value.
    domain
        The number of possible values; None if it is not known.
    response
        The randomized response by which each person reported their value, independently; None if they reported the
        value itself.
    """

    sizes: Integers
    values: Integers
    people: int
    domain: int | None = None
    response: "Response | None" = None

    def rare_lines(self, misses: float) -> list[Line[float]]:
        """Return pairs of a limit and N: all values except N chosen ones together have at most that probability.

        All of the limits hold at once for every law, except with probability ``misses``.

        Notes
        -----
        Two arguments share the misses if the domain of d values is known.

        *All sets.* The N values with most reports depend on the sample. A limit of Clopper and Pearson at the risk
        ``misses / ((d-1)·C(d, N))`` holds for all sets of N values at once, so also for these.

        *The law's order.* Fix a threshold x. The set of values with probability at least x does not depend on the
        sample, so the number of people outside of it is binomial, and its limit needs no union over sets. The
        probabilities of all values lie within their limits at once (each at a risk in proportion to it). So a value
        with few reports is outside, one with many is inside, and values between count on both sides. At most 1/x values
        are inside. The thresholds are chosen before the sample, and share the risk. This needs no domain: a value that
        nobody has is below the threshold, if the threshold is above the limit of such a value.

        k-ary randomized response reports a value of probability p with probability ``q + (p_truth - q)·p``, which rises
        with p. So the same holds for the reports. The probability of a set of values is that of their reports, minus q
        for each, divided by ``p_truth - q``: a limit of one gives a limit of the other.

        Source: Discretion.
        """
        if self.domain is None:
            return self._lines_by_share(misses)
        lines = [(0.0, float(self.domain), ())]
        if self._gap > 0 and self.domain > 1:
            lines += self._lines_of_all_sets(self.domain, misses / 2) + self._lines_by_share(misses / 2)
        return lines

    @property
    def _gap(self) -> float:
        return 1.0 if self.response is None else self.response.gap

    def _share(self, reported: float, values: int) -> float:
        """Return the probability of a set of this many values whose reports have this probability."""
        return reported if self.response is None else max(0.0, reported - values * self.response.q) / self._gap

    def _lines_of_all_sets(self, domain: int, misses: float) -> list[Line[float]]:
        # Equally frequent values are kept together: between, the limit is almost linear in N.
        kept = np.cumsum(self.values[::-1])
        outside = self.people - np.cumsum((self.sizes * self.values)[::-1])
        kept, outside = kept[kept < domain], outside[kept < domain]
        ways = [math.lgamma(domain + 1) - math.lgamma(n + 1) - math.lgamma(domain - n + 1) for n in kept.tolist()]
        risk = misses / (domain - 1) * np.exp(-np.array(ways))
        limits = np.where(risk > _LEAST_RISK, upper_limit(outside, self.people, risk), 1.0)
        return [
            (self._share(limit, domain - n), float(n), ())
            for limit, n in zip(limits.tolist(), kept.tolist(), strict=True)
        ]

    def _lines_by_share(self, misses: float) -> list[Line[float]]:
        lost = self.people - int(self.sizes @ self.values)
        unseen = 0 if self.domain is None else self.domain - int(self.values.sum())
        sizes, values = np.append(0, self.sizes), np.append(unseen, self.values)
        low, high = limits_of_parts(sizes, self.people, misses * _ON_CUTS)
        if lost:
            _, high = limits_of_parts(sizes + lost, self.people, misses * _ON_CUTS)
        thresholds = _STEP ** np.arange(math.ceil(math.log(1 / self.people, _STEP)) + 1)
        risk = misses * (1 - _ON_CUTS) / thresholds.size
        lines: list[Line[float]] = []
        for share in thresholds.tolist():
            reported = share if self.response is None else self.response.q + self._gap * share
            if self.domain is None and reported <= high[0]:
                break
            kept = min(int(values[high >= reported].sum()), math.floor((1 + 1e-9) / share))
            outside = int((sizes * values)[low < reported].sum()) + lost
            limit = float(upper_limit(outside, self.people, risk))
            lines.append(
                (self._share(limit, 0 if self.domain is None else self.domain - kept), float(max(kept, 1)), ())
            )
        return lines
