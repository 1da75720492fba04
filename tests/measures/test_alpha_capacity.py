"""Capacity of an order: no prior attains more, some prior attains it; its limits are Shannon's and maximal leakage."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tacit as tc
from channels.storage.table import STORAGES
from measures.test_definitions import with_sum_1
from oracles import alpha_information as slow
from oracles.losses import grid
from oracles.strategies import matrices, priors
from tacit.errors import InvalidValueError, TooLargeError
from tacit.limits import Limits, within
from tacit.measures import arimoto_information, maximal_leakage, sibson_capacity, sibson_information

ORDERS = [0.05, 0.4, 0.5, 0.95, 1.05, 1.5, 2, 20, 1000]


@pytest.mark.parametrize("order", ORDERS)
def test_where_secrets_change_places_the_uniform_prior_attains_it(order):
    for matrix in ([[0.9, 0.1], [0.1, 0.9]], [[0.75, 0.25, 0], [0, 0.25, 0.75]], np.eye(5), np.eye(4) / 2 + 0.125):
        C = tc.Channel(matrix)
        found, uniform = sibson_capacity(C, order), sibson_information(C, order)
        assert found.certified
        assert found.low - 1e-12 <= uniform <= found.high + 1e-12
        assert found.high - found.low <= 1e-9 + 1e-12


@settings(max_examples=15, deadline=None)
@given(matrices(rows=st.integers(1, 3), columns=st.integers(1, 3)), st.sampled_from(ORDERS))
def test_no_prior_of_a_grid_attains_more_and_the_best_not_much_less(matrix, order):
    C = tc.Channel(matrix)
    found = sibson_capacity(C, order)
    rows = [with_sum_1(row) for row in matrix]
    best = max(float(slow.sibson(rows, order, prior)) for prior in grid(len(matrix), 10))
    assert best <= found.high + 1e-9
    assert best >= found.low - 0.3


@pytest.mark.long
@given(st.data(), st.sampled_from(ORDERS))
def test_it_bounds_sibsons_and_arimotos_of_any_prior(data, order):
    matrix = data.draw(matrices())
    C, prior = tc.Channel(matrix), data.draw(priors(len(matrix)))
    found = sibson_capacity(C, order)
    assert found.high - found.low <= 1e-9 + 1e-12
    for measure in (sibson_information, arimoto_information):
        assert measure(C, order, prior) <= found.high + 1e-12


def test_no_law_of_the_observation_is_nearer_to_all_secrets():
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(4), size=5)
    for order in ORDERS:
        found = sibson_capacity(tc.Channel(matrix), order)
        for law in rng.dirichlet(np.ones(4), size=50):
            assert max(tc.renyi_divergence(row, law, order) for row in matrix) >= found.low


@settings(max_examples=20, deadline=None)
@given(matrices())
def test_it_grows_from_order_to_order_past_shannons_to_maximal_leakage(matrix):
    C = tc.Channel(matrix)
    grown = [sibson_capacity(C, order) for order in (0.3, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.2, 5, math.inf)]
    assert all(one.low <= other.high for one, other in pairwise(grown))
    shannons, leaked = tc.shannon_capacity(C), maximal_leakage(C)
    assert grown[3] == shannons
    assert grown[2].value == pytest.approx(shannons.value, abs=1e-6)
    assert grown[4].value == pytest.approx(shannons.value, abs=1e-6)
    assert grown[-1].low <= leaked <= grown[-1].high
    assert grown[-1].value == pytest.approx(leaked)


def test_it_is_the_same_in_any_storage_and_of_many_secrets():
    matrix = np.random.default_rng(0).dirichlet(np.full(6, 0.5), size=300)
    for order in (0.5, 3):
        known = sibson_capacity(tc.Channel(matrix), order)
        assert known.high - known.low <= 1e-9 + 1e-12
        for make in STORAGES.values():
            found = sibson_capacity(make(matrix), order)
            assert found.low <= known.high
            assert known.low <= found.high
        with within(Limits(most_capacity_terms=1)):
            less = sibson_capacity(tc.Channel(matrix), order)
        assert less.low <= known.low < known.high <= less.high


def test_what_has_no_meaning_is_refused():
    C = tc.Channel(np.eye(4))
    assert sibson_capacity(C, 2, unit="bits").value == pytest.approx(2)
    for order, tol, unit in ((0, 1e-9, "nats"), (2, 0, "nats"), (2, 1e-9, "bytes")):
        with pytest.raises(InvalidValueError):
            sibson_capacity(C, order, tol, unit)
    with pytest.raises(TooLargeError):
        sibson_capacity(tc.Shuffled(tc.HadamardResponse(30, 1), 10**6), 2)
