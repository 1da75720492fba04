"""The worst-case and the privacy-based order, and what implies what."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import discretion as dc
from discretion.refinement import max_case_refines, privacy_refines
from oracles import refinement as oracle
from refinement.test_refines import doubles, pairs
from support.lowering import lowered


def posteriors(C):
    columns = C.matrix.T[C.matrix.any(axis=0)]
    return columns / columns.sum(axis=1, keepdims=True)


@given(pairs())
def test_in_the_worst_case_it_is_that_posteriors_are_mixtures_of_others(pair):
    C, D = map(doubles, pair)
    found = max_case_refines(C, D)
    assert found.holds is oracle.max_case(*pair)
    if found.holds:
        factor = found.certificate.factor
        assert (factor.inputs, factor.outputs) == (D.outputs, C.outputs)
        seen, shown = D.matrix.any(axis=0), C.matrix.any(axis=0)
        assert not factor.matrix[:, ~shown].any()
        mixed = factor.matrix[seen][:, shown] @ posteriors(C)
        assert np.abs(mixed - posteriors(D)).sum(axis=1).max() / 2 == pytest.approx(
            found.certificate.residual, abs=1e-14
        )
    else:
        (guess,) = found.witness.gain.guesses()
        most = [max(each @ guess) for each in (posteriors(C), posteriors(D))]
        assert found.witness.vulnerabilities == pytest.approx(most, rel=1e-13)
        assert found.witness.gap == pytest.approx(most[1] - most[0], abs=1e-14)
        assert most[1] > most[0]


@given(pairs())
def test_in_privacy_it_is_that_no_two_secrets_are_further_apart(pair):
    C, D = pair
    distances = [
        {
            (a, b): max((abs(ratio(M[a][y], M[b][y])) for y in range(len(M[0]))), default=0)
            for a in range(len(M))
            for b in range(len(M))
        }
        for M in pair
    ]
    found = privacy_refines(doubles(C), doubles(D))
    assert found.holds is all(distances[0][two] >= distances[1][two] - 1e-12 for two in distances[0])
    if not found.holds:
        a, b = found.witness.secrets
        assert found.witness.distances == pytest.approx([each[a, b] for each in distances], rel=1e-12)
        assert found.witness.gap > 0
        assert found.to_dict() == {"holds": False, "gap": found.witness.gap, "secrets": [a, b]}


def ratio(p, q):
    return 0.0 if p == q else math.inf if not p or not q else math.log(p / q)


@given(pairs())
def test_refinement_implies_it_in_the_worst_case_and_that_in_privacy(pair):
    C, D = map(doubles, pair)
    if dc.refines(C, D):
        assert max_case_refines(C, D)
    if max_case_refines(C, D):
        assert privacy_refines(C, D)


def test_neither_implies_what_is_before_it():
    every_other_time = dc.Channel([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    always = dc.RandomizedResponse(2, p=0.9)
    assert max_case_refines(every_other_time, always)
    assert not dc.refines(every_other_time, always)
    # Posteriors at the corners of the same hexagon of log ratios, of which two triangles have no mixture in common.
    C = dc.Channel([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    D = dc.Channel([[0.2, 0.4, 0.4], [0.4, 0.2, 0.4], [0.4, 0.4, 0.2]])
    assert privacy_refines(C, D)
    assert not max_case_refines(C, D)


@given(pairs(), st.integers(1, 3))
def test_how_often_an_observation_is_made_does_not_matter(pair, times):
    C, D = map(doubles, pair)
    assume(C.secrets > 1)
    rare = 1e-14 * times
    mixed = dc.visible_choice([C, dc.Channel(np.ones((C.secrets, 1)))], [rare, 1 - rare])
    if max_case_refines(C, D):
        assert max_case_refines(mixed, D)


@pytest.mark.parametrize("order", [max_case_refines, privacy_refines])
def test_what_is_too_large_is_left_open(order):
    huge = dc.RandomizedResponse(10**5, p=0.9)
    with lowered(MAX_ENTRIES=10**4):
        found = order(huge, huge)
    assert found.holds is None
    assert "more than 10,000 entries" in found.reason
    with pytest.raises(dc.errors.InvalidChannelError, match=r"\(2\) and the second's \(3\)"):
        order(dc.RandomizedResponse(2, p=0.9), dc.RandomizedResponse(3, p=0.9))


def test_an_infinite_distance_is_refined_by_any():
    known, noisy = dc.Channel(np.eye(3)), dc.RandomizedResponse(3, p=0.9)
    assert privacy_refines(known, noisy)
    assert privacy_refines(known, known)
    assert privacy_refines(noisy, known).witness.gap == math.inf


@pytest.mark.parametrize("rare", [1e-12, 1e-13, 1e-15, 1e-100, 1e-300])
def test_an_observation_that_excludes_a_secret_however_rarely_leaves_no_order_standing(rare):
    nothing = dc.Channel([[1.0, 0.0], [1.0, 0.0]])
    tiny = dc.Channel([[1.0 - rare, rare], [1.0, 0.0]])
    assert privacy_refines(nothing, tiny).holds is False
    for order in (dc.refines, max_case_refines):
        assert order(nothing, tiny).holds is not True
    found = dc.refines(nothing, tiny)
    assert found.holds is False or "distinguishes" in found.reason


@pytest.mark.parametrize("seed", range(60))
def test_no_perturbation_breaks_what_the_orders_imply(seed):
    """Factors hold within 1e-12, privacy to all digits: a verdict of the first must not contradict the second."""
    rng = np.random.default_rng(seed)
    k, m, n = rng.integers(2, 4, size=3)
    M = rng.random((k, m)) * 10.0 ** -rng.integers(0, 14, (k, m)) * (rng.random((k, m)) < 0.8)
    M[:, 0] += 0.1
    M /= M.sum(axis=1, keepdims=True)
    R = rng.random((m, n)) + 0.01
    D = M @ (R / R.sum(axis=1, keepdims=True))
    D += 10.0 ** -rng.integers(11, 17) * rng.random(D.shape) * (rng.random(D.shape) < 0.4)
    C, D = dc.Channel(M), dc.Channel(D / D.sum(axis=1, keepdims=True))
    for order in (dc.refines, max_case_refines):
        assert not (order(C, D).holds and privacy_refines(C, D).holds is False)
