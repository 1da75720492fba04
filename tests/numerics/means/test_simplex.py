"""Integrals over the simplex, against the moments of the Dirichlet law."""

import math

import numpy as np
import pytest
from scipy.special import poch, psi

from discretion.numerics.means.simplex import (
    gauss_jacobi_simplex,
    lattice_mean,
    lattice_simplex,
    logit_points,
    logit_simplex,
)

ALPHAS = [[0.5, 0.5], [0.5, 0.5, 0.5], [0.3, 2.0, 5.0], [1.0, 1.0]]


def moment(alpha, powers):
    return math.prod(poch(a, k) for a, k in zip(alpha, powers, strict=True)) / poch(sum(alpha), sum(powers))


@pytest.mark.long
@pytest.mark.parametrize("alpha", ALPHAS)
def test_quadratures_give_polynomials_their_means(alpha):
    for points, weights in (gauss_jacobi_simplex(np.array(alpha), 6), logit_simplex(np.array(alpha), 0.25)):
        assert points.sum(axis=1) == pytest.approx(1)
        for powers in ([0] * len(alpha), [11] + [0] * (len(alpha) - 1), [3] * (len(alpha) - 1) + [2]):
            mean = weights @ np.prod(points ** np.array(powers), axis=1)
            assert mean == pytest.approx(moment(alpha, powers), rel=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_trapezoid_rule_gives_logarithms_that_are_singular_at_the_border(alpha):
    points, weights = logit_simplex(np.array(alpha), 0.25)
    assert weights @ np.log(points) == pytest.approx(psi(alpha) - psi(sum(alpha)), rel=1e-11)
    assert len(points) <= logit_points(np.array(alpha), 0.25)


def test_each_point_of_a_shifted_lattice_has_the_law():
    alpha, rng = np.array([0.5, 1.5, 3.0]), np.random.default_rng(8)
    first = np.array([lattice_simplex(alpha, 5, rng)[2] for _ in range(4000)])
    for powers in ([1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 2]):
        values = np.prod(first ** np.array(powers), axis=1)
        assert abs(values.mean() - moment(alpha, powers)) < 5 * values.std() / math.sqrt(len(values))


def test_a_lattice_is_more_even_than_chance():
    alpha, rng = np.full(4, 0.5), np.random.default_rng(3)
    means = [lattice_simplex(alpha, 1024, rng)[:, 1].mean() for _ in range(20)]
    assert np.std(means) < 0.3 * math.sqrt(0.25 * 0.75 / 3 / 1024)


@pytest.mark.long
def test_the_interval_of_a_lattice_mean_covers():
    alpha, hits = np.array([0.5, 0.5, 1.0, 2.0]), 0
    truth = (psi(alpha[0]) - psi(alpha.sum())) / 3
    for seed in range(400):

        def third_of_log(points):
            return np.log(points[:, 0]) / 3, (points[:, 1] - alpha[1] / alpha.sum())[:, None]

        mean, half = lattice_mean(third_of_log, alpha, 16, 0.95, np.random.default_rng(seed))
        hits += abs(mean - truth) <= half
    assert hits >= 400 * 0.95 - 3 * math.sqrt(400 * 0.95 * 0.05)
