"""Any channel as a mechanism: the least variance among linear estimators, and samples by its rows."""

import collections
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy.sparse import csr_array

import discretion as dc
from oracles.channels import exact
from oracles.promise import exactly

CM = dc.ChannelMechanism


def eliminated(rows):
    """The rows in reduced echelon form, those of zeros left out: Fractions in, Fractions out."""
    rows, done = [list(row) for row in rows], []
    for column in range(len(rows[0])):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [entry / pivot[column] for entry in pivot]
        rows = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        done = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in done] + [pivot]
    return done


def inverse(matrix):
    k = len(matrix)
    extended = [[*row, *(Fraction(int(i == j)) for j in range(k))] for i, row in enumerate(matrix)]
    return [row[k:] for row in eliminated(extended)[:k]]


def least_squares(C):
    """``D Cᵀ (C D Cᵀ)⁻¹`` by its definition, a row per report; a report that is never seen counts nothing."""
    k, columns = len(C), range(len(C[0]))
    means = [sum(row[y] for row in C) / k for y in columns]
    seen = [y for y in columns if means[y]]
    middle = inverse([[sum(C[a][y] * C[b][y] / means[y] for y in seen) for b in range(k)] for a in range(k)])
    return [
        [sum(C[x][y] * middle[x][v] for x in range(k)) / means[y] if means[y] else Fraction(0) for v in range(k)]
        for y in columns
    ]


def variance(C, G, shares):
    """That of one report's part in an estimate, on average over people who hold the values in these shares."""
    k, columns = len(C), range(len(C[0]))
    total = [Fraction(0)] * k
    for x, v in itertools.product(range(k), repeat=2):
        mean = sum(C[x][y] * G[y][v] for y in columns)
        total[v] += shares[x] * sum(C[x][y] * (G[y][v] - mean) ** 2 for y in columns)
    return total


@st.composite
def weights(draw):
    k, columns = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    drawn = draw(arrays.arrays(np.int64, (k, columns), elements=st.integers(0, 7)))
    assume(np.all(drawn.sum(axis=1) > 0))
    return drawn


def channel_of(drawn):
    return dc.Channel(drawn / drawn.sum(axis=1, keepdims=True))


@given(weights(), st.data())
def test_the_estimate_is_unbiased_of_least_variance_and_refused_where_there_is_none(drawn, data):
    mechanism, k = CM(channel_of(drawn)), len(drawn)
    raw = data.draw(st.lists(st.integers(0, 5), min_size=k, max_size=k).filter(any))
    shares = np.array(raw) / sum(raw)
    rank = len(eliminated([[Fraction(int(entry)) for entry in row] for row in drawn]))
    if rank < k:
        assert np.all(np.isinf(mechanism.frequency_variance(3, shares)))
        with pytest.raises(
            dc.errors.InvalidValueError, match=f"rank {rank} have no information on .* 1e-09 .* of rank {k}"
        ):
            mechanism.estimate_frequencies([0])
        with pytest.raises(dc.errors.InvalidValueError, match=f"rank {rank}"):
            mechanism.estimate_from_aggregate([1] + [0] * (drawn.shape[1] - 1), 1)
        return
    C = exact(mechanism.channel().matrix)
    G = [[Fraction(float(share)) for share in mechanism.estimate_frequencies([y])] for y in range(len(C[0]))]
    for x, v in itertools.product(range(k), repeat=2):
        assert float(sum(C[x][y] * G[y][v] for y in range(len(G)))) == exactly(x == v)
    for row, expected in zip(G, least_squares(C), strict=True):
        assert [float(entry) for entry in row] == pytest.approx(
            [float(entry) for entry in expected], rel=1e-9, abs=1e-11
        )
    stated = mechanism.frequency_variance(1, shares)
    expected = variance(C, least_squares(C), [Fraction(float(share)) for share in shares])
    assert stated.tolist() == [exactly(value) for value in expected]


