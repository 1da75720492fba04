"""Subset selection: the best size, the law of the sets, closed forms for any number of values."""

import collections
import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.mechanisms.protocols import subset_selection
from measures.table import CASES
from oracles.promise import exactly
from oracles.strategies import gains, priors

SS = dc.SubsetSelection
MILLION = 1_000_000
SHAPES = [(2, 1), (3, 1), (3, 2), (10, 1), (10, 4), (10, 9), (1000, 269)]


def law(k, size, odds):
    """How likely one set is from a value that it holds, and from another one: odds are e^-ε."""
    held, left = math.comb(k - 1, size - 1), math.comb(k - 1, size)
    return 1 / (held + left * odds), odds / (held + left * odds)


def supports(k, size, odds):
    """How likely a set holds its sender's value, and another one, counted from the law."""
    likely, unlikely = law(k, size, odds)
    both, other_only = math.comb(k - 2, size - 2) if size > 1 else 0, math.comb(k - 2, size - 1)
    own = math.comb(k - 1, size - 1) * likely
    other = both * likely + other_only * unlikely
    return own, 1 - own, other, 1 - other, own - other


def mean_variance(k, size, odds):
    own, not_own, other, not_other, gap = supports(k, size, odds)
    return (own * not_own + (k - 1) * other * not_other) / gap**2 / k


@pytest.mark.parametrize("k", [2, 3, 4, 7, 30])
@pytest.mark.parametrize("odds", [Fraction(1, n) for n in (1, 2, 3, 5, 9, 14, 29, 100)] + [Fraction(99, 100)], ids=str)
def test_the_size_is_the_one_of_least_variance(k, odds):
    # Every variance is infinite at ε = 0, where the sizes stay what they are just above it.
    searched = Fraction(999_999, 1_000_000) if odds == 1 else odds
    size = SS(k, -math.log(odds)).size
    assert mean_variance(k, size, searched) == min(mean_variance(k, other, searched) for other in range(1, k))


def test_the_size_for_many_values():
    # Between the two whole numbers next to k/(e^ε+1) (Ye and Barg 2018), or 1 where that is less.
    for k, epsilon in itertools.product([100, MILLION, 10**8], [0, 1e-9, 0.5, 1, 3, 10, 30, 700, math.inf]):
        best = k / (math.exp(epsilon) + 1) if epsilon < 700 else 0
        assert max(1, math.floor(best)) <= SS(k, epsilon).size <= max(1, math.ceil(best))


@pytest.mark.parametrize(("k", "size"), SHAPES)
@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.25, 1.0, 10.0, 50.0, 700.0])
def test_the_probabilities_of_support_to_full_precision(k, size, epsilon):
    with localcontext() as context:
        context.prec = 700
        expected = supports(k, size, (-Decimal(epsilon)).exp())
    for found, value in zip(SS(k, epsilon, size).support, expected, strict=True):
        assert found == pytest.approx(float(value), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(("k", "size"), SHAPES)
def test_without_noise_the_value_is_always_in_the_set(k, size):
    expected = [float(value) for value in supports(k, size, Fraction(0))]
    assert list(SS(k, math.inf, size).support) == pytest.approx(expected, rel=1e-14, abs=0)
    values = np.arange(500) % k
    assert np.all((SS(k, math.inf, size).sample(values, rng=1) == values[:, None]).any(axis=1))


@pytest.mark.parametrize(("k", "size"), [(2, 1), (4, 1), (4, 2), (5, 3), (6, 5), (9, 4)])
@pytest.mark.parametrize("ratio", [1, 2, 3, 50])
def test_the_channel_is_the_published_law(k, size, ratio):
    channel = SS(k, math.log(ratio), size).channel()
    assert channel.outputs == tuple(itertools.combinations(range(k), size))
    likely, unlikely = law(k, size, Fraction(1, ratio))
    for x, row in enumerate(channel.matrix):
        for held, probability in zip(channel.outputs, row, strict=True):
            assert probability == pytest.approx(float(likely if x in held else unlikely), rel=1e-14, abs=0)


@given(st.integers(2, 6), st.sampled_from([0.0, 1e-6, 0.3, 1.0, 4.0, 30.0, 745.0, math.inf]), st.data())
def test_a_closed_form_agrees_with_the_definition_at_any_size_prior_and_gain(k, epsilon, data):
    mechanism = SS(k, epsilon, data.draw(st.integers(1, k - 1)))
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    matrix = mechanism.channel().matrix
    for case in CASES:
        if case.meaningful(k, prior, gain) and case.name != "ldp_epsilon":
            assert case.ask(mechanism, prior, gain) == exactly(case.expected(matrix, prior, gain)), case.name


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 700.0, math.inf])
def test_one_value_is_randomized_response(epsilon):
    one, plain = SS(5, epsilon, 1), dc.RandomizedResponse(5, epsilon)
    assert one.channel().matrix == pytest.approx(plain.channel().matrix, rel=1e-14, abs=0)
    assert one.frequency_variance(7) == pytest.approx(plain.frequency_variance(7), rel=1e-12)
    for measure in (dc.bayes_risk, dc.bayes_security, dc.mutual_information, dc.posterior_vulnerability):
        assert measure(one) == pytest.approx(measure(plain), rel=1e-12)


