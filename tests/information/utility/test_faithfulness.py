"""Faithful channels tell any two populations apart; what they can tell is bounded by their privacy."""

import math

import numpy as np
import pytest
from hypothesis import given

import discretion as dc
from discretion.estimate import highest
from mechanisms.table import MECHANISMS
from oracles.strategies import matrices


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_mechanism_is_faithful_when_it_tells_anything_at_all(mechanism):
    if isinstance(mechanism, dc.ChannelMechanism):
        assert dc.information.is_faithful(mechanism) == dc.information.is_faithful(mechanism.channel())
    elif mechanism.epsilon == 0 or mechanism.epsilon > 1e-6:
        assert dc.information.is_faithful(mechanism) == (mechanism.epsilon > 0)
        assert dc.information.is_faithful(mechanism.channel()) == (mechanism.epsilon > 0)


@given(matrices())
def test_a_channel_is_faithful_when_no_other_population_sends_the_same(C):
    # The least singular value says how little another population's reports can differ.
    least = np.linalg.svd(C, compute_uv=False)[-1] if C.shape[0] <= C.shape[1] else 0.0
    if not 1e-11 < least < 1e-7:  # on either side of the tolerance
        assert dc.information.is_faithful(dc.Channel(C)) == (least > 1e-9)


def test_copies_of_a_row_are_not_told_apart():
    C = dc.Channel([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.3, 0.2, 0.5]])  # the last is the mean of the others
    assert not dc.information.is_faithful(C)
    assert dc.method(dc.information.is_faithful, C) == ("numerical rank, to 1e-09", "exact")
    assert dc.information.effective_participation(C) == 0


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1, 5, 700, math.inf])
@pytest.mark.parametrize("k", [2, 5])
def test_utility_is_bounded_by_privacy_and_by_the_truth(k, epsilon):
    # LDP-info, Theorem 8.1 and Lemma 6.6, as they are stated.
    mechanism, truth = dc.RandomizedResponse(k, epsilon=epsilon), dc.RandomizedResponse(k, epsilon=math.inf)
    bound = dc.information.asymptotic_utility_bound(mechanism)
    assert bound.certified
    assert (bound.low, bound.high) == (-math.inf, bound.value)
    assert dc.information.asymptotic_utility(mechanism) <= bound.value + 1e-12
    assert bound.value <= dc.information.asymptotic_utility(truth) + 1e-12
    if epsilon <= 1:
        privacy = dc.information.worst_case_privacy(mechanism)
        stated = math.log((1 - privacy) / privacy) - math.log(2 * math.pi * math.e) / 2
        assert bound.value == pytest.approx(stated, rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("make", [dc.UnaryEncoding.rappor, dc.SubsetSelection, dc.HadamardResponse])
def test_the_bound_holds_for_other_protocols(make):
    mechanism = make(4, epsilon=0.5)
    assert (
        highest(dc.information.asymptotic_utility(mechanism, rng=1))
        <= dc.information.asymptotic_utility_bound(mechanism).value
    )


def test_the_bound_needs_no_channel():
    assert dc.information.asymptotic_utility_bound(dc.UnaryEncoding.oue(10**6, epsilon=1)).value < 0
    assert dc.information.asymptotic_utility_bound(dc.RandomizedResponse(3, epsilon=0)).value == -math.inf
