"""Hadamard response: its codewords, its fast decoder, closed forms for any number of values."""

import collections
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import hadamard

import discretion as dc
from measures.table import CASES
from oracles.promise import exactly
from oracles.strategies import gains, priors

HR = dc.HadamardResponse
MILLION = 1_000_000


def signs(mechanism):
    """The rows of Sylvester's matrix that the values have: all but the first one."""
    return hadamard(mechanism.columns)[1 : mechanism.k + 1]


@pytest.mark.parametrize("k", [2, 3, 4, 7, 8, 15, 16, 1000, 1023, 1024, MILLION])
def test_the_order_is_the_least_power_of_two_that_leaves_out_the_first_row(k):
    assert HR(k, 1).columns == next(2**bits for bits in range(40) if 2**bits >= k + 1)


@pytest.mark.parametrize("k", [2, 3, 4, 7, 12])
@pytest.mark.parametrize("ratio", [1, 3, 100])
def test_the_channel_is_the_published_law(k, ratio):
    mechanism = HR(k, math.log(ratio))
    likely = 2 / mechanism.columns * ratio / (ratio + 1)
    assert mechanism.channel().outputs == tuple(range(mechanism.columns))
    expected = np.where(signs(mechanism) == 1, likely, likely / ratio)
    assert mechanism.channel().matrix == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.25, 1.0, 10.0, 50.0, 700.0])
def test_the_probabilities_of_support_to_full_precision(epsilon):
    with localcontext() as context:
        context.prec = 700
        ratio, half = Decimal(epsilon).exp(), Decimal("0.5")
        own = ratio / (ratio + 1)
        expected = own, 1 - own, half, half, own - half
    for found, value in zip(HR(10, epsilon).support, expected, strict=True):
        assert found == pytest.approx(float(value), rel=1e-14, abs=0)


def test_infinitely_private_and_not_at_all():
    nothing, everything = HR(5, 0), HR(5, math.inf)
    assert (dc.bayes_security(nothing), dc.mutual_information(nothing)) == (1.0, 0.0)
    assert dc.posterior_vulnerability(nothing) == exactly(1 / 5)
    assert everything.epsilon == math.inf
    assert tuple(everything.support) == (1, 0, 0.5, 0.5, 0.5)
    values = np.arange(1000) % 5
    reports = everything.sample(values, rng=1)
    assert np.all(signs(everything)[values, reports] == 1)
    # The value is known to be one of those that the column has a 1 for: the better half of them, and its own.
    assert dc.bayes_security(everything) == 0.5


@pytest.mark.long
@given(st.integers(2, 9), st.sampled_from([0.0, 1e-6, 0.3, 1.0, 4.0, 30.0, 745.0, math.inf]), st.data())
def test_a_closed_form_agrees_with_the_definition_at_any_prior_and_gain(k, epsilon, data):
    mechanism = HR(k, epsilon)
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    matrix = mechanism.channel().matrix
    for case in CASES:
        if case.meaningful(k, prior, gain) and case.name != "ldp_epsilon":
            assert case.ask(mechanism, prior, gain) == exactly(case.expected(matrix, prior, gain)), case.name


@given(st.integers(2, 40), st.sampled_from([0.5, 3.0, 700.0]), st.randoms(use_true_random=False))
def test_any_order_of_the_values_by_their_prior(k, epsilon, random):
    # Rows that are sums of others before them matter, whose number is odd for most when all have a bit in common.
    mechanism = HR(k, epsilon)
    bit = 1 << random.randrange(mechanism.columns.bit_length() - 1)
    order = sorted(range(k), key=lambda value: (not (value + 1) & bit, random.random()))
    prior = np.empty(k)
    prior[order] = 0.9 ** np.arange(k)
    prior /= prior.sum()
    for measure in (dc.posterior_vulnerability, dc.bayes_risk, dc.mutual_information):
        assert measure(mechanism, prior) == exactly(measure(mechanism.channel(), prior))


