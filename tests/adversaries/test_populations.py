"""Laws of a population's shares."""

import numpy as np
import pytest

import discretion as dc
from discretion.adversaries.populations import as_population_law
from discretion.errors import InvalidPriorError, InvalidValueError, UnsupportedError


def test_jeffreys_has_a_half_of_each():
    law = dc.Dirichlet.jeffreys(4)
    assert law.alpha.tolist() == [0.5] * 4
    assert (law.k, law.total, law.is_symmetric) == (4, 2.0, True)
    assert law.mean.tolist() == [0.25] * 4
    assert not dc.Dirichlet([1, 2]).is_symmetric


def test_laws_do_not_change():
    law, mixture = dc.Dirichlet([1, 2]), dc.PointMixture([[0.5, 0.5]], [1])
    for array in (law.alpha, mixture.points, mixture.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3
    with pytest.raises(AttributeError):
        law.alpha = np.ones(2)


def test_what_was_given_is_copied():
    given = np.array([1.0, 2.0])
    law = dc.Dirichlet(given)
    given[0] = 9
    assert law.alpha[0] == 1


@pytest.mark.parametrize("alpha", [[0, 1], [-1, 1], [1], [], [[1, 1]], [np.nan, 1], [np.inf, 1], ["a", 1], None, 2])
def test_parameters_must_be_positive(alpha):
    with pytest.raises(InvalidValueError, match="alpha must be positive"):
        dc.Dirichlet(alpha)


@pytest.mark.parametrize(
    ("points", "weights", "words"),
    [
        ([[0.5, 0.6]], [1], r"points\[0\] must sum to 1"),
        ([[0.5, 0.5], [1.5, -0.5]], [0.5, 0.5], r"points\[1\] must not be negative"),
        ([[0.5, 0.5]], [0.5], "weights must sum to 1"),
        ([[0.5, 0.5]], [0.5, 0.5], r"one per point \(1\), got 2"),
        ([0.5, 0.5], [1], "shape"),
        ([[1.0]], [1], "two or more"),
        ([[0.5, 0.5], [1]], [0.5, 0.5], "equal length"),
        ([], [], "shape"),
    ],
)
def test_points_and_weights_must_be_distributions(points, weights, words):
    with pytest.raises(InvalidPriorError, match=words):
        dc.PointMixture(points, weights)


def test_one_point_is_known_and_so_are_copies_of_it():
    assert dc.PointMixture([[0.2, 0.8]], [1]).is_known
    assert dc.PointMixture([[0.2, 0.8], [0.2, 0.8]], [0.5, 0.5]).is_known
    assert dc.PointMixture([[0.2, 0.8], [0.3, 0.7]], [1, 0]).is_known
    assert not dc.PointMixture([[0.2, 0.8], [0.3, 0.7]], [0.5, 0.5]).is_known


def test_none_is_jeffreys_and_anything_else_is_refused():
    assert as_population_law(None, 3).alpha.tolist() == [0.5] * 3
    with pytest.raises(UnsupportedError, match=r"discretion\.Dirichlet"):
        as_population_law([0.5, 0.5], 2)
    with pytest.raises(InvalidPriorError, match="has 2 values and the system 3"):
        as_population_law(dc.Dirichlet([1, 1]), 3)
