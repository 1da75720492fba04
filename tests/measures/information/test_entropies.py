"""What is left unknown of the secret: against the definitions, the vulnerabilities, and each other."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.measures import posterior_entropy, posterior_guessing_entropy, prior_entropy, prior_guessing_entropy
from oracles import measures as slow
from oracles.promise import exactly
from oracles.strategies import SMALL, problems, stochastic
from support.lowering import lowered


@given(st.data())
def test_of_a_prior_it_is_the_definition(data):
    prior = data.draw(stochastic(1, data.draw(SMALL)))[0]
    law = slow.fractions(prior)
    assert prior_entropy(prior) == exactly(slow.entropy(law))
    assert prior_entropy(prior, unit="bits") == exactly(float(slow.entropy(law)) / math.log(2))
    assert prior_guessing_entropy(prior) == exactly(slow.guessing_entropy(law))


@pytest.mark.parametrize("k", [1, 2, 5, 1000])
def test_nothing_is_unknown_of_who_is_certain_and_most_of_who_is_uniform(k):
    assert (prior_entropy(dc.point(k, 0)), prior_guessing_entropy(dc.point(k, k - 1))) == (0, 1)
    assert prior_entropy(dc.uniform(k)) == exactly(math.log(k))
    assert prior_guessing_entropy(dc.uniform(k)) == exactly((k + 1) / 2)
    everything, nothing = dc.Channel(np.eye(k)), dc.Channel(np.ones((k, 1)))
    assert (posterior_entropy(everything), posterior_guessing_entropy(everything)) == (exactly(0), exactly(1))
    assert posterior_entropy(nothing, unit="bits") == exactly(math.log2(k))
    assert posterior_guessing_entropy(nothing) == exactly((k + 1) / 2)


@given(problems())
def test_a_guess_after_another_is_a_try_more(problem):
    matrix, prior, _ = problem
    k, C = len(matrix), dc.Channel(matrix)
    named = [dc.posterior_vulnerability(C, prior, dc.k_tries_gain(k, tries)) for tries in range(1, k)]
    assert posterior_guessing_entropy(C, prior) == exactly(k - sum(named))


@given(problems())
def test_looking_never_adds_to_what_is_unknown(problem):
    matrix, prior, _ = problem
    law = dc.uniform(len(matrix)) if prior is None else prior
    assert 0 <= posterior_entropy(dc.Channel(matrix), prior) <= prior_entropy(law)
    assert 1 - 1e-12 <= posterior_guessing_entropy(dc.Channel(matrix), prior) <= prior_guessing_entropy(law) + 1e-12


@pytest.mark.parametrize("noise", [dc.Laplace(1), dc.Gaussian(0.5), dc.repeated(dc.Gaussian(1), 3)], ids=repr)
@pytest.mark.parametrize("prior", [None, [0.2, 0.8], [1.0, 0.0]])
def test_of_two_values_with_noise_the_second_guess_is_made_where_the_first_is_wrong(noise, prior):
    law = dc.uniform(2) if prior is None else prior
    assert posterior_guessing_entropy(noise, prior) == exactly(1 + dc.bayes_risk(noise, prior))
    left, told = posterior_entropy(noise, prior), dc.mutual_information(noise, prior)
    assert type(left) is type(told)
    assert float(left) == exactly(prior_entropy(law) - float(told))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "knowledge", [dc.Uninformed(), dc.AllButOne([1, 3, 0]), dc.PartlyInformed([2, 0, 1]), dc.Exchangeable([0.5, 1, 2])]
)
def test_of_a_crowd_it_is_that_of_the_histograms(k, knowledge):
    if not isinstance(knowledge, dc.Uninformed):
        k = 3
    seen = dc.Shuffled(dc.RandomizedResponse(k, p=0.8), 5).seen_by(knowledge)
    prior = knowledge.prior if isinstance(knowledge, dc.Exchangeable) else None
    explicit = seen.channel()
    assert posterior_guessing_entropy(seen) == exactly(posterior_guessing_entropy(explicit, prior))
    assert posterior_entropy(seen) == exactly(posterior_entropy(explicit, prior))


def test_of_a_crowd_that_is_not_listed_it_is_an_interval_or_refused():
    crowd = dc.Shuffled(dc.RandomizedResponse(20, epsilon=1), 1000)
    known = crowd.seen_by(dc.Uninformed(dc.point(20, 3)), seed=1)
    with lowered(MAX_CROWDS_DRAWN=3000):
        left, told = posterior_entropy(known), dc.mutual_information(known)
    assert (left.low, left.high) == pytest.approx((math.log(20) - told.high, math.log(20) - told.low))
    with pytest.raises(dc.errors.TooLargeError, match="cannot all be listed"):
        posterior_guessing_entropy(known)
    with pytest.raises(dc.errors.UnsupportedError, match="AllButOne"):
        posterior_guessing_entropy(crowd.seen_by(dc.WorstAllButOne()))
    two = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 50).seen_by(dc.WorstAllButOne())
    assert posterior_guessing_entropy(two) == 1 + dc.bayes_risk(two)


@pytest.mark.long
def test_a_million_values_need_no_matrix():
    mechanism, k = dc.RandomizedResponse(10**6, p=0.5), 10**6
    assert posterior_guessing_entropy(mechanism) == exactly(0.5 + 0.5 * (k + 2) / 2)
    assert dc.posterior_vulnerability(mechanism, gain=dc.k_tries_gain(k, 1000)) == exactly(0.5 + 0.5 * 999 / (k - 1))
    blocks = dc.partition_gain(np.arange(k) // 1000)
    assert dc.posterior_vulnerability(mechanism, gain=blocks) == exactly(0.5 + 0.5 * 999 / (k - 1))
    assert dc.method(posterior_guessing_entropy, mechanism) == ("closed form of k-RR", "closed form")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: prior_entropy([0.5, 0.6]), r"1\.1"),
        (lambda: prior_entropy([0.5, 0.5], unit="nat"), "'nat'"),
        (lambda: posterior_entropy(dc.Channel(np.eye(2)), unit="bytes"), "'bytes'"),
        (lambda: prior_guessing_entropy([]), r"shape \(0,\)"),
        (lambda: posterior_guessing_entropy(dc.Channel(np.eye(3)), [0.5, 0.5]), r"\(3\), got 2"),
        (lambda: posterior_guessing_entropy([[1, 0]]), r"discretion\.Channel"),
    ],
)
def test_what_has_no_meaning_is_refused(ask, words):
    with pytest.raises(dc.errors.DiscretionError, match=words):
        ask()
