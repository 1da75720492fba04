"""The information of n reports at any k: certified ends against listed and sampled tallies."""

import itertools

import numpy as np
import pytest

import discretion as dc
from discretion.information.entropies import TrueTallies
from discretion.information.utility.information_bounds import information_bounds
from information.answers import ends

UE, OLH, SS, HR, RR = dc.UnaryEncoding, dc.LocalHashing, dc.SubsetSelection, dc.HadamardResponse, dc.RandomizedResponse
INFORMATION = dc.information.population_information


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.3, 0.5, 1, 2])
def test_the_ends_hold_the_information_of_listed_tallies(alpha):
    population = dc.Dirichlet([alpha] * 3)
    for mechanism, n in ((RR(3, epsilon=4), 40), (RR(3, epsilon=1), 2), (HR(3, 2), 12)):
        low, high = information_bounds(mechanism, n, population)
        exact = float(INFORMATION(mechanism, n, population, rng=1))
        assert low <= exact * (1 + 1e-9)
        assert exact <= high * (1 + 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("n", [10, 1000])
def test_the_ends_hold_the_information_of_sampled_tallies(n):
    for mechanism in (RR(10, epsilon=2), HR(5, 1)):
        low, high = information_bounds(mechanism, n, population := dc.Dirichlet.jeffreys(mechanism.k))
        least, most = ends(INFORMATION(mechanism, n, population, rng=1))
        assert low <= most
        assert least <= high


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", [UE.oue(1000, 1), SS(1000, 1), OLH(1000, 1)])
def test_few_reports_of_many_values_are_worth_n_times_one(mechanism):
    information = INFORMATION(mechanism, 10_000)
    assert information.confidence is None
    assert information.high < 1.02 * information.low
    assert dc.method(INFORMATION, mechanism, 10_000).rung == "bound"


@pytest.mark.long
def test_many_reports_are_worth_digits():
    digits = [dc.information.digit_utility(OLH(200, 1), n) for n in (10**6, 10**8, 10**9)]
    assert all(more.low > fewer.low for fewer, more in itertools.pairwise(digits))
    assert all(each.high - each.low < 1.25 for each in digits)
    assert digits[-1].high < 0.5 * np.log(10**9)


@pytest.mark.long
def test_utilities_of_many_values_are_certified_shares():
    share = dc.information.distribution_utility(UE.oue(100, 1), 100_000)
    assert 0 < share.low < share.high < 0.4
    assert share.confidence is None
    of_tallies = dc.information.tally_utility(UE.oue(100, 1), 100_000)
    truth = TrueTallies(dc.Dirichlet.jeffreys(100), 100_000)
    assert of_tallies.low == pytest.approx(share.low * truth.information / truth.entropy)