def test_all_values_but_one_is_a_lie_that_is_owned_up_to():
    mechanism = SS(4, math.log(3), 3)
    # The value left out is any other one with 3/10 each, the own one with 1/10.
    left_out = mechanism.channel().matrix[:, ::-1]
    assert left_out == pytest.approx(np.where(np.eye(4), 0.1, 0.3), rel=1e-14)


@pytest.mark.parametrize(("k", "size"), [(300, 1), (300, 2), (300, 80), (300, 299), (3000, 800)])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0, 700.0])
def test_many_values_by_counting_sets(k, size, epsilon):
    mechanism = SS(k, epsilon, size)
    with localcontext() as context:
        context.prec = 700
        odds = (-Decimal(epsilon)).exp()
        likely, unlikely = law(k, size, odds)
        sets = math.comb(k, size)
        right, wrong = likely * sets / k, 1 - likely * sets / k
        own, not_own = supports(k, size, odds)[:2]
        information = own * (sets * likely).ln() + not_own * (sets * unlikely).ln()
    assert dc.posterior_vulnerability(mechanism) == exactly(right)
    assert dc.bayes_risk(mechanism) == pytest.approx(float(wrong), rel=1e-10, abs=0)
    assert dc.multiplicative_bayes_capacity(mechanism) == exactly(likely * sets)
    assert dc.mutual_information(mechanism) == exactly(information)


@pytest.mark.parametrize(("k", "size"), [(300, 1), (300, 2), (300, 80), (300, 150), (300, 299)])
@pytest.mark.parametrize("held", [1, 2, 40, 300])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 700.0])
def test_a_prior_that_is_even_on_some_values(k, size, held, epsilon):
    prior = np.zeros(k)
    prior[np.arange(held) * 7 % k] = 1 / held
    with localcontext() as context:
        context.prec = 400
        likely, unlikely = law(k, size, (-Decimal(epsilon)).exp())
        missed = math.comb(k - held, size)
        expected = ((math.comb(k, size) - missed) * likely + missed * unlikely) / held
    assert dc.posterior_vulnerability(SS(k, epsilon, size), prior) == exactly(expected)
    assert dc.bayes_risk(SS(k, epsilon, size), prior) == exactly(1 - expected)


@pytest.mark.parametrize(("k", "size"), [(50, 1), (50, 2), (50, 20), (50, 49), (2, 1)])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 50.0, 600.0])
@pytest.mark.parametrize("rare", [1e-3, 1e-9, 1e-15])
def test_a_small_risk_keeps_its_digits(k, size, epsilon, rare):
    prior = np.zeros(k)
    prior[[k - 1, 0]] = 1 - rare, rare
    with localcontext() as context:
        context.prec = 700
        likely, unlikely = law(k, size, (-Decimal(epsilon)).exp())
        p, q = Decimal(prior[-1]), Decimal(rare)
        both, either = math.comb(k - 2, size - 2) if size > 1 else 0, math.comb(k - 2, size - 1)
        risk = both * likely * min(p, q) + math.comb(k - 2, size) * unlikely * min(p, q)
        risk += either * (min(likely * p, unlikely * q) + min(unlikely * p, likely * q))
    assert dc.bayes_risk(SS(k, epsilon, size), prior) == pytest.approx(float(risk), rel=1e-10, abs=0)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 8.0, 700.0])
