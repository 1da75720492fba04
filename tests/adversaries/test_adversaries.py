"""What the adversary knows beforehand, and what she wants."""

import math

import numpy as np
import pytest

import tacit as tc


@pytest.mark.parametrize("k", [1, 2, 3, 7, 1000])
def test_uniform_and_point_priors(k):
    assert tc.uniform(k).tolist() == [1 / k] * k
    assert [tc.point(k, i).argmax() for i in range(k)] == list(range(k))
    assert tc.point(k, k - 1).sum() == tc.point(k, k - 1).max() == 1


@pytest.mark.parametrize("prior", [tc.uniform(3), tc.point(3, 1)], ids=["uniform", "point"])
def test_priors_are_read_only(prior):
    with pytest.raises(ValueError, match="read-only"):
        prior[0] = 1


def test_a_given_prior_is_neither_kept_nor_changed():
    prior = np.array([0.25, 0.75])
    adversary = tc.Uninformed(prior)
    tc.posterior_vulnerability(tc.Channel(np.eye(2)), prior)
    prior[0] = 5
    assert prior.flags.writeable
    assert adversary.population == (0.25, 0.75)


def test_a_gain_matrix_is_a_copy():
    W = np.array([[1.0, 0.0], [0.0, 1.0]])
    gain = tc.gain_matrix(W)
    W[:] = 7
    assert tc.prior_vulnerability([0.5, 0.5], gain) == 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tc.uniform(0), "at least 1, got 0"),
        (lambda: tc.uniform(2.0), r"got 2\.0"),
        (lambda: tc.point(3, 3), r"0\.\.2, got 3"),
        (lambda: tc.point(3, -1), "got -1"),
        (lambda: tc.identity_gain(0), "got 0"),
        (lambda: tc.prior_vulnerability([0.5, 0.4]), r"0\.9"),
        (lambda: tc.prior_vulnerability([0.5, 0.5], tc.identity_gain(3)), "3 secrets.*2"),
        (lambda: tc.prior_vulnerability(None), "prior"),
        (lambda: tc.gain_matrix([]), r"shape \(0,\)"),
        (lambda: tc.gain_matrix([["a"]]), "numbers"),
        (lambda: tc.gain_matrix([[math.nan]]), "nan for guess 0 and secret 0"),
    ],
)
def test_what_is_out_of_range_is_refused(make, words):
    with pytest.raises(tc.errors.InvalidValueError, match=words):
        make()


def test_identity_is_the_default_gain_and_the_identity_matrix():
    prior = [0.5, 0.3, 0.2]
    answers = {tc.prior_vulnerability(prior, g) for g in (None, tc.identity_gain(3), tc.gain_matrix(np.eye(3)))}
    assert answers == {0.5}


def test_knowledge_compares_by_what_it_says():
    assert tc.AllButOne([1, 2]) == tc.AllButOne((1, np.int64(2)))
    assert tc.Uninformed() == tc.Uninformed(None) != tc.Uninformed([0.5, 0.5])
    with pytest.raises(AttributeError):
        tc.AllButOne([1]).known_counts = (2,)
