"""Shannon's capacity is between its ends: beside closed forms, the textbook's iteration, and every prior of a grid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

import discretion as dc
from channels.storage.table import STORAGES
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from mechanisms.table import MECHANISMS
from oracles import capacity as slow
from oracles.strategies import matrices, priors
from support.lowering import lowered


def entropy(*probabilities):
    return -math.fsum(p * math.log(p) for p in probabilities if p)


def between(estimate, ends=(0.0, 0.0), tol=1e-9):
    """Whether a certified interval that is no wider than asked for meets the ends of another one."""
    assert estimate.certified
    assert 0 <= estimate.low <= estimate.value <= estimate.high
    assert estimate.high - estimate.low <= tol + 1e-12
    low, high = ends
    return estimate.low <= high + 1e-13 and low <= estimate.high + 1e-13


def binary_symmetric(p):
    return [[1 - p, p], [p, 1 - p]], math.log(2) - entropy(p, 1 - p)


def erasure(p):
    return [[1 - p, p, 0], [0, p, 1 - p]], (1 - p) * math.log(2)


def z(p):
    return [[1, 0], [p, 1 - p]], math.log1p((1 - p) * p ** (p / (1 - p)))


def responses(k, epsilon):
    e = math.exp(-epsilon)
    p = 1 / (1 + (k - 1) * e)
    return np.full((k, k), p * e) + np.eye(k) * p * -math.expm1(-epsilon), math.log(k) - entropy(p, *[p * e] * (k - 1))


CLOSED = {
    "binary symmetric": binary_symmetric(0.1),
    "nearly useless": binary_symmetric(0.5 - 1e-6),
    "nearly noiseless": binary_symmetric(1e-12),
    "erasure": erasure(0.25),
    "Z": z(0.5),
    "sharp Z": z(1 - 1e-6),
    "responses": responses(10, 1.0),
    "responses at ε = 700": responses(10, 700.0),
    "identity": (np.eye(50), math.log(50)),
    "one secret": ([[0.25, 0.75]], 0.0),
    "one observation": ([[1.0]] * 7, 0.0),
    "rows alike": (np.tile([0.2, 0.3, 0.5], (9, 1)), 0.0),
    "deterministic": (np.eye(5)[[0, 0, 1, 2, 2, 2, 4]], math.log(4)),
    "columns never seen": (np.hstack([np.zeros((4, 3)), np.eye(4), np.zeros((4, 1))]), math.log(4)),
    "noisy typewriter": ((np.eye(6) + np.roll(np.eye(6), 1, axis=1)) / 2, math.log(3)),
    "a secret between two": ([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]], math.log(2) - entropy(0.1, 0.9)),
    "hardly ever anything else": ([[1, 0, 0], [1, 1e-300, 0], [0, 0, 1]], math.log(2)),
    "less than any double": ([[1, 0, 0], [1, 5e-324, 0], [0, 0, 1]], math.log(2)),
    "a sum of channels": (
        np.array([[0.9, 0.1, 0, 0, 0], [0.1, 0.9, 0, 0, 0], [0, 0, 0.75, 0.25, 0], [0, 0, 0, 0.25, 0.75]]),
        math.log(math.exp(binary_symmetric(0.1)[1]) + math.exp(erasure(0.25)[1])),
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("tol", [1e-3, 1e-9, 1e-12])
@pytest.mark.parametrize(("matrix", "capacity"), CLOSED.values(), ids=CLOSED)
def test_the_capacity_is_its_closed_form(matrix, capacity, tol):
    for make in STORAGES.values():
        assert between(dc.shannon_capacity(make(np.array(matrix, dtype=float)), tol), (capacity, capacity), tol)


@settings(max_examples=40, deadline=None)
@given(matrices(rows=st.integers(1, 6), columns=st.integers(1, 6)))
def test_the_capacity_is_that_of_the_textbooks_iteration(matrix):
    found = dc.shannon_capacity(dc.Channel(matrix))
    assert between(found, slow.blahut_arimoto(matrix, 1e-5, most=20_000))


@settings(max_examples=15, deadline=None)
@given(matrices(rows=st.integers(1, 3)))
def test_no_prior_of_a_grid_tells_more_and_the_best_not_much_less(matrix):
    found, best = dc.shannon_capacity(dc.Channel(matrix)), slow.on_a_grid(matrix, 12)
    assert best <= found.high
    # Some prior of the grid is within 1/12 of the best one in each secret: the information there is nearly the same.
    assert best >= found.low - 0.25


@given(st.data())
def test_the_capacity_bounds_what_any_prior_tells_and_is_bounded_by_maximal_leakage(data):
    matrix = data.draw(matrices())
    C, prior = dc.Channel(matrix), data.draw(priors(len(matrix)))
    capacity = dc.shannon_capacity(C)
    assert dc.mutual_information(C, prior) <= capacity.high
    assert capacity.low <= math.log(dc.multiplicative_bayes_capacity(C)) + 1e-12


@given(matrices(), matrices(), st.data())
def test_capacities_add_up_and_post_processing_lowers_them(matrix, other, data):
    C, D = dc.Channel(matrix), dc.Channel(other)
    capacity = dc.shannon_capacity(C)
    independent = dc.Channel(np.kron(C.matrix, D.matrix))
    both = capacity + dc.shannon_capacity(D)
    assert between(dc.shannon_capacity(independent), (both.low, both.high))
    garbled = C >> dc.Channel(data.draw(matrices(rows=st.just(C.shape[1]))))
    assert dc.shannon_capacity(garbled).low <= capacity.high
    assert between(dc.shannon_capacity(dc.Channel(np.vstack([C.matrix, C.matrix]))), (capacity.low, capacity.high))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("alpha", [0.01, 0.1, 1, 10])
@pytest.mark.parametrize("shape", [(80, 120), (120, 30), (700, 6), (5, 2000)])
def test_the_ends_are_those_of_a_law_and_a_prior_of_large_random_channels(shape, alpha):
    matrix = np.random.default_rng(0).dirichlet(np.full(shape[1], alpha), size=shape[0])
    found = dc.shannon_capacity(dc.Channel(matrix))
    assert between(found, slow.blahut_arimoto(matrix, 1e-4, most=5000))


@pytest.mark.long
def test_secrets_are_taken_in_until_none_lies_further_out():
    # Far more of them are in the best prior than are looked at together at first.
    matrix = 0.98 * np.eye(900) + 0.02 * np.random.default_rng(0).dirichlet(np.ones(900), size=900)
    assert between(dc.shannon_capacity(dc.Channel(matrix)), slow.blahut_arimoto(matrix, 1e-4))


def test_what_takes_too_long_is_left_between_ends_that_still_hold():
    matrix = np.random.default_rng(0).dirichlet(np.ones(30), size=40)
    known = dc.shannon_capacity(dc.Channel(matrix))
    for few in ({"MAX_CAPACITY_TERMS": 1}, {"MAX_ENTRIES": 100}):
        with lowered(**few):
            found = dc.shannon_capacity(dc.Channel(matrix))
        assert found.certified
        assert found.low <= known.low < known.high <= found.high
        assert found.high - found.low > 1e-3


@pytest.mark.long
def test_many_secrets_and_many_observations_are_no_matter_where_few_are_possible():
    assert between(dc.shannon_capacity(dc.Channel(sparse.eye_array(10**5))), [math.log(10**5)] * 2)
    rng = np.random.default_rng(0)
    two = rng.integers(0, 10**5, (300, 2))
    two[:, 1] = (two[:, 0] + 1 + two[:, 1] % (10**5 - 1)) % 10**5
    wide = sparse.csr_array((np.tile([0.25, 0.75], 300), (np.arange(300).repeat(2), two.ravel())), shape=(300, 10**5))
    seen = np.flatnonzero(np.asarray(wide.sum(axis=0)).ravel())
    narrow = dc.shannon_capacity(dc.Channel(wide.toarray()[:, seen]))
    assert between(dc.shannon_capacity(dc.Channel(wide)), (narrow.low, narrow.high))


@pytest.mark.long
def test_a_million_observations_are_summed_in_parts():
    matrix = np.random.default_rng(0).dirichlet(np.ones(10**6), size=4)
    found = dc.shannon_capacity(dc.Channel(matrix))
    assert between(found, slow.blahut_arimoto(matrix, 1e-9))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_capacity_of_a_mechanism_is_that_of_its_matrix(mechanism):
    explicit = dc.shannon_capacity(dc.Channel(mechanism.channel().dense()))
    assert between(dc.shannon_capacity(mechanism), (explicit.low, explicit.high))


def test_the_capacity_of_noise_is_that_of_the_uniform_prior_on_the_furthest_values():
    for noise in (dc.Laplace(scale=2), dc.Gaussian(sigma=1.5), dc.repeated(dc.Laplace(scale=4), 5)):
        found, uniform = dc.shannon_capacity(noise), dc.mutual_information(noise)
        for prior in ([0.3, 0.7], [0.51, 0.49]):
            assert float(dc.mutual_information(noise, prior)) < found.high
        assert found.low <= float(uniform) <= found.high
    with pytest.raises(UnsupportedError, match="continuum"):
        dc.shannon_capacity(dc.SubsampledGaussian(sigma=1, rate=0.1, steps=2))


RR = dc.RandomizedResponse(3, p=0.7)
CROWDS = {
    "uniform others": dc.Shuffled(RR, 8),
    "known others": dc.Shuffled(RR, 8).seen_by(dc.AllButOne([4, 2, 1])),
    "others of a law": dc.Shuffled(RR, 8).seen_by(dc.Uninformed([0.5, 0.3, 0.2])),
    "nobody else": dc.Shuffled(RR, 1),
    "bits": dc.Shuffled(dc.UnaryEncoding.oue(3, 1), 5),
    "from one population": dc.Shuffled(RR, 5).seen_by(dc.Exchangeable([1, 2, 3])),
}


@pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
def test_the_capacity_of_a_crowd_is_that_of_its_histograms(crowd):
    view = crowd.seen_by(dc.Uninformed()) if isinstance(crowd, dc.Shuffled) else crowd
    explicit = dc.shannon_capacity(view.channel())
    assert between(dc.shannon_capacity(crowd), (explicit.low, explicit.high))


@pytest.mark.long
def test_what_a_crowd_tells_that_is_sampled_is_said_with_its_confidence():
    crowd = dc.Shuffled(dc.UnaryEncoding.oue(5, epsilon=1), 40).seen_by(dc.Uninformed(), seed=1)
    assert dc.method(dc.shannon_capacity, crowd).rung == "estimate"
    assert dc.shannon_capacity(crowd) == dc.mutual_information(crowd)


def test_crowds_whose_histograms_are_too_many_have_bounds_or_say_so():
    crowd = dc.Shuffled(dc.HadamardResponse(30, 1), 10**6)
    bounds, uniform = dc.shannon_capacity(crowd), dc.mutual_information(crowd)
    assert bounds.certified
    assert uniform.low <= bounds.high <= 1.1 * bounds.low
    # χ²(Q_x‖q)/(2n) to first order in 1/n: a report supports half of the 32 columns.
    chi_squared = math.tanh(crowd.mechanism.epsilon / 2) ** 2
    assert bounds.value == pytest.approx(chi_squared / 2 / 10**6, rel=0.05)
    with pytest.raises(TooLargeError, match="cannot all be listed"):
        dc.shannon_capacity(crowd.seen_by(dc.Exchangeable([1.0] * 30)))
    with pytest.raises(UnsupportedError, match="AllButOne"):
        dc.shannon_capacity(dc.Shuffled(RR, 5).seen_by(dc.WorstAllButOne()))


def test_bits_are_nats_over_the_logarithm_of_2_and_so_is_the_tolerance():
    C = dc.Channel(np.random.default_rng(0).dirichlet(np.ones(9), size=20))
    nats, bits = dc.shannon_capacity(C), dc.shannon_capacity(C, unit="bits")
    assert bits.value == pytest.approx(nats.value / math.log(2), abs=2e-9)
    assert bits.high - bits.low <= 1e-9


def test_what_has_no_meaning_is_refused():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    for tol in (0, -1, math.nan, "small"):
        with pytest.raises(InvalidValueError, match=f"tol.*{tol}"):
            dc.shannon_capacity(C, tol)
    with pytest.raises(InvalidValueError, match="'hartleys'"):
        dc.shannon_capacity(C, unit="hartleys")
    with pytest.raises(UnsupportedError, match=r"discretion\.Channel"):
        dc.shannon_capacity([[1, 0], [0, 1]])


def test_the_method_is_named_before_anything_is_computed():
    assert dc.method(dc.shannon_capacity, dc.Channel(np.eye(2))).rung == "bound"
    symmetric = dc.method(dc.shannon_capacity, dc.RandomizedResponse(10**6, epsilon=1))
    assert symmetric == ("uniform prior by symmetry: closed form of k-RR", "bound")
