"""The exponential mechanism, against its definition in fractions of powers of two."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms import Exponential
from oracles.promise import exactly

LN2 = math.log(2)


def test_its_channel_is_the_definition():
    # With ε = 2 log 2 and Δ = 1 a point more makes an answer twice as likely.
    mechanism = Exponential([[0, 1, 2], [3, 3, 1]], epsilon=2 * LN2)
    assert np.allclose(mechanism.channel().matrix, [[1 / 7, 2 / 7, 4 / 7], [4 / 9, 4 / 9, 1 / 9]], rtol=1e-14, atol=0)
    assert mechanism.epsilon == exactly(math.log((4 / 7) / (1 / 9)))
    assert dc.bayes_security(mechanism) == exactly(1 - (4 / 7 - 1 / 9))


def test_only_differences_and_the_ratio_of_epsilon_and_sensitivity_matter():
    scores = np.random.default_rng(1).normal(size=(4, 5))
    plain = Exponential(scores, epsilon=1).channel().matrix
    assert np.allclose(Exponential(scores + 1e3, epsilon=3, sensitivity=3).channel().matrix, plain, rtol=1e-10)


def test_scores_within_the_sensitivity_keep_its_promise():
    rng = np.random.default_rng(2)
    for epsilon in (0.1, 1, 5):
        mechanism = Exponential(rng.uniform(0, 2, size=(6, 4)), epsilon, sensitivity=2)
        assert mechanism.epsilon <= epsilon
        assert dc.ldp_epsilon(mechanism) == mechanism.epsilon
        assert dc.bayes_security(mechanism) >= 2 / (1 + math.exp(epsilon))


def test_the_geometric_mechanism_is_nearly_one_with_distances_for_scores():
    scores = -np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    weights = np.exp(scores / 2)
    expected = weights / weights.sum(axis=1, keepdims=True)
    assert np.allclose(Exponential(scores, epsilon=1).channel().matrix, expected, rtol=1e-14, atol=0)


def test_what_is_too_unlikely_for_a_double_is_not_impossible():
    assert Exponential([[0, 1], [1, 0]], epsilon=4000).epsilon == exactly(2000)
    assert Exponential([[0, 1], [1, 0]], epsilon=4000).channel().matrix.tolist() == [[0, 1], [1, 0]]


def test_samples_follow_the_channel():
    mechanism = Exponential([[0, 1, 2], [3, 3, 1]], epsilon=1)
    for value in (0, 1):
        counts = np.bincount(mechanism.sample(np.full(20_000, value), rng=value), minlength=3)
        expected = 20_000 * mechanism.channel().matrix[value]
        assert ((counts - expected) ** 2 / expected).sum() < 20


@pytest.mark.parametrize(
    ("scores", "epsilon", "sensitivity", "words"),
    [
        ([1, 2], 1, 1, r"shape \(2,\)"),
        ([[1, math.nan]], 1, 1, "not finite"),
        ([["a"]], 1, 1, "must be numbers"),
        ([[1, 2], [1]], 1, 1, "rows of equal length"),
        ([], 1, 1, "a row per secret"),
        ([[1, 2]], 0, 1, "epsilon must be a positive"),
        ([[1, 2]], math.inf, 1, "epsilon must be a positive, finite"),
        ([[1, 2]], 1, 0, "sensitivity must be a positive"),
        ([[1, 2]], True, 1, "epsilon must be a number"),
        ([[-1e308, 1e308]], 1, 1, "must fit in a double"),
        ([[1, 0]], 1e308, 1e-308, "must fit in a double"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(scores, epsilon, sensitivity, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        Exponential(scores, epsilon, sensitivity)
