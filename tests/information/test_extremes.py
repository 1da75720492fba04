"""Populations that are nearly known or wide open, crowds of a million, channels that say next to nothing."""

import math
import warnings

import numpy as np
import pytest
from scipy import sparse

import discretion as dc
from discretion.information.entropies import TrueTallies, share_entropy, value_entropy
from discretion.information.utility import asymptotic_utility
from discretion.numerics.means.dirichlet_means import mean_log
from oracles.population_rows import differential_entropy, information, information_of_truth
from oracles.promise import exactly
from support.lowering import lowered

# Each value is told with probability a half: half of everybody's information stays hidden, whatever the population.
ERASURE = dc.Channel([[0.5, 0, 0.5], [0, 0.5, 0.5]])
POSITIVE = dc.Channel([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])


@pytest.mark.parametrize("alpha", [[1e8, 1e-8], [1e6, 1e-6], [1e-9, 1e-9], [1e-17, 1e-17], [1e8, 1e8], [0.5, 3]])
def test_half_erased_is_half_hidden(alpha):
    assert dc.information.average_privacy(ERASURE, dc.Dirichlet(alpha)) == pytest.approx(0.5, rel=1e-10)


@pytest.mark.parametrize("channel", [ERASURE, POSITIVE], ids=["erasure", "positive"])
@pytest.mark.parametrize("alpha", [[1e4, 1e4], [1e5, 2e5], [1e8, 1e8], [3e6, 1]])
def test_the_utility_at_a_population_that_is_nearly_known_is_that_at_its_mean(channel, alpha):
    law, C = dc.Dirichlet(alpha), channel.matrix
    information = C @ np.diag(1 / (law.mean @ C)) @ C.T
    at_the_mean = (math.log(np.linalg.det(information)) - math.log(2 * math.pi * math.e)) / 2
    answer = dc.information.asymptotic_utility(channel, law)
    assert isinstance(answer, float)
    assert answer == pytest.approx(at_the_mean, abs=3 / min(alpha))


def test_a_nearly_known_population_is_told_little_and_not_nothing():
    # I = n/2 · the information of a report · the variance of the share, where that is small.
    law, n = dc.Dirichlet([1e6, 1e6]), 200
    difference = np.diff(POSITIVE.matrix, axis=0)[0]
    report = difference**2 @ (1 / (law.mean @ POSITIVE.matrix))
    expected = n / 2 * report * 0.25 / (2e6 + 1)
    assert dc.information.population_information(POSITIVE, n, law) == pytest.approx(expected, rel=1e-3)


def test_shares_that_no_float_holds_are_refused():
    with pytest.raises(dc.errors.TooLargeError, match=r"alpha below 0\.05"):
        dc.information.asymptotic_utility(ERASURE, dc.Dirichlet([0.01, 0.01]))
    assert math.isfinite(dc.information.asymptotic_utility(POSITIVE, dc.Dirichlet([0.01, 0.01])))
    assert math.isfinite(dc.information.asymptotic_utility(ERASURE, dc.Dirichlet([0.05, 0.05])))


@pytest.mark.parametrize("epsilon", [700, math.inf])
def test_reports_that_next_to_never_happen_do_not_matter(epsilon):
    # OUE without noise: half of the people say their value, the others nothing.
    half = dc.visible_choice([dc.Channel(np.eye(3)), dc.Channel(np.ones((3, 1)))], [0.5, 0.5])
    expected = dc.information.asymptotic_utility(half, rng=1)
    found = dc.information.asymptotic_utility(dc.UnaryEncoding.oue(3, epsilon=epsilon), rng=2)
    assert float(found) == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.1, 0.25])
def test_sampled_intervals_hold_where_shares_are_often_nearly_0(alpha, monkeypatch):
    monkeypatch.setattr(asymptotic_utility, "_WORK", 1 << 22)  # of a lattice of 512 points
    law, mechanism = dc.Dirichlet([alpha] * 4), dc.UnaryEncoding.oue(4, epsilon=1)
    found = [dc.information.asymptotic_utility(mechanism, law, rng=seed) for seed in range(8)]
    centre = float(np.mean([estimate.value for estimate in found]))
    assert sum(not e.low <= centre <= e.high for e in found) <= 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("alpha", "n"), [([0.5, 0.5], 400), ([50, 50], 300), ([1e4, 1e4], 200), ([1e6, 1], 200), ([0.01, 2, 30], 40)]
)
def test_what_people_know_keeps_its_digits_at_any_size(alpha, n):
    # Telling the values one by one: the next one's entropy, its mean over what came before, less that of all P known.
    total, information = sum(alpha), 0.0
    private = value_entropy(dc.Dirichlet(alpha))
    for i in range(n):
        entropy = 0.0
        for a in alpha:
            law = _beta_binomial(a, total - a, i)
            share = (a + np.arange(i + 1)) / (total + i)
            entropy -= float(law @ (share * np.log(share)))
        information += entropy - private
    assert TrueTallies(dc.Dirichlet(alpha), n).information == pytest.approx(information, rel=1e-7, abs=1e-11 * n)


