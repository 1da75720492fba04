"""Distances between two distributions that are not symmetric: differential privacy's hockey stick, and Rényi's."""

import itertools
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from oracles import adversaries as slow, measures
from oracles.promise import exactly
from oracles.strategies import SMALL, stochastic

EPSILONS = st.sampled_from([0.0, 1e-9, 0.25, 0.5, 1.0, 2.0, 10.0, 50.0])
ORDERS = st.sampled_from([0.25, 0.5, 0.999, 1.0, 1.25, 2.0, 3.0, 10.0, math.inf])


@st.composite
def pairs(draw):
    """Two distributions on up to four outcomes, zeros and ties included."""
    return draw(stochastic(2, draw(SMALL)))


def fractions(pair):
    """As Fractions that sum to 1, which the floats do only nearly."""
    return [[share / sum(row) for share in row] for row in map(measures.fractions, pair)]


@given(pairs(), EPSILONS)
def test_the_hockey_stick_is_its_definition(pair, epsilon):
    expected = slow.hockey_stick(*fractions(pair), slow.power(epsilon))
    assert dc.hockey_stick(*pair, epsilon) == exactly(expected)


@given(pairs(), EPSILONS)
def test_the_hockey_stick_is_the_most_that_a_test_gains_over_its_price(pair, epsilon):
    p, q = pair
    outcomes = range(len(p))
    events = itertools.chain.from_iterable(itertools.combinations(outcomes, size) for size in range(len(p) + 1))
    most = max(sum(p[y] - math.exp(epsilon) * q[y] for y in event) for event in events)
    assert dc.hockey_stick(p, q, epsilon) == exactly(most)


@given(pairs())
def test_at_zero_the_hockey_stick_is_the_total_variation_both_ways(pair):
    p, q = pair
    assert dc.hockey_stick(p, q, 0) == exactly(dc.total_variation(p, q))
    assert dc.hockey_stick(q, p, 0) == exactly(dc.total_variation(p, q))


@given(pairs())
def test_the_hockey_stick_falls_and_bends_upwards(pair):
    ratios = np.linspace(1, 9, 17)
    values = [dc.hockey_stick(*pair, math.log(ratio)) for ratio in ratios]
    assert all(0 <= later <= earlier + 1e-15 for earlier, later in itertools.pairwise(values))
    assert all(a + c >= 2 * b - 1e-14 for a, b, c in zip(values, values[1:], values[2:], strict=False))


def test_what_q_excludes_is_never_paid_for():
    p, q = [0.5, 0.25, 0.25], [0.75, 0.25, 0.0]
    for epsilon in (0.5, 10, 700, 1e6, math.inf):
        assert dc.hockey_stick(p, q, epsilon) == exactly(0.25)
    assert dc.hockey_stick([1, 0], [0, 1], 700) == 1
    assert dc.hockey_stick(p, p, 0) == 0


@given(st.data(), EPSILONS)
def test_whoever_sees_less_tells_less_apart(data, epsilon):
    pair = data.draw(pairs())
    post = data.draw(stochastic(pair.shape[1], data.draw(SMALL)))
    less = pair @ post
    less /= less.sum(axis=1, keepdims=True)
    assert dc.hockey_stick(*less, epsilon) <= dc.hockey_stick(*pair, epsilon) + 1e-12
    for order in (0.5, 1, 2, math.inf):
        assert dc.renyi_divergence(*less, order) <= dc.renyi_divergence(*pair, order) + 1e-11


@given(pairs(), ORDERS)
def test_the_renyi_divergence_is_its_definition(pair, order):
    assert dc.renyi_divergence(*pair, order) == exactly(slow.renyi_divergence(*fractions(pair), order))


@given(pairs())
def test_the_renyi_divergence_grows_with_its_order(pair):
    orders = [0.1, 0.5, 0.9, 1, 1.1, 2, 8, 100, math.inf]
    values = [dc.renyi_divergence(*pair, order) for order in orders]
    assert all(earlier <= later + 1e-11 for earlier, later in itertools.pairwise(values))
    assert min(values) >= 0


@pytest.mark.parametrize("away", [1e-3, 1e-6, 1e-9, 1e-12, -1e-3, -1e-6, -1e-9, -1e-12])
@pytest.mark.parametrize("pair", [([0.5, 0.5], [0.25, 0.75]), ([0.9, 0.1], [0.0625, 0.9375])])
def test_an_order_next_to_1_keeps_its_digits(pair, away):
    # log Σ p^α q^(1-α) is next to 0 there, and is divided by next to 0.
    expected = slow.renyi_divergence(*fractions(pair), 1 + away)
    assert dc.renyi_divergence(*pair, 1 + away) == exactly(expected)


@pytest.mark.parametrize("order", [50.0, 1e3, 1e6, 1e12])
def test_a_large_order_does_not_overflow(order):
    pair = [0.75, 0.25], [2.0**-40, 1 - 2.0**-40]
    assert dc.renyi_divergence(*pair, order) == exactly(slow.renyi_divergence(*fractions(pair), order))


