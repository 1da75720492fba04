"""Two-sided geometric noise and the truncated mechanism that it is worth."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

import discretion as dc
from discretion.mechanisms import Geometric
from oracles.promise import exactly


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1, 10, 600])
def test_of_bits_it_is_randomized_response(epsilon):
    matrix = Geometric(epsilon).channel().matrix
    assert np.allclose(matrix, dc.RandomizedResponse(2, epsilon).channel().matrix, rtol=1e-12, atol=0)
    # Theorem 5's bound, which it attains.
    assert dc.bayes_security(Geometric(epsilon)) == pytest.approx(
        2 * math.exp(-epsilon) / (1 + math.exp(-epsilon)), rel=1e-12
    )


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(1, 1), (2, 2), (0.3, 7), (5, 4)])
def test_its_channel_is_the_reduced_one_of_the_whole_law(epsilon, sensitivity):
    q = Fraction(math.exp(-epsilon / sensitivity))
    reach = 40 * sensitivity
    rows = [
        [(1 - q) / (1 + q) * q ** abs(y - x) for y in range(-reach, sensitivity + reach + 1)]
        for x in range(sensitivity + 1)
    ]
    # The tails beyond are geometric too.
    for row, x in zip(rows, range(sensitivity + 1), strict=True):
        row[0] /= 1 - q
        row[-1] /= 1 - q
        assert sum(row) == 1, x
    whole = dc.Channel([[float(p) for p in row] for row in rows])
    reduced = [
        [sum(row[: reach + 1]), *row[reach + 1 : reach + sensitivity], sum(row[reach + sensitivity :])] for row in rows
    ]
    mechanism = Geometric(epsilon, sensitivity)
    assert np.allclose(mechanism.channel().matrix, np.array(reduced, dtype=float), rtol=1e-12, atol=0)
    assert dc.posterior_vulnerability(mechanism) == exactly(dc.posterior_vulnerability(whole))
    assert dc.bayes_security(mechanism) == exactly(dc.bayes_security(whole))
    assert dc.mutual_information(mechanism) == exactly(dc.mutual_information(whole))


@pytest.mark.parametrize("value", [0, 2, 5])
def test_samples_cut_off_at_the_ends_follow_the_channel(value):
    mechanism = Geometric(2, sensitivity=5)
    reports = np.clip(mechanism.sample(np.full(20_000, value), rng=value), 0, 5)
    expected = 20_000 * mechanism.channel().matrix[value]
    assert chisquare(np.bincount(reports, minlength=6), expected).pvalue > 1e-4


def test_a_wide_law_is_sampled_to_its_tails():
    mechanism = Geometric(1, sensitivity=10**12)
    noise = mechanism.sample(np.zeros(20_000, dtype=int), rng=9) / 1e12
    assert np.abs(noise).mean() == pytest.approx(1, abs=0.03)
    assert np.square(noise).mean() == pytest.approx(2, abs=0.15)


def test_the_rarest_noise_is_as_rare_as_it_should_be():
    # With q = e^-20 a noise of 1 has probability 2e-9: none among 20 000 but for one seed in 25 000.
    assert not Geometric(20).sample(np.zeros(20_000, dtype=int), rng=1).any()


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 10, 11, 10**9])
@pytest.mark.parametrize("epsilon", [1e-3, 1, 30])
def test_bayes_security_is_what_the_halves_overlap(epsilon, sensitivity):
    rate = epsilon / sensitivity
    q = math.exp(-rate)
    halves = math.exp(-rate * math.ceil(sensitivity / 2)), math.exp(-rate * (sensitivity // 2 + 1))
    assert dc.bayes_security(Geometric(epsilon, sensitivity)) == pytest.approx(sum(halves) / (1 + q), rel=1e-10)


@pytest.mark.parametrize("sensitivity", [1, 2, 7, 10**6, 10**14])
def test_its_capacity_sums_what_is_likeliest_of_every_output(sensitivity):
    with localcontext() as context:
        context.prec = 50
        q = (-1 / Decimal(sensitivity)).exp()
        truth = (2 + (sensitivity - 1) * (1 - q)) / (1 + q)
    assert dc.multiplicative_bayes_capacity(Geometric(1, sensitivity)) == exactly(float(truth))
    if sensitivity < 10:
        channel = Geometric(1, sensitivity).channel()
        assert dc.multiplicative_bayes_capacity(channel) == exactly(float(truth))


def test_what_needs_a_matrix_that_is_too_large_names_what_does_not():
    with pytest.raises(dc.errors.TooLargeError, match=r"bayes_security, multiplicative_bayes_capacity or privacy_prof"):
        dc.bayes_risk(Geometric(1, sensitivity=10**6))


def test_fine_steps_are_next_to_laplace_noise():
    fine = Geometric(1, sensitivity=10**6)
    assert dc.bayes_security(fine) == pytest.approx(math.exp(-0.5), rel=1e-6)
    assert dc.privacy_profile(fine, 0.4) == pytest.approx(-math.expm1(-0.3), rel=1e-5)
    assert fine.renyi_divergence(1) == pytest.approx(math.exp(-1), rel=1e-5)
