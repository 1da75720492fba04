"""Logarithms of laws of histograms, for probabilities and ratios beyond the range of doubles.

Groups of independent draws are added one after the other, each on the box of counts that are not too unlikely.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.excess import deviance
from discretion.numerics.laws.binomial import log_root, stirling_error

Window = tuple[int, int]

# Logarithms of probabilities below this are taken of what underflows.
_SMALL = -600.0


def log_multinomial_pmf(counts: Reals, log_probabilities: Reals) -> Reals:
    """Return ``log(n! Π_y q_y^h_y / h_y!)`` for histograms h on the last axis, n being each one's sum.

    By Loader's form, as in `discretion.numerics.laws.binomial`.
    """
    n = counts.sum(axis=-1)
    parts = stirling_error(counts) + log_root(counts) + _log_deviance(counts, n[..., None], log_probabilities)
    return stirling_error(n) + log_root(n) - parts.sum(axis=-1)


def log_windows(count: int, log_row: Reals, least: float) -> list[Window]:
    """Return, for each outcome but the last, the least and the largest count that may be as likely as ``e^least``."""
    return [
        _window(count, float(p), float(np.logaddexp.reduce(np.delete(log_row, y))), least)
        for y, p in enumerate(log_row[:-1])
    ]


def log_histogram_law(counts: Sequence[int], log_rows: Reals, least: float) -> Reals:
    """Return the logarithm of the law of the histogram when ``counts[g]`` draws come from the law ``rows[g]``.

    The result has an axis per outcome but the last, from some corner on; every probability outside is below
    ``e^least``.
    """
    law = np.zeros((1,) * (log_rows.shape[1] - 1))
    for count, row in zip(counts, log_rows, strict=True):
        law = _convolution(law, _log_multinomial(count, row, log_windows(count, row, least)))
    return law


def log_histogram_work(counts: Sequence[int], log_rows: Reals, least: float) -> float:
    """Return the number of terms that the law adds up."""
    work, reached = 0.0, np.ones(log_rows.shape[1] - 1)
    for count, row in zip(counts, log_rows, strict=True):
        widths = np.array([last - first + 1.0 for first, last in log_windows(count, row, least)])
        work += float(np.prod(reached) * np.prod(widths))
        reached += widths - 1
    return work


def log_add_draw(law: Reals, log_row: Reals) -> Reals:
    """Return the logarithm of the law of the histogram after one more draw; every axis grows by one."""
    places = np.full((2,) * law.ndim, -math.inf)
    for y, log_p in enumerate(log_row):
        places[tuple(int(axis == y) for axis in range(law.ndim))] = log_p
    return _convolution(law, places)


def _log_multinomial(count: int, log_row: Reals, windows: list[Window]) -> Reals:
    axes = [np.arange(first, last + 1, dtype=np.float64) for first, last in windows]
    h: Reals = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1) if axes else np.zeros(0)
    rest = count - h.sum(axis=-1)
    law = np.full(rest.shape, -math.inf)
    possible = rest >= 0
    law[possible] = log_multinomial_pmf(np.concatenate([h, rest[..., None]], axis=-1)[possible], log_row)
    return law


def _convolution(left: Reals, right: Reals) -> Reals:
    shape = tuple(a + b - 1 for a, b in zip(left.shape, right.shape, strict=True))
    total = np.full(shape, -math.inf)
    more, fewer = (left, right) if left.size >= right.size else (right, left)
    for place in np.argwhere(fewer > -math.inf).tolist():
        box = (slice(start, start + length) for start, length in zip(place, more.shape, strict=True))
        part = total[(*box, ...)]  # a view even of a law without axes, where there is but one type
        np.logaddexp(part, more + fewer[tuple(place)], out=part)
    return total


def _window(count: int, log_p: float, log_q: float, least: float) -> Window:
    """Return the window in which the binomial law may be ``e^least``, by Chernoff's bound of its tails."""

    def part(hits: int, log_p: float) -> float:
        return hits * (math.log(hits / count) - log_p) if hits else 0.0

    def is_unlikely(hits: int) -> bool:
        return -part(hits, log_p) - part(count - hits, log_q) < least

    mean = min(count, math.floor(count * math.exp(log_p)))
    fewer = bisect_left(range(mean), True, key=lambda away: is_unlikely(mean - 1 - away))
    more = bisect_left(range(count - mean), True, key=lambda away: is_unlikely(mean + 1 + away))
    return mean - fewer, mean + more


def _log_deviance(x: Reals, n: Reals, log_p: Reals) -> Reals:
    """Return ``x log(x/(n p)) - x + n p``, for p given by its logarithm."""
    x, log_mean = np.broadcast_arrays(x, np.log(np.maximum(n, 1.0)) + log_p)
    mean = n * np.exp(log_p)
    tiny = (log_mean < _SMALL) & (x > 0)
    far = x * (np.log(np.where(tiny, x, 1.0)) - np.where(tiny, log_mean, 0.0)) - x + mean
    return np.where(tiny, far, deviance(x, np.where(tiny, x, mean)))
