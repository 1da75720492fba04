"""What every local mechanism promises, whatever it is."""

import collections
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import chdtrc, pdtrc

import discretion as dc
from measures.table import CASES
from mechanisms.table import INFORMATIVE, KINDS, MECHANISMS, observed
from oracles.channels import exact
from oracles.promise import exactly

each = pytest.mark.parametrize("mechanism", MECHANISMS)
each_informative = pytest.mark.parametrize("mechanism", INFORMATIVE)
each_kind = pytest.mark.parametrize("mechanism", KINDS)


def adversaries(k):
    """Priors with zeros and ties, gains with negative entries."""
    rng = np.random.default_rng(k)
    priors = [None, np.eye(k)[k - 1], np.eye(k)[:2].sum(axis=0) / 2, rng.dirichlet(np.full(k, 0.3))]
    return itertools.product(priors, [None, rng.normal(size=(3, k)), np.eye(k)[::-1] - 0.25])


@pytest.mark.one_in(31)
@each
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_a_closed_form_agrees_with_the_definition_on_the_explicit_channel(mechanism, case):
    matrix = mechanism.channel().matrix
    for prior, gain in adversaries(mechanism.secrets):
        if case.meaningful(mechanism.secrets, prior, gain):
            assert case.ask(mechanism, prior, gain) == exactly(case.expected(matrix, prior, gain))


@each
def test_its_epsilon_is_the_local_privacy_of_its_channel(mechanism):
    assert mechanism.epsilon == pytest.approx(dc.ldp_epsilon(mechanism.channel()), rel=1e-10, abs=2e-15)
    assert mechanism.epsilon == dc.ldp_epsilon(mechanism)


@each
def test_its_privacy_is_that_of_its_channel(mechanism):
    channel = mechanism.channel()
    for epsilon in (0.0, 1e-9, 0.5, mechanism.epsilon / 2, mechanism.epsilon, 800.0, math.inf):
        assert dc.privacy_profile(mechanism, epsilon) == exactly(dc.privacy_profile(channel, epsilon))
    for order in (1e-8, 0.5, 1.0, 2.0, math.inf):
        expected = dc.renyi_dp(channel, order)
        assert dc.renyi_dp(mechanism, order) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@each
def test_its_leakiest_pair_is_that_of_its_channel(mechanism):
    if mechanism.epsilon > 1e-6:
        assert dc.leakiest_pair(mechanism) == dc.leakiest_pair(mechanism.channel())
        assert dc.leakiest_pairs(mechanism) == dc.leakiest_pairs(mechanism.channel())


@pytest.mark.long
@each
@pytest.mark.parametrize("seed", [20240, None], ids=["seeded", "the system's randomness"])
def test_reports_follow_the_law_of_the_channel(mechanism, seed):
    people = 20_000
    for value in {0, mechanism.k - 1}:
        reports = mechanism.sample(np.full(people, value), rng=seed)
        expected = people * mechanism.channel().matrix[value]
        counts = np.bincount(observed(mechanism, reports), minlength=expected.size)
        # Reports that are seen less than five times on average count together.
        rare = expected < 5
        groups = [(expected[y], counts[y]) for y in np.flatnonzero(~rare)]
        # One run in a billion may fail where the randomness is the system's.
        surprise = 1e-9 if seed is None else 1e-4
        few, seen = expected[rare].sum(), counts[rare].sum()
        if few >= 5:
            groups.append((few, seen))
        elif seen:  # too few for a chi-square: so many or more are Poisson's tail
            assert pdtrc(seen - 1, few) > surprise
        assert np.all(counts[expected == 0] == 0)
        chi_square = sum((o - e) ** 2 / e for e, o in groups)
        assert len(groups) == 1 or chdtrc(len(groups) - 1, chi_square) > surprise


@each
def test_each_report_is_of_the_person_s_own_value(mechanism):
    values = np.arange(6_000) % mechanism.k
    reports = mechanism.sample(values, rng=5)
    assert len(reports) == len(values)
    # How likely a report is from its sender's value: that has a known mean, and a lower one if senders are mixed up.
    matrix = mechanism.channel().matrix
    likely = matrix[values, observed(mechanism, reports)]
    mean = np.square(matrix).sum() / mechanism.k
    variance = (matrix**3).sum() / mechanism.k - mean**2
    assert abs(likely.mean() - mean) < 6 * math.sqrt(max(variance, 0) / len(values)) + 1e-12


@each
def test_the_same_seed_gives_the_same_reports(mechanism):
    values = np.arange(50) % mechanism.k
    first = mechanism.sample(values, rng=7)
    assert np.array_equal(first, mechanism.sample(values, rng=7))
    assert np.array_equal(first, mechanism.sample(values, rng=np.random.default_rng(7)))


@each
@pytest.mark.parametrize("rng", [3, None])
def test_nobody_reports_nothing(mechanism, rng):
    assert mechanism.sample([], rng=rng).size == 0


