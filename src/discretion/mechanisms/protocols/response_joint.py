"""The joint law of a value and its report by k-RR, that is asked for sums of its entries and never written out."""

from dataclasses import dataclass

import numpy as np

from discretion.numerics.arrays import Integers, Reals


@dataclass(frozen=True, eq=False)
class ResponseJoint:
    """Of a report y the value y has weight ``p π_y``, any other x has ``q π_x``; ``gap`` is p - q, at least 0.

    What is a sum over all values is therefore one number for all reports, corrected for each by its own value.
    """

    prior: Reals
    p: float
    q: float
    gap: float

    def column_maxima(self) -> Reals:
        """Return the weight of each report's likeliest value: its own, or the likeliest of all."""
        return np.maximum(self.p * self.prior, self.q * self.prior.max())

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ joint``."""
        weighted = weights * self.prior
        return self.q * weighted.sum(axis=-1, keepdims=True) + self.gap * weighted

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each report the sum of the largest weights of values, the i-th largest times the i-th weight.

        Its own value, of rank r among all, comes before those from rank s on, which make room for it.
        """
        k = self.prior.size
        by_rank = np.zeros(k + 1)
        by_rank[: weights.size] = weights
        order = np.argsort(-self.prior, kind="stable")
        others, rank = self.q * self.prior[order], np.arange(k)
        own = np.maximum(self.p * self.prior[order], others)
        place = np.searchsorted(-others, -own)
        before = np.concatenate([[0.0], np.cumsum(by_rank[:-1] * others)])
        moved = np.concatenate([[0.0], np.cumsum(by_rank[1:] * others)])
        found = np.empty(k)
        found[order] = (
            before[place] + by_rank[place] * own + (moved[rank] - moved[place]) + (before[-1] - before[rank + 1])
        )
        return found

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each report the largest weight of a class of values: its own value's, or the largest of all."""
        sums = np.bincount(class_of, self.prior)
        return np.maximum(self.q * sums[class_of] + self.gap * self.prior, self.q * sums.max())