def _beta_binomial(a, b, n):
    law = np.ones(1)
    for i in range(n):  # an urn: each value drawn is put back twice
        counts = np.arange(i + 1)
        up = law * (a + counts) / (a + b + i)
        law = np.append(law - up, 0.0) + np.append(0.0, up)
    return law


@pytest.mark.long
def test_a_channel_that_says_nothing_says_nothing_to_a_billion():
    for silent in (dc.Channel([[0.5, 0.5], [0.5, 0.5]]), dc.Channel(np.ones((2, 1)))):
        assert dc.information.population_information(silent, 10**9) == 0
        assert (
            dc.information.population_information(silent, 10**9, dc.PointMixture([[1, 0], [0.5, 0.5]], [0.5, 0.5])) == 0
        )
        assert dc.information.tally_utility(silent, 10**6) == 0


@pytest.mark.long
def test_a_million_reports_tell_less_than_a_million_values():
    C = dc.Channel(np.random.default_rng(0).dirichlet(np.ones(6), 3))
    with lowered(MAX_CELLS_BRACKETED=1 << 24):
        told = dc.information.population_information(C, 10**6, rng=1)
    truth = dc.information.population_information(dc.Channel(np.eye(3)), 10**6)
    assert told.high < truth
    assert told.high - told.low < 0.1
    # Each share is known to a standard error: I = h(P) + ½ log n + U per degree of freedom, nearly.
    assert told.value == pytest.approx(
        truth + 2 * (dc.information.asymptotic_utility(C, rng=1).value - _of_truth(3)), abs=0.2
    )


def _of_truth(k):
    return dc.information.asymptotic_utility(dc.RandomizedResponse(k, epsilon=math.inf))


@pytest.mark.parametrize("epsilon", [1e-3, 0.01])
def test_little_information_keeps_its_digits(epsilon):
    # I = (n/2)·tr(information · covariance) to first order in n ε²; two routes to the whole.
    mechanism = dc.RandomizedResponse(3, epsilon=epsilon)
    by_moments = dc.information.population_information(mechanism, 60)
    by_quadrature = dc.information.population_information(mechanism.channel(), 60)
    assert by_moments == pytest.approx(by_quadrature, rel=1e-10, abs=1e-12)
    # Σ_x (gap² / q) Var P_x with q = 1/3, Var P_x = (1/3)(2/3)/(3/2 + 1)
    assert by_moments == pytest.approx(60 / 2 * 3 * 3 * mechanism.gap**2 * (2 / 9) / 2.5, rel=60 * epsilon)


def test_an_empty_choice_of_a_sparse_channel_ends():
    C = dc.visible_choice([dc.Channel(sparse.csr_array(np.eye(2))), dc.Channel(np.eye(2))], [0, 1])
    assert dc.information.is_faithful(C)
    assert C.reduced().shape == (2, 2)


