"""What no crowd, no adversary and no budget can be is refused in a sentence that says what was given."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import DiscretionError, InvalidValueError, TooLargeError, UnsupportedError

RR = dc.RandomizedResponse

# Every question about the target.
QUESTIONS = {
    "posterior_vulnerability": dc.posterior_vulnerability,
    "leakage": dc.leakage,
    "bayes_security": dc.bayes_security,
    "leakiest_pair": dc.leakiest_pair,
    "mutual_information": dc.mutual_information,
    "privacy_profile": lambda s: dc.privacy_profile(s, 0.5),
    "dp_epsilon": lambda s: dc.dp_epsilon(s, 1e-6),
    "renyi_dp": lambda s: dc.renyi_dp(s, 2),
}
each_question = pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)


def refused(error, words, ask):
    with pytest.raises(error, match=words) as caught:
        ask()
    assert isinstance(caught.value, DiscretionError)
    assert "\n" not in str(caught.value)


def crowd(n=10, k=3):
    return dc.Shuffled(RR(k, p=0.7), n)


@each_question
@pytest.mark.parametrize(
    ("adversary", "words"),
    [
        (lambda: dc.AllButOne([9, 1, 0]), "9 other users, got 10"),
        (lambda: dc.AllButOne([0, 0, 8]), "9 other users, got 8"),
        (lambda: dc.AllButOne([5, 4]), r"\(3\), got 2"),
        (lambda: dc.PartlyInformed([5, 5, 0]), "9.*10"),
        (lambda: dc.PartlyInformed([1, 1]), r"\(3\), got 2"),
        (lambda: dc.PartlyInformed([1, 0, 0], [0.5, 0.5]), r"\(3\), got 2"),
        (lambda: dc.Uninformed([0.25] * 4), r"\(3\), got 4"),
        (lambda: dc.Exchangeable([1, 1]), r"\(3\), got 2"),
    ],
)
def test_knowledge_must_fit_the_crowd(ask, adversary, words):
    refused(InvalidValueError, words, lambda: ask(crowd().seen_by(adversary())))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dc.Exchangeable([1, 0]), "0"),
        (lambda: dc.Exchangeable([1, -0.5]), r"-0\.5"),
        (lambda: dc.Exchangeable([1, math.nan]), "nan"),
        (lambda: dc.Exchangeable([1, math.inf]), "inf"),
        (lambda: dc.Exchangeable([]), "alpha"),
        (lambda: dc.Exchangeable(1), "1"),
        (lambda: dc.Exchangeable([[1, 1]]), "alpha"),
        (lambda: dc.Exchangeable(["a", 1]), "a"),
        (lambda: dc.PartlyInformed([-1, 2]), "-1"),
        (lambda: dc.PartlyInformed([0.5, 1]), r"0\.5"),
        (lambda: dc.PartlyInformed([]), "known_counts"),
        (lambda: dc.PartlyInformed(3), "3"),
        (lambda: dc.PartlyInformed([1, 1], [0.5, 0.6]), r"1\.1"),
        (lambda: dc.PartlyInformed([1, 1], [1.5, -0.5]), r"-0\.5"),
        (lambda: dc.AllButOne([1, math.nan]), "nan"),
        (lambda: dc.Uninformed([0.5, math.nan, 0.5]), "nan"),
    ],
)
def test_knowledge_that_makes_no_sense_is_refused(make, words):
    refused(InvalidValueError, words, make)


@each_question
@pytest.mark.parametrize(
    "adversary",
    [[9, 0, 0], "worst", 9, np.array([9, 0, 0]), object()],
    ids=["a list", "text", "a number", "an array", "an object"],
)
def test_an_adversary_is_one_of_the_known_kinds(ask, adversary):
    refused(UnsupportedError, "knowledge.*AllButOne", lambda: ask(crowd().seen_by(adversary)))


@each_question
@pytest.mark.parametrize("adversary", [dc.AllButOne, dc.Uninformed], ids=["all but one", "uninformed"])
def test_a_kind_is_not_an_adversary(ask, adversary):
    refused(UnsupportedError, "knowledge", lambda: ask(crowd().seen_by(adversary)))


@pytest.mark.parametrize("ask", [QUESTIONS[name] for name in ("privacy_profile", "dp_epsilon", "renyi_dp")])
def test_differential_privacy_is_claimed_against_somebody(ask):
    for system in (crowd(), dc.repeated(crowd(), 2)):
        refused(UnsupportedError, r"crowd\.seen_by\(dc\.WorstAllButOne\(\)\)", lambda system=system: ask(system))


def test_knowledge_of_the_others_needs_others():
    for system in (RR(3, p=0.7), dc.Channel(np.eye(3)), crowd().seen_by(dc.WorstAllButOne())):
        assert not hasattr(system, "seen_by")


def test_the_worst_others_have_no_channel():
    refused(UnsupportedError, r"discretion\.AllButOne", crowd().seen_by(dc.WorstAllButOne()).channel)


def test_what_is_shuffled_is_not_shuffled_again():
    for system in (crowd(), crowd().seen_by(dc.Uninformed())):
        refused(UnsupportedError, "shuffled already", lambda system=system: dc.Shuffled(system, 3))


@pytest.mark.parametrize("seed", [-1, 0.5, True, "1", np.random.default_rng(0)], ids=lambda seed: type(seed).__name__)
def test_a_seed_is_a_whole_number(seed):
    refused(InvalidValueError, "seed must be a whole number", lambda: crowd().seen_by(dc.Uninformed(), seed))


@pytest.mark.parametrize(
    "ask",
    [
        lambda s, prior, a: dc.posterior_vulnerability(s.seen_by(a), prior),
        lambda s, prior, a: dc.leakage(s.seen_by(a), prior),
        lambda s, prior, a: dc.leakage(s.seen_by(a), prior, kind="additive"),
        lambda s, prior, a: dc.mutual_information(s.seen_by(a), prior),
        lambda s, prior, a: dc.bayes_security(s.seen_by(a), prior),
    ],
    ids=["posterior_vulnerability", "leakage", "additive leakage", "mutual_information", "bayes_security"],
)
@pytest.mark.parametrize("prior", [[0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]], ids=["a prior", "the uniform prior"])
def test_users_alike_have_their_prior_already(ask, prior):
    # Even the one that would agree: it is the alpha that says what the target holds.
    refused(DiscretionError, "prior.*alpha|alpha.*prior", lambda: ask(crowd(), prior, dc.Exchangeable([1, 1, 1])))


@pytest.mark.parametrize("n", [2**53, 2**53 + 1, 10**18, 10**400], ids=["2^53", "2^53+1", "1e18", "1e400"])
def test_a_crowd_beyond_whole_floats_is_refused(n):
    refused(TooLargeError, "n must be at most", lambda: dc.Shuffled(RR(2, p=0.7), n))


@pytest.mark.parametrize("n", [0, -1, 2.5, 3.0, "3", True, math.nan, math.inf, None], ids=repr)
def test_a_crowd_is_a_whole_number_of_users(n):
    refused(InvalidValueError, "n must be a whole number", lambda: dc.Shuffled(RR(2, p=0.7), n))


class Noise:
    """Adds Gaussian noise to a number: its reports are a continuum."""

    epsilon = 1.0

    def sample(self, values, rng=None):
        return np.asarray(values) + np.random.default_rng(rng).normal(size=len(values))


@pytest.mark.parametrize(
    "mechanism",
    [Noise(), Noise, lambda value: value + 0.5, 0.7, "krr", None, np.eye(2)],
    ids=["continuous", "a class", "a function", "a number", "a name", "nothing", "a matrix"],
)
def test_what_has_no_channel_is_refused_with_what_to_do_instead(mechanism):
    # Continuous reports must be put into bins first: the way out is a channel from value to bin.
    refused(UnsupportedError, r"discretion\.Channel", lambda: dc.Shuffled(mechanism, 10))


def test_continuous_reports_are_to_be_binned():
    refused(UnsupportedError, "continuous|bin|discret", lambda: dc.Shuffled(Noise(), 10))


@pytest.mark.parametrize(
    "epsilon", [-1e-9, -1, -math.inf, math.nan, "1", None, True, [-1, 0.5], [[0.5], [0.5, 1]]], ids=repr
)
def test_epsilon_is_a_number_of_at_least_0(epsilon):
    for system in (crowd(), RR(3, p=0.7)):
        refused(InvalidValueError, "epsilon", lambda system=system: dc.privacy_profile(system, epsilon))


@pytest.mark.parametrize("delta", [-1e-9, 1 + 1e-9, 2, math.inf, math.nan, "0.1", None, True], ids=repr)
def test_delta_is_a_probability(delta):
    refused(InvalidValueError, "delta", lambda: dc.dp_epsilon(crowd(), delta))


@pytest.mark.parametrize("order", [-1, math.nan, "2", None, True], ids=repr)
def test_an_order_is_a_positive_number(order):
    refused(InvalidValueError, "order", lambda: dc.renyi_dp(crowd(), order))


def test_a_pair_needs_two_values():
    s = dc.Shuffled(dc.Channel([[0.5, 0.5]]), 3)
    refused(InvalidValueError, "two secrets", lambda: dc.leakiest_pair(s.seen_by(dc.AllButOne([2]))))
    assert dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0) == 0
    assert dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), 0) == 0
