"""Discrete Gaussian noise: Canonne, Kamath and Steinke's law, next to the normal one where σ is large."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms import DiscreteGaussian, Gaussian
from oracles import noise as slow
from oracles.promise import exactly


@pytest.mark.parametrize("sigma", [0.05, 0.5, 1, 20])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_bayes_security_is_the_mass_past_the_middle(sigma, sensitivity):
    weights = {z: math.exp(-((z / sigma) ** 2) / 2) for z in range(-1000, 1001)}
    past = [sum(w for z, w in weights.items() if inside(z)) for inside in (
        lambda z: 2 * z > sensitivity, lambda z: 2 * z >= sensitivity
    )]  # fmt: skip
    assert dc.bayes_security(DiscreteGaussian(sigma, sensitivity)) == pytest.approx(
        sum(past) / sum(weights.values()), rel=1e-12
    )


@pytest.mark.parametrize("sigma", [100, 10_000])
def test_on_a_fine_grid_it_is_next_to_the_normal_law(sigma):
    fine, normal = DiscreteGaussian(sigma, sensitivity=sigma), Gaussian(1)
    assert dc.bayes_security(fine) == pytest.approx(dc.bayes_security(normal), abs=1 / sigma)
    assert dc.privacy_profile(fine, 1) == pytest.approx(dc.privacy_profile(normal, 1), abs=1 / sigma)
    assert fine.renyi_divergence(2.5) == exactly(normal.renyi_divergence(2.5))


def test_whole_orders_have_the_normal_divergence():
    # Canonne, Kamath and Steinke, Proposition 5 and Theorem 4: with equality where (α-1)Δ is whole.
    for sigma in (0.3, 1, 4):
        assert DiscreteGaussian(sigma, sensitivity=3).renyi_divergence(2) == exactly(9 / sigma**2)
        assert DiscreteGaussian(sigma).renyi_divergence(1.5) <= 0.75 / sigma**2 * (1 + 1e-12)
        assert DiscreteGaussian(sigma).renyi_divergence(1) == exactly(0.5 / sigma**2)
        assert DiscreteGaussian(sigma).renyi_divergence(1 + 1e-9) == pytest.approx(0.5 / sigma**2, rel=2e-9)


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "order"),
    [(0.05, 2, 0.3), (0.05, 1, 1.5), (0.05, 1, 0.999), (0.08, 1, 0.5), (0.1, 3, 1.2), (0.5, 1, 1.5), (0.2, 2, 2.75)],
)
def test_narrow_noise_keeps_its_divergence_at_every_order(sigma, sensitivity, order):
    truth = slow.renyi_divergence(slow.discrete_gaussian(sigma, sensitivity), order)
    assert DiscreteGaussian(sigma, sensitivity).renyi_divergence(order) == exactly(truth)


def test_hardly_any_noise_tells_all_without_a_warning():
    for sigma in (1e-160, 1e-200, 1e-300):
        assert dc.bayes_security(DiscreteGaussian(sigma)) == 0
        assert DiscreteGaussian(sigma).hockey_stick(1) == 1
        assert DiscreteGaussian(sigma).renyi_divergence(1.5) == math.inf
        assert DiscreteGaussian(sigma).sample([0, 3], rng=1).tolist() == [0, 3]


def test_narrow_and_wide_noise_is_sampled():
    assert not DiscreteGaussian(0.05).sample(np.zeros(5000, dtype=int), rng=1).any()
    noise = DiscreteGaussian(1e9).sample(np.zeros(20_000, dtype=int), rng=2) / 1e9
    assert np.square(noise).mean() == pytest.approx(1, abs=0.05)
    assert np.mean(noise**4) == pytest.approx(3, abs=0.4)


def test_its_channel_names_its_outputs():
    channel = DiscreteGaussian(2, sensitivity=3).channel()
    assert channel.inputs == (0, 3)
    assert channel.matrix[0, channel.outputs.index(-1)] == channel.matrix[1, channel.outputs.index(4)]
    assert channel.matrix.sum(axis=1) == pytest.approx(1, abs=1e-15)


def test_laws_with_next_to_nothing_in_common_differ_by_no_more_than_1():
    noise = dc.DiscreteGaussian(0.21726436421415746, 4)
    assert dc.privacy_profile(noise, 0.0) == 1
    assert dc.dp_epsilon(noise, 1.0) == 0
