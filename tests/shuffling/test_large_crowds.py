"""Crowds of any size: closed forms against other routes, and the certified bound where there is no closed form."""

from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.estimate import highest, lowest
from discretion.measures.guesses.vulnerability import plan_posterior_vulnerability
from discretion.shuffling.bounds import GainBounds, bounded_leak, gain_leak, information_of_two
from discretion.shuffling.known_others import AmongKnown, known_groups
from discretion.shuffling.worst_others import AmongWorst, _information_of_two, bounded_worst_leak
from oracles import channels, crowds, laws, measures as slow, shuffling
from oracles.promise import exactly
from support.lowering import lowered

RR = dc.RandomizedResponse


def posterior_vulnerability_bound(mechanism, n):
    """What is certified of the worst adversary of a crowd, enumerable or not."""
    view, gain = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne()), IdentityGain(mechanism.k)
    bounds = GainBounds(np.full(mechanism.k, 1 / mechanism.k), gain)
    return bounded_worst_leak(view, lambda among: plan_posterior_vulnerability(among, None, gain), bounds)


@pytest.mark.long
@pytest.mark.parametrize("n", [1, 2, 3, 200, 10**6, 10**9])
@pytest.mark.parametrize("p", [0.5, 0.75, 1.0])
def test_theorem_19_at_any_size(n, p):
    advantage = float(laws.binary_advantage(n)) * (2 * p - 1)
    crowd = dc.Shuffled(RR(2, p=p), n)
    assert dc.posterior_vulnerability(crowd) == pytest.approx(0.5 + advantage, rel=1e-14)
    # For two values TV = 2V - 1, whatever the crowd.
    assert dc.bayes_security(crowd) == pytest.approx(1 - 2 * advantage, rel=1e-13, abs=1e-15)
    assert dc.bayes_risk(crowd) == pytest.approx(0.5 - advantage, rel=1e-13, abs=1e-15)
    assert dc.multiplicative_bayes_capacity(crowd) == pytest.approx(1 + 2 * advantage, rel=1e-13)


@pytest.mark.long
@pytest.mark.parametrize("n", [200, 10_000, 10**6, 10**9])
def test_the_binary_closed_forms_agree_with_the_explicit_window(n):
    crowd = dc.Shuffled(RR(2, p=0.8), n)
    C = crowd.channel()
    assert abs(C.matrix.sum(axis=1) - 1).max() < 1e-10
    assert dc.posterior_vulnerability(crowd) == exactly(dc.posterior_vulnerability(C))
    assert dc.bayes_security(crowd) == exactly(dc.bayes_security(C))
    assert dc.mutual_information(crowd) == exactly(dc.mutual_information(C))


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("p", [0.5, 0.8, 1.0])
def test_closed_forms_among_uniform_strangers_are_those_of_the_listing(k, p):
    for n in (1, 2, 3, 7, 30):
        crowd = dc.Shuffled(RR(k, p=p), n)
        C = crowd.channel()
        assert dc.posterior_vulnerability(crowd) == exactly(dc.posterior_vulnerability(C))
        assert dc.bayes_risk(crowd) == exactly(dc.bayes_risk(C))
        assert dc.bayes_security(crowd) == exactly(dc.bayes_security(C))
        assert dc.mutual_information(crowd) == exactly(dc.mutual_information(C))
        assert dc.multiplicative_bayes_capacity(crowd) == exactly(dc.multiplicative_bayes_capacity(C))
        assert dc.ldp_epsilon(crowd) == (exactly(dc.ldp_epsilon(C)) if p < 1 else float("inf"))


@pytest.mark.parametrize(("k", "largest"), [(3, 4), (4, 3)])
def test_closed_forms_among_uniform_strangers_are_the_average_over_datasets(k, largest):
    mechanism, uniform = RR(k, p=0.625), [Fraction(1, k)] * k
    for n in range(1, largest + 1):
        rows = shuffling.among_strangers(channels.exact(mechanism.channel().matrix), n, uniform)
        crowd = dc.Shuffled(mechanism, n)
        assert dc.posterior_vulnerability(crowd) == exactly(
            slow.posterior_vulnerability(rows, uniform, slow.identity(k))
        )
        assert dc.bayes_security(crowd) == exactly(slow.bayes_security(rows))
        assert dc.mutual_information(crowd) == exactly(slow.mutual_information(rows, uniform))


