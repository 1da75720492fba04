"""What the adversary knows beforehand, and what she wants."""

import math

import numpy as np
import pytest

import discretion as dc


@pytest.mark.parametrize("k", [1, 2, 3, 7, 1000])
def test_uniform_and_point_priors(k):
    assert dc.uniform(k).tolist() == [1 / k] * k
    assert [dc.point(k, i).argmax() for i in range(k)] == list(range(k))
    assert dc.point(k, k - 1).sum() == dc.point(k, k - 1).max() == 1


@pytest.mark.parametrize("prior", [dc.uniform(3), dc.point(3, 1)], ids=["uniform", "point"])
def test_priors_are_read_only(prior):
    with pytest.raises(ValueError, match="read-only"):
        prior[0] = 1


def test_a_given_prior_is_neither_kept_nor_changed():
    prior = np.array([0.25, 0.75])
    adversary = dc.Uninformed(prior)
    dc.posterior_vulnerability(dc.Channel(np.eye(2)), prior)
    prior[0] = 5
    assert prior.flags.writeable
    assert adversary.population == (0.25, 0.75)


def test_a_gain_matrix_is_a_copy():
    W = np.array([[1.0, 0.0], [0.0, 1.0]])
    gain = dc.gain_matrix(W)
    W[:] = 7
    assert dc.prior_vulnerability([0.5, 0.5], gain) == 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dc.uniform(0), "at least 1, got 0"),
        (lambda: dc.uniform(2.0), r"got 2\.0"),
        (lambda: dc.point(3, 3), r"0\.\.2, got 3"),
        (lambda: dc.point(3, -1), "got -1"),
        (lambda: dc.identity_gain(0), "got 0"),
        (lambda: dc.prior_vulnerability([0.5, 0.4]), r"0\.9"),
        (lambda: dc.prior_vulnerability([0.5, 0.5], dc.identity_gain(3)), "3 secrets.*2"),
        (lambda: dc.prior_vulnerability(None), "prior"),
        (lambda: dc.gain_matrix([]), r"shape \(0,\)"),
        (lambda: dc.gain_matrix([["a"]]), "numbers"),
        (lambda: dc.gain_matrix([[math.nan]]), "nan for guess 0 and secret 0"),
    ],
)
def test_what_is_out_of_range_is_refused(make, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        make()


def test_identity_is_the_default_gain_and_the_identity_matrix():
    prior = [0.5, 0.3, 0.2]
    answers = {dc.prior_vulnerability(prior, g) for g in (None, dc.identity_gain(3), dc.gain_matrix(np.eye(3)))}
    assert answers == {0.5}


def test_knowledge_compares_by_what_it_says():
    assert dc.AllButOne([1, 2]) == dc.AllButOne((1, np.int64(2)))
    assert dc.Uninformed() == dc.Uninformed(None) != dc.Uninformed([0.5, 0.5])
    with pytest.raises(AttributeError):
        dc.AllButOne([1]).known_counts = (2,)
