"""Any gain of two values of the target, from how far apart they make what is seen."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.estimate import Estimate, highest, lowest, mapped
from tacit.shuffling.pairs import PairOfValues

Reals = NDArray[np.float64]


def two_valued_gain(pair: PairOfValues, prior: Reals, gain: Reals) -> float | Estimate:
    """Return ``Σ_h max_w (α_w P(h | 0) + β_w P(h | 1))``: as the upper envelope of lines in the likelihood ratio.

    It starts with the line that is highest where the ratio is 0 and rises by a hinge wherever a steeper one takes over.
    """
    lines = sorted({(alpha, beta) for alpha, beta in (gain * prior).tolist()}, key=lambda line: (line[1], line[0]))
    alpha, beta = lines[-1]
    total: float | Estimate = alpha + beta
    while steeper := [(a, b) for a, b in lines if a > alpha]:
        ratio, (next_alpha, next_beta) = min(
            (((beta - b) / (a - alpha), (a, b)) for a, b in steeper),
            key=lambda crossing: (crossing[0], -crossing[1][0]),
        )
        excess = pair.excess_beyond(math.log(ratio) if ratio > 0 else -math.inf)
        total = _sum(total, excess, next_alpha - alpha)
        alpha, beta = next_alpha, next_beta
    return total


def _sum(left: float | Estimate, right: float | Estimate, weight: float) -> float | Estimate:
    if not isinstance(left, Estimate):
        return mapped(right, lambda value: left + weight * value)
    low, high = left.low + weight * lowest(right), left.high + weight * highest(right)
    return replace(left, value=left.value + weight * float(right), low=low, high=high)
