"""A mean with an interval that holds at every sample size, and the mix of controls that follows a variable."""

import math

import numpy as np
import pytest

from discretion.numerics.means.bounded_mean import empirical_bernstein, fitted_mix

MISSES = 0.05


def skewed(rng, size):
    """Next to always 0, and now and then 1: what a normal interval of a small sample never sees coming."""
    return (rng.random(size) < 0.01).astype(float)


def two_point(rng, size):
    return np.where(rng.random(size) < 0.9, -0.2, 0.8)


LAWS = {
    "rare": (skewed, 0.01, 1.0),
    "uniform": (lambda rng, size: rng.random(size), 0.5, 1.0),
    "two points": (two_point, -0.1, 1.0),
    "constant": (lambda rng, size: np.full(size, 0.3), 0.3, 1.0),
}


@pytest.mark.parametrize("size", [2, 5, 30, 1000])
@pytest.mark.parametrize("law", LAWS)
def test_the_interval_holds_at_every_size(law, size):
    draw, truth, width = LAWS[law]
    rng = np.random.default_rng(size)
    intervals = [empirical_bernstein(draw(rng, size), width, MISSES) for _ in range(1000)]
    held = sum(abs(mean - truth) <= half + 1e-12 for mean, half in intervals)
    assert held >= 1000 * (1 - MISSES)


@pytest.mark.parametrize("misses", [0.05, 0.001])
def test_it_is_the_bound_of_maurer_and_pontil_for_either_side(misses):
    # X̄ misses on one side with probability δ by √(2V log(2/δ)/N) + 7 log(2/δ)/(3(N-1)); here δ is half the misses.
    sample, width = [0.0, 0.5, 0.25, 2.0, 1.0], 4.0
    mean = sum(sample) / 5
    variance = sum((x - y) ** 2 for x in sample for y in sample) / (2 * 5 * 4)
    nats = math.log(2 / (misses / 2))
    half = width * (math.sqrt(2 * variance / width**2 * nats / 5) + 7 * nats / (3 * 4))
    assert empirical_bernstein(np.array(sample), width, misses) == pytest.approx((mean, half), rel=1e-14)


def test_the_interval_scales_with_the_variable_and_moves_with_it():
    sample = np.random.default_rng(1).random(50)
    mean, half = empirical_bernstein(sample, 1.0, MISSES)
    assert empirical_bernstein(3 * sample + 5, 3.0, MISSES) == pytest.approx((3 * mean + 5, 3 * half), rel=1e-12)


def test_a_linear_variable_is_followed_to_the_last_digit():
    controls = np.random.default_rng(1).normal(size=(100, 3)) + 7
    mix = fitted_mix(controls @ [0.5, -2.0, 3.0] + 11, controls)
    assert mix == pytest.approx([0.5, -2.0, 3.0], rel=1e-10)


def test_what_the_controls_do_not_say_is_left():
    # The residual of the best mix is orthogonal to the controls: no other mix leaves less.
    rng = np.random.default_rng(2)
    controls = rng.normal(size=(200, 2))
    values = controls @ [1.0, -1.0] + rng.normal(size=200) ** 2
    residual = values - controls @ fitted_mix(values, controls)
    centred = controls - controls.mean(axis=0)
    assert abs(centred.T @ (residual - residual.mean())).max() < 1e-10


def test_controls_that_repeat_each_other_are_no_trouble():
    # The weights of k values that sum to one say one less than k things.
    weights = np.random.default_rng(3).dirichlet(np.ones(3), size=100)
    values = weights @ [1.0, 2.0, 4.0]
    mix = fitted_mix(values, weights)
    assert np.ptp(values - weights @ mix) < 1e-12
    assert np.isfinite(fitted_mix(values, np.full((100, 2), 0.5))).all()
