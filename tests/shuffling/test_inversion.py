"""Inverse questions, against scans of all smaller crowds, closed forms, and what they ask back."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.errors import InternalError
from oracles import single_law_crowds as crowds
from oracles.strategies import stochastic

RR = dc.RandomizedResponse


def binary_excess(n):
    """By how much n shuffled bits without noise raise the guess over a coin's: Shuffle, Theorem 17."""
    return Fraction(math.comb(n - 1, (n - 1) // 2), 2**n)


def first(meets, most):
    return next(n for n in range(1, most + 1) if meets(n))


@pytest.mark.parametrize("p", [0.6, 0.75, 1.0])
@pytest.mark.parametrize("at_most", [0.9, 0.75, 0.6, 0.55, 0.52])
def test_the_smallest_binary_crowd_is_that_of_theorem_19(p, at_most):
    most = Fraction(at_most) - Fraction(1, 2)
    expected = first(lambda n: binary_excess(n) * (2 * Fraction(p) - 1) <= most, 1000)
    assert dc.shuffling.smallest_crowd(RR(2, p=p), dc.posterior_vulnerability, at_most=at_most) == expected


@pytest.mark.parametrize("n", [2, 4, 32, 500])
def test_of_two_crowds_that_are_as_safe_the_smaller_counts(n):
    assert binary_excess(n) == binary_excess(n + 1)
    mechanism = RR(2, p=1)
    # Either of the two may be rounded up, so each in turn is the target.
    for target in (n, n + 1):
        at_most = dc.posterior_vulnerability(dc.Shuffled(mechanism, target))
        found = dc.shuffling.smallest_crowd(mechanism, dc.posterior_vulnerability, at_most=at_most)
        meets = [m for m in (n, n + 1) if dc.posterior_vulnerability(dc.Shuffled(mechanism, m)) <= at_most]
        assert found == meets[0]


@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=20)
def test_no_smaller_crowd_of_any_channel_meets_the_target(data, k, m):
    mechanism = dc.Channel(data.draw(stochastic(k, m)))
    prior = data.draw(stochastic(1, k))[0]
    adversary = dc.Uninformed(data.draw(stochastic(1, k))[0])

    def guess(crowd):
        return dc.posterior_vulnerability(crowd.seen_by(adversary), prior)

    guesses = [guess(dc.Shuffled(mechanism, n)) for n in range(1, 10)]
    at_most = guesses[data.draw(st.integers(0, 8))] + 1e-9
    assert dc.shuffling.smallest_crowd(mechanism, guess, at_most=at_most) == first(
        lambda n: guesses[n - 1] <= at_most, 9
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "target"),
    [
        (dc.bayes_security, {"at_least": 0.8}),
        (dc.bayes_risk, {"at_least": 0.6}),
        (dc.mutual_information, {"at_most": 0.02}),
        (lambda s: dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.3), {"at_most": 0.1}),
        (lambda s: dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), 0.05), {"at_most": 0.5}),
        (lambda s: dc.frequency_error(s.mechanism, s.n).share, {"at_most": 0.2}),
    ],
)
def test_any_monotone_question_of_the_crowd_can_be_asked(question, target):
    mechanism = RR(3, epsilon=1.5)

    def meets(n):
        answer = question(dc.Shuffled(mechanism, n))
        return answer <= target["at_most"] if "at_most" in target else answer >= target["at_least"]

    assert dc.shuffling.smallest_crowd(mechanism, question, **target) == first(meets, 200)


def test_epsilon_at_delta_and_delta_at_epsilon_are_the_same_target():
    mechanism = RR(2, epsilon=1)
    by_delta = dc.shuffling.smallest_crowd(
        mechanism, lambda s: dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.5), at_most=1e-3
    )
    assert by_delta == dc.shuffling.smallest_crowd(
        mechanism, lambda s: dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), 1e-3), at_most=0.5
    )


def test_ten_billion_users_are_within_reach():
    at_most = float(Fraction(1, 2) + Fraction(1, 10**5))
    found = dc.shuffling.smallest_crowd(RR(2, p=1), dc.posterior_vulnerability, at_most=at_most)
    # Stirling: the excess is nearly 1/sqrt(2 pi n).
    assert found == pytest.approx(10**10 / (2 * math.pi), rel=1e-6)


