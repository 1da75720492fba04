"""What a protocol's structure answers agrees with its explicit channel, for every mechanism in the table."""

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms import PureProtocol
from mechanisms.table import MECHANISMS
from oracles.promise import exactly
from support.lowering import lowered

each = pytest.mark.parametrize("mechanism", MECHANISMS)

ONLY_BOUNDED = {"MAX_TALLY_CELLS": 1, "MAX_USERS_SAMPLED": 1}


@each
def test_average_privacy_is_that_of_the_channel(mechanism):
    k = mechanism.k
    laws = [None, dc.Dirichlet(np.arange(1.0, k + 1) / 2), dc.PointMixture(np.eye(k)[:1] / 2 + 0.5 / k, [1])]
    for law in laws:
        assert dc.information.average_privacy(mechanism, law) == exactly(
            dc.information.average_privacy(mechanism.channel(), law)
        )


@each
def test_the_sizes_of_supports_have_the_law_of_the_channel(mechanism):
    law = mechanism.support_sizes if isinstance(mechanism, PureProtocol) else None
    if law is None or mechanism.epsilon == 0:  # without ε the channel does not show what supports what
        return
    assert law.probabilities.sum() == pytest.approx(1)
    columns = mechanism.channel().matrix
    common = columns.mean(axis=0)
    # A report that is likelier from some values than from others supports the former.
    sizes = (columns > columns.min(axis=0) * (1 + min(mechanism.epsilon, 1) / 2)).sum(axis=0)
    telling = (sizes > 0) & (sizes < mechanism.k)
    for size in range(1, mechanism.k):
        expected = common[telling & (sizes == size)].sum()
        assert law.probabilities[law.sizes == size].sum() == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("population", [dc.Dirichlet([2, 2, 2]), dc.Dirichlet.jeffreys(3), dc.Dirichlet([0.5, 1, 4])])
def test_the_bounds_of_what_reports_reveal_of_tallies_hold_and_claim_no_middle(population):
    mechanism, n = dc.RandomizedResponse(3, epsilon=2), 40
    exact = dc.information.tally_utility(mechanism, n, population)
    with lowered(**ONLY_BOUNDED):
        bounded = dc.information.tally_utility(mechanism, n, population, rng=1)
    assert isinstance(exact, float)
    assert bounded.certified
    assert bounded.low <= exact <= bounded.high
    # Ends so far apart have no best guess; of a utility the lower one is safe.
    assert bounded.value == bounded.low < 0.75 * bounded.high


def test_the_bounds_hold_among_points_as_well():
    mechanism, law = (
        dc.RandomizedResponse(3, epsilon=1),
        dc.PointMixture([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], [0.5, 0.5]),
    )
    exact = dc.information.tally_utility(mechanism, 30, law)
    with lowered(**ONLY_BOUNDED):
        bounded = dc.information.tally_utility(mechanism, 30, law, rng=1)
    assert bounded.low <= exact <= bounded.high


def test_tallies_among_points_that_cannot_be_listed_are_refused():
    law = dc.PointMixture([[0.1] * 10, [0.91] + [0.01] * 9], [0.5, 0.5])
    with pytest.raises(dc.errors.TooLargeError, match=r"too many to list.*discretion\.PointMixture"):
        dc.information.tally_utility(dc.RandomizedResponse(10, epsilon=1), 1000, law, rng=1)


def test_reports_without_noise_tell_all_tallies_and_those_of_nothing_none():
    assert dc.information.tally_utility(dc.RandomizedResponse(4, p=1), 10**5) == pytest.approx(1)
    assert dc.information.tally_utility(dc.RandomizedResponse(4, epsilon=0), 10**5) == 0
