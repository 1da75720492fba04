"""Information of an order is its definition, and has Shannon's and the Bayes capacity as limits."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from channels.storage.table import STORAGES
from discretion.errors import InvalidPriorError, InvalidValueError, TooLargeError
from discretion.measures import arimoto_information, maximal_leakage, sibson_information
from measures.test_definitions import with_sum_1
from oracles import alpha_information as slow, measures as slow_measures
from oracles.promise import exactly
from oracles.strategies import matrices, priors

ORDERS = [1e-3, 0.3, 0.5, 0.9, 1 - 1e-7, 1 + 1e-9, 1.2, 1.5, 2, 7.5, 300, 1e6]
MEASURES = {"Sibson": (sibson_information, slow.sibson), "Arimoto": (arimoto_information, slow.arimoto)}
each_measure = pytest.mark.parametrize(("measure", "oracle"), MEASURES.values(), ids=MEASURES)


def laws(matrix, prior):
    weights = np.full(len(matrix), 1) if prior is None else prior
    return [with_sum_1(row) for row in matrix], with_sum_1(weights)


@each_measure
@settings(max_examples=60, deadline=None)
@given(matrices(), st.data(), st.sampled_from(ORDERS))
def test_it_is_its_definition(measure, oracle, matrix, data, order):
    prior = data.draw(priors(len(matrix)))
    C, law = laws(matrix, prior)
    assert measure(dc.Channel(matrix), order, prior) == exactly(max(0, oracle(C, order, law)))


@each_measure
def test_it_is_its_definition_in_any_storage(measure, oracle):
    matrix, prior = np.array([[0.5, 0.5, 0, 0], [0.25, 0.25, 0.5, 0], [0, 0, 1, 0]]), [0.5, 0.25, 0.25]
    C, law = laws(matrix, prior)
    for make in STORAGES.values():
        for order in (0.25, 1.25, 4):
            assert measure(make(matrix), order, prior) == exactly(oracle(C, order, law))


@each_measure
def test_unlikely_secrets_and_observations_keep_their_part(measure, oracle):
    matrix, prior = np.array([[1, 0, 0], [1 - 2**-40, 2**-40, 0], [0.5, 0, 0.5]]), [1 - 2**-20 - 2**-30, 2**-20, 2**-30]
    for order in ORDERS:
        C, law = laws(matrix, prior)
        assert measure(dc.Channel(matrix), order, prior) == exactly(oracle(C, order, law))


@each_measure
@given(matrices(), st.data())
def test_at_1_it_is_shannons(measure, oracle, matrix, data):
    prior = data.draw(priors(len(matrix)))
    C = dc.Channel(matrix)
    assert measure(C, 1, prior) == dc.mutual_information(C, prior)
    for nearly in (1 - 1e-9, 1 + 1e-9):
        assert measure(C, nearly, prior) == pytest.approx(dc.mutual_information(C, prior), abs=1e-7)


@given(matrices(), st.data())
def test_at_infinity_it_is_how_much_better_a_guess_can_become(matrix, data):
    prior = data.draw(priors(len(matrix)))
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    C, possible = dc.Channel(matrix), np.flatnonzero(law).tolist()
    some = dc.restricted(C, possible)
    assert sibson_information(C, math.inf, prior) == exactly(math.log(dc.multiplicative_bayes_capacity(some)))
    assert arimoto_information(C, math.inf, prior) == exactly(math.log(max(1, dc.leakage(C, prior))))
    assert maximal_leakage(some) == exactly(sibson_information(C, math.inf, prior))
    assert sibson_information(C, 1e9, prior) == pytest.approx(sibson_information(C, math.inf, prior), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(matrices(), st.data())
def test_sibsons_grows_with_the_order_and_arimotos_is_that_of_a_tilted_prior(matrix, data):
    prior = data.draw(priors(len(matrix)))
    C = dc.Channel(matrix)
    grown = [sibson_information(C, order, prior) for order in (0.2, 0.8, 1, 1.3, 3, 50, math.inf)]
    assert all(one <= other + 1e-12 for one, other in pairwise(grown))
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    for order in (0.5, 2):
        tilted = law**order / (law**order).sum()
        assert arimoto_information(C, order, prior) == exactly(sibson_information(C, order, tilted))


@given(matrices(), st.data(), st.sampled_from([0.5, 1.25, 3, math.inf]))
def test_post_processing_tells_no_more(matrix, data, order):
    C = dc.Channel(matrix)
    garbled = C >> dc.Channel(data.draw(matrices(rows=st.just(C.shape[1]))))
    for measure, _ in MEASURES.values():
        assert measure(garbled, order) <= measure(C, order) + 1e-12


def test_a_crowd_has_what_its_histograms_tell():
    crowd = dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 5)
    explicit = crowd.seen_by(dc.Uninformed()).channel()
    for order in (0.5, 1, 2, math.inf):
        for measure, _ in MEASURES.values():
            assert measure(crowd, order) == exactly(measure(explicit, order))
    assert maximal_leakage(dc.Laplace(scale=1)) == exactly(
        math.log(dc.multiplicative_bayes_capacity(dc.Laplace(scale=1)))
    )
    with pytest.raises(TooLargeError):
        sibson_information(dc.Shuffled(dc.HadamardResponse(30, 1), 10**6), 2)


def test_bits_are_nats_over_the_logarithm_of_2():
    C = dc.Channel(np.eye(8))
    assert maximal_leakage(C, unit="bits") == 3
    assert sibson_information(C, 2, unit="bits") == exactly(3)
    assert arimoto_information(C, 0.5, unit="bits") == exactly(3)


def test_what_has_no_meaning_is_refused():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    for measure, _ in MEASURES.values():
        with pytest.raises(InvalidValueError, match="order must be positive, got 0"):
            measure(C, 0)
        with pytest.raises(InvalidValueError, match="'bytes'"):
            measure(C, 2, unit="bytes")
        with pytest.raises(InvalidPriorError, match="one probability per secret \\(2\\), got 3"):
            measure(C, 2, [0.2, 0.3, 0.5])


def test_the_oracles_agree_with_a_sum_that_can_be_done_by_hand():
    C, law = [[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]], [Fraction(1, 2), Fraction(1, 2)]
    by_hand = 2 * math.log(math.sqrt(5 / 8) + math.sqrt(1 / 8))
    assert float(slow.sibson(C, 2, law)) == pytest.approx(by_hand, rel=1e-14)
    assert float(slow.renyi_entropy(law, 2)) == pytest.approx(math.log(2), rel=1e-14)
    assert slow_measures.identity(2) == [[1, 0], [0, 1]]


def test_what_no_double_holds_is_refused_at_an_order_at_which_it_matters():
    hardly = dc.DiscreteGaussian(0.05, 4)
    for ask in (dc.measures.sibson_information, dc.measures.arimoto_information):
        with pytest.raises(dc.errors.UnsupportedError, match="under 1e-308"):
            ask(hardly, 1e-3)
        assert ask(hardly, 0.1) >= 0
        assert ask(hardly.channel(), 1e-3) >= 0
        assert ask(dc.RandomizedResponse(3, epsilon=2), 1e-3) >= 0
