"""Limits of how much more often one thing fails than another: by scanning ratios, and how often they miss."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta, binom

from discretion.numerics.laws.rate_ratio import excess_limits
from oracles.synthetic import ratio_is_within


def clopper_pearson(hits, trials, misses):
    low = beta.ppf(misses / 2, hits, trials - hits + 1) if hits else 0.0
    high = beta.ppf(1 - misses / 2, hits + 1, trials - hits) if hits < trials else 1.0
    return low, high


counts = st.integers(1, 60).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@given(counts, counts, st.sampled_from([1.0, 1.5, 4.0]), st.sampled_from([0.5, 0.05, 0.001]))
def test_a_ratio_is_within_its_limits_where_its_square_is_within_theirs(one, other, scale, misses):
    value, low, high = excess_limits(*one, *other, scale, misses)
    assert -1 <= low <= value <= high <= 1
    (hits, trials), (other_hits, other_trials) = one, other
    fails, others = 1 - hits / trials, max(0.0, 1 - scale * other_hits / other_trials)
    limits = [1 - end for end in reversed(clopper_pearson(hits, trials, misses))]
    of_others = [max(0.0, 1 - scale * end) for end in reversed(clopper_pearson(other_hits, other_trials, misses))]
    for ratio in np.linspace(0, 1.999, 400):
        if min(abs(1 - ratio - low), abs(1 - ratio - high)) > 1e-6:
            assert (low < 1 - ratio < high) == ratio_is_within(fails, limits, others, of_others, ratio)


@pytest.mark.parametrize(
    ("counts", "value"),
    [((50, 50, 0, 50), 1.0), ((0, 50, 0, 50), 0.0), ((50, 50, 50, 50), 0.0), ((10, 50, 50, 50), -1.0)],
)
def test_at_the_ends_the_risk_is_what_it_is(counts, value):
    assert excess_limits(*counts, 1.0, 0.05)[0] == value


def test_where_others_are_always_told_of_nothing_is_known_of_the_risk():
    _, low, high = excess_limits(50, 50, 50, 50, 1.0, 0.05)
    assert (low, high) == (-1.0, 1.0)


@pytest.mark.parametrize(("n", "m"), [(20, 20), (40, 20), (20, 60), (100, 30)])
@pytest.mark.parametrize(("p", "q"), [(0.01, 0.01), (0.1, 0.1), (0.5, 0.5), (0.9, 0.9), (0.5, 0.1), (0.99, 0.5)])
def test_the_limits_miss_no_more_often_than_they_say(n, m, p, q):
    truth, missed = 1 - (1 - p) / (1 - q), 0.0
    of_one, of_other = binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, q)
    for hits in np.flatnonzero(of_one > 1e-6):
        for other in np.flatnonzero(of_other > 1e-6):
            _, low, high = excess_limits(hits, n, other, m, 1.0, 0.05)
            missed += of_one[hits] * of_other[other] * (not low <= truth <= high)
    assert missed < 0.05
    assert math.isfinite(missed)
