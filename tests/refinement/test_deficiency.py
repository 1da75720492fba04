"""Le Cam's deficiency: what a linear program over Fractions says, which nobody's gain beats."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.estimate import highest, lowest
from oracles import measures as slow, refinement as oracle
from oracles.promise import exactly
from refinement.test_refines import doubles, pairs
from support.lowering import lowered


@given(pairs())
@settings(max_examples=25)
def test_it_is_what_a_linear_program_over_fractions_says(pair):
    C, D = pair
    assert dc.deficiency(doubles(C), doubles(D)) == exactly(oracle.deficiency(C, D))


@given(pairs())
@settings(max_examples=25)
def test_it_is_zero_exactly_where_it_is_refined(pair):
    C, D = map(doubles, pair)
    assert (dc.deficiency(C, D) == 0) is dc.refines(C, D).holds


@given(pairs(), st.data())
def test_between_two_secrets_it_is_no_more_and_with_a_third_channel_a_triangle(pair, data):
    C, D = map(doubles, pair)
    k = C.secrets
    some = sorted(data.draw(st.sets(st.integers(0, k - 1), min_size=1)))
    assert dc.deficiency(dc.restricted(C, some), dc.restricted(D, some)) <= dc.deficiency(C, D) + 1e-11
    blind = dc.Channel(np.ones((k, 1)))
    assert dc.deficiency(C, blind) == 0
    assert dc.deficiency(blind, D) <= dc.deficiency(blind, C) + dc.deficiency(C, D) + 1e-11


@pytest.mark.parametrize(("k", "m", "n"), [(3, 5, 4), (20, 30, 10), (8, 4, 8)])
def test_no_random_gain_beats_it(k, m, n):
    rng = np.random.default_rng(k)
    C, D = (dc.Channel(rng.dirichlet(np.ones(size), size=k)) for size in (m, n))
    most = dc.deficiency(C, D)
    assert 0.05 < most < 1
    for _ in range(200):
        prior, gain = rng.dirichlet(np.ones(k)), dc.gain_matrix(rng.random((rng.integers(1, 6), k)) ** 3)
        gained = dc.posterior_vulnerability(D, prior, gain) - dc.posterior_vulnerability(C, prior, gain)
        assert gained <= most + 1e-12


def test_of_nothing_shown_it_is_the_radius_of_the_rows():
    # Two rows are as far from the point between them as half their distance, and one of three corners as 2/3.
    blind = dc.Channel(np.ones((2, 1)))
    assert dc.deficiency(blind, dc.Channel([[0.9, 0.1], [0.3, 0.7]])) == exactly(0.3)
    assert dc.deficiency(dc.Channel(np.ones((3, 1))), dc.Channel(np.eye(3))) == exactly(2 / 3)


def test_of_responses_it_is_the_difference_of_their_truth():
    for p, q in ((0.6, 0.9), (0.25, 0.3)):
        less, more = (dc.RandomizedResponse(4, p=each) for each in (p, q))
        assert dc.deficiency(less, more) == exactly(q - p)
        assert dc.deficiency(more, less) == 0


def test_crowds_hide_more_the_larger_they_are():
    small, large = (dc.Shuffled(dc.RandomizedResponse(3, p=0.8), n) for n in (4, 7))
    assert dc.refines(small, large)
    assert dc.refines(large, small).holds is False
    assert dc.deficiency(large, small) > 0.01


@pytest.mark.parametrize(("p", "q", "crowd"), [(0.75, 0.8, 4), (0.75, 0.75, 5), (0.7, 0.9, 2)])
def test_from_which_crowd_on_one_mechanism_is_as_safe_as_another(p, q, crowd):
    """A crowd could add its next user's report by itself, so that what holds of one holds of all larger ones."""
    goal = dc.Shuffled(dc.RandomizedResponse(2, p=q), crowd)
    smallest = dc.shuffling.smallest_crowd(
        dc.RandomizedResponse(2, p=p), lambda larger: dc.deficiency(goal, larger), at_most=0
    )
    assert dc.refines(goal, dc.Shuffled(dc.RandomizedResponse(2, p=p), smallest))
    if smallest > 1:
        before = dc.refines(goal, dc.Shuffled(dc.RandomizedResponse(2, p=p), smallest - 1))
        assert before.holds is False


def test_where_rounding_keeps_the_ends_apart_it_is_an_interval_that_is_certified():
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(30), size=40)
    D = (1 - 1e-6) * C @ rng.dirichlet(np.full(60, 0.1), size=30) + 1e-6 * rng.dirichlet(np.ones(60), size=40)
    found = dc.deficiency(dc.Channel(C), dc.Channel(D))
    assert 0 < lowest(found) <= highest(found) < 1e-6
    witness = dc.refines(dc.Channel(C), dc.Channel(D)).witness
    assert witness.gap <= highest(found) + 1e-15


def test_what_is_too_large_is_refused():
    C, D = dc.RandomizedResponse(5, p=0.9), dc.RandomizedResponse(5, p=0.8)
    with lowered(MAX_FACTOR_TERMS=1000), pytest.raises(dc.errors.TooLargeError, match="over 1,000 mult"):
        dc.deficiency(C, D)


def test_the_gain_that_attains_it_is_the_other_side_of_the_program():
    C, D = [[1, 1], [1, 1]], [[2, 0], [1, 1]]
    halves = [[[slow.Fraction(e, 2) for e in row] for row in M] for M in (C, D)]
    assert oracle.deficiency(*halves) == slow.Fraction(1, 4)
    assert dc.deficiency(*map(doubles, halves)) == exactly(0.25)
