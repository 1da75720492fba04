"""The information about one of two secrets is an integral of how far either's law exceeds multiples of the other's."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.measures.information.two_secrets import information_of_two_secrets


def excess_of(first, second):
    return lambda epsilon: float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def nearly_alike(rng, outputs, by):
    law = rng.dirichlet(np.ones(outputs))
    other = law * (1 + by * rng.normal(size=outputs))
    return np.stack([law, np.abs(other) / np.abs(other).sum()])


RNG = np.random.default_rng(4)
PAIRS = {
    **{f"{outputs} outputs": RNG.dirichlet(np.ones(outputs), 2) for outputs in (2, 3, 20)},
    **{f"alike to {by:g}": nearly_alike(RNG, 2000, by) for by in (0.3, 1e-2, 1e-5)},
    "randomized response": np.array([[0.9, 0.1], [0.1, 0.9]]),
    "some outputs of one only": np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]),
}


@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1], [0.001, 0.999]])
@pytest.mark.parametrize("rows", PAIRS.values(), ids=PAIRS)
def test_its_ends_hold_the_sum_over_the_outputs(rows, prior):
    exact = dc.mutual_information(dc.Channel(rows), prior)
    found = information_of_two_secrets(np.array(prior), (excess_of(*rows), excess_of(*rows[::-1])), "sums")
    assert found.low <= exact * (1 + 1e-9)
    assert exact * (1 - 1e-9) <= found.high
    assert found.certified


@pytest.mark.parametrize("by", [0.1, 1e-3, 1e-5])
def test_where_the_loss_is_nearly_normal_its_ends_are_near(by):
    rows = nearly_alike(np.random.default_rng(7), 5000, by)
    found = information_of_two_secrets(np.array([0.3, 0.7]), (excess_of(*rows), excess_of(*rows[::-1])), "sums")
    assert found.high - found.low < 0.04 * found.high


def test_equal_laws_tell_nothing():
    nothing = information_of_two_secrets(np.array([0.5, 0.5]), (lambda _: 0.0, lambda _: 0.0), "sums")
    assert (nothing.low, nothing.high) == (0, 0)
