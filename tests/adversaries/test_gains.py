"""Every gain is its definition, in every measure that takes one, on every kind of system."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

import discretion as dc
from adversaries.table import GAINS, distances
from channels.storage.table import STORAGES
from discretion.adversaries.gains import LossGain
from discretion.errors import InvalidGainError, InvalidValueError, TooLargeError
from mechanisms.table import MECHANISMS
from oracles import measures as slow
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import SMALL, matrices, priors
from support.lowering import lowered

each_gain = pytest.mark.parametrize("name", GAINS)
# One of each kind.
each_kind = pytest.mark.parametrize("name", ["two tries", "even or not", "modulo 3", "near", "a loss"])


def law_of(prior, k):
    return slow.fractions(np.full(k, 1 / k) if prior is None else prior)


def check(system, matrix, prior, name):
    """Against the definition, on the system's explicit matrix."""
    k = len(matrix)
    make, definition = GAINS[name]
    gain, table, law = make(k), definition(k), law_of(prior, k)
    before, after = slow.prior_vulnerability(law, table), slow.posterior_vulnerability(exact(matrix), law, table)
    assert dc.prior_vulnerability(dc.uniform(k) if prior is None else prior, gain) == exactly(before)
    assert dc.posterior_vulnerability(system, prior, gain) == exactly(after)
    assert dc.leakage(system, prior, gain, kind="additive") == exactly(after - before)
    if before > 1e-9:
        assert dc.leakage(system, prior, gain) == exactly(after / before)
    elif before <= 0:
        with pytest.raises(InvalidGainError, match="additive"):
            dc.leakage(system, prior, gain)


@each_gain
@given(matrices(), st.data())
@settings(max_examples=10)
def test_a_gain_is_its_definition_on_any_channel(name, matrix, data):
    check(dc.Channel(matrix), matrix, data.draw(priors(len(matrix))), name)


