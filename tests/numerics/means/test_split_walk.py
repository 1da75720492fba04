"""The walk along the ridge against every cut of every split, one after the other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.numerics.laws.two_binomials import Draw
from discretion.numerics.means import split_walk
from discretion.numerics.means.split_walk import Splits
from oracles import split_excess as slow

HITS = st.one_of(st.floats(0.01, 0.99), st.sampled_from([0.5, 0.75, 1e-3, 1 - 1e-3]))


def splits_of(high, low, share):
    """What weighs the splits between draws that hit so often, r being a share of the way to where nothing exceeds."""
    epsilon = share * math.log((1 - low) / (1 - high))
    cost = math.expm1(epsilon)
    return Splits((Draw(high, 1 - high), Draw(low, 1 - low)), (high - low) - cost * (1 - high), cost)


@st.composite
def weighed(draw):
    low, high = sorted([draw(HITS), draw(HITS)])
    high = high if high > low + 1e-3 else low + (1 - low) / 2
    return splits_of(high, low, draw(st.sampled_from([0.0, 1e-4, 0.02, 0.3, 0.9])))


@given(weighed(), st.sampled_from([1, 2, 3, 10, 45]))
@settings(max_examples=30)
def test_it_finds_the_largest_excess_of_all_splits(splits, total):
    excesses = slow.all_excesses(total, splits.draws, splits.gain, splits.cost)
    truth = float(excesses.max())
    for few in (0, 1 << 9):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(split_walk, "_FEW", few)
            largest = splits.largest(total)
        if few or largest.error <= 2e-11 * largest.value:
            assert largest.value == pytest.approx(truth, rel=1e-11, abs=1e-300)
            assert float(excesses[largest.first]) == pytest.approx(truth, rel=1e-11, abs=1e-300)
        else:
            assert abs(largest.value - truth) <= 10 * largest.error
    first = np.arange(total + 1)
    assert splits.excess(first, total - first) == pytest.approx(excesses.astype(float), rel=1e-9, abs=1e-11 * truth)


@given(weighed(), st.integers(1, 40), st.integers(1, 50))
@settings(max_examples=20)
def test_blocks_of_splits_are_bounded(splits, total, blocks):
    truth = float(slow.all_excesses(total, splits.draws, splits.gain, splits.cost).max())
    bound = splits.bound(total, min(blocks, total))
    assert truth * (1 - 1e-12) <= bound <= splits.gain * (1 + 1e-9)


@pytest.mark.parametrize(
    ("high", "low", "share"), [(0.73, 0.27, 0.0), (0.9, 0.4, 0.02), (0.999, 0.3, 1e-3), (0.6, 2e-3, 0.1)]
)
def test_the_walk_meets_the_law_again_after_thousands_of_steps(high, low, share):
    splits, total = splits_of(high, low, share), 5000
    first = np.arange(0, total + 1)
    excess = splits.excess(first, total - first)
    largest = splits.largest(total)
    assert largest.error <= 2e-11 * largest.value
    assert largest.value == pytest.approx(excess.max(), rel=1e-11)
    assert excess[largest.first] == pytest.approx(excess.max(), rel=1e-11)


def test_compiled_or_not_it_walks_alike():
    splits = splits_of(0.73, 0.27, 0.01)
    compiled = splits.largest(3000)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(split_walk, "compiled", lambda loop: loop)
        plain = splits.largest(3000)
    assert plain == pytest.approx(compiled, rel=1e-11, abs=1e-11)


def test_a_billion_draws_are_bounded_within_a_thousandth():
    splits = splits_of(0.73, 0.27, 5e-5)
    corner = float(splits.excess(np.array([0]), np.array([10**9]))[0])
    assert corner <= splits.bound(10**9, 1 << 11) <= corner * (1 + 5e-3)
