"""The largest value of a falling function of counts: against trying all counts."""

import itertools
import math

import pytest
from hypothesis import given, settings, strategies as st

from discretion.numerics.search.counts_search import largest_over_counts


def falling(weights, bends):
    """A function that falls with every count, some of which it may not tell apart."""
    return lambda counts: -sum(w * c**b for w, b, c in zip(weights, bends, counts, strict=True))


def ways(total, size):
    return [counts for counts in itertools.product(range(total + 1), repeat=size) if sum(counts) == total]


@given(data=st.data(), total=st.integers(0, 9), size=st.integers(1, 4))
@settings(max_examples=60)
def test_nothing_larger_is_missed(data, total, size):
    apart = data.draw(st.integers(0, size))
    alike = data.draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])), data.draw(st.sampled_from([0.5, 1.0, 2.0]))
    own = data.draw(
        st.lists(
            st.tuples(st.sampled_from([0.0, 0.25, 1.0, 2.0]), st.sampled_from([0.5, 1.0, 2.0])),
            min_size=apart,
            max_size=apart,
        )
    )
    weights, bends = zip(*own, *[alike] * (size - apart), strict=True)
    value = falling(weights, bends)
    looked_at = []

    def interval(counts):
        looked_at.append(counts)
        return value(counts), value(counts)

    found = largest_over_counts(total, size, apart, interval)
    assert found.low == found.high == pytest.approx(max(map(value, ways(total, size))), rel=1e-11, abs=1e-300)
    assert sum(found.where) == total
    assert value(found.where) == found.low
    assert len(set(looked_at)) == len(looked_at)


def test_what_cannot_be_larger_is_not_looked_at():
    looked_at = []

    def interval(counts):
        looked_at.append(counts)
        value = 1 / (1 + 4 * counts[0] + 4 * counts[1] + counts[2])
        return value, value

    assert largest_over_counts(1000, 3, 3, interval).where == (0, 0, 1000)
    assert len(looked_at) < 100


@pytest.mark.parametrize("most", [0, 3, 10, 40])
def test_what_is_not_worth_computing_leaves_an_interval_that_holds(most):
    value = falling((1.0, 1.1, 1.2), (1.0, 1.0, 1.0))
    looked_at = []

    def interval(counts):
        looked_at.append(counts)
        return (-math.inf, math.inf) if len(looked_at) > most else (value(counts) - 1, value(counts) + 1)

    found = largest_over_counts(20, 3, 3, interval)
    assert found.low <= -20 <= found.high
    assert len(looked_at) <= most + 12