@pytest.mark.parametrize("k", [3, 4, 10, 1000])
@pytest.mark.parametrize("n", [100, 10**4, 10**6, 10**9])
def test_bayes_security_in_a_large_crowd_is_an_integral(n, k):
    mechanism = RR(k, p=0.8)
    expected = 1 - k / (2 * n) * float((k * 0.8 - 1) / (k - 1)) * crowds.mean_absolute_difference(n, k)
    assert dc.bayes_security(dc.Shuffled(mechanism, n)) == exactly(expected)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("n", [10**6, 10**9, 10**9 + 1])
def test_information_in_a_large_crowd_is_a_series_in_moments(n, k):
    mechanism = RR(k, p=0.8)
    expected = float(crowds.mutual_information_series(n, k, mechanism.gap))
    # Far below any absolute tolerance, and right to many digits all the same.
    assert dc.mutual_information(dc.Shuffled(mechanism, n)) == pytest.approx(expected, rel=1e-10, abs=0)


@pytest.mark.parametrize("k", [3, 100, 100_000])
def test_eq_17_joins_the_maximum_load_and_the_noise(k):
    mechanism, n = RR(k, epsilon=2), 10**6
    share = dc.shuffling.maximum_load(n, k) / n
    expected = share * (k * mechanism.p - 1) / (k - 1) + (1 - mechanism.p) / (k - 1)
    assert dc.posterior_vulnerability(dc.Shuffled(mechanism, n)) == pytest.approx(expected, rel=1e-10, abs=0)


def test_a_million_values_and_a_billion_users_are_answered():
    crowd = dc.Shuffled(RR(10**6, epsilon=8), 10**9)
    blind, guess = 1e-6, dc.posterior_vulnerability(crowd)
    assert blind < guess < 1.3e-6
    assert 0.99 < dc.bayes_security(crowd) < 1
    assert 0 < dc.mutual_information(crowd) < 0.01


@pytest.mark.parametrize("counts", [(10**6, 0), (500_000, 500_000), (999_000, 1000)])
def test_all_but_one_of_two_values_in_a_large_crowd(counts):
    # The likelihoods are sums of two binomials; near the centre the law is normal, to O(1/n).
    n, p = sum(counts) + 1, 0.8
    crowd, adversary = dc.Shuffled(RR(2, p=p), n), dc.AllButOne(counts)
    deviation = np.sqrt((n - 1) * p * (1 - p))
    mode = (2 * p - 1) / (np.sqrt(2 * np.pi) * deviation)
    guess = dc.posterior_vulnerability(crowd.seen_by(adversary))
    assert guess == pytest.approx(0.5 + mode / 2, abs=1e-8)
    assert dc.bayes_security(crowd.seen_by(adversary)) == exactly(2 * (1 - guess))


@pytest.mark.parametrize("counts", [(400, 0), (200, 200), (37, 363)])
def test_all_but_one_of_two_values_at_a_middle_size_in_fractions(counts):
    n, p = sum(counts) + 1, Fraction(3, 4)
    a, b = ([laws.binomial(c, x, q) for x in range(c + 1)] for c, q in zip(counts, (p, 1 - p), strict=True))
    others = np.convolve(np.array(a, dtype=object), np.array(b, dtype=object))
    # TV between 'a told truly or not' and 'b told truly or not' is (2p-1) times TV of a shift by one.
    shift = sum(abs(x - y) for x, y in zip([*others, 0], [0, *others], strict=True)) / 2
    crowd, adversary = dc.Shuffled(RR(2, p=float(p)), n), dc.AllButOne(counts)
    assert 1 - dc.bayes_security(crowd.seen_by(adversary)) == pytest.approx(float((2 * p - 1) * shift), rel=1e-10)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("k", "largest"), [(2, 8), (3, 6), (4, 4)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 6.0])
def test_the_blanket_bound_holds_in_every_small_crowd(k, largest, epsilon):
    mechanism = RR(k, epsilon=epsilon)
    for n in range(1, largest + 1):
        bound = posterior_vulnerability_bound(mechanism, n)
        assert bound.certified
        assert (1 - 2e-12) / k <= bound.low  # which is rounded down
        assert bound.low <= bound.value <= bound.high <= mechanism.p
        worst = 0
        for counts in np.ndindex(*(n,) * k):
            if sum(counts) == n - 1:
                exact = dc.posterior_vulnerability(dc.Shuffled(mechanism, n).seen_by(dc.AllButOne(counts)))
                assert exact <= bound.high * (1 + 1e-14)
                worst = max(worst, exact)
        assert bound.low <= worst * (1 + 1e-14)


