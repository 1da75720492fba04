"""Sums of two binomials for all ways to split the draws between them, against products of polynomials in Fractions."""

from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.laws.split_binomials import split_binomials

LAWS = {
    "apart": ([0.75, 0.25], [0.25, 0.75]),
    "alike": ([0.5, 0.5], [0.5, 0.5]),
    "certain": ([1.0, 0.0], [0.0, 1.0]),
    "never a hit": ([0.0, 1.0], [0.125, 0.875]),
    "rare": ([2.0**-20, 1 - 2.0**-20], [0.875, 0.125]),
}


def product(n, laws):
    law = [Fraction(1)]
    for hit, miss in laws:
        law = [miss * a + hit * b for a, b in zip([*law, 0], [0, *law], strict=True)]
    assert len(law) == n + 1
    return law


@pytest.mark.long
@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize("n", [0, 1, 2, 8, 9, 40])
def test_every_split_has_all_its_digits(laws, n):
    first, second = ([Fraction(p) for p in law] for law in LAWS[laws])
    found = np.vstack(list(split_binomials(n, *map(np.array, LAWS[laws]))))
    assert found.shape == (n + 1, n + 1)
    for c, law in enumerate(found):
        expected = product(n, [first] * c + [second] * (n - c))
        assert law.tolist() == pytest.approx(list(map(float, expected)), rel=1e-12, abs=0)
