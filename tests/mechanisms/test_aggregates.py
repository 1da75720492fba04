"""Tallies: of crowds that are put together, of estimates, and drawn without asking each person."""

import collections
import math

import numpy as np
import pytest
from scipy.special import chdtrc

import discretion as dc
from mechanisms.table import INFORMATIVE, KINDS, MECHANISMS

each = pytest.mark.parametrize("mechanism", MECHANISMS)
each_informative = pytest.mark.parametrize("mechanism", INFORMATIVE)
each_kind = pytest.mark.parametrize("mechanism", KINDS)


def directly(mechanism, counts, draws, rng):
    return [mechanism.sample_aggregate(counts, rng) for _ in range(draws)]


def by_the_reports(mechanism, counts, draws, rng):
    values = np.repeat(np.arange(mechanism.k), counts)
    crowds = np.split(mechanism.sample(np.tile(values, draws), rng), draws)
    return [mechanism.aggregate(crowd) for crowd in crowds]


each_way = pytest.mark.parametrize("drawn", [directly, by_the_reports])


def tallies_of_one_report(mechanism):
    """Each report's tallies, in the order of the channel's columns."""
    return np.array([mechanism.aggregate([label]) for label in mechanism.channel().outputs])


def law_of_tallies(mechanism, counts):
    """How likely each vector of tallies is, one person after another."""
    law, alone = {(0,) * len(tallies_of_one_report(mechanism)[0]): 1.0}, tallies_of_one_report(mechanism)
    for value in np.repeat(np.arange(mechanism.k), counts):
        longer = collections.defaultdict(float)
        for before, weight in law.items():
            for probability, tallies in zip(mechanism.channel().matrix[value], alone, strict=True):
                longer[tuple((np.array(before) + tallies).tolist())] += weight * probability
        law = longer
    return law


@each
def test_the_tallies_of_two_crowds_add_up(mechanism):
    reports = mechanism.sample(np.arange(1000) % mechanism.k, rng=1)
    together = mechanism.aggregate(reports)
    assert np.array_equal(mechanism.aggregate(reports[:300]) + mechanism.aggregate(reports[300:]), together)
    assert np.array_equal(mechanism.aggregate([]) + together, together)


@each_informative
def test_tallies_are_all_that_an_estimate_needs(mechanism):
    reports = mechanism.sample(np.arange(1000) % mechanism.k, rng=1)
    estimate = mechanism.estimate_from_aggregate(mechanism.aggregate(reports), 1000)
    assert np.array_equal(estimate, mechanism.estimate_frequencies(reports))


@pytest.mark.long
@each
@each_way
def test_few_people_s_tallies_follow_the_exact_law(mechanism, drawn):
    counts, draws = [0, 2, *[0] * (mechanism.k - 3), 1][-mechanism.k :], 1000
    law, rng = law_of_tallies(mechanism, counts), np.random.default_rng(6)
    seen = collections.Counter(tuple(tallies.tolist()) for tallies in drawn(mechanism, counts, draws, rng))
    assert all(law[tallies] > 0 for tallies in seen)
    often = [tallies for tallies, probability in law.items() if draws * probability >= 5]
    groups = [(draws * law[tallies], seen[tallies]) for tallies in often]
    rest, seen_rest = draws - sum(group[0] for group in groups), draws - sum(group[1] for group in groups)
    if rest >= 5:
        groups.append((rest, seen_rest))
    else:
        assert seen_rest < 25
    assert len(groups) == 1 or chdtrc(len(groups) - 1, sum((o - e) ** 2 / e for e, o in groups)) > 1e-4


@pytest.mark.long
@each
@each_way
def test_many_people_s_tallies_have_the_mean_and_the_covariance_of_the_law(mechanism, drawn):
    counts, draws = 200 * np.arange(mechanism.k), 500
    alone, channel = tallies_of_one_report(mechanism), mechanism.channel().matrix
    means = channel @ alone
    mean = counts @ means
    covariance = (counts @ channel * alone.T) @ alone - (counts * means.T) @ means
    rng = np.random.default_rng(8)
    errors = np.array(drawn(mechanism, counts, draws, rng)) - mean
    variances = covariance.diagonal().clip(0)
    slack = 1e-9 * counts.sum()  # where nothing is random
    assert np.all(np.abs(errors.mean(axis=0)) <= 6 * np.sqrt(variances / draws) + slack)
    # A product of two errors has the normal law's variance and a fourth cumulant, at most the reports' variances.
    spread = np.sqrt((np.outer(variances, variances) + covariance**2 + variances.max()) / draws)
    assert np.all(np.abs(errors.T @ errors / draws - covariance) <= 7 * spread + slack)