@pytest.mark.long
@pytest.mark.parametrize("k", [5, 10, 1000])
def test_in_a_large_crowd_the_strong_adversary_gets_a_certified_bound(k):
    n, mechanism = 10_000, RR(k, epsilon=1)
    adversary = dc.AllButOne([n - 1 - 4 * (k - 1), *[4] * (k - 1)])
    gain, crowd = IdentityGain(k), AmongKnown(mechanism, n, known_groups(adversary.known_counts))
    assert dc.method(dc.posterior_vulnerability, crowd).rung == ("bound" if k == 1000 else "estimate")
    bound = bounded_leak(crowd, gain_leak(None, gain), GainBounds(np.full(k, 1 / k), gain))
    assert isinstance(bound, dc.Estimate)
    assert bound.confidence is None
    assert bound.certified
    # It says something: far below the mechanism alone, and above what an uninformed adversary gains.
    uninformed = dc.posterior_vulnerability(dc.Shuffled(mechanism, n))
    assert uninformed <= bound.high < 1 / k + (mechanism.p - 1 / k) / 2
    # The guess is within, by a sample where one can be had.
    with lowered(MAX_CROWDS_DRAWN=1 << 14):  # a wider interval that is within all the same
        found = dc.posterior_vulnerability(dc.Shuffled(mechanism, n).seen_by(adversary, seed=1))
        leakage = dc.leakage(dc.Shuffled(mechanism, n).seen_by(adversary, seed=1))
        added = dc.leakage(dc.Shuffled(mechanism, n).seen_by(adversary, seed=1), kind="additive")
    assert isinstance(found, dc.Estimate)
    assert bound.low <= found.low < float(found) == found.value < found.high <= bound.high
    assert found.certified == (k == 1000)
    assert isinstance(leakage, dc.Estimate)
    assert (leakage.low, leakage.value) == (exactly(k * found.low), exactly(k * found.value))
    assert (added.low, added.high) == (exactly(found.low - 1 / k), exactly(found.high - 1 / k))
    assert added.value in (exactly(found.value - 1 / k), added.high)  # the safe end where the ends are far apart
    assert added.certified == found.certified


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 4, 10, 30])
def test_the_bound_of_pure_noise_is_the_blind_guess(k):
    crowd, adversary = dc.Shuffled(RR(k, p=1 / k), 10_000), dc.AllButOne([9999, *[0] * (k - 1)])
    bound = dc.posterior_vulnerability(crowd.seen_by(adversary))
    assert float(bound) == pytest.approx(1 / k, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_bound_is_above_the_exact_guess_where_both_are_known(epsilon):
    mechanism, n = RR(3, epsilon=epsilon), 120
    for counts in ([119, 0, 0], [0, 119, 0], [60, 59, 0], [40, 40, 39]):
        exact = dc.posterior_vulnerability(dc.Shuffled(mechanism, n).seen_by(dc.AllButOne(counts)))
        assert isinstance(exact, float)
        assert exact <= posterior_vulnerability_bound(mechanism, n).value


@pytest.mark.parametrize(("k", "n", "epsilon", "most"), [(5, 100, 4, 0.45), (10, 100, 4, 0.26)])
def test_the_bound_is_of_use_in_small_crowds(k, n, epsilon, most):
    mechanism = dc.RandomizedResponse(k, epsilon)
    assert posterior_vulnerability_bound(mechanism, n).value < most < mechanism.p


TWO_VALUES = [
    dc.UnaryEncoding.oue(2, 1),
    dc.LocalHashing(2, 1),
    dc.HadamardResponse(2, 1),
    dc.RandomizedResponse(2, epsilon=1),
]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("mechanism", TWO_VALUES, ids=repr)
@pytest.mark.parametrize("prior", [[0.5, 0.5], [0.9, 0.1]])
def test_bounds_of_the_information_of_two_values_hold_what_is_summed(mechanism, prior) -> None:
    law, n = np.array(prior), 15
    for held in range(n):
        view = AmongKnown(mechanism, n, known_groups((held, n - 1 - held)))
        exact = dc.mutual_information(view, prior)
        found = information_of_two(view, law)
        assert found.low <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= found.high
        assert exact <= _information_of_two(AmongWorst(mechanism, n), law).high


@pytest.mark.long
@pytest.mark.parametrize("mechanism", TWO_VALUES, ids=repr)
@pytest.mark.parametrize("adversary", [dc.AllButOne([50_000, 49_999]), dc.WorstAllButOne()], ids=str)
def test_the_information_of_two_values_is_known_to_a_tenth(mechanism, adversary) -> None:
    crowd = dc.Shuffled(mechanism, 100_000)
    found = dc.mutual_information(crowd.seen_by(adversary))
    outsider = dc.mutual_information(crowd)
    assert lowest(outsider) * (1 - 1e-6) <= highest(found)
    assert highest(found) - lowest(found) < 0.1 * highest(found)