@pytest.mark.parametrize("epsilon", [1e-7, 1e-4, 0.1])
@pytest.mark.parametrize("kind", [dc.RandomizedResponse, dc.SubsetSelection, dc.HadamardResponse])
def test_rows_that_are_nearly_alike_lose_no_digits(kind, epsilon):
    mechanism = CM(kind(4, epsilon).channel())
    C = exact(mechanism.channel().matrix)
    # Rows that differ in few digits say something else once rounded: so the oracle takes the rounded ones.
    expected = variance(C, least_squares(C), [Fraction(1, 4)] * 4)
    assert mechanism.frequency_variance(1).tolist() == pytest.approx([float(v) for v in expected], rel=1e-10)


@pytest.mark.parametrize("epsilon", [5, 30, 300])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_rare_report_says_as_much_to_the_last_digit(epsilon, seed):
    matrix = np.random.default_rng(seed).permutation(dc.UnaryEncoding.oue(3, epsilon).channel().matrix, axis=1)
    mechanism = CM(dc.Channel(matrix))
    for y, row in enumerate(least_squares(exact(matrix))):
        assert mechanism.estimate_frequencies([y]).tolist() == [exactly(entry) for entry in row]


@pytest.mark.parametrize(
    "protocol",
    [
        dc.RandomizedResponse(5, 1), dc.UnaryEncoding.oue(4, 2), dc.UnaryEncoding.rappor(4, 2),
        dc.SubsetSelection(5, 1), dc.SubsetSelection(6, 2, 4), dc.HadamardResponse(5, 1), dc.HadamardResponse(7, 1)
    ],
    ids=str,
)  # fmt: skip
def test_no_protocol_s_own_estimator_is_better_for_equal_shares(protocol):
    explicit = CM(protocol.channel()).frequency_variance(1)
    own = protocol.frequency_variance(1)
    assert np.all(explicit <= own * (1 + 1e-12))
    if isinstance(
        protocol, dc.RandomizedResponse | dc.SubsetSelection
    ):  # symmetric in all values, and no constraint left
        assert explicit == pytest.approx(own, rel=1e-12)


def test_its_measures_are_the_channel_s():
    channel = dc.Channel([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.1, 0.1, 0.8]], inputs="abc", outputs=["no", "maybe", "yes"])
    mechanism = CM(channel)
    assert mechanism.channel() is channel
    assert (mechanism.secrets, mechanism.epsilon) == (3, math.inf)
    assert dc.leakiest_pair(mechanism) == dc.leakiest_pair(channel) == ("a", "c")
    for measure in (dc.bayes_security, dc.bayes_risk, dc.mutual_information, dc.multiplicative_bayes_capacity):
        assert measure(mechanism) == measure(channel)
        assert dc.method(measure, mechanism) == dc.method(measure, channel)
    for measure in (dc.posterior_vulnerability, dc.bayes_security):
        assert measure(dc.Shuffled(mechanism, 5)) == measure(dc.Shuffled(channel, 5))


def test_a_sparse_channel_is_as_good():
    matrix = np.array([[0.5, 0, 0.5, 0], [0, 0.25, 0.75, 0], [0, 0.125, 0.25, 0.625]])
    thick, thin = CM(dc.Channel(matrix)), CM(dc.Channel(csr_array(matrix)))
    values = np.arange(300) % 3
    reports = thick.sample(values, rng=3)
    assert np.array_equal(reports, thin.sample(values, rng=3))
    assert np.array_equal(thick.estimate_frequencies(reports), thin.estimate_frequencies(reports))
    assert np.array_equal(thick.frequency_variance(9), thin.frequency_variance(9))
    assert np.array_equal(thick.sample_aggregate([5, 6, 7], 1), thin.sample_aggregate([5, 6, 7], 1))
    assert likelihoods(thick, reports) == likelihoods(thin, reports)


class Uniform:
    """A source of these uniform numbers."""

    def __init__(self, *numbers):
        self.numbers = np.array(numbers)

    def random(self, size):
        assert size == self.numbers.size
        return self.numbers


def test_a_report_is_where_the_cumulative_sum_passes_the_uniform_number():
    mechanism = CM(dc.Channel([[0.25, 0, 0.5, 0.25], [0, 1, 0, 0], [0, 0.5, 0.5, 0]]))
    below = np.nextafter([0.25, 0.75, 1.0, 0.5], 0)
    uniform = Uniform(0, below[0], 0.25, below[1], 0.75, below[2], 0, below[2], 0, below[3], 0.5, below[2])
    values = np.array([0] * 6 + [1] * 2 + [2] * 4)
    assert mechanism._sample(values, uniform).tolist() == [0, 0, 2, 2, 3, 3, 1, 1, 1, 1, 2, 2]