def test_values_told_as_they_are_tell_their_tallies():
    identity = dc.Channel(np.eye(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dc.information.tally_utility(identity, 1000) == pytest.approx(1.0)


def test_one_value_has_no_population():
    with pytest.raises(dc.errors.InvalidPriorError, match="one input"):
        dc.information.average_privacy(dc.Channel([[0.3, 0.7]]))


def test_too_many_people_are_refused_before_anything_is_sampled():
    for ask in (dc.information.distribution_utility, dc.information.information_split):
        with pytest.raises(dc.errors.TooLargeError, match="10,000,000"):
            ask(dc.RandomizedResponse(3, epsilon=1), 10**9)


@pytest.mark.parametrize(
    "alpha", [[1e8, 1e8], [1e-8, 1e-8], [1.3e7, 55.6], [1e8, 1e-8, 3.0], [0.5] * 5, [15.9, 16.1], [1e-3] * 7]
)
def test_the_entropy_of_shares_keeps_its_digits(alpha):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        expected = differential_entropy([mpmath.mpf(a) for a in alpha])
    assert share_entropy(dc.Dirichlet(alpha)) == exactly(expected)


def test_lies_that_underflow_count_where_shares_are_smaller_still():
    law = dc.Dirichlet([1e-8] * 3)
    assert float(dc.information.effective_participation(dc.RandomizedResponse(3, epsilon=math.inf), law)) == 1
    for epsilon in (700, 1000):
        found = dc.information.asymptotic_utility(dc.RandomizedResponse(3, epsilon=epsilon), law)
        # Of each report's probability, two in three are the lie's own.
        assert found == pytest.approx(epsilon / 2 - math.log(2 * math.pi * math.e) / 2, rel=1e-4)
        assert dc.information.effective_participation(dc.RandomizedResponse(3, epsilon=epsilon), law) == 0


@pytest.mark.long
@pytest.mark.parametrize("alpha", [[1.2e-8] * 4, [1e-8, 3e-4, 2e-6], [1e8] * 3, [5.9, 69.0, 3.8e-6]])
@pytest.mark.parametrize("epsilon", [0.6, 12.0])
def test_reports_tell_of_any_population_what_their_sequences_do(alpha, epsilon):
    mpmath = pytest.importorskip("mpmath")
    k = len(alpha)
    with mpmath.workdps(60):
        odds = mpmath.exp(mpmath.mpf(epsilon))
        rows = [[(odds if x == y else 1) / (odds + k - 1) for y in range(k)] for x in range(k)]
        expected = information(rows, 3, [mpmath.mpf(a) for a in alpha])
    found = dc.information.population_information(dc.RandomizedResponse(k, epsilon=epsilon), 3, dc.Dirichlet(alpha))
    assert found == exactly(expected)


@pytest.mark.parametrize("epsilon", [300.0, 700.0, 745.0])
def test_lies_that_nobody_tells_tell_nothing(epsilon):
    mpmath = pytest.importorskip("mpmath")
    mechanism = dc.RandomizedResponse(4, epsilon=epsilon)
    for alpha in (1e-8, 2.2e7):
        law = dc.Dirichlet([alpha] * 4)
        with mpmath.workdps(60):
            expected = information_of_truth(5, [mpmath.mpf(alpha)] * 4)
        assert dc.information.population_information(mechanism, 5, law) == pytest.approx(float(expected), rel=1e-10)
        assert dc.information.distribution_utility(mechanism, 5, law) == exactly(1)
        assert dc.information.tally_utility(mechanism, 5, law) == exactly(1)


@pytest.mark.parametrize("epsilon", [1e-12, 1.3e-8, 1e-3, 2.0, 30.0])
@pytest.mark.parametrize("alpha", [0.5, 33.0])
def test_subsets_of_all_but_one_tell_next_to_nothing_to_all_digits(epsilon, alpha):
    # Each report excludes one value: of e^-ε/(2 + e^-ε) from it and of 1/(2 + e^-ε) from the others.
    law = dc.Dirichlet([alpha] * 3)
    found = dc.information.asymptotic_utility(dc.SubsetSelection(3, epsilon, size=2), law)
    total = 2 + math.exp(-epsilon)
    gap = -math.expm1(-epsilon) / total
    logs = mean_log([[math.exp(-epsilon) / total, 1 / total, 1 / total]], law.alpha)[0]
    assert found == exactly(math.log(gap) - 3 / 4 * logs - math.log(2 * math.pi * math.e) / 2)


@pytest.mark.parametrize(
    ("mechanism", "n", "alpha"),
    [
        (lambda epsilon: dc.SubsetSelection(3, epsilon, size=2), 4, [0.1, 0.1, 0.1]),
        (lambda epsilon: dc.HadamardResponse(3, epsilon), 2, [4.35, 2.19, 1.19]),
        (lambda epsilon: dc.RandomizedResponse(3, epsilon), 2, [0.3, 1.4, 3.0]),
    ],
    ids=["subset selection", "Hadamard", "k-RR"],
)
def test_lies_rarer_than_doubles_tell_as_much_as_those_that_are_only_rare(mechanism, n, alpha):
    population = dc.Dirichlet(alpha)
    told = dc.information.population_information(mechanism(744.0), n, population, rng=1)
    rare = dc.information.population_information(mechanism(60.0), n, population, rng=1)
    assert float(told) == pytest.approx(float(rare), rel=1e-10)
