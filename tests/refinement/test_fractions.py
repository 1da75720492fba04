"""Channels of fractions: what proves a verdict is exact."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import discretion as dc
from discretion.refinement import compare_all
from oracles import measures as slow, refinement as oracle
from oracles.channels import cascade
from refinement.test_refines import pairs
from support.lowering import lowered

F = Fraction


@given(pairs())
@settings(max_examples=15)
def test_a_verdict_is_proved_without_rounding(pair):
    C, D = pair
    found = dc.refines(dc.Channel(C), dc.Channel(D))
    assert found.holds is (oracle.deficiency(C, D) == 0)
    if found.holds:
        factor = found.certificate.factor.matrix.tolist()
        assert cascade(C, factor) == D
        assert all(min(row) >= 0 and sum(row) == 1 for row in factor)
        assert found.certificate.residual == 0
        assert isinstance(found.certificate.residual, Fraction)
    else:
        prior, gain = found.witness.prior.tolist(), found.witness.gain.guesses()
        assert sum(prior) == 1
        of_both = [slow.posterior_vulnerability(M, prior, np.vectorize(Fraction)(gain)) for M in pair]
        assert found.witness.vulnerabilities == pytest.approx(tuple(map(float, of_both)), rel=1e-12)
        assert isinstance(found.witness.gap, Fraction)
        assert found.witness.gap > 0


def test_a_gap_that_doubles_cannot_hold_is_one():
    tiny = F(1, 10**13)
    C, D = [[F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)]], [[F(1, 2) + tiny, F(1, 2) - tiny], [F(1, 3), F(2, 3)]]
    found = dc.refines(dc.Channel(C), dc.Channel(D))
    assert found.holds is False
    assert found.to_dict()["gap"] == float(found.witness.gap)
    assert 0 < found.witness.gap <= oracle.deficiency(C, D) < tiny
    assert dc.refines(dc.Channel(D), dc.Channel(C)).holds is True
    rounded = [dc.Channel(np.array(M, dtype=float)) for M in (C, D)]
    assert dc.refines(*rounded).holds is True  # within 1e-12
    assert dc.deficiency(*rounded) == 0


def test_a_factor_that_takes_too_long_to_solve_for_is_that_in_doubles():
    C = dc.Channel([[F(9, 10), F(1, 10)], [F(1, 5), F(4, 5)]])
    D = C >> dc.Channel([[F(1, 3), F(2, 3)], [F(1, 7), F(6, 7)]])
    with lowered(MAX_FRACTIONS=8):
        certificate = dc.refines(C, D).certificate
    assert 0 < certificate.residual < 1e-15
    assert all(sum(row) == 1 for row in certificate.factor.matrix)
    assert dc.refines(C, D).certificate.residual == 0


def test_several_are_ordered_by_products_of_exact_factors():
    C = dc.Channel([[F(9, 10), F(1, 10)], [F(1, 5), F(4, 5)]])
    R = dc.Channel([[F(2, 3), F(1, 3)], [F(1, 7), F(6, 7)]])
    order = compare_all({"C": C, "CR": C >> R, "CRR": C >> R >> R})
    assert order.relations["C", "CRR"].certificate.residual == 0
    assert [low for low, _ in order.covers] == [("C",), ("CR",)]
    assert order.relations["CRR", "C"].witness.gap > 0
