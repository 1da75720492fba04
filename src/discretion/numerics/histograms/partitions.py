"""Integer partitions: histograms without the order of their outcomes."""

import math

import numpy as np
from scipy.special import gammaln

from discretion.numerics.arrays import Integers, Reals


def partition_count(n: int, parts: int, most: int) -> int:
    """Return the number of partitions of n into at most ``parts`` parts, or a number over ``most``."""
    if n > most:
        return most + 1
    ways = [1, *[0] * n]
    for part in range(1, min(parts, n) + 1):
        for total in range(part, n + 1):
            ways[total] += ways[total - part]
        if ways[n] > most:
            return most + 1
    return ways[n]


def partitions(n: int, parts: int) -> Integers:
    """Return the partitions of n into at most ``parts`` parts, one a row, in falling order and padded with zeros."""
    listed, left, most = np.zeros((1, 0), dtype=np.int64), np.array([n]), np.array([n])
    for remaining in range(parts, 0, -1):
        least = -(-left // remaining)  # the largest part is no less than the mean of what is left
        choices = np.minimum(left, most) - least + 1
        index = np.repeat(np.arange(left.size), choices)
        part = least[index] + np.arange(index.size) - (np.cumsum(choices) - choices)[index]
        listed = np.hstack([listed[index], part[:, None]])
        left, most = left[index] - part, part
    return listed


def log_orders(listed: Integers) -> Reals:
    """Return the logarithm of the number of histograms that each partition represents."""
    changes = np.diff(listed, axis=1) != 0
    runs = np.zeros(len(listed))
    length = np.ones(len(listed))
    for change in changes.T:
        length = np.where(change, 1.0, length + 1)
        runs += np.log(length)
    return math.lgamma(listed.shape[1] + 1) - runs


def log_multinomial(listed: Integers) -> Reals:
    """Return the logarithm of the number of sequences that each histogram represents."""
    factorials: Reals = gammaln(np.arange(1.0, listed.sum(axis=1).max(initial=0) + 2))
    return factorials[listed.sum(axis=1)] - factorials[listed].sum(axis=1)