def every_outcome(mechanism, values):
    """All that these people may report, in any order, with its exact probability and its estimate."""
    Q, labels = exact(mechanism.channel().matrix), mechanism.channel().outputs
    weights = collections.defaultdict(Fraction)
    for columns in itertools.product(range(len(labels)), repeat=len(values)):
        weights[tuple(sorted(columns))] += math.prod(Q[x][y] for x, y in zip(values, columns, strict=True))
    for columns, weight in weights.items():
        if weight:
            estimate = mechanism.estimate_frequencies([labels[y] for y in columns])
            yield weight, [Fraction(float(share)) for share in estimate]


@pytest.mark.long
@each_informative
@pytest.mark.parametrize("values", [(0,), (1, 0), (1, 1, 0)])
def test_estimates_are_unbiased_and_their_variance_is_as_stated(mechanism, values):
    n, k = len(values), mechanism.k
    shares = [Fraction(values.count(v), n) for v in range(k)]
    outcomes = list(every_outcome(mechanism, values))
    mean = [sum(weight * estimate[v] for weight, estimate in outcomes) for v in range(k)]
    variance = [sum(weight * (estimate[v] - mean[v]) ** 2 for weight, estimate in outcomes) for v in range(k)]
    stated = mechanism.frequency_variance(n, [float(share) for share in shares])
    for v in range(k):
        assert float(mean[v]) == pytest.approx(float(shares[v]), rel=1e-10, abs=1e-12)
        assert stated[v] == exactly(variance[v])


@each_informative
def test_the_standard_error_is_the_root_mean_square_over_the_values(mechanism):
    shares = np.arange(1, mechanism.k + 1) / sum(range(1, mechanism.k + 1))
    error = dc.frequency_error(mechanism, 1000, shares)
    assert error.share == exactly(math.sqrt(np.mean(mechanism.frequency_variance(1000, shares))))
    assert error.people == exactly(1000 * error.share)
    assert dc.frequency_error(mechanism, 1000) == dc.frequency_error(mechanism, 1000, dc.uniform(mechanism.k))


@each
def test_reports_without_information_are_not_turned_into_an_estimate(mechanism):
    if mechanism.epsilon == 0:
        assert np.all(np.isinf(mechanism.frequency_variance(10)))
        with pytest.raises(dc.errors.InvalidValueError, match="have no information on"):
            mechanism.estimate_frequencies(mechanism.sample([0, 1], rng=1))


@each_kind
@pytest.mark.parametrize(
    ("values", "words"),
    [
        (lambda k: [0, k], lambda k: f"0..{k - 1}, got {k}"),
        (lambda k: [-1], lambda k: f"0..{k - 1}, got -1"),
        (lambda k: [0.5], lambda k: "float64"),
        (lambda k: [[0]], lambda k: r"shape \(1, 1\)"),
        (lambda k: 0, lambda k: r"shape \(\)"),
        (lambda k: ["0"], lambda k: "<U1"),
        (lambda k: [True], lambda k: "bool"),
        (lambda k: [[0], [0, 1]], lambda k: "equal length"),
    ],
    ids=["too large", "negative", "fraction", "matrix", "scalar", "text", "bool", "ragged"],
)
def test_values_out_of_range_are_refused(mechanism, values, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words(mechanism.k)):
        mechanism.sample(values(mechanism.k))


@each_kind
@pytest.mark.parametrize(
    ("reports", "words"),
    [([0.5], "float64"), (0, r"shape \(\)"), (["0"], "<U1"), ([[[0, 1]]], "shape"), ([[0], [0, 1]], "equal length")],
    ids=["fraction", "scalar", "text", "cube", "ragged"],
)
def test_what_no_mechanism_reports_is_refused(mechanism, reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        mechanism.estimate_frequencies(reports)


@each_kind
@pytest.mark.parametrize("rng", [-1, 0.5, "seed", True])
def test_a_seed_is_a_whole_number(mechanism, rng):
    with pytest.raises(dc.errors.InvalidValueError, match="rng"):
        mechanism.sample([0], rng=rng)


@each_kind
@pytest.mark.parametrize(
    ("n", "shares"), [(0, None), (2.5, None), (-1, None), (10, [1.0]), (10, [2.0, -1.0]), (True, None)]
)
def test_a_variance_needs_people_and_shares(mechanism, n, shares):
    with pytest.raises(dc.errors.InvalidValueError):
        mechanism.frequency_variance(n, shares)


@each_kind
def test_no_reports_are_no_estimate(mechanism):
    with pytest.raises(dc.errors.InvalidValueError, match="at least one report"):
        mechanism.estimate_frequencies([])


def test_the_names_of_the_table_are_distinct():
    assert max(collections.Counter(param.id for param in MECHANISMS).values()) == 1
