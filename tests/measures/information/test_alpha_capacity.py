"""Capacity of an order: no prior attains more, some prior attains it; its limits are Shannon's and maximal leakage."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from channels.storage.table import STORAGES
from discretion.errors import InvalidValueError, TooLargeError
from discretion.measures import arimoto_information, maximal_leakage, sibson_capacity, sibson_information
from measures.test_definitions import with_sum_1
from oracles import alpha_information as slow
from oracles.losses import grid
from oracles.strategies import matrices, priors
from support.lowering import lowered

ORDERS = [0.05, 0.4, 0.5, 0.95, 1.05, 1.5, 2, 20, 1000]


@pytest.mark.parametrize("order", ORDERS)
def test_where_secrets_change_places_the_uniform_prior_attains_it(order):
    for matrix in ([[0.9, 0.1], [0.1, 0.9]], [[0.75, 0.25, 0], [0, 0.25, 0.75]], np.eye(5), np.eye(4) / 2 + 0.125):
        C = dc.Channel(matrix)
        found, uniform = sibson_capacity(C, order), sibson_information(C, order)
        assert found.certified
        assert found.low - 1e-12 <= uniform <= found.high + 1e-12
        assert found.high - found.low <= 1e-9 + 1e-12


@settings(max_examples=15, deadline=None)
@given(matrices(rows=st.integers(1, 3), columns=st.integers(1, 3)), st.sampled_from(ORDERS))
def test_no_prior_of_a_grid_attains_more_and_the_best_not_much_less(matrix, order):
    C = dc.Channel(matrix)
    found = sibson_capacity(C, order)
    rows = [with_sum_1(row) for row in matrix]
    best = max(float(slow.sibson(rows, order, prior)) for prior in grid(len(matrix), 10))
    assert best <= found.high + 1e-9
    assert best >= found.low - 0.3


@pytest.mark.long
@given(st.data(), st.sampled_from(ORDERS))
def test_it_bounds_sibsons_and_arimotos_of_any_prior(data, order):
    matrix = data.draw(matrices())
    C, prior = dc.Channel(matrix), data.draw(priors(len(matrix)))
    found = sibson_capacity(C, order)
    assert found.high - found.low <= 1e-9 + 1e-12
    for measure in (sibson_information, arimoto_information):
        assert measure(C, order, prior) <= found.high + 1e-12


def test_no_law_of_the_observation_is_nearer_to_all_secrets():
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(4), size=5)
    for order in ORDERS:
        found = sibson_capacity(dc.Channel(matrix), order)
        for law in rng.dirichlet(np.ones(4), size=50):
            assert max(dc.renyi_divergence(row, law, order) for row in matrix) >= found.low


@settings(max_examples=20, deadline=None)
@given(matrices())
def test_it_grows_from_order_to_order_past_shannons_to_maximal_leakage(matrix):
    C = dc.Channel(matrix)
    grown = [sibson_capacity(C, order) for order in (0.3, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.2, 5, math.inf)]
    assert all(one.low <= other.high for one, other in pairwise(grown))
    shannons, leaked = dc.shannon_capacity(C), maximal_leakage(C)
    assert grown[3] == shannons
    assert grown[2].value == pytest.approx(shannons.value, abs=1e-6)
    assert grown[4].value == pytest.approx(shannons.value, abs=1e-6)
    assert grown[-1].low <= leaked <= grown[-1].high
    assert grown[-1].value == pytest.approx(leaked)


def test_it_is_the_same_in_any_storage_and_of_many_secrets():
    matrix = np.random.default_rng(0).dirichlet(np.full(6, 0.5), size=300)
    for order in (0.5, 3):
        known = sibson_capacity(dc.Channel(matrix), order)
        assert known.high - known.low <= 1e-9 + 1e-12
        for make in STORAGES.values():
            found = sibson_capacity(make(matrix), order)
            assert found.low <= known.high
            assert known.low <= found.high
        with lowered(MAX_CAPACITY_TERMS=1):
            less = sibson_capacity(dc.Channel(matrix), order)
        assert less.low <= known.low < known.high <= less.high


def test_what_has_no_meaning_is_refused():
    C = dc.Channel(np.eye(4))
    assert sibson_capacity(C, 2, unit="bits").value == pytest.approx(2)
    for order, tol, unit in ((0, 1e-9, "nats"), (2, 0, "nats"), (2, 1e-9, "bytes")):
        with pytest.raises(InvalidValueError):
            sibson_capacity(C, order, tol, unit)
    with pytest.raises(TooLargeError):
        sibson_capacity(dc.Shuffled(dc.HadamardResponse(30, 1), 10**6), 2)


@pytest.mark.parametrize("order", [1e-300, 1e-8, 1e-4, 1e-3, 0.01, 0.02, 0.3, 1, 2, 1e3, 1e17, 1e300, math.inf])
@pytest.mark.parametrize("matrix", [[[1, 0], [0, 1], [1, 0]], np.eye(2)[[0, 1, 1, 0, 0]], np.eye(3)[[2, 0, 1, 1]]])
def test_secrets_that_show_the_same_are_one_at_every_order(matrix, order):
    kinds = len(np.unique(matrix, axis=0))
    found = sibson_capacity(dc.Channel(matrix), order)
    assert found.value == pytest.approx(math.log(kinds), abs=1e-9)
    assert found.high - found.low <= 2e-9


@pytest.mark.parametrize("seed", range(40))
def test_no_channel_and_order_is_answered_by_a_raw_error(seed):
    """Certified ends hold and rise with the order, whatever underflows on the way."""
    rng = np.random.default_rng(seed)
    k, m = rng.integers(1, 5, size=2)
    matrix = rng.random((k, m)) ** rng.choice([1, 20, 200]) * (rng.random((k, m)) < 0.7)
    matrix[np.arange(k), rng.integers(0, m, k)] += 10.0 ** rng.integers(-8, 0)
    C = dc.Channel(matrix / matrix.sum(axis=1, keepdims=True))
    orders = [1e-300, 1e-12, 1e-5, 0.01, 0.02, 0.3, 0.51, 1 - 1e-7, 1, 1 + 1e-7, 1.5, 10, 1e8, 1e300, math.inf]
    found = [sibson_capacity(C, order) for order in orders]
    for lower, higher in pairwise(found):
        assert lower.low <= higher.high + 1e-9
    prior = rng.random(k) ** 30
    prior /= prior.sum()
    for capacity, order in zip(found, orders, strict=True):
        assert -1e-12 <= float(sibson_information(C, order, prior)) <= capacity.high + 1e-9


@pytest.mark.parametrize("order", [0.51, 0.6, 0.9, 1.2, 1.49])
@pytest.mark.parametrize("rare", [1e-20, 1e-60, 1e-200, 1e-320])
def test_a_secret_however_unlikely_warns_of_nothing(rare, order):
    """Of a channel that shows all it is Rényi's entropy of order 1/α: next to nothing."""
    law = [1 - rare, rare]
    C = dc.Channel(np.eye(2))
    truth = order / (order - 1) * math.log1p(rare ** (1 / order) - rare / order)
    assert sibson_information(C, order, law) == pytest.approx(max(0.0, truth), rel=1e-6, abs=1e-12)
    assert arimoto_information(C, order, law) >= 0
