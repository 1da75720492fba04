"""Gaussian noise: Proposition 4 of the Bayes security paper, and the analytic δ(ε) at its ends."""

import math
from statistics import NormalDist

import pytest
from scipy.special import log_ndtr

import discretion as dc
from discretion.mechanisms import Gaussian
from oracles.promise import exactly

normal = NormalDist()


@pytest.mark.parametrize("sigma", [0.2, 0.5, 1, 7, 1e6])
@pytest.mark.parametrize("sensitivity", [0.1, 1, 3])
def test_proposition_4(sigma, sensitivity):
    alpha = sensitivity / (2 * sigma)
    assert dc.bayes_security(Gaussian(sigma, sensitivity)) == exactly(1 - (normal.cdf(alpha) - normal.cdf(-alpha)))


@pytest.mark.parametrize(("epsilon", "printed"), [(1, "0.925"), (0.1, "0.992")])
def test_the_values_that_the_paper_prints(epsilon, printed):
    mechanism = Gaussian.classical(epsilon, 1e-6)
    assert mechanism.sigma == exactly(math.sqrt(2 * math.log(1.25e6)) / epsilon)
    # At ε = 0.1 the paper cuts 0.99247 off; 0.925 is rounded.
    assert f"{dc.bayes_security(mechanism):.3f}" == printed


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 0.9, 1])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("sensitivity", [0.5, 4])
def test_the_classical_noise_suffices(epsilon, delta, sensitivity):
    mechanism = Gaussian.classical(epsilon, delta, sensitivity)
    assert dc.privacy_profile(mechanism, epsilon) <= delta
    assert dc.dp_epsilon(mechanism, delta) <= epsilon


@pytest.mark.parametrize("mu", [0.01, 0.3, 1, 5, 30, 70])
@pytest.mark.parametrize("epsilon", [0, 1e-6, 0.01, 1, 8, 300, 2400])
def test_delta_is_that_of_balle_and_wang(mu, epsilon):
    log_first, log_second = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    expected = -math.exp(log_first) * math.expm1(log_second - log_first)
    # Their difference loses some digits where both are tiny or nearly alike.
    assert Gaussian(1, mu).hockey_stick(epsilon) == pytest.approx(expected, rel=1e-8, abs=1e-14)


def test_hardly_any_noise_keeps_the_digits_of_what_is_hidden():
    assert dc.bayes_security(Gaussian(1, 60)) == pytest.approx(2 * math.exp(log_ndtr(-30)), rel=1e-10)
    assert dc.bayes_security(Gaussian(1e-9)) == 0
    assert dc.mutual_information(Gaussian(1e-9)) == exactly(math.log(2))


def test_a_lot_of_noise_keeps_the_digits_of_what_leaks():
    quiet = Gaussian(1e12)
    assert quiet.hockey_stick(0) == pytest.approx(1e-12 / math.sqrt(2 * math.pi), rel=1e-10)
    assert dc.mutual_information(quiet) == exactly(1e-24 / 8)
    assert Gaussian(1, 1e-300).hockey_stick(1) == 0
    assert dc.bayes_security(Gaussian(1, 1e-300)) == 1
    assert dc.mutual_information(Gaussian(100)) == pytest.approx(1e-4 / 8, rel=1e-4)


def test_the_tail_of_delta_keeps_its_digits():
    # Mills: Φ(-x) = φ(x)/x (1 - 1/x² + …), at x = 30 ± ½ for μ = 1 and ε = 30.
    below, above = 29.5, 30.5

    def ratio(x):  # of Φ(-x) to φ(x), by its continued fraction
        found = x
        for j in range(60, 0, -1):
            found = x + j / found
        return 1 / found

    density = math.exp(-below * below / 2) / math.sqrt(2 * math.pi)
    assert Gaussian(1).hockey_stick(30) == pytest.approx(density * (ratio(below) - ratio(above)), rel=1e-10)


@pytest.mark.parametrize("order", [0.1, 0.5, 1, 2, 1000])
def test_its_renyi_divergence(order):
    assert Gaussian(3, 2).renyi_divergence(order) == exactly(order * 4 / 18)