@each
def test_the_same_seed_gives_the_same_tallies(mechanism):
    counts = np.full(mechanism.k, 1000)
    first = mechanism.sample_aggregate(counts, 7)
    assert np.array_equal(first, mechanism.sample_aggregate(counts, np.random.default_rng(7)))
    assert first.dtype == np.int64


@each
def test_nobody_s_tallies_are_zeros(mechanism):
    nobody = mechanism.sample_aggregate([0] * mechanism.k, 1)
    assert np.array_equal(nobody, mechanism.aggregate([]))
    assert not nobody.any()


@pytest.mark.parametrize(
    "mechanism", [dc.RandomizedResponse(100, epsilon=2), dc.UnaryEncoding.oue(100, 2), dc.UnaryEncoding.rappor(100, 2)]
)
def test_a_billion_people(mechanism):
    counts = np.random.default_rng(1).multinomial(10**9, np.full(100, 0.01))
    shares = counts / 10**9
    estimate = mechanism.estimate_from_aggregate(mechanism.sample_aggregate(counts, 2), 10**9)
    errors = (estimate - shares) / np.sqrt(mechanism.frequency_variance(10**9, shares))
    assert np.abs(errors).max() < 6
    assert abs((errors**2).sum() - 100) < 6 * math.sqrt(200)


@each_kind
@pytest.mark.parametrize(
    "counts",
    [lambda k: [1] * (k + 1), lambda k: [-1] + [1] * (k - 1), lambda k: [0.5] * k, lambda k: [[1] * k], lambda k: 3,
     lambda k: [True] * k, lambda k: ["1"] * k],
    ids=["too many", "negative", "fractions", "matrix", "scalar", "bool", "text"],
)  # fmt: skip
def test_what_does_not_count_people_is_refused(mechanism, counts):
    with pytest.raises(dc.errors.InvalidValueError, match=f"counts must be {mechanism.k} whole numbers"):
        mechanism.sample_aggregate(counts(mechanism.k), 1)


@each_kind
def test_ragged_counts_are_refused(mechanism):
    with pytest.raises(dc.errors.InvalidValueError, match="rows of equal length"):
        mechanism.sample_aggregate([[1], [1, 2]], 1)


@each_kind
@pytest.mark.parametrize(
    "tallies",
    [lambda t: [*t, 0], lambda t: t[1:], lambda t: [-1, *t[1:]], lambda t: [11, *t[1:]], lambda t: [0.5, *t[1:]],
     lambda t: [t], lambda t: 3],
    ids=["too many", "too few", "negative", "over n", "fraction", "matrix", "scalar"],
)  # fmt: skip
def test_tallies_that_n_reports_cannot_have_are_refused(mechanism, tallies):
    given = tallies(mechanism.aggregate(mechanism.sample([0] * 10, rng=1)).tolist())
    with pytest.raises(dc.errors.InvalidValueError, match=r"tallies must be \d+ whole numbers in 0\.\.10"):
        mechanism.estimate_from_aggregate(given, 10)


@each_kind
@pytest.mark.parametrize("n", [0, -1, 2.5, True, None])
def test_an_estimate_is_of_somebody(mechanism, n):
    with pytest.raises(dc.errors.InvalidValueError, match="n must be a whole number of at least 1"):
        mechanism.estimate_from_aggregate(mechanism.aggregate([]), n)


@each
def test_tallies_without_information_are_not_turned_into_an_estimate(mechanism):
    if mechanism.epsilon == 0:
        with pytest.raises(dc.errors.InvalidValueError, match="have no information on"):
            mechanism.estimate_from_aggregate(mechanism.aggregate(mechanism.sample([0, 1], rng=1)), 2)


@pytest.mark.parametrize(
    ("mechanism", "each"),
    [
        (dc.RandomizedResponse(3, p=0.7), 1),
        (dc.SubsetSelection(5, epsilon=1, size=2), 2),
        (dc.ChannelMechanism(dc.Channel([[0.7, 0.3], [0.2, 0.8]])), 1),
    ],
    ids=str,
)
def test_tallies_of_another_number_of_reports_are_refused(mechanism, each):
    tallies = mechanism.sample_aggregate([4] * mechanism.k, rng=1)
    n = 4 * mechanism.k
    assert tallies.sum() == each * n
    mechanism.estimate_from_aggregate(tallies, n)
    with pytest.raises(dc.errors.InvalidValueError, match=f"sum to {each * (n + 1)}, got a sum of {each * n}"):
        mechanism.estimate_from_aggregate(tallies, n + 1)


def test_more_people_than_are_computed_for_are_refused():
    with pytest.raises(dc.errors.TooLargeError, match="part by part"):
        dc.RandomizedResponse(3, p=0.7).sample_aggregate([2**62, 2**62, 0], rng=1)
