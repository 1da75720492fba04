"""What counts of single answers certify of other people like those counted: statistically, with a confidence.

Anonymity, section 7: those who are asked in the second round are others than those counted in the first.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers
from discretion.numerics.laws.binomial_limits import upper_limit
from discretion.numerics.search.explored_ideals import Extension, Loads
from discretion.numerics.search.ideals import Ideals, bits
from discretion.numerics.search.monotone_sets import MonotoneSearch
from discretion.numerics.search.worth import CountedOnce

METHOD = "counting, with limits of the shares of all sets of answers at once"
ASSUMING = "those who are asked together are drawn as those who were counted"
# Loads are whole numbers: the share of people who stand out, in such parts, rounded upwards.
_PARTS = 10**15
_LEAST_RISK = 1e-280


@dataclass(frozen=True)
class StatisticalCertificate:
    """What is certified of other people than those counted.

    With certainty ``confidence``, for every set J of features at once, the chance that one of n others has fewer than k
    alike is at most

    ``min over N of Σ_j u_j(N_j) + ((k-1)/n)·Π_j N_j``

    where ``u_j(N)`` is an upper limit of the chance of none of the N commonest answers: somebody who stands out has a
    rarer answer to some feature, or is in one of Π N cells, each of fewer than k people. That n others have, on
    average, so many rare answers needs no more than their chance.

    Parameters
    ----------
    counts
        Each feature → how many gave each answer, for every answer that there could be.
    k
        Who has fewer alike stands out.
    people
        At least so many others are asked.
    confidence
        How surely the limits hold, in (0, 1).

    Notes
    -----
    Which answers are the commonest is told by the same counts. So ``u_j(N)`` is the limit of Clopper and Pearson at a
    risk divided among the features, among the N, and among all sets of N answers. The chance that one of n stands out
    is the statistical exposure 𝒬(n, k) of Anonymity, Definition 7. Source: Discretion.
    """

    counts: Mapping[str, Integers]
    k: int
    people: int
    confidence: float

    def exposure(self, features: Sequence[str]) -> Estimate:
        """Return the bound for a set of features."""
        bound = self._bound([self._rare[name] for name in features])
        return Estimate(bound, 0.0, bound, self.confidence, METHOD, ASSUMING)

    def chosen(self, budget: Fraction) -> tuple[str, ...]:
        """Return the most features within a budget; of as many those with the least bound, then the first."""
        names, ideals = tuple(self.counts), Ideals([1 << place for place in range(len(self.counts))])

        def loads(extensions: Sequence[Extension]) -> list[Loads]:
            sets = [ideal if more is None else ideal | 1 << more for ideal, more in extensions]
            bounds = (self._bound([self._rare[names[place]] for place in bits(each)]) for each in sets)
            return [(math.ceil(Fraction(bound) * _PARTS),) for bound in bounds]

        search = MonotoneSearch(
            ideals, 0, loads, (math.floor(budget * _PARTS),), CountedOnce(ideals, [Fraction(1)] * len(names)),
            place=lambda ideal: [*bits(ideal)],
        ).run()  # fmt: skip
        return () if search.best is None else tuple(names[place] for place in bits(search.best))

    @cached_property
    def _rare(self) -> Mapping[str, list[float]]:
        """Each feature → the limit ``u(N)`` for N from 1 to the number of its answers."""
        most = max(int(tally.sum()) for tally in self.counts.values())
        misses = (1 - self.confidence) / len(self.counts)
        return {name: rare_limits(tally, most, misses) for name, tally in self.counts.items()}

    def _bound(self, rare: Sequence[list[float]]) -> float:
        if not rare:
            return 0.0 if self.people >= self.k else 1.0
        slack = (self.k - 1) / self.people
        lines: list[tuple[float, int]] = [(0.0, 1)]  # how likely an answer is rare, and how many cells there are
        for limits_of in rare:
            reached = sorted(
                (cells * kept, off + least)
                for off, cells in lines
                for kept, least in enumerate(limits_of, 1)
                if off + least + slack * cells * kept < 1
            )
            lines = []
            for cells, off in reached:
                if not lines or off < lines[-1][0]:
                    lines.append((off, cells))
        return min((off + slack * cells) * (1 + 1e-12) for off, cells in lines) if lines else 1.0


def rare_limits(counts: Integers, people: int, misses: float) -> list[float]:
    """Return for N from 1 on an upper limit of the chance of an answer that is none of the N commonest.

    All hold at once, and for every set of N answers, but with probability ``misses``. Whoever's answer is not among the
    counts is taken to have given a rare one.
    """
    values = len(counts)
    if values == 1:
        return [0.0]
    kept = np.arange(1, values)
    outside = people - np.cumsum(np.sort(counts)[::-1])[:-1]
    ways = [math.lgamma(values + 1) - math.lgamma(n + 1) - math.lgamma(values - n + 1) for n in kept.tolist()]
    share = misses / (values - 1) * np.exp(-np.array(ways))
    # Where the limit of so small a risk cannot be told, it is that of nothing.
    return [*np.where(share > _LEAST_RISK, upper_limit(outside, people, share), 1.0).tolist(), 0.0]
