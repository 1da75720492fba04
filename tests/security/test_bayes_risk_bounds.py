"""What a user with her own prior can rely on (Bayes-sec, section V-E)."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.security import bayes_risk_bounds
from oracles import measures as slow
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import matrices, priors

SEVERAL = st.integers(2, 4)


@given(st.data())
def test_both_bounds_are_their_definitions_and_hold(data):
    matrix = data.draw(matrices(rows=SEVERAL))
    prior = data.draw(priors(len(matrix)))
    law = slow.fractions(np.full(len(matrix), 1 / len(matrix)) if prior is None else prior)
    bounds = bayes_risk_bounds(dc.Channel(matrix), prior)
    assert bounds.by_bayes_security == exactly(slow.bayes_security(exact(matrix)) * (sum(law) - max(law)))
    assert bounds.by_capacity == exactly(max(0, 1 - slow.multiplicative_bayes_capacity(exact(matrix)) * max(law)))
    assert bounds.bound == max(bounds.by_bayes_security, bounds.by_capacity)
    assert bounds.bound <= dc.bayes_risk(dc.Channel(matrix), prior) + 1e-12


@given(matrices(rows=SEVERAL))
def test_each_bound_is_tight_at_its_own_worst_prior(matrix):
    C = dc.Channel(matrix)
    two = np.zeros(len(matrix))
    two[list(dc.leakiest_pair(C))] = 0.5
    assert bayes_risk_bounds(C, two).by_bayes_security == exactly(dc.bayes_risk(C, two))
    assert bayes_risk_bounds(C).by_capacity == exactly(dc.bayes_risk(C))


def test_capacity_is_tighter_for_a_deterministic_program_and_bayes_security_for_few_secrets():
    # Bayes-sec's own examples: a program that shows one bit of eight secrets, and a user of two of many pages.
    parity = dc.Channel(np.eye(2)[np.arange(8) % 2])
    assert bayes_risk_bounds(parity).tighter == "capacity"
    assert bayes_risk_bounds(parity).bound == exactly(0.75)
    pages = dc.RandomizedResponse(8, p=0.5)
    few = bayes_risk_bounds(pages, [0.5, 0.5, 0, 0, 0, 0, 0, 0])
    assert few.tighter == "bayes_security"
    assert few.by_capacity == 0.0
    assert few.bound == exactly(2 / 7)  # β* = 8 (1-p)/7, of an error of ½


def test_who_is_certain_runs_no_risk():
    bounds = bayes_risk_bounds(dc.RandomizedResponse(3, p=0.5), [1, 0, 0])
    assert (bounds.bound, bounds.tighter) == (0.0, "bayes_security")


def test_a_bound_on_bayes_security_counts_at_its_cautious_end():
    often = dc.repeated(dc.Channel([[0.5001, 0.4999], [0.4999, 0.5001]]), 10**7)
    with pytest.raises(dc.errors.TooLargeError):
        bayes_risk_bounds(often)  # its capacity is not bounded
    crowd = dc.Shuffled(dc.RandomizedResponse(2, p=0.75), 100)
    expected = dc.bayes_security(crowd) / 2
    assert bayes_risk_bounds(crowd).by_bayes_security == exactly(expected)


def test_the_algorithms_are_named():
    words = "β*: closed form of k-RR (Bayes-sec eq. 7); capacity: closed form of k-RR"
    assert dc.method(bayes_risk_bounds, dc.RandomizedResponse(3, p=0.5)) == (words, "bound")


def test_a_prior_must_fit():
    with pytest.raises(dc.errors.InvalidPriorError, match=r"one probability per secret \(3\)"):
        bayes_risk_bounds(dc.RandomizedResponse(3, p=0.5), [0.5, 0.5])
