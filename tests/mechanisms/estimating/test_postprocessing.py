"""Raw estimates become shares of a population."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import discretion as dc

each = pytest.mark.parametrize(
    "shares_of", [dc.mechanisms.clipped, dc.mechanisms.norm_sub, dc.mechanisms.simplex_projection]
)
numbers = st.lists(st.floats(-3, 3) | st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-300, 1e6, -1e6]), min_size=1, max_size=6)


def nearest(values):
    """The nearest shares in fractions: of those as near as can be on each set of values, the nearest."""
    exact, found = [Fraction(value) for value in values], []
    for size in range(1, len(exact) + 1):
        for support in itertools.combinations(range(len(exact)), size):
            taken = (sum(exact[v] for v in support) - 1) / size
            shares = [exact[v] - taken if v in support else Fraction(0) for v in range(len(exact))]
            if min(shares) >= 0:
                found.append(shares)
    return min(found, key=lambda shares: sum((p - f) ** 2 for p, f in zip(shares, exact, strict=True)))


@given(numbers)
@example([1.0, 0.1, 0.03])  # the second stays, the third does not
def test_a_projection_is_the_nearest_shares(values):
    expected = [float(share) for share in nearest(values)]
    assert dc.mechanisms.simplex_projection(values) == pytest.approx(
        expected, rel=1e-12, abs=1e-15 * max(map(abs, [1, *values]))
    )


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).normal(size=10**6),
        np.random.default_rng(2).normal(scale=1e-6, size=10**6),
        np.random.default_rng(3).normal(loc=1e-6, scale=1e-9, size=10**6),
        np.concatenate([[0.5], np.random.default_rng(4).normal(loc=1e-6, scale=1e-9, size=10**6)]),
        -1000 - np.random.default_rng(5).random(10**6),
        np.full(10**6, 7.0),
    ],
    ids=["noise", "little noise", "next to flat", "one half", "far below", "equal"],
)
def test_a_million_values_are_projected_to_rounding(values):
    shares = dc.mechanisms.simplex_projection(values)
    assert math.fsum(shares) == pytest.approx(1, abs=1e-13)
    assert shares.min() >= 0
    taken = values - shares
    threshold, rounding = taken[shares > 0].mean(), 4e-16 * np.abs(values).max()
    assert np.abs(taken[shares > 0] - threshold).max() <= rounding
    assert taken.max() <= threshold + rounding


@given(numbers, st.floats(-5, 5), st.randoms())
def test_a_projection_ignores_an_amount_added_to_all_and_their_order(values, amount, random):
    shares, order = dc.mechanisms.simplex_projection(values), list(range(len(values)))
    random.shuffle(order)
    rounding = 1e-14 * max(map(abs, [1, *values]))
    assert dc.mechanisms.simplex_projection(np.array(values) + amount) == pytest.approx(shares, abs=rounding)
    assert dc.mechanisms.simplex_projection(np.array(values)[order]) == pytest.approx(shares[order], abs=1e-15)


@each
def test_shares_stay_as_they_are(shares_of):
    assert shares_of([0.5, 0.125, 0.375, 0]).tolist() == [0.5, 0.125, 0.375, 0]
    assert shares_of([1]).tolist() == [1]


@each
@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=8).filter(lambda values: max(values) > 0))
def test_whatever_the_estimates_they_become_shares(shares_of, values):
    shares = shares_of(values)
    assert shares.shape == (len(values),)
    assert 0 <= shares.min() <= shares.max() <= 1 + 1e-15
    assert shares.sum() == pytest.approx(1, abs=1e-14)
    assert np.all(shares[np.array(values) <= min(0, max(values) - 1)] == 0)


def test_clipping_keeps_the_ratios_of_what_is_positive():
    assert dc.mechanisms.clipped([0.75, -0.5, 0.5, 0.25]) == pytest.approx([0.5, 0, 1 / 3, 1 / 6])


def test_norm_sub_takes_the_same_from_all():
    assert dc.mechanisms.norm_sub([0.75, -0.5, 0.5, 0.25]) == pytest.approx([7 / 12, 0, 1 / 3, 1 / 12])
    assert dc.mechanisms.norm_sub([-3, -3.5]) == pytest.approx([0.75, 0.25])


def test_a_projection_is_nearer_to_the_truth_than_the_estimate():
    mechanism, shares = dc.RandomizedResponse(50, epsilon=1), np.random.default_rng(1).dirichlet(np.full(50, 0.2))
    reports = mechanism.sample(np.random.default_rng(2).choice(50, p=shares, size=10_000), rng=3)
    raw = mechanism.estimate_frequencies(reports)
    assert raw.min() < 0
    assert np.linalg.norm(dc.mechanisms.norm_sub(raw) - shares) < np.linalg.norm(raw - shares)


@each
@pytest.mark.parametrize(
    "values", [[], 0.5, [[0.5, 0.5]], [0.5, math.nan], [math.inf, 0], ["a"], [0.5, None], [1j], [[1], [1, 2]]], ids=str
)
def test_what_are_not_numbers_in_a_row_is_refused(shares_of, values):
    with pytest.raises(dc.errors.InvalidValueError, match="must be finite numbers in one row, got"):
        shares_of(values)


@pytest.mark.parametrize("values", [[0, 0], [-1, -0.5]])
def test_nothing_positive_cannot_be_clipped(values):
    with pytest.raises(dc.errors.InvalidValueError, match=r"needs a positive frequency, got none; use norm_sub"):
        dc.mechanisms.clipped(values)
    assert dc.mechanisms.norm_sub(values).sum() == 1
