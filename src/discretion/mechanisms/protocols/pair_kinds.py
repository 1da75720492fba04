"""Which pairs of values reports tell apart alike, where all reports are as likely from the values that they support.

Beside senders of uniform values, who send a report the likelier the more values it supports, a pair is told apart by
how many reports of each size of support support both of its values, and either one: which are whole numbers.
"""

import numpy as np

from discretion.numerics.arrays import Booleans, Integers

_CELLS_AT_ONCE = 1 << 22


def kinds_by_support(supports: Booleans) -> Integers:
    """Return a number for any two values, the same for pairs of a kind, given which values each report supports."""
    k = supports.shape[1]
    sizes = supports.sum(axis=1)
    both = np.zeros((k, k), dtype=np.int64)
    for size in range(1, k):
        alike = supports[sizes == size]
        if len(alike):
            both = _numbered(both, _supporting_both(alike))
    alone = both.diagonal()
    ends = _numbered(np.minimum.outer(alone, alone), np.maximum.outer(alone, alone))
    return _numbered(ends, both)


def _supporting_both(supports: Booleans) -> Integers:
    """Return how many reports support each two values."""
    k = supports.shape[1]
    counts, step = np.zeros((k, k), dtype=np.int64), max(1, _CELLS_AT_ONCE // k)
    for start in range(0, len(supports), step):
        block = supports[start : start + step].astype(np.float32)  # whose sums are whole numbers below 2²⁴: exact
        counts += (block.T @ block).astype(np.int64)
    return counts


def _numbered(first: Integers, second: Integers) -> Integers:
    """Return a number for each pair of numbers, the same for the same pairs."""
    pairs = first * (int(second.max()) + 1) + second
    return np.unique(pairs, return_inverse=True)[1].reshape(first.shape).astype(np.int64)
