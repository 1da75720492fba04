"""Pure protocols: a report supports some of the values, its sender's own with one probability, each other with another.

All usual frequency oracles are such (Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency
Estimation, USENIX Security 2017), so that they share one estimator and one variance.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.mechanism import Integers, Mechanism, Reals, Reports

_CELLS_AT_ONCE = 1 << 22


class Support(NamedTuple):
    """How likely a report supports its sender's value, and how likely another one's; what is left; the difference.

    Each is given to full precision however small.
    """

    own: float
    not_own: float
    other: float
    not_other: float
    gap: float


class PureProtocol(Mechanism):
    """A mechanism whose reports each support a set of values, and are ``e^ε`` times as likely from those.

    A subclass implements `epsilon`, `channel`, `support`, ``_sample`` and ``_supports``, and may tally faster by its
    own ``_aggregate`` and count equal reports together by its own ``_distinct``.
    """

    @property
    @abstractmethod
    def support(self) -> Support:
        """How likely a report supports its sender's value, and how likely another one's."""

    @abstractmethod
    def _supports(self, reports: Reports) -> NDArray[np.bool_]:
        """Return which values each report supports, shape ``(reports, k)``."""

    def _aggregate(self, reports: Reports) -> Integers:
        tallies = np.zeros(self.k, dtype=np.int64)
        for block in self._blocks(reports):
            tallies += self._supports(block).sum(axis=0, dtype=np.int64)
        return tallies

    def _frequencies(self, tallies: Integers, n: int) -> Reals:
        return (tallies / n - self.support.other) / self.support.gap

    def _frequency_variance(self, n: int, frequencies: Reals) -> Reals:
        own, not_own, other, not_other, gap = self.support
        if gap == 0:
            return np.full(self.k, math.inf)
        noise = (frequencies * own * not_own + (1 - frequencies) * other * not_other) / n
        with np.errstate(over="ignore"):  # infinite at the border of what a double holds
            return noise / gap / gap

    def _distinct(self, reports: Reports) -> tuple[Reports, Integers]:
        """Return reports of which none need be there twice, and how often each was given."""
        return reports, np.ones(len(reports), dtype=np.int64)

    def likelihood_blocks(self, reports: Reports) -> Iterator[tuple[Reals, Integers]]:
        """Yield, for some reports at a time, how likely each is from each value, up to a factor, and its count."""
        odds = math.exp(-self.epsilon)
        distinct, counts = self._distinct(reports)
        for block in self._blocks(distinct):
            supports, counted = self._supports(block), counts[: len(block)]
            counts = counts[len(block) :]
            telling = supports.any(axis=1) & ~supports.all(axis=1)
            yield np.where(supports[telling], 1.0, odds), counted[telling]

    def _blocks(self, reports: Reports) -> Iterator[Reports]:
        step = max(1, _CELLS_AT_ONCE // self.k)
        for start in range(0, len(reports), step):
            yield reports[start : start + step]