def test_a_million_values_need_no_matrix(epsilon):
    mechanism = SS(MILLION, epsilon)
    prior = np.random.default_rng(1).dirichlet(np.full(MILLION, 0.5))
    for known in (None, prior):
        right, wrong = dc.posterior_vulnerability(mechanism, known), dc.bayes_risk(mechanism, known)
        assert right + wrong == exactly(1)
        assert right >= (1 / MILLION if known is None else prior.max()) - 1e-12
    assert 0 <= dc.mutual_information(mechanism) <= math.log(MILLION)
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert dc.ldp_epsilon(mechanism) == epsilon


def test_what_would_need_the_matrix_is_refused():
    skewed = np.full(30, 0.5 / 29)
    skewed[0] = 0.5
    mechanism = SS(30, 0.1)
    for ask in (
        mechanism.channel,
        lambda: dc.mutual_information(mechanism, skewed),
        lambda: dc.posterior_vulnerability(mechanism, gain=dc.gain_matrix(np.ones((1, 30)))),
        SS(10**8, 0.1).channel,
    ):
        with pytest.raises(dc.errors.TooLargeError, match=r"subset selection of .* closed form"):
            ask()


@pytest.mark.parametrize("seed", [5, None], ids=["seeded", "the system's randomness"])
@pytest.mark.parametrize("size", [1, 7, 10, 13, 19])
def test_any_two_values_are_together_as_often_as_the_law_says(size, seed):
    k, people, odds = 20, 100_000, Fraction(1, 2)
    mechanism = SS(k, math.log(2), size)
    reports = mechanism.sample(np.full(people, 4), rng=seed)
    assert np.all(reports[:, 1:] > reports[:, :-1])
    likely, unlikely = law(k, size, odds)
    sets = np.zeros((people, k))
    sets[np.arange(people)[:, None], reports] = 1
    together = sets.T @ sets
    for u, v in itertools.combinations_with_replacement(range(k), 2):
        pair = {u, v}
        with_own = math.comb(k - len(pair | {4}), size - len(pair | {4})) if size >= len(pair | {4}) else 0
        in_all = math.comb(k - len(pair), size - len(pair)) if size >= len(pair) else 0
        share = float(with_own * likely + (in_all - with_own) * unlikely)
        assert abs(together[u, v] / people - share) < 7 * math.sqrt(share * (1 - share) / people) + 1e-12


@pytest.mark.parametrize(("k", "kind"), [(256, np.uint8), (257, np.uint16), (65_537, np.uint32)])
def test_reports_take_no_more_bytes_than_values_need(k, kind):
    mechanism = SS(k, 1, 3)
    reports = mechanism.sample([k - 1] * 20, rng=1)
    assert reports.dtype == kind
    assert np.array_equal(mechanism.aggregate(reports), mechanism.aggregate(reports.tolist()))


def test_large_sets_of_very_many_values():
    mechanism = SS(MILLION, 1)
    values = np.arange(4) * 200_000
    reports = mechanism.sample(values, rng=2)
    assert reports.shape == (4, mechanism.size)
    assert np.all(reports[:, 1:] > reports[:, :-1])
    assert mechanism.aggregate(reports).sum() == reports.size


@given(st.integers(2, 8), st.data())
def test_tallies_count_who_is_in_the_sets(k, data):
    size = data.draw(st.integers(1, k - 1))
    sets = st.sets(st.integers(0, k - 1), min_size=size, max_size=size).map(sorted)
    reports = data.draw(st.lists(sets, max_size=20))
    counts = collections.Counter(itertools.chain(*reports))
    assert SS(k, 1, size).aggregate(reports).tolist() == [counts[v] for v in range(k)]