@each_gain
@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_gain_on_fractions_is_the_fraction_of_its_definition(name, k):
    rng, (make, definition) = np.random.default_rng(k), GAINS[name]
    weights = rng.integers(0, 5, (k, 3)) + np.eye(k, 3, dtype=int)
    rows = [[Fraction(int(weight), int(row.sum())) for weight in row] for row in weights]
    prior = [Fraction(x, k * (k + 1) // 2) for x in range(1, k + 1)]
    after = dc.posterior_vulnerability(dc.Channel(rows), prior, make(k))
    assert isinstance(after, Fraction) and isinstance(dc.prior_vulnerability(prior, make(k)), Fraction)
    assert after == slow.posterior_vulnerability(rows, prior, definition(k))
    assert dc.prior_vulnerability(prior, make(k)) == slow.prior_vulnerability(prior, definition(k))


@pytest.mark.one_in(3)
@each_gain
@pytest.mark.parametrize("storage", STORAGES)
def test_a_gain_is_its_definition_in_any_storage(name, storage):
    rng = np.random.default_rng(3)
    for k, m in ((1, 2), (5, 1), (7, 4)):
        matrix = rng.dirichlet(np.full(m, 0.4), size=k)
        matrix[:, -1] += matrix[:, 0] * (m > 1)
        matrix[:, 0] *= m == 1  # a column of nothing, where there is another
        for prior in (None, rng.dirichlet(np.ones(k)), np.eye(k)[-1]):
            check(STORAGES[storage](matrix), matrix, prior, name)


@each_gain
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_the_guesses_are_those_of_the_definition(name, k):
    make, definition = GAINS[name]
    gain = make(k)
    assert gain.secrets == k
    found, defined = (
        {tuple(round(float(worth), 12) for worth in guess) for guess in guesses}
        for guesses in (gain.guesses(), definition(k))
    )
    # That the secret is in no set, or outside of all, is a guess that nobody makes.
    assert found | {(0.0,) * k} == defined | {(0.0,) * k}
    assert gain.width >= gain.guesses().max() - gain.guesses().min()


@each_gain
@given(st.data())
@settings(max_examples=10)
def test_what_the_best_guess_gains_of_another_law_is_that_of_its_row(name, data):
    k = data.draw(SMALL)
    # Without ties, so that there is one best guess, or several that are worth the same.
    believed, joint = np.random.default_rng(data.draw(st.integers(0, 99))).random((2, k, 3))
    gain = GAINS[name][0](k)
    rows = gain.guesses()
    best = (rows @ believed).argmax(axis=0)
    assert gain.gain_of_best(believed, joint) == pytest.approx(np.einsum("yx,xy->y", rows[best], joint))
    assert gain.gain_of_best(believed, believed) == pytest.approx(gain.best(believed))
    assert gain.largest_shift(joint[:, 0]) == pytest.approx((np.abs(rows) @ joint[:, 0]).max())
    moved = (gain.best(joint) - gain.best(believed)).max()
    assert moved <= gain.largest_shift(np.abs(joint - believed).max(axis=1)) + 1e-12


@each_kind
@pytest.mark.parametrize("mechanism", MECHANISMS[::3])
def test_a_gain_is_its_definition_on_mechanisms(name, mechanism):
    matrix = mechanism.channel().dense()
    k = len(matrix)
    for prior in (None, np.arange(1.0, k + 1) / (k * (k + 1) / 2)):
        check(mechanism, matrix, prior, name)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_any_number_of_tries_is_its_sum_on_any_mechanism(mechanism):
    explicit, k = mechanism.channel(), mechanism.k
    for tries in range(1, k + 2):
        gain = dc.k_tries_gain(k, tries)
        assert dc.posterior_vulnerability(mechanism, gain=gain) == exactly(
            dc.posterior_vulnerability(explicit, gain=gain)
        )


def test_tries_among_more_values_than_can_be_written_out_are_by_what_reports_support():
    subsets, e = dc.SubsetSelection(100, epsilon=1, size=27), math.e
    for tries in (1, 2, 27, 28, 100):
        raised = (min(tries, 27) * e + max(0, tries - 27)) / (27 * e + 73)
        assert dc.posterior_vulnerability(subsets, gain=dc.k_tries_gain(100, tries)) == exactly(raised)
    assert dc.measures.posterior_guessing_entropy(subsets) == exactly((27 * 28 / 2 * e + 73 * 64) / (27 * e + 73))
    assert dc.method(dc.measures.posterior_guessing_entropy, subsets).rung == "exact"
    # Nearly always two bits at least are set.
    unary = dc.UnaryEncoding.oue(500, epsilon=2)
    assert dc.posterior_vulnerability(unary, gain=dc.k_tries_gain(500, 2)) == pytest.approx(
        2 * dc.posterior_vulnerability(unary), rel=1e-3
    )
    hashed = dc.LocalHashing(1000, epsilon=1)
    assert dc.posterior_vulnerability(hashed, gain=dc.k_tries_gain(1000, 999)) > 0.999
    with pytest.raises(TooLargeError, match="closed form"):
        dc.posterior_vulnerability(subsets, gain=dc.set_gain(100, [0]))


@pytest.mark.long
@each_gain
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_is_done_to_a_report_tells_no_more_of_it(name, mechanism):
    channel = mechanism.channel()
    k, m = channel.shape
    rng = np.random.default_rng(k * m)
    gain = GAINS[name][0](k)
    for prior in (None, rng.dirichlet(np.ones(k))):
        after = dc.posterior_vulnerability(mechanism, prior, gain)
        before = dc.prior_vulnerability(dc.uniform(k) if prior is None else prior, gain)
        for reports in (1, 2, m):
            blurred = channel >> dc.Channel(rng.dirichlet(np.full(reports, 0.3), size=m))
            told = dc.posterior_vulnerability(blurred, prior, gain)
            assert before - 1e-12 <= told <= after + 1e-12


NOISES = [
    dc.Laplace(1),
    dc.Gaussian(0.7),
    dc.Geometric(0.5),
    dc.DiscreteGaussian(1.5),
    dc.repeated(dc.Gaussian(1), 3),
]


@each_gain
@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_a_gain_on_two_values_with_noise_is_that_of_its_guesses(name, noise):
    gain = GAINS[name][0](2)
    for prior in (None, [0.1, 0.9], [1.0, 0.0]):
        found = dc.posterior_vulnerability(noise, prior, gain)
        assert found == pytest.approx(
            dc.posterior_vulnerability(noise, prior, dc.gain_matrix(gain.guesses())), abs=1e-12
        )


SEEN_BY = {
    "nobody": lambda k: dc.Uninformed(),
    "population": lambda k: dc.Uninformed(np.arange(1.0, k + 1) / (k * (k + 1) / 2)),
    "all but one": lambda k: dc.AllButOne([2, *[0] * (k - 2), 2]),
    "some": lambda k: dc.PartlyInformed([1] + [0] * (k - 1)),
    "exchangeable": lambda k: dc.Exchangeable([0.5] * k),
}


@each_kind
@pytest.mark.parametrize("knowledge", SEEN_BY)
@pytest.mark.parametrize("k", [2, 3])
def test_a_gain_on_a_crowd_is_its_definition_on_the_histograms(name, knowledge, k):
    mechanism = dc.RandomizedResponse(k, p=0.8) if k == 3 else dc.UnaryEncoding.oue(k, epsilon=1)
    seen = dc.Shuffled(mechanism, 5).seen_by(SEEN_BY[knowledge](k))
    check(seen, seen.channel().dense(), None, name)


@each_kind
@pytest.mark.parametrize("k", [2, 3])
def test_the_worst_others_are_the_worst_of_all_counts(name, k):
    gain = GAINS[name][0](k)
    crowd = dc.Shuffled(dc.RandomizedResponse(k, p=0.8), 5)
    for prior in (None, np.arange(1.0, k + 1) / (k * (k + 1) / 2)):
        counts = [c for c in itertools.product(range(5), repeat=k) if sum(c) == 4]
        among = [dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(c)), prior, gain) for c in counts]
        assert dc.posterior_vulnerability(crowd.seen_by(dc.WorstAllButOne()), prior, gain) == exactly(max(among))


