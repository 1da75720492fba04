"""Bootstrap intervals of quantities that a table's class sizes determine."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity.class_sizes import ClassSizes, Int64s
from tacit.errors import TooLargeError
from tacit.numerics.randomness import Seed

RESAMPLES = 1000
MOST_CLASSES = 2_000_000
_BLOCK = 1 << 22


def bootstrapped(
    sizes: ClassSizes,
    statistic: Callable[[Int64s], NDArray[np.float64]],
    value: float,
    misses: float,
    rng: Seed,
) -> tuple[float, float]:
    """Return the basic bootstrap interval of a share, widened to hold its value.

    The quantiles of the resamples reflected in the value, so that what resampling adds to it is taken off.
    ``statistic`` takes counts of people, a row per resample and a column per class.
    """
    if sizes.classes > MOST_CLASSES:
        raise TooLargeError(
            f"the bootstrap of {sizes.classes:,} classes takes too long, at most {MOST_CLASSES:,}; use method='auto'"
        )
    source = np.random.default_rng(rng)
    shares = np.repeat(sizes.sizes, sizes.counts) / sizes.people
    at_once = max(1, _BLOCK // shares.size)
    results = np.concatenate(
        [
            statistic(source.multinomial(sizes.people, shares, size=min(at_once, RESAMPLES - done)))
            for done in range(0, RESAMPLES, at_once)
        ]
    )
    low, high = 2 * value - np.quantile(results, [1 - misses / 2, misses / 2])
    return max(0.0, min(float(low), value)), min(1.0, max(float(high), value))
