"""Answers that are numbers or intervals, held against what is known of them."""

import discretion as dc

WIDEST = 0.05


def ends(result):
    """Between which numbers the truth must be: a float keeps its promise, an Estimate is in its interval.

    A statistical interval is taken three times as wide: one at 95 % would else fail one test in twenty.
    """
    if not isinstance(result, dc.Estimate):
        assert isinstance(result, float), f"{result!r} is no plain float"
        off = max(1e-10 * abs(result), 1e-12)
        return result - off, result + off
    widened = 1 if result.certified else 3
    return result.value - widened * (result.value - result.low), result.value + widened * (result.high - result.value)


def lowest(result):
    return ends(result)[0]


def highest(result):
    return ends(result)[1]


def covers(result, expected, within=1e-12):
    """Whether the answer allows the expected value, itself known within so much, and not all else as well."""
    low, high = ends(result)
    return high - low < WIDEST and low - within <= expected <= high + within