@pytest.mark.long
@each_kind
@pytest.mark.parametrize(
    "knowledge", [dc.Uninformed(), dc.Exchangeable([0.5] * 6), dc.AllButOne([400, 100, 0, 0, 0, 99])]
)
def test_a_sampled_crowd_says_of_a_gain_what_it_says_of_its_guesses(name, knowledge):
    gain = GAINS[name][0](6)
    crowd = dc.Shuffled(dc.RandomizedResponse(6, epsilon=1), 600)
    with lowered(MAX_CROWDS_DRAWN=2500, MAX_HISTOGRAMS=10**4):
        found, plain = (
            dc.posterior_vulnerability(crowd.seen_by(knowledge, seed=1), gain=g)
            for g in (gain, dc.gain_matrix(gain.guesses()))
        )
    assert found.low <= plain.value <= found.high
    if isinstance(knowledge, dc.Exchangeable):  # whose guesses are from estimates, of which some are equally good
        return
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-9)


def test_a_crowd_too_large_to_list_is_sampled_with_as_many_tries_as_one_likes():
    # A matrix of all sets of 30 of 60 values has 10¹⁷ rows.
    crowd = dc.Shuffled(dc.RandomizedResponse(60, epsilon=2), 1000)
    with lowered(MAX_CROWDS_DRAWN=5000):
        found = dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(), seed=1), gain=dc.k_tries_gain(60, 30))
    assert 0.5 <= found.low <= found.value <= found.high < 1


