"""What may be wanted of a whole dataset: against the definitions, and the single target against the crowd."""

import itertools
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.shuffling import (
    dataset_channel,
    full_shuffle_channel,
    holder_gain,
    presence_gain,
    reduced_shuffle_channel,
    target_gain,
)
from oracles import measures, shuffling as slow
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import stochastic
from support.lowering import lowered

CROWDS = [(1, 1), (1, 3), (2, 2), (3, 2), (2, 3), (3, 3)]
each_crowd = pytest.mark.parametrize(("n", "k"), CROWDS)


def defined(n, k, guesses, worth):
    return [[Fraction(worth(w, x)) for x in itertools.product(range(k), repeat=n)] for w in guesses]


def wanted(n, k):
    """Each gain, and its definition."""
    targets = [(0,), (n - 1,), tuple(range(n)), tuple(range(n))[::-1][:2]]
    for some in targets:
        guesses = list(itertools.product(range(k), repeat=len(some)))
        yield (
            target_gain(n, k, some),
            defined(n, k, guesses, lambda w, x, some=some: all(a == x[i] for a, i in zip(w, some, strict=True))),
        )
    for value in range(k):
        yield presence_gain(n, k, value), defined(n, k, [True, False], lambda w, x, v=value: w == (v in x))
        yield holder_gain(n, k, value), defined(n, k, range(n), lambda w, x, v=value: x[w] == v)


@each_crowd
def test_a_gain_on_datasets_is_its_definition(n, k):
    rng = np.random.default_rng(n * k)
    Q = rng.dirichlet(np.ones(2), size=k)
    N = dataset_channel(dc.Channel(Q), n)
    for C in (N, N >> reduced_shuffle_channel(n, 2), full_shuffle_channel(n, k)):
        for prior in (dc.uniform(k**n), rng.dirichlet(np.ones(k**n))):
            law = measures.fractions(prior)
            for gain, table in wanted(n, k):
                assert dc.posterior_vulnerability(C, prior, gain) == exactly(
                    measures.posterior_vulnerability(exact(C.matrix), law, table)
                )


def test_the_single_target_is_the_papers():
    for n, k in CROWDS:
        assert target_gain(n, k).guesses().tolist() == slow.single_target_gain(n, k)


@given(st.data())
@settings(max_examples=30)
def test_the_single_target_is_what_the_crowd_is_asked(data):
    n, k = data.draw(st.sampled_from([(1, 2), (2, 2), (4, 2), (3, 3)]))
    Q = data.draw(stochastic(k, data.draw(st.integers(1, 3))))
    prior, population = data.draw(stochastic(2, k))
    C = dataset_channel(dc.Channel(Q), n) >> full_shuffle_channel(n, Q.shape[1])
    datasets = reduce(np.kron, [prior, *[population] * (n - 1)])
    crowd = dc.Shuffled(dc.Channel(Q), n).seen_by(dc.Uninformed(population))
    found = dc.posterior_vulnerability(C, datasets, target_gain(n, k))
    assert found == exactly(dc.posterior_vulnerability(crowd, prior))
    # Nobody stands out: of the last one she knows as much, if she knew as much before.
    alike = reduce(np.kron, [population] * n)
    assert dc.posterior_vulnerability(C, alike, target_gain(n, k, [n - 1])) == exactly(
        dc.posterior_vulnerability(C, alike, target_gain(n, k))
    )


@pytest.mark.parametrize("p", [0.5, 0.75, 0.9, 1])
@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2), (3, 3)])
def test_what_a_shuffler_hides_is_who_and_not_what(p, n, k):
    p = max(p, 1 / k)
    N = dataset_channel(dc.RandomizedResponse(k, p=p), n)
    NS = N >> full_shuffle_channel(n, k)
    for value in range(k):
        seen, shuffled = (dc.posterior_vulnerability(C, gain=presence_gain(n, k, value)) for C in (N, NS))
        assert shuffled == exactly(seen)
        assert dc.posterior_vulnerability(NS, gain=holder_gain(n, k, value)) == exactly(1 / k)
        found = dc.posterior_vulnerability(N, gain=holder_gain(n, k, value))
        assert found == exactly(1 / k) if p == 1 / k else found > 1 / k + 1e-9
    # More people are harder to name, all of them the hardest.
    some = [dc.posterior_vulnerability(NS, gain=target_gain(n, k, range(m))) for m in range(1, n + 1)]
    assert some == sorted(some, reverse=True)
    assert some[-1] == exactly(dc.posterior_vulnerability(NS))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: target_gain(0, 2), "n must be.*got 0"),
        (lambda: target_gain(2, 0), "k must be.*got 0"),
        (lambda: target_gain(2, 2, []), r"at least one user.*got \[\]"),
        (lambda: target_gain(2, 2, [1, 1]), r"each once, got \[1, 1\]"),
        (lambda: target_gain(2, 2, [2]), r"targets must be in 0\.\.1, got 2"),
        (lambda: target_gain(2, 2, 1), "indexes of some users, got 1"),
        (lambda: presence_gain(2, 2, 2), r"value must be in 0\.\.1, got 2"),
        (lambda: holder_gain(2, 2, -1), "got -1"),
        (lambda: holder_gain(30, 2, 0), "datasets of 30 users.*fewer"),
        (lambda: target_gain(10**6, 3), "datasets of 1000000 users.*fewer"),
    ],
)
def test_what_is_no_question_about_a_dataset_is_refused(make, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        make()


def test_datasets_are_no_more_than_a_channel_may_have():
    with lowered(MAX_ENTRIES=24):
        assert target_gain(3, 2).secrets == 8
        with pytest.raises(dc.errors.TooLargeError):
            target_gain(4, 2)