FAR_APART = [
    ([1.0, 1e-40], [1e-40, 1.0]),
    ([1.0, 1e-300], [1e-300, 1.0]),
    ([0.5, 0.5, 1e-200], [1e-100, 1e-50, 1.0]),
    ([1.0, 5e-324, 1e-20], [0.75, 0.25, 5e-324]),
    ([0.5, 0.5, 0.0], [0.0, 1e-30, 1.0]),
    ([0.5, 0.25, 0.25], [0.25, 0.75, 0.0]),
    ([0.5 + 2.0**-20, 0.5 - 2.0**-20], [0.5, 0.5]),
]
EVERY_ORDER = [1e-8, 1e-4, 0.1, 0.5, 0.9, 0.999999, 1 - 1e-12, 1.0, 1 + 1e-9, 1.5, 32.0, 1e4, 1e8]


@pytest.mark.parametrize("order", EVERY_ORDER)
@pytest.mark.parametrize("pair", FAR_APART, ids=repr)
def test_laws_that_are_far_apart_have_a_divergence_of_every_order(pair, order):
    for p, q in (pair, pair[::-1]):
        assert dc.renyi_divergence(p, q, order) == exactly(slow.renyi_divergence(*fractions((p, q)), order))


@pytest.mark.parametrize("order", EVERY_ORDER)
def test_orders_below_and_above_a_half_mirror_each_other(order):
    # (1 - α) D_α(p‖q) = α D_(1-α)(q‖p) (van Erven and Harremoës, Proposition 2).
    if order < 1:
        for p, q in FAR_APART:
            mirrored = dc.renyi_divergence(q, p, 1 - order) * order / (1 - order)
            assert dc.renyi_divergence(p, q, order) == pytest.approx(mirrored, rel=1e-7, abs=1e-12)


@given(st.sampled_from([1e-3, 1e-6, 1e-8]), st.sampled_from([0.5, 1.0, 2.0, 10.0]))
def test_two_nearly_equal_laws_keep_their_digits(gap, order):
    pair = [0.5 + gap, 0.5 - gap], [0.5 - gap, 0.5 + gap]
    expected = float(slow.renyi_divergence(*fractions(pair), order))
    assert dc.renyi_divergence(*pair, order) == pytest.approx(expected, rel=1e-6, abs=0)


def test_order_1_is_kullback_and_leibler_and_no_last_order_the_largest_log_ratio():
    p, q = [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]
    assert dc.renyi_divergence(p, q, 1) == exactly(0.25 * math.log(2))
    assert dc.renyi_divergence(p, q, math.inf) == exactly(math.log(2))
    assert dc.renyi_divergence(p, q, 2) == exactly(math.log(1 + 0.25 + 0.125))


@pytest.mark.parametrize("order", [1, 1.5, 2, math.inf])
def test_what_q_excludes_is_infinitely_far_from_order_1_on(order):
    assert dc.renyi_divergence([0.5, 0.5], [1, 0], order) == math.inf
    assert dc.renyi_divergence([1, 0], [0.5, 0.5], order) == exactly(math.log(2))
    assert dc.renyi_divergence([1, 0], [0, 1], order) == math.inf


def test_below_order_1_only_disjoint_laws_are_infinitely_far():
    assert dc.renyi_divergence([0.5, 0.5], [1, 0], 0.5) == exactly(math.log(2))
    assert dc.renyi_divergence([1, 0], [0, 1], 0.5) == math.inf


def test_every_order_of_a_law_from_itself_is_nothing():
    for order in (0.5, 1, 2, math.inf):
        assert dc.renyi_divergence([0.3, 0.7, 0], [0.3, 0.7, 0], order) == 0


@pytest.mark.parametrize("ratio", [1.5, 4.0])
def test_the_last_order_says_where_the_hockey_stick_ends(ratio):
    p, q = [ratio / (1 + ratio), 1 / (1 + ratio)], [1 / (1 + ratio), ratio / (1 + ratio)]
    end = dc.renyi_divergence(p, q, math.inf)
    assert end == exactly(Decimal(ratio).ln())
    assert dc.hockey_stick(p, q, end) == exactly(0)
    assert dc.hockey_stick(p, q, end - 1e-3) > 1e-4


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda p, q: dc.hockey_stick(p, q, -0.1), r"-0\.1"),
        (lambda p, q: dc.hockey_stick(p, q, math.nan), "nan"),
        (lambda p, q: dc.hockey_stick(p, q, "one"), "'one'"),
        (lambda p, q: dc.hockey_stick(p, [1.0], 1), "2 and 1"),
        (lambda p, q: dc.hockey_stick(p, [0.5, 0.6], 1), r"1\.1"),
        (lambda p, q: dc.renyi_divergence(p, q, -1), "-1"),
        (lambda p, q: dc.renyi_divergence(p, q, math.nan), "nan"),
        (lambda p, q: dc.renyi_divergence(p, q, True), "True"),
        (lambda p, q: dc.renyi_divergence(p, [1.0], 2), "2 and 1"),
        (lambda p, q: dc.renyi_divergence([1.5, -0.5], q, 2), r"-0\.5"),
    ],
)
def test_what_is_no_law_no_exponent_and_no_order_is_refused(ask, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words) as caught:
        ask([0.5, 0.5], [0.25, 0.75])
    assert "\n" not in str(caught.value)