def test_all_of_an_estimates_interval_must_meet_the_target():
    def between(crowd):
        value = dc.posterior_vulnerability(crowd)
        return dc.Estimate(value, value - 0.02, value + 0.02, 0.95, "made up")

    exact, mechanism = dc.posterior_vulnerability, RR(2, p=0.9)
    assert dc.shuffling.smallest_crowd(mechanism, between, at_most=0.6) == dc.shuffling.smallest_crowd(
        mechanism, exact, at_most=0.58
    )
    below = dc.shuffling.largest_epsilon(lambda e: RR(2, e), 20, between, at_most=0.6)
    assert below == pytest.approx(dc.shuffling.largest_epsilon(lambda e: RR(2, e), 20, exact, at_most=0.58), rel=1e-8)

    def kept(crowd):
        value = dc.bayes_security(crowd)
        return dc.Estimate(value, max(0.0, value - 0.02), value, None, "made up")

    assert dc.shuffling.smallest_crowd(mechanism, kept, at_least=0.8) == dc.shuffling.smallest_crowd(
        mechanism, dc.bayes_security, at_least=0.82
    )


def test_a_sample_with_a_seed_is_a_question_too():
    def guess(crowd):
        right = np.random.default_rng(1).random(1000) < dc.posterior_vulnerability(crowd)
        return dc.Estimate(right.mean(), right.mean() - 0.03, right.mean() + 0.03, 0.95, "flips of a coin")

    epsilon = dc.shuffling.largest_epsilon(lambda e: RR(3, e), 20, guess, at_most=0.45)
    assert (
        guess(dc.Shuffled(RR(3, epsilon), 20)).high <= 0.45 < guess(dc.Shuffled(RR(3, epsilon * (1 + 2e-9)), 20)).high
    )
    n = dc.shuffling.smallest_crowd(RR(3, 1), guess, at_most=0.45)
    assert guess(dc.Shuffled(RR(3, 1), n)).high <= 0.45 < guess(dc.Shuffled(RR(3, 1), n - 1)).high


@pytest.mark.parametrize(("n", "at_most"), [(1, 0.6), (2, 0.7), (200, 0.51), (1000, 0.5001)])
def test_the_largest_binary_epsilon_inverts_theorem_19(n, at_most):
    family = lambda e: RR(2, e)  # noqa: E731
    epsilon = dc.shuffling.largest_epsilon(family, n, dc.posterior_vulnerability, at_most=at_most)
    # The excess is its own without noise times 2p-1 = tanh(ε/2).
    share = (Fraction(at_most) - Fraction(1, 2)) / binary_excess(n)
    assert epsilon == pytest.approx(2 * math.atanh(share), rel=2e-9)
    assert dc.posterior_vulnerability(dc.Shuffled(family(epsilon), n)) <= at_most


@pytest.mark.long
def test_bounds_answer_for_unary_encoding_within_a_factor_of_a_simulation():
    # Simulated: about 18,000 users, and an epsilon above 2.
    oue, at_most = dc.UnaryEncoding.oue, 0.0101

    def guess(crowd):
        return dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(), seed=1))

    users = dc.shuffling.smallest_crowd(oue(100, 1), guess, at_most=at_most)
    assert 17_000 < users < 1.2 * 17_000
    assert 2.1 / 1.2 < dc.shuffling.largest_epsilon(lambda e: oue(100, e), 10**5, guess, at_most=at_most) < 2.3
    for n, is_met in ((users, True), (14_000, False)):
        sample = crowds.unary_among_strangers(oue(100, 1), n, 60, np.random.default_rng(n)).max(axis=1) / 100
        error = 3 * sample.std() / math.sqrt(sample.size)
        assert (sample.mean() + error <= at_most) if is_met else (sample.mean() - error > at_most)


def test_the_search_for_epsilon_starts_at_noise_that_hides_something():
    asked = []

    def family(epsilon):
        asked.append(epsilon)
        if epsilon > 20:
            raise dc.errors.TooLargeError("so little noise takes a matrix of the size of the crowd")
        return RR(3, epsilon)

    def guess(crowd):
        return dc.posterior_vulnerability(crowd)

    found = dc.shuffling.largest_epsilon(family, 50, guess, at_most=0.4)
    assert found == pytest.approx(dc.shuffling.largest_epsilon(lambda e: RR(3, e), 50, guess, at_most=0.4), rel=1e-8)
    assert asked[0] == 1
    assert max(asked) <= 20
    assert len(asked) == len(set(asked)) + 1  # the answer once more, which confirms it


@pytest.mark.long
def test_hashing_has_a_largest_epsilon_among_the_worst_others():
    # At ε = ∞ it has 10¹² reports.
    def guess(crowd):
        return dc.posterior_vulnerability(crowd.seen_by(dc.WorstAllButOne(), seed=1))

    epsilon = dc.shuffling.largest_epsilon(lambda e: dc.LocalHashing(12, e), 50_000, guess, at_most=0.0933)
    assert 5 < epsilon < 7
    assert guess(dc.Shuffled(dc.LocalHashing(12, epsilon), 50_000)).high <= 0.0933