@pytest.mark.parametrize("seed", [11, None], ids=["seeded", "the system's randomness"])
def test_a_hundred_thousand_people_and_a_hundred_values(seed):
    people, k = 100_000, 100
    mechanism = SS(k, 1)
    values = np.minimum(np.random.default_rng(3).geometric(0.05, people) - 1, k - 1)
    shares = np.bincount(values, minlength=k) / people
    frequencies = mechanism.estimate_frequencies(mechanism.sample(values, rng=seed))
    errors = (frequencies - shares) / np.sqrt(mechanism.frequency_variance(people, shares))
    assert np.abs(errors).max() < 7
    assert abs((errors**2).sum() - k) < 7 * math.sqrt(2 * k)


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([[0, 1, 2]], r"rows of 2 values, got an array of int64 of shape \(1, 3\)"),
        ([0, 1], r"shape \(2,\)"),
        ([[0.0, 1.0]], "float64"),
        ([[True, False]], "bool"),
        (["01"], "<U2"),
        ([[0, 5]], r"0\.\.4, got 5"),
        ([[-1, 3]], r"0\.\.4, got -1"),
        ([[0, 1], [3, 2]], r"increasing order, got \[3, 2\]; sort them"),
        ([[1, 1]], r"distinct values in increasing order, got \[1, 1\]"),
        ([[0, 1], [0]], "equal length"),
        ([], "at least one report"),
        (np.empty((0, 2), dtype=np.uint8), "at least one report"),
    ],
)
def test_reports_that_are_not_sets_are_refused(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        SS(5, 1, 2).estimate_frequencies(reports)


def test_more_values_than_fit_in_memory_are_refused():
    with pytest.raises(dc.errors.TooLargeError, match="100 people, 50,000,000 values each"):
        SS(10**8, 0).sample(np.zeros(100, dtype=int))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SS(1, 1), "k .*at least 2, got 1"),
        (lambda: SS(10**9, 1), "at most 100,000,000"),
        (lambda: SS(3, -0.1), r"epsilon must be at least 0, got -0\.1"),
        (lambda: SS(3, math.nan), "epsilon must be a number, got nan"),
        (lambda: SS(3, 1, 0), "size .*at least 1, got 0"),
        (lambda: SS(3, 1, 3), r"size must be in 1\.\.k-1 = 1\.\.2, got 3"),
        (lambda: SS(3, 1, 1.5), r"size .*got 1\.5"),
        (lambda: SS(3, 1, True), "size .*got True"),
    ],
)
def test_parameters_out_of_range_are_refused(make, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        make()


@pytest.mark.parametrize("name", ["k", "size"])
def test_a_mechanism_does_not_change(name):
    with pytest.raises(AttributeError):
        setattr(SS(4, 1), name, 1)


def test_the_methods_are_named():
    mechanism = SS(3, 1, size=2)
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.bayes_security, dc.ldp_epsilon, dc.multiplicative_bayes_capacity,
        dc.mutual_information
    ):  # fmt: skip
        assert dc.method(measure, mechanism) == ("closed form of subset selection", "closed form")
    for measure in (dc.posterior_vulnerability, dc.bayes_risk):
        assert dc.method(measure, mechanism, [0.5, 0.5, 0]) == ("closed form of subset selection", "closed form")
    assert dc.method(dc.mutual_information, mechanism, [0.5, 0.5, 0]) == ("sum over the explicit channel", "exact")


@pytest.mark.parametrize(
    ("k", "epsilon", "size"),
    [
        (2, 0, 1),
        (5, 1, 3),
        (63, 1, None),
        (64, 1, None),
        (65, 0.5, 40),
        (128, 3, None),
        (1000, 0, 700),
        (1000, 1, None),
    ],
)
def test_reports_by_bits_are_those_by_sorting(k, epsilon, size, monkeypatch):
    mechanism = SS(k, epsilon, size)
    values = np.random.default_rng(0).integers(0, k, 2000)

    def reports(compiled_from, people):
        monkeypatch.setattr(subset_selection, "_COMPILED_FROM", compiled_from)
        return mechanism.sample(values[:people], rng=3)

    by_sorting, by_bits = reports(math.inf, 2000), reports(0, 2000)
    assert by_sorting.dtype == by_bits.dtype
    np.testing.assert_array_equal(by_sorting, by_bits)
    few = reports(math.inf, 20)
    monkeypatch.setattr(subset_selection, "compiled", lambda loop: loop)
    with np.errstate(over="ignore"):  # which the loops make use of
        np.testing.assert_array_equal(few, reports(0, 20))
