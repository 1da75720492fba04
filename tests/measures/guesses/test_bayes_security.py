"""The propositions and theorems of the Bayes security paper."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from oracles import measures as slow
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import SMALL, matrices, stochastic

# Bayes-sec, Proposition 1.
COUNTEREXAMPLE = [[0.9, 0.1, 0], [0.8, 0.2, 0], [0.5, 0.5, 0], [0.5, 0.1, 0.4]]
SEVERAL = st.integers(2, 4)


def dense(C):
    return C.matrix.toarray() if sparse.issparse(C.matrix) else C.matrix


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_the_minimising_pair_of_a_channel_need_not_be_that_of_its_square(storage):
    C = dc.Channel(storage(COUNTEREXAMPLE), inputs=[1, 2, 3, 4])
    assert dc.bayes_security(C) == exactly(0.6)
    assert dc.leakiest_pairs(C) == [(1, 3), (1, 4), (2, 4), (3, 4)]
    assert dc.leakiest_pair(C) == (1, 3)
    assert dc.bayes_security(C & C) == exactly(0.36)
    assert dc.leakiest_pairs(C & C) == [(1, 4), (2, 4), (3, 4)]
    first_and_third = slow.total_variation(*(slow.fractions(row) for row in dense(C & C)[[0, 2]]))
    assert 1 - first_and_third == exactly(0.44)


@given(matrices(rows=SEVERAL), st.sampled_from([np.array, sparse.csr_array]))
def test_the_leakiest_pairs_are_those_at_the_largest_total_variation(matrix, storage):
    distances = slow.pair_distances(exact(matrix))
    largest = max(distances.values())
    tied = [pair for pair, distance in distances.items() if distance >= largest - Fraction(1, 10**12)]
    assert dc.leakiest_pairs(dc.Channel(storage(matrix))) == tied
    assert dc.leakiest_pair(dc.Channel(storage(matrix))) == tied[0]


@given(matrices(rows=SEVERAL))
def test_theorem_1_and_2_the_worst_prior_is_uniform_on_the_leakiest_pair(matrix):
    C = dc.Channel(matrix)
    prior = np.zeros(len(matrix))
    prior[list(dc.leakiest_pair(C))] = 0.5
    assert dc.bayes_security(C, prior) == exactly(dc.bayes_security(C))


@given(st.data())
def test_theorem_1_no_prior_is_worse(data):
    matrix = data.draw(matrices(rows=SEVERAL))
    prior = data.draw(stochastic(1, len(matrix)))[0]
    if prior.max() < 1:
        C = dc.Channel(matrix)
        assert dc.bayes_security(C, prior) >= dc.bayes_security(C) - 1e-12


@given(st.data())
def test_theorem_3_two_channels_side_by_side_keep_at_least_the_product(data):
    C = dc.Channel(data.draw(matrices()))
    D = dc.Channel(data.draw(stochastic(C.secrets, data.draw(SMALL))))
    assert dc.bayes_security(C & D) >= dc.bayes_security(C) * dc.bayes_security(D) - 1e-12


def test_theorem_3_is_tight():
    C = dc.Channel([[1, 0, 0.0], [0, 1, 0.0]] @ np.array([[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0, 1]]))
    assert dc.bayes_security(C & C) == exactly(dc.bayes_security(C) ** 2)


@given(st.data())
def test_theorem_4_a_cascade_is_as_secure_as_its_more_secure_part(data):
    C = data.draw(matrices())
    D = data.draw(stochastic(C.shape[1], data.draw(SMALL)))
    whole, first, second = (dc.bayes_security(dc.Channel(M)) for M in (C @ D, C, D))
    assert whole >= max(first, second) - 1e-12


@given(matrices())
def test_theorem_5_local_privacy_implies_bayes_security(matrix):
    C = dc.Channel(matrix)
    epsilon = dc.ldp_epsilon(C)
    promised = 0.0 if epsilon > 700 else 2 / (1 + math.exp(epsilon))
    assert dc.bayes_security(C) >= promised - 1e-12


@pytest.mark.parametrize("epsilon", [0, 0.1, 1, 5, 30])
def test_theorem_5_is_tight_for_two_opposite_rows_and_any_mixtures(epsilon):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    C = dc.Channel([[p, 1 - p], [1 - p, p], [0.5, 0.5], [p, 1 - p]])
    assert dc.bayes_security(C) == exactly(2 / (1 + math.exp(epsilon)))


@given(st.data())
def test_eq_4_bayes_security_and_multiplicative_leakage_say_the_same(data):
    matrix = data.draw(matrices(rows=SEVERAL))
    prior = data.draw(stochastic(1, len(matrix)))[0]
    if prior.max() < 1:
        C, largest = dc.Channel(matrix), prior.max()
        expected = (1 - largest * dc.leakage(C, prior)) / (1 - largest)
        assert dc.bayes_security(C, prior) == pytest.approx(expected, abs=1e-11)


@given(st.data())
def test_proposition_5_any_point_bounds_it_below_and_one_among_the_rows_above(data):
    matrix = data.draw(matrices(rows=SEVERAL))
    anywhere = data.draw(stochastic(1, matrix.shape[1]))[0]
    among = data.draw(stochastic(1, len(matrix)))[0] @ matrix
    beta = dc.bayes_security(dc.Channel(matrix))
    for point in (anywhere, among):
        assert beta >= 1 - np.abs(matrix - point).sum(axis=1).max() - 1e-12
    assert beta <= 1 - np.abs(matrix - among).sum(axis=1).max() / 2 + 1e-12


@given(matrices(rows=st.just(3)))
def test_section_vii_d_pairs_obey_the_triangle_inequality(matrix):
    C = dc.Channel(matrix)
    first, second, whole = (1 - dc.bayes_security(dc.restricted(C, pair)) for pair in ([0, 1], [1, 2], [0, 2]))
    assert abs(first - second) - 1e-12 <= whole <= first + second + 1e-12


@given(st.data())
def test_eq_1_bayes_security_of_two_secrets_is_what_the_advantage_leaves(data):
    p, q = matrix = data.draw(matrices(rows=st.just(2)))
    hits, false_alarms = (row[p > q].sum() for row in (p, q))
    assert dc.bayes_security(dc.Channel(matrix), [0.5, 0.5]) == exactly(1 - (hits - false_alarms))


@pytest.mark.parametrize("exponent", [4, 10, 20, 30, 40])
@pytest.mark.parametrize(
    "system",
    [
        dc.Channel([[0.9, 0.1, 0.0], [0.3, 0.3, 0.4]]),
        dc.Channel(sparse.csr_array([[0.9, 0.1, 0.0], [0.3, 0.3, 0.4]])),
        dc.RandomizedResponse(2, p=1 - 2.0**-30),
        dc.Shuffled(dc.RandomizedResponse(2, p=1.0), 3),
        dc.Shuffled(dc.Channel([[0.9, 0.1, 0.0], [0.3, 0.3, 0.4]]), 2),
    ],
    ids=["dense", "sparse", "randomized response", "shuffled without noise", "shuffled"],
)
def test_a_nearly_certain_prior_does_not_cost_digits(system, exponent):
    # 1 - V and 1 - max π both cancel here; what the best guess leaves does not.
    rare = 2.0**-exponent
    prior = [1 - rare, rare]
    expected = slow.bayes_security_at(exact(system.channel().matrix), slow.fractions(prior))
    assert dc.bayes_security(system, prior) == exactly(expected)


def test_a_single_secret_is_secure():
    assert dc.bayes_security(dc.Channel([[0.5, 0.5]])) == 1.0


def test_pairs_are_named_by_their_labels():
    C = dc.Channel([[1, 0], [1, 0], [0, 1]], inputs=["ann", "bob", "cy"])
    assert dc.leakiest_pairs(C) == [("ann", "cy"), ("bob", "cy")]


def test_a_wide_tolerance_ties_all_pairs():
    assert len(dc.leakiest_pairs(dc.Channel(COUNTEREXAMPLE), tol=1)) == 6


@pytest.mark.parametrize(("k", "beta"), [(1_000_000, 0.978), (10_000_000, 0.998)])
def test_the_published_figures_of_randomized_response_at_epsilon_10(k, beta):
    assert round(dc.bayes_security(dc.RandomizedResponse(k, epsilon=10)), 3) == beta
