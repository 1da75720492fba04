"""The types of a report of k bits, each of which is randomized by itself: what matters of it is how many are set where.

Beside k bits that are all 1 with probability λ, a value's report differs by its own bit only, which is 1 with
probability κ.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from discretion import limits
from discretion.adversaries.priors import written_out
from discretion.errors import TooLargeError
from discretion.mechanisms.reporting import Sender, Support, SupportSizes, told_apart
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import binomial_window, multinomial_pmf

# Types that reports of bits are of, in a population of unequal shares.
MAX_REPORT_TYPES = 1 << 16


def report_types(k: int, bits: Support, values: Sequence[int], others: Sequence[Sender]) -> Reals:
    """Return how likely each type of report is, a row per value and then per other sender."""
    apart = told_apart(values, others)
    population = next((sender.population for sender in others if sender.population is not None), None)
    strangers = any(sender.value is None for sender in others)
    rest = written_out(population, k)
    masses, sizes = np.unique(np.delete(rest, apart), return_counts=True)
    blocks = [1] * len(apart) + (sizes.tolist() if strangers else [])
    if np.prod([size + 1.0 for size in blocks]) > limits.current().numbers(MAX_REPORT_TYPES):
        raise TooLargeError(
            f"reports of {k:,} bits are of too many types for a population with {len(sizes):,} different shares; take "
            "the uniform population, or fewer values"
        )
    # A block is one bit, or how many of the bits of equally frequent values are set: without and with the user's own.
    silent = [_ones(size, bits) for size in blocks]
    own = [np.convolve(_ones(size - 1, bits), [bits.not_own, bits.own]) for size in blocks]

    def law(block: int | None) -> Reals:
        parts = [own[i] if i == block else silent[i] for i in range(len(blocks))]
        return reduce(lambda types, part: np.multiply.outer(types, part).ravel(), parts)

    # The least likely value of a report is one whose bit is not set; if all are, none is less likely than another.
    least = law(None) * _ratio(bits.not_own, bits.not_other)
    least[-1] = law(0)[-1]

    def row(sender: Sender) -> Reals:
        if sender.value is not None:
            return law(apart.index(sender.value))
        if sender.blanket:
            return least / least.sum()
        shares = [*rest[apart], *(masses * sizes)]
        return np.sum([share * law(block) for block, share in enumerate(shares) if share], axis=0)

    types = np.stack([*(law(apart.index(value)) for value in values), *map(row, others)])
    return types[:, types.sum(axis=0) > 0]


def blanket_probability(k: int, bits: Support) -> float:
    """Return how likely a report is to be of the blanket."""
    all_set = bits.own * bits.other ** (k - 1)
    return min(1.0, _ratio(bits.not_own, bits.not_other) * (1 - bits.other**k) + all_set)


def support_sizes(k: int, bits: Support) -> SupportSizes:
    """Return the law of the number of ones."""
    first, others = binomial_window(k - 1, bits.other, bits.not_other)
    probabilities = np.zeros(others.size + 1)
    probabilities[1:] += bits.own * others
    probabilities[:-1] += bits.not_own * others
    return SupportSizes(first + np.arange(probabilities.size), probabilities)


def _ones(size: int, bits: Support) -> Reals:
    """Return the law of how many of so many other values' bits are set."""
    counts = np.arange(size + 1)
    return multinomial_pmf(np.stack([counts, size - counts], axis=-1), (bits.other, bits.not_other))


def _ratio(p: float, q: float) -> float:
    return p / q if q > 0 else 0.0
