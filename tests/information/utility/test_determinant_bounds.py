"""The asymptotic utility of reports that support values, at any k: closed forms and certified ends."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.information.utility.asymptotic_utility import log_determinants
from discretion.information.utility.determinant_bounds import determinant_bounds
from information.answers import covers
from oracles import local_information as slow
from oracles.population_laws import law_of

UE, OLH, SS, HR = dc.UnaryEncoding, dc.LocalHashing, dc.SubsetSelection, dc.HadamardResponse
MILLION = 1_000_000
EVEN, UNEVEN = "even", "uneven"


def protocols(k):
    yield from (make(k, epsilon) for make in (UE.rappor, UE.oue, UE.blh) for epsilon in (0.3, 1, 4))
    yield from (SS(k, epsilon, size=2) for epsilon in (0.3, 1, 4))
    yield from (HR(k, epsilon) for epsilon in (0.3, 1, 4))
    yield from (OLH(k, epsilon, g) for epsilon in (0.3, 1, 3) for g in (2, 3, 4, 6, 7))


@pytest.mark.parametrize("alpha", [0.5, 1, 3])
def test_transforms_without_unused_numbers_have_a_closed_form(alpha):
    for mechanism in (HR(3, 0.2), HR(3, 2), OLH(3, 1, g=3), OLH(3, 4, g=3), OLH(2, 1, g=2)):
        low, high = determinant_bounds(mechanism, population := dc.Dirichlet([alpha] * mechanism.k))
        utility = slow.asymptotic_utility(mechanism.channel().matrix, law_of(population))
        expected = (2 * mechanism.k - 2) * (utility + math.log(2 * math.pi * math.e) / 2)
        assert low == pytest.approx(expected, abs=1e-9)
        assert high == pytest.approx(expected, abs=1e-9)


@pytest.mark.long
def test_a_closed_form_at_four_values_is_the_definition():
    mechanism = OLH(4, 2, g=2)
    expected = slow.asymptotic_utility(mechanism.channel().matrix, law_of(dc.Dirichlet.jeffreys(4)))
    assert dc.information.asymptotic_utility(mechanism) == pytest.approx(expected, abs=1e-9)


def test_the_closed_form_of_uneven_shares():
    population = dc.Dirichlet([0.5, 1, 2])
    low, high = determinant_bounds(mechanism := HR(3, 1), population)
    utility = slow.asymptotic_utility(mechanism.channel().matrix, law_of(population))
    assert low <= (expected := 4 * (utility + math.log(2 * math.pi * math.e) / 2)) + 1e-9
    assert expected - 1e-9 <= high <= low + 1e-9


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", [4, 7, 8])
@pytest.mark.parametrize("law", [EVEN, UNEVEN])
def test_certified_ends_hold_the_mean_of_the_channel(k, law):
    rng = np.random.default_rng(k)
    population = dc.Dirichlet(np.full(k, 0.5) if law == EVEN else rng.uniform(0.4, 3, k))
    shares = rng.dirichlet(population.alpha, size=1 << 10)
    for mechanism in protocols(k):
        logs = log_determinants(mechanism.channel().reduced().dense(), shares)
        low, high = determinant_bounds(mechanism, population)
        away = 4 * logs.std() / math.sqrt(len(logs))
        assert low - away <= logs.mean() <= high + away, mechanism


@pytest.mark.parametrize(
    ("k", "linear"),
    # MATHS, section 3a: the support bits used linearly.
    [(10, -1.96645), (100, -2.05017), (1000, -2.06758)],
)
def test_support_bits_are_worth_as_much_as_published(k, linear):
    low, _ = determinant_bounds(UE.oue(k, 1), dc.Dirichlet.jeffreys(k))
    assert low / (2 * k - 2) - math.log(2 * math.pi * math.e) / 2 == pytest.approx(linear, abs=3e-5)


def test_optimized_unary_encoding_of_ten_values():
    # MATHS, section 3a: -1.94138 by sampling.
    low, high = determinant_bounds(UE.oue(10, 1), dc.Dirichlet.jeffreys(10))
    low, high = (end / 18 - math.log(2 * math.pi * math.e) / 2 for end in (low, high))
    assert low < -1.94138 < high < -1.9412


@pytest.mark.parametrize(
    "mechanism",
    [UE.oue(1000, 1), UE.rappor(1000, 1), UE.blh(1000, 1), SS(1000, 1), HR(1000, 1), OLH(1000, 1), OLH(1000, 1, g=2)],
)
def test_a_thousand_values_to_three_digits(mechanism):
    utility = dc.information.asymptotic_utility(mechanism)
    assert utility.confidence is None
    assert utility.high - utility.low < 1e-3
    assert (
        dc.information.effective_participation(mechanism).high
        < dc.information.effective_participation(mechanism.with_epsilon(2) or UE.oue(1000, 2)).low
    )


@pytest.mark.parametrize("mechanism", [SS(MILLION, 1), HR(MILLION, 1), OLH(MILLION, 1)])
def test_a_million_values(mechanism):
    utility = dc.information.asymptotic_utility(mechanism)
    assert utility.high - utility.low < 1e-6
    assert dc.method(dc.information.asymptotic_utility, mechanism).rung == "bound"


@pytest.mark.long
def test_a_small_channel_narrows_the_ends():
    mechanism = UE.oue(5, 1)
    utility = dc.information.asymptotic_utility(mechanism, rng=1)
    low, high = determinant_bounds(mechanism, dc.Dirichlet.jeffreys(5))
    assert utility.confidence == 0.95
    assert low <= (2 * 5 - 2) * (utility.low + math.log(2 * math.pi * math.e) / 2)
    assert (2 * 5 - 2) * (utility.high + math.log(2 * math.pi * math.e) / 2) <= high
    assert covers(utility, float(dc.information.asymptotic_utility(mechanism.channel(), rng=2)), within=1e-4)
