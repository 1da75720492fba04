"""An estimate is a number that nobody can mistake for an exact one."""

import dataclasses
import math

import numpy as np
import pytest

import discretion as dc
from discretion.estimate import as_share, contrasted, largest, mapped, settled


def test_an_estimate_is_its_value_with_its_interval():
    estimate = dc.Estimate(0.5, 0.4, 0.6, 0.95, "sampled")
    assert float(estimate) == 0.5
    assert not estimate.certified
    assert dc.Estimate(0.5, 0.0, 0.5, None, "bound").certified
    assert not isinstance(estimate, float)
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.value = 0.4


@pytest.mark.parametrize(
    ("value", "low", "high", "confidence"),
    [
        (0.7, 0.4, 0.6, None),
        (0.3, 0.4, 0.6, None),
        (math.nan, 0, 1, None),
        (0.5, math.nan, 1, None),
        (0.5, 0, math.nan, None),
        (0.5, 0, 1, 0.0),
        (0.5, 0, 1, 1.0),
        (0.5, 0, 1, 1.5),
        (0.5, 0, 1, math.nan),
    ],
)
def test_an_interval_holds_its_value_and_a_confidence_is_a_probability(value, low, high, confidence):
    with pytest.raises(dc.errors.InvalidValueError, match="got"):
        dc.Estimate(value, low, high, confidence, "sampled")


def test_an_increasing_function_moves_both_ends():
    doubled = mapped(dc.Estimate(0.5, 0.25, 0.75, None, "bound"), lambda x: 2 * x)
    assert doubled == dc.Estimate(1.0, 0.5, 1.5, None, "bound")
    assert mapped(0.5, lambda x: 2 * x) == 1.0


def test_a_falling_function_turns_the_interval_round():
    assert mapped(dc.Estimate(0.5, 0.25, 0.75, None, "bound"), lambda x: 1 - x) == dc.Estimate(
        0.5, 0.25, 0.75, None, "bound"
    )
    assert mapped(dc.Estimate(0.5, 0.5, 0.75, None, "bound"), lambda x: 1 - x).low == 0.25


def test_arithmetic_with_numbers_moves_both_ends_and_turns_what_falls_round():
    bound = dc.Estimate(0.5, 0.25, 1.0, None, "bound")
    assert -bound == dc.Estimate(-0.5, -1.0, -0.25, None, "bound")
    assert 1 + bound == bound + 1 == dc.Estimate(1.5, 1.25, 2.0, None, "bound")
    assert bound - 1 == dc.Estimate(-0.5, -0.75, 0.0, None, "bound")
    assert 1 - bound == dc.Estimate(0.5, 0.0, 0.75, None, "bound")
    assert 2 * bound == bound * 2 == dc.Estimate(1.0, 0.5, 2.0, None, "bound")
    assert bound * -2 == bound / -0.5 == dc.Estimate(-1.0, -2.0, -0.5, None, "bound")
    assert bound.widened(0.25) == dc.Estimate(0.5, 0.0, 1.25, None, "bound")
    assert as_share(bound.widened(0.5)) == dc.Estimate(0.5, 0.0, 1.0, None, "bound")
    assert as_share(1.5) == 1 and as_share(-0.5) == 0


def test_sums_of_estimates_hold_if_neither_misses():
    certified = dc.Estimate(3.0, 2.5, 4.0, None, "bound")
    sampled = dc.Estimate(1.0, 0.5, 1.5, 0.9375, "sample")
    assert certified + sampled == dc.Estimate(4.0, 3.0, 5.5, 0.9375, "bound; sample")
    assert certified - sampled == dc.Estimate(2.0, 1.0, 3.5, 0.9375, "bound; sample")
    assert (certified + certified).certified and (certified + certified).method == "bound"
    assert (certified + sampled + certified).method == "bound; sample"
    assert (sampled - sampled).low == -1.0 and (sampled + sampled).confidence == 0.875


def test_the_largest_of_numbers_and_bounds():
    bound = dc.Estimate(0.5, 0.25, 0.5, None, "bound")
    assert largest([0.1, 0.7, 0.3]) == 0.7
    assert largest([]) == 0
    assert largest([0.6, bound]) == 0.6
    assert largest([0.4, bound]) == dc.Estimate(0.5, 0.4, 0.5, None, "bound")


def test_the_largest_of_several_samples_is_missed_if_any_of_them_is():
    samples = [dc.Estimate(x, x - 0.2, x + 0.2, 0.95, "sample") for x in (0.3, 0.4, 0.45)]
    found = largest(samples)
    assert (found.value, found.low, found.high) == (0.45, 0.25, 0.65)
    assert found.confidence == pytest.approx(0.85, abs=1e-12)
    # One whose interval is below the others has to hold as well, for it to be out of the question.
    below = dc.Estimate(0.1, 0.0, 0.2, 0.9, "sample")
    assert largest([*samples, below]).confidence == pytest.approx(0.75, abs=1e-12)
    assert largest([0.5, below]).confidence == pytest.approx(0.9, abs=1e-12)
    with pytest.raises(dc.errors.InvalidValueError, match="higher"):
        largest([below] * 11)


def test_intervals_of_the_largest_of_several_samples_hold_as_often_as_they_say():
    rng, truth, off = np.random.default_rng(1), 0.5, 1.959963984540054
    held = 0
    for _ in range(2000):
        means = truth + rng.normal(size=4)
        found = largest([dc.Estimate(x, x - off, x + off, 0.95, "sample") for x in means.tolist()])
        held += found.low <= truth <= found.high
    assert found.confidence == pytest.approx(0.8, abs=1e-12)
    assert held / 2000 >= found.confidence


def test_what_rests_on_an_assumption_is_not_certified_nor_is_what_is_made_of_it():
    assumed = dc.Estimate(0.5, 0.5, 0.5, None, "product law", assuming="independent columns")
    assert not assumed.certified
    assert settled(assumed) is assumed
    assert not mapped(assumed, lambda x: 1 - x).certified
    assert contrasted(assumed, 0.1, lambda a, b: a - b).assuming == "independent columns"
    assert largest([0.4, assumed]).assuming == "independent columns"
    assert largest([0.6, assumed]).assuming == "independent columns"


def test_a_certified_interval_as_narrow_as_a_float_is_a_float():
    assert settled(dc.Estimate(0.5, 0.5 - 1e-11, 0.5, None, "bound")) == 0.5
    wide = dc.Estimate(0.5, 0.5 - 1e-9, 0.5, None, "bound")
    assert settled(wide) is wide
    sampled = dc.Estimate(0.5, 0.5, 0.5, 0.95, "sample")
    assert settled(sampled) is sampled


def test_what_rises_with_one_and_falls_with_another_takes_the_far_ends():
    assert contrasted(3.0, 1.0, lambda a, b: a - b) == 2.0
    certified = dc.Estimate(3.0, 2.5, 4.0, None, "bound")
    sampled = dc.Estimate(1.0, 0.5, 1.5, 0.95, "sample")
    apart = contrasted(certified, sampled, lambda a, b: a - b)
    assert (apart.value, apart.low, apart.high) == (2.0, 1.0, 3.5)
    assert (apart.confidence, apart.method) == (0.95, "bound; sample")
    assert contrasted(certified, 1.0, lambda a, b: a - b).certified
    # Two intervals hold together at least so often as neither misses.
    assert contrasted(sampled, sampled, lambda a, b: a / b).confidence == pytest.approx(0.9)
