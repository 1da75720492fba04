"""Certified bounds on Bayes security: Proposition 5, Euclidean distances, the triangle inequality."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from discretion.errors import InvalidValueError, UnsupportedError
from oracles.promise import exactly
from oracles.strategies import matrices

WAYS = [None, "pivots", "mean row", "first row", "l2"]
each_way = pytest.mark.parametrize("by", WAYS)


@each_way
@given(matrices(rows=st.integers(1, 6)), st.sampled_from([np.array, sparse.csr_array]))
def test_bayes_security_lies_between_its_bounds(by, matrix, storage):
    C = dc.Channel(storage(matrix))
    bounds = dc.security.bayes_security_bounds(C, by)
    assert bounds.certified
    assert bounds.value == bounds.low
    assert bounds.low - 1e-12 <= dc.bayes_security(C) <= bounds.high + 1e-12


@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_bounds_of_randomized_response_are_those_of_figure_8(k, epsilon):
    mechanism = dc.RandomizedResponse(k, epsilon=epsilon)
    apart = 1 - k / (k - 1 + math.exp(epsilon))  # TV of any two rows, eq. 7
    by = {way: dc.security.bayes_security_bounds(mechanism, way) for way in WAYS}
    # A row is TV (k-1)/k from the mean of all; the Euclidean distance of two is √2 TV, over √k at most the L1 distance.
    assert by["mean row"].low == exactly(max(0, 1 - 2 * apart * (k - 1) / k))
    assert by["first row"].low == exactly(max(0, 1 - 2 * apart))
    assert by["l2"].low == pytest.approx(max(0, 1 - math.sqrt(k / 2) * apart), abs=1e-6)
    assert by[None].low >= by["mean row"].low - 1e-12
    assert by["first row"].high == exactly(1 - apart)


def test_two_rows_need_no_bounds():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    bounds = dc.security.bayes_security_bounds(C, "mean row")
    assert bounds.low == exactly(dc.bayes_security(C))


@each_way
def test_one_secret_is_secure(by):
    assert dc.security.bayes_security_bounds(dc.Channel([[0.25, 0.75]]), by).high == 1


def test_the_method_names_what_gave_each_end():
    bounds = dc.security.bayes_security_bounds(dc.Channel(np.random.default_rng(0).dirichlet(np.ones(20), size=200)))
    assert bounds.method.startswith("low: ") and "; high: " in bounds.method
    how = dc.method(dc.security.bayes_security_bounds, dc.Channel([[1.0]]), "l2")
    assert how.name.startswith("the largest Euclidean") and how.rung == "bound"


def test_what_is_not_a_way_or_a_system_is_refused():
    with pytest.raises(InvalidValueError, match="by must be 'pivots'"):
        dc.security.bayes_security_bounds(dc.Channel([[1.0]]), "guess")
    with pytest.raises(UnsupportedError):
        dc.security.bayes_security_bounds([[1.0]])