@pytest.mark.parametrize("k", [*range(2, 35), 62, 63, 64, 100])
@pytest.mark.parametrize("epsilon", [1e-3, 2.0, math.inf])
def test_a_uniform_prior_by_the_explicit_channel(k, epsilon):
    mechanism = HR(k, epsilon)
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.mutual_information, dc.multiplicative_bayes_capacity,
        dc.bayes_security, dc.leakiest_pair
    ):  # fmt: skip
        assert measure(mechanism) == pytest.approx(measure(mechanism.channel()), rel=1e-10, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon"), [(MILLION, 0.0), (MILLION, 1.0), (MILLION, 700.0), (2**20 - 1, 1.0)])
def test_a_million_values_need_no_matrix(k, epsilon):
    mechanism = HR(k, epsilon)
    prior = np.random.default_rng(1).dirichlet(np.full(k, 0.5))
    for law in (None, prior):
        right, wrong = dc.posterior_vulnerability(mechanism, law), dc.bayes_risk(mechanism, law)
        assert right + wrong == exactly(1)
        assert right >= (1 / k if law is None else prior.max()) - 1e-12
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert dc.ldp_epsilon(mechanism) == epsilon
    # The same sum, over the columns one by one.
    nearly_uniform = np.full(k, 1 / k)
    nearly_uniform[:2] += 1e-18, -1e-18
    assert dc.mutual_information(mechanism) == exactly(dc.mutual_information(mechanism, nearly_uniform))


def test_what_would_need_the_matrix_is_refused():
    with pytest.raises(dc.errors.TooLargeError, match=r"Hadamard response with k = 1,000,000 .* closed form"):
        HR(MILLION, 1).channel()
    with pytest.raises(dc.errors.TooLargeError, match=r"499,999,500,000 pairs are tied.* leakiest_pair"):
        dc.leakiest_pairs(HR(MILLION, 1))


@given(st.integers(2, 20), st.data())
def test_the_fast_decoder_counts_signs(k, data):
    mechanism = HR(k, 1)
    reports = data.draw(st.lists(st.integers(0, mechanism.columns - 1), max_size=30))
    expected = [sum(signs(mechanism)[v][y] == 1 for y in reports) for v in range(k)]
    assert mechanism.aggregate(reports).tolist() == expected


@given(st.integers(2, 20), st.data())
def test_likelihoods_are_the_columns_with_their_counts(k, data):
    mechanism = HR(k, math.log(4))
    odds = math.exp(-mechanism.epsilon)
    reports = data.draw(st.lists(st.integers(0, mechanism.columns - 1), max_size=30))
    found = [
        (tuple(likelihoods.tolist()), count)
        for block in mechanism.likelihood_blocks(mechanism.checked_reports(reports))
        for likelihoods, count in zip(*block, strict=True)
    ]
    columns = {y: tuple(np.where(signs(mechanism)[:, y] == 1, 1, odds).tolist()) for y in reports}
    telling = {y: n for y, n in collections.Counter(reports).items() if len(set(columns[y])) > 1}
    assert collections.Counter(found) == collections.Counter((columns[y], n) for y, n in telling.items())


@pytest.mark.long
@pytest.mark.parametrize("seed", [11, None], ids=["seeded", "the system's randomness"])
@pytest.mark.parametrize(("k", "people"), [(100, 100_000), (MILLION, MILLION)])
def test_estimates_of_many_people(k, people, seed):
    mechanism = HR(k, 1)
    values = np.minimum(np.random.default_rng(3).geometric(20 / k, people) - 1, k - 1)
    shares = np.bincount(values, minlength=k) / people
    frequencies = mechanism.estimate_frequencies(mechanism.sample(values, rng=seed))
    errors = (frequencies - shares) / np.sqrt(mechanism.frequency_variance(people, shares))
    assert np.abs(errors).max() < 7
    assert abs((errors**2).sum() - k) < 7 * math.sqrt(2 * k)


@pytest.mark.parametrize("people", [300, 30_000], ids=["by person", "by value"])
def test_tallies_drawn_directly_have_the_law_of_counted_reports(people):
    mechanism, runs = HR(3, 1), 2000
    counts = np.array([0, people // 3, people - people // 3])
    rng = np.random.default_rng(7)
    own, not_own, other, not_other, _ = mechanism.support
    tallies = np.array([mechanism.sample_aggregate(counts, rng) for _ in range(runs)])
    mean = counts * own + (people - counts) * other
    variance = counts * own * not_own + (people - counts) * other * not_other
    assert np.all(np.abs(tallies.mean(axis=0) - mean) < 6 * np.sqrt(variance / runs))
    assert np.all(np.abs(tallies.var(axis=0) / variance - 1) < 6 * math.sqrt(2 / runs))
    # Rows 1, 2 and 3 multiply to one: two tallies of a report tell the third, and they are correlated through that.
    reports = mechanism.sample(np.repeat(np.arange(3), counts), rng=8)
    matrix = mechanism.channel().matrix
    covariance = np.zeros((3, 3))
    for value, n in enumerate(counts):
        support = signs(mechanism) == 1
        centred = support - (support @ matrix[value])[:, None]
        covariance += n * (centred * matrix[value]) @ centred.T
    spread = np.sqrt(np.outer(variance, variance))
    assert np.all(np.abs(np.cov(tallies.T) - covariance) < 8 * spread / math.sqrt(runs))
    assert mechanism.aggregate(reports).shape == (3,)


def test_nobody_s_tallies_are_nothing():
    assert HR(3, 1).sample_aggregate([0, 0, 0], rng=1).tolist() == [0, 0, 0]
    assert HR(3, 1).aggregate([]).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([8], r"0\.\.7, got 8"),
        ([-1], r"0\.\.7, got -1"),
        ([[0]], r"shape \(1, 1\)"),
        ([True], "bool"),
        ([], "at least"),
    ],
)
def test_reports_that_are_not_columns_are_refused(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        HR(5, 1).estimate_frequencies(reports)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: HR(1, 1), "k .*at least 2, got 1"),
        (lambda: HR(10**9, 1), "at most 100,000,000"),
        (lambda: HR(3, -0.1), r"epsilon must be at least 0, got -0\.1"),
        (lambda: HR(3, math.nan), "epsilon must be a number, got nan"),
    ],
)
def test_parameters_out_of_range_are_refused(make, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        make()


def test_the_methods_are_named():
    mechanism = HR(3, 1)
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.bayes_security, dc.ldp_epsilon, dc.multiplicative_bayes_capacity,
        dc.mutual_information
    ):  # fmt: skip
        assert dc.method(measure, mechanism) == ("closed form of Hadamard response", "closed form")
    for measure in (dc.posterior_vulnerability, dc.bayes_risk):
        assert dc.method(measure, mechanism, [0.5, 0.5, 0]) == ("closed form of Hadamard response", "closed form")
    assert dc.method(dc.mutual_information, mechanism, [0.5, 0.5, 0]) == ("fast Walsh-Hadamard transform", "exact")