def test_an_answer_that_the_question_does_not_confirm_is_none():
    asked = {}

    def guess(crowd):
        asked[crowd.n] = asked.get(crowd.n, 0) + 1
        return dc.posterior_vulnerability(crowd) + 0.01 * (asked[crowd.n] - 1)

    with pytest.raises(InternalError, match="smallest_crowd"):
        dc.shuffling.smallest_crowd(RR(2, epsilon=1), guess, at_most=0.51)


@pytest.mark.parametrize("target", [1e-12, 0.1, 1.0, 3.0, 300.0])
def test_of_one_user_the_largest_epsilon_is_the_mechanisms_own(target):
    epsilon = dc.shuffling.largest_epsilon(
        lambda e: RR(4, e), 1, lambda s: dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), 0), at_most=target
    )
    assert target * (1 - 1e-9) <= epsilon <= target


def test_a_crowd_that_needs_no_noise_takes_any_epsilon():
    for family in (lambda e: RR(2, e), lambda e: dc.UnaryEncoding.rappor(2, e)):
        assert dc.shuffling.largest_epsilon(family, 10, dc.posterior_vulnerability, at_most=0.7) == math.inf


def test_only_the_same_report_from_everybody_keeps_everything():
    assert dc.shuffling.largest_epsilon(lambda e: RR(2, e), 10, dc.mutual_information, at_most=0) < 1e-7


@pytest.mark.parametrize(
    "ask",
    [dc.shuffling.smallest_crowd, lambda m, *a, **t: dc.shuffling.largest_epsilon(lambda e: RR(2, e), 5, *a, **t)],
)
def test_exactly_one_target_is_asked_for(ask):
    with pytest.raises(ValueError, match="exactly one of at_most and at_least, got none"):
        ask(RR(2, p=0.9), dc.bayes_risk)
    with pytest.raises(ValueError, match="exactly one of at_most and at_least, got both"):
        ask(RR(2, p=0.9), dc.bayes_risk, at_most=0.5, at_least=0.1)
    with pytest.raises(ValueError, match="at_most must be a number"):
        ask(RR(2, p=0.9), dc.bayes_risk, at_most=math.nan)
    with pytest.raises(TypeError, match="question must be a function"):
        ask(RR(2, p=0.9), "bayes_risk", at_least=0.5)


def test_what_no_crowd_reaches_is_refused_at_once():
    with pytest.raises(ValueError, match=r"no crowd makes the question's answer at most 0\.49.* it is 0\.5$"):
        dc.shuffling.smallest_crowd(RR(2, p=0.9), dc.posterior_vulnerability, at_most=0.49)
    with pytest.raises(ValueError, match=r"no crowd makes the question's answer at least 0\.9"):
        dc.shuffling.smallest_crowd(RR(4, p=0.9), dc.bayes_risk, at_least=0.9)


def test_too_few_users_say_what_they_reach():
    with pytest.raises(ValueError, match=r"even with 100 users .* not at most 0\.501: it is 0\.53"):
        dc.shuffling.smallest_crowd(RR(2, p=0.9), dc.posterior_vulnerability, at_most=0.501, up_to=100)
    with pytest.raises(ValueError, match="up_to must be at most"):
        dc.shuffling.smallest_crowd(RR(2, p=0.9), dc.posterior_vulnerability, at_most=0.6, up_to=10**11)


def test_the_largest_crowd_that_is_considered_may_be_the_answer():
    expected = first(lambda n: binary_excess(n) <= Fraction(1, 10), 100)
    assert dc.shuffling.smallest_crowd(RR(2, p=1), dc.posterior_vulnerability, at_most=0.6, up_to=expected) == expected


def test_no_epsilon_is_refused_with_what_it_would_have_to_be():
    with pytest.raises(ValueError, match=r"at most 0\.3 among 50 users: with epsilon = 0, .* it is 0\.3333333333"):
        dc.shuffling.largest_epsilon(lambda e: RR(3, e), 50, dc.posterior_vulnerability, at_most=0.3)


def test_a_crowd_that_is_too_large_to_compute_for_is_named():
    def limited(crowd):
        if crowd.n > 10:
            raise dc.errors.TooLargeError("too many")
        return dc.posterior_vulnerability(crowd)

    with pytest.raises(dc.errors.TooLargeError, match="no answer at n = 16: too many"):
        dc.shuffling.smallest_crowd(RR(2, p=0.9), limited, at_most=0.51)


def test_counts_of_one_crowd_do_not_fit_all():
    with pytest.raises(ValueError, match="no answer at n = 1: known_counts must sum to the n-1 = 0"):
        dc.shuffling.smallest_crowd(
            RR(2, p=0.9), lambda s: dc.posterior_vulnerability(s.seen_by(dc.AllButOne([3, 4]))), at_most=0.6
        )


def test_a_family_is_a_function():
    with pytest.raises(TypeError, match="family must be a function of epsilon"):
        dc.shuffling.largest_epsilon(RR(2, p=0.9), 10, dc.bayes_security, at_least=0.5)