def test_more_tries_and_coarser_blocks_are_worth_more():
    rng = np.random.default_rng(4)
    C, prior = dc.Channel(rng.dirichlet(np.ones(6), size=9)), rng.dirichlet(np.ones(9))
    tries = [dc.posterior_vulnerability(C, prior, dc.k_tries_gain(9, t)) for t in range(1, 12)]
    assert tries == sorted(tries)
    assert tries[8:] == [exactly(1)] * 3
    assert tries[0] == dc.posterior_vulnerability(C, prior)
    blocks = [dc.posterior_vulnerability(C, prior, dc.partition_gain(np.arange(9) // size)) for size in (1, 3, 9)]
    assert blocks[0] == exactly(tries[0])
    assert blocks == sorted(blocks)
    assert blocks[2] == exactly(1)


def test_a_loss_is_a_risk_that_is_lowered():
    C, losses = dc.Channel([[0.9, 0.1], [0.2, 0.8]]), [[0, 10], [1, 0]]
    gain = dc.loss_matrix(losses)
    assert isinstance(gain, LossGain)
    assert gain.losses.tolist() == losses
    expected = sum(min(0.5 * C.matrix[1, y] * 10, 0.5 * C.matrix[0, y]) for y in range(2))
    assert -dc.posterior_vulnerability(C, gain=gain) == exactly(expected)
    assert dc.leakage(C, gain=gain, kind="additive") == exactly(0.5 - expected)


def test_secrets_may_be_anything_a_function_takes():
    C = dc.Channel(np.eye(3), inputs=["ann", "bob", "bo"])
    same_letter = dc.gain_function(lambda w, x: w[0] == x[0], "abc", C.inputs)
    assert same_letter.guesses().tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    fractions = dc.gain_function(Fraction, [1], range(1, 5))
    assert fractions.guesses().tolist() == [[1, 0.5, 1 / 3, 0.25]]
    assert dc.prior_vulnerability([Fraction(1, 4)] * 4, fractions) == Fraction(25, 48)
    compared = dc.gain_function(lambda w, x: np.float64(w) == np.float64(x), [1], range(3))
    assert compared.guesses().tolist() == [[0, 1, 0]]


def test_what_is_given_is_neither_kept_nor_changed():
    labels, distance = np.array([0, 1, 0]), np.array([[0.0, 1], [1, 0]])
    partition, near = dc.partition_gain(labels), dc.distance_gain(distance)
    labels[:], distance[:] = 5, 5
    assert labels.flags.writeable and distance.flags.writeable
    assert partition.guesses().tolist() == [[1, 0, 1], [0, 1, 0]]
    assert near.guesses().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="read-only"):
        near.guesses()[0, 0] = 3


def test_a_large_channel_takes_no_matrix_of_all_sets():
    C = dc.Channel(sparse.eye_array(500))
    gain = dc.k_tries_gain(500, 250)
    assert dc.posterior_vulnerability(C, gain=gain) == exactly(1)
    assert dc.prior_vulnerability(dc.uniform(500), gain) == exactly(0.5)
    for make in (gain.guesses, dc.k_tries_gain(10**7, 5 * 10**6).guesses, dc.identity_gain(10**5).guesses):
        with pytest.raises(TooLargeError, match=r"row for each guess.*fewer secrets"):
            make()
    with lowered(MAX_ENTRIES=16):
        assert len(dc.identity_gain(4).guesses()) == len(dc.partition_gain(range(4)).guesses()) == 4
        for make in (
            dc.identity_gain(5).guesses,
            dc.k_tries_gain(4, 2).guesses,
            dc.partition_gain(range(5)).guesses,
            lambda: dc.gain_function(lambda w, x: 1, range(5), range(5)),
        ):
            with pytest.raises(TooLargeError):
                make()


def raising(w, x):
    return 1 / (x - 2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dc.k_tries_gain(0, 1), "k must be.*got 0"),
        (lambda: dc.k_tries_gain(3, 0), "tries must be.*got 0"),
        (lambda: dc.k_tries_gain(3, 1.5), r"tries must be.*got 1\.5"),
        (lambda: dc.k_tries_gain(3, True), "tries must be.*got True"),
        (lambda: dc.set_gain(0, []), "k must be.*got 0"),
        (lambda: dc.set_gain(3, [0, 3]), r"0\.\.2, got 3"),
        (lambda: dc.set_gain(3, [-1]), "got -1"),
        (lambda: dc.set_gain(3, [0, 2, 0]), "distinct, got 0 more than once"),
        (lambda: dc.set_gain(3, 1), "numbers of some secrets, got 1"),
        (lambda: dc.set_gain(3, ["0"]), "got '0'"),
        (lambda: dc.partition_gain([]), "a label for each secret, got none"),
        (lambda: dc.partition_gain([[0], [1]]), r"hashable.*got \[0\] for secret 0"),
        (lambda: dc.partition_gain(3), "a label for each secret, got 3"),
        (lambda: dc.partition_gain(np.eye(2)), "hashable"),
        (lambda: dc.distance_gain([[0, 1], [1]]), "distance matrix.*equal length"),
        (lambda: dc.distance_gain([[0, 1j], [1, 0]]), "distance matrix must hold numbers"),
        (lambda: dc.distance_gain([0, 1]), r"shape \(2,\)"),
        (lambda: dc.distance_gain([]), r"shape \(0,\)"),
        (lambda: dc.distance_gain([[0, -1], [1, 0]]), r"negative, got -1\.0 for guess 0 and secret 1"),
        (lambda: dc.distance_gain([[0, math.inf]]), "inf for guess 0 and secret 1"),
        (lambda: dc.loss_matrix([[0, math.nan]]), "a loss must be a number, got nan for guess 0 and secret 1"),
        (lambda: dc.loss_matrix([[1e308, -1e308]]), "losses must differ by a number"),
        (lambda: dc.loss_matrix([["a", "b"]]), "loss matrix must hold numbers"),
        (lambda: dc.gain_function(raising, ["all"], [1, 2]), "raised ZeroDivisionError: .*guess 'all' and secret 2"),
        (lambda: dc.gain_function(lambda w, x: None, [0], [7]), "got None for guess 0 and secret 7"),
        (lambda: dc.gain_function(lambda w, x: "1", [0], [7]), "got '1' for guess 0 and secret 7"),
        (lambda: dc.gain_function(lambda w, x: 1j, [0], [7]), "got 1j for"),
        (lambda: dc.gain_function(lambda w, x: math.nan, [0], [7]), "got nan for"),
        (lambda: dc.gain_function(lambda w, x: [1.0], [0], [7]), r"got \[1\.0\] for"),
        (lambda: dc.gain_function(lambda w, x: 10**400, [0], [7]), "finite number, got 10000.* for guess 0"),
        (lambda: dc.gain_function(lambda w, x: Fraction(10**400), [0], [7]), "finite number, got Fraction"),
        (lambda: dc.gain_function(lambda w, x: 1, [], [7]), "needs guesses, got none"),
        (lambda: dc.gain_function(lambda w, x: 1, [1], []), "needs secrets, got none"),
        (lambda: dc.gain_function(lambda w, x: 1, [1], 5), "secrets must be a list.*got 5"),
        (lambda: dc.gain_function(3, [1], [5]), "a gain function must take.*got 3"),
        (lambda: dc.posterior_vulnerability(dc.Channel(np.eye(2)), gain=dc.k_tries_gain(3, 2)), "3 secrets.*2"),
        (lambda: dc.posterior_vulnerability(dc.Channel(np.eye(2)), gain=dc.partition_gain("aab")), "3 secrets.*2"),
        (lambda: dc.posterior_vulnerability(dc.Channel(np.eye(2)), gain=distances), "function; wrap.*gain_function"),
    ],
)
def test_what_is_no_gain_is_refused_in_a_sentence(make, words):
    with (
        warnings.catch_warnings(),
        pytest.raises((InvalidValueError, dc.errors.UnsupportedError), match=words) as caught,
    ):
        warnings.simplefilter("error")
        make()
    assert "\n" not in str(caught.value)
