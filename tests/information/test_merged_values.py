"""Values that send the same reports count as one: generalizations, hash functions, and noise after them."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betaln
from scipy.stats import betabinom

import discretion as dc
from discretion.information.protocol import merge_values
from information.answers import covers
from oracles.promise import exactly

MERGING = dc.Channel([[1, 0], [1, 0], [0, 1]])
PARITY = np.eye(2)[[0, 1, 0, 1]]
TENS = np.eye(4)[[0, 1, 2, 3, 0, 1, 2, 3, 0, 1]]


def information(system, n, population=None):
    return dc.information.population_information(system, n, population, rng=1)


def information_of_one_count(n, first, second, own, other):
    """``I(S; B) = H(S) - E H(Bin(n, q))`` of n reports, q between two probabilities as B ~ Beta, by quadrature.

    The likelihoods of sequences, since binomial coefficients cancel.
    """

    def mean(function):
        # Beta's density has no poles in the angle.
        def at(angle):
            share = math.sin(angle) ** 2
            density = (2 * first - 1) * math.log(math.sin(angle)) + (2 * second - 1) * math.log(math.cos(angle))
            return 2 * math.exp(density - betaln(first, second)) * function(share)

        return quad(at, 0, math.pi / 2, epsabs=1e-13, epsrel=1e-12, limit=400)[0]

    def report(share):
        return other + (own - other) * share

    def surprise(count):
        q = mean(lambda b: report(b) ** count * (1 - report(b)) ** (n - count))
        return -math.comb(n, count) * q * math.log(q)

    noise = mean(lambda b: sum(-p * math.log(p) if p else 0.0 for p in (report(b), 1 - report(b))))
    return math.fsum(surprise(count) for count in range(n + 1)) - n * noise


@pytest.mark.parametrize(("n", "expected"), [(10**2, 0.517128), (10**3, 0.512621), (10**4, 0.50962), (10**5, 0.50765)])
def test_two_of_three_values_merged_tell_the_share_of_both(n, expected):
    # MATHS, section 3a.
    utility = dc.information.distribution_utility(MERGING, n)
    assert isinstance(utility, float)
    assert utility == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize("n", [10, 1000])
def test_merged_values_have_the_tallies_of_a_beta_binomial(n):
    # H(S) - n H(Y | P), with S beta-binomial(1, 1/2).
    law = betabinom(n, 1, 0.5).pmf(np.arange(n + 1))
    sequences = np.array([math.lgamma(n + 1) - math.lgamma(s + 1) - math.lgamma(n - s + 1) for s in range(n + 1)])
    noise = quad(lambda b: -(b * b * math.log(b * b) + (1 - b * b) * math.log1p(-b * b)), 0, 1)[0]  # 1 - P ~ B²
    expected = float(law @ (sequences - np.log(law))) - n * noise
    assert information(MERGING, n) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("n", [1, 4, 12])
def test_noise_after_a_map_is_noise_on_the_merged_values(n):
    response = dc.RandomizedResponse(2, epsilon=1)
    for alpha in ([0.5] * 4, [0.2, 1, 3, 0.7]):
        first, second = alpha[0] + alpha[2], alpha[1] + alpha[3]
        expected = information_of_one_count(n, first, second, response.p, response.q)
        assert information(dc.Channel(PARITY) >> response, n, dc.Dirichlet(alpha)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, pytest.param(20, marks=pytest.mark.long)])
def test_a_hash_and_response_reveal_what_response_reveals_of_the_hash(n):
    response, merged = dc.RandomizedResponse(4, epsilon=2), dc.Dirichlet([1.5, 1.5, 1, 1])
    hashed = dc.information.information_split(dc.Channel(TENS) >> response, n, rng=1).aggregator
    alone = dc.information.information_split(response, n, merged, rng=1).aggregator
    assert hashed.nonprivate == exactly(alone.nonprivate)
    assert float(hashed.group_private) == exactly(alone.group_private)
    assert float(hashed.total) == exactly(alone.total)


def test_reports_of_merged_values_are_recognized_as_randomized_response():
    noise = dc.Channel(np.eye(4)[[2, 0, 3, 1]])
    hashed = dc.Channel(TENS) >> dc.RandomizedResponse(4, epsilon=1) >> noise
    system, law = merge_values(hashed, dc.Dirichlet.jeffreys(10))
    assert isinstance(system, dc.RandomizedResponse)
    assert system.epsilon == pytest.approx(1)
    assert law.alpha.tolist() == [1.5, 1.5, 1.0, 1.0]


@pytest.mark.parametrize("n", [10, 1000, pytest.param(10**6, marks=pytest.mark.long)])
def test_a_map_tells_all_of_the_tallies_of_its_values_and_no_more(n):
    split = dc.information.information_split(MERGING, n)
    truth = dc.information.information_split(dc.RandomizedResponse(2, p=1), n, dc.Dirichlet([1, 0.5]))
    assert split.aggregator.nonprivate == exactly(truth.users.nonprivate)
    assert split.aggregator.group_private == exactly(truth.users.group_private)
    assert split.aggregator.total == pytest.approx(truth.users.total, rel=1e-9)


@pytest.mark.parametrize("n", [3, 10**5])
def test_points_that_merge_are_points_of_the_sums(n):
    points, weights = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25], [0.2, 0.2, 0.6]]), [0.25, 0.25, 0.5]
    # The first two send the same law of reports.
    expected = information(dc.RandomizedResponse(2, p=1), n, dc.PointMixture([[0.75, 0.25], [0.4, 0.6]], [0.5, 0.5]))
    assert information(MERGING, n, dc.PointMixture(points, weights)) == exactly(expected)
    same = dc.PointMixture([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25]], [0.5, 0.5])
    assert information(MERGING, n, same) == exactly(0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [1, 2, 10**9])
def test_values_that_all_send_the_same_reports_tell_nothing(n):
    assert information(dc.Channel([[0.1 + 0.2, 0.7], [0.3, 0.7], [0.3, 0.7]]), n) == 0
    assert information(dc.LocalHashing(10**6, epsilon=0), n) == 0
    assert covers(dc.information.tally_utility(dc.Channel(np.ones((4, 1))), min(n, 10**6)), 0)