def test_what_is_impossible_is_not_drawn_where_rounding_leaves_a_rest():
    mechanism = CM(dc.Channel([[0.0] + [0.1 - 1e-11] * 10 + [0.0]]))
    last = 1 - 2.0**-53
    assert mechanism._sample(np.zeros(2, dtype=int), Uniform(0.0, last)).tolist() == [1, 10]
    tallies = mechanism.sample_aggregate([10**9], rng=1)
    assert tallies[[0, 11]].tolist() == [0, 0]
    assert tallies.sum() == 10**9


def test_people_are_told_apart_in_any_order():
    mechanism = CM(dc.Channel(np.roll(np.eye(5), 1, axis=1)))
    values = np.random.default_rng(1).integers(5, size=1000)
    assert np.array_equal(mechanism.sample(values, rng=2), (values + 1) % 5)


def test_tallies_drawn_directly_have_the_law_of_counted_reports():
    matrix, counts, runs = np.array([[0.5, 0.3, 0.2, 0], [0, 0.1, 0.2, 0.7]]), np.array([700, 300]), 3000
    rng = np.random.default_rng(4)
    tallies = np.array([CM(dc.Channel(matrix)).sample_aggregate(counts, rng) for _ in range(runs)])
    variances = counts @ (matrix * (1 - matrix))
    assert np.all(tallies.sum(axis=1) == 1000)
    assert np.all(np.abs(tallies.mean(axis=0) - counts @ matrix) < 6 * np.sqrt(variances / runs))
    assert np.all(np.abs(tallies.var(axis=0) / variances - 1) < 6 * math.sqrt(2 / runs))


def likelihoods(mechanism, reports):
    return collections.Counter(
        (tuple(row.tolist()), int(count))
        for block in mechanism.likelihood_blocks(mechanism.checked_reports(reports))
        for row, count in zip(*block, strict=True)
    )


def test_likelihoods_are_the_columns_with_their_counts():
    mechanism = CM(dc.Channel([[0.5, 0.25, 0.25, 0], [0.125, 0.5, 0.375, 0]]))
    expected = {((0.25, 0.375), 3): 1, ((0.5, 0.125), 1): 1}
    assert likelihoods(mechanism, [2, 0, 2, 2]) == expected
    assert likelihoods(mechanism, [2, 0, 3, 2, 2]) == expected  # what no value reports tells of none
    assert likelihoods(mechanism, []) == {}


def test_tallies_are_counts_of_columns_and_estimate_the_same():
    mechanism = CM(dc.Channel([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]))
    reports = [2, 0, 2, 2, 1]
    assert mechanism.aggregate(reports).tolist() == [1, 1, 3]
    assert np.array_equal(mechanism.estimate_from_aggregate([1, 1, 3], 5), mechanism.estimate_frequencies(reports))
    with pytest.raises(dc.errors.InvalidValueError, match="3 whole numbers"):
        mechanism.estimate_from_aggregate([1, 4], 5)


def test_all_shares_sum_to_one():
    mechanism = CM(dc.Channel(np.random.default_rng(2).dirichlet(np.ones(30), size=20)))
    estimate = mechanism.estimate_frequencies(np.arange(30))
    assert estimate.sum() == exactly(1)


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([3], r"0\.\.2, got 3"),
        ([-1], r"0\.\.2, got -1"),
        ([[0]], r"shape \(1, 1\)"),
        ([True], "bool"),
        ([], "at least"),
    ],
)
def test_reports_that_are_not_columns_are_refused(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        CM(dc.Channel([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]])).estimate_frequencies(reports)


@pytest.mark.parametrize("given_", [[[0.5, 0.5], [0.1, 0.9]], dc.RandomizedResponse(3, 1), None])
def test_what_is_no_channel_is_refused(given_):
    with pytest.raises(
        dc.errors.UnsupportedError, match=r"takes a Channel, got .*wrap a matrix with discretion\.Channel"
    ):
        CM(given_)
