"""The lower envelope of sums of lines is that of all pairs."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from discretion.anonymity.exposure.envelope import combine_lines
from discretion.numerics.convex_hulls import lower_envelope

line = st.tuples(st.integers(0, 60), st.integers(1, 60), st.just(()))
some_lines = st.lists(line, min_size=1, max_size=25)
limits = st.tuples(st.integers(1, 5), st.integers(1, 400))


def least(lines: list[Any], s: Fraction, limit: int) -> Fraction:
    return min([Fraction(limit), *(a + s * b for a, b, _ in lines)])


@given(some_lines, st.fractions(Fraction(1, 100), 100))
def test_it_is_the_least_everywhere(lines: list[Any], s: Fraction) -> None:
    kept = lower_envelope(lines)
    assert min(a + s * b for a, b, _ in kept) == min(a + s * b for a, b, _ in lines)
    assert all(left[0] < right[0] and left[1] > right[1] for left, right in pairwise(kept))


@given(some_lines, some_lines, limits, st.fractions(0, 400))
def test_combined_it_is_that_of_all_pairs(
    lines: list[Any], others: list[Any], ends: tuple[int, int], more: Fraction
) -> None:
    start, limit = ends
    found = combine_lines(lower_envelope(lines), lower_envelope(others), start, limit)
    pairs = [(a + c, b * d, ()) for a, b, _ in lines for c, d, _ in others]
    assert least(found, start + more, limit) == least(pairs, start + more, limit)


def test_of_floats_two_sums_may_be_the_same_line_but_for_their_rounding() -> None:
    lines = [(0.06801489649888151, 714.0, ()), (0.3581216669199866, 153.0, ()), (0.7743579845136999, 48.0, ())]
    others = [(0.008613211200951196, 14.0, ()), (0.29871998162205626, 3.0, ())]
    slack = 1.715224910026772e-06
    pairs = [(a + c, b * d, ()) for a, b, _ in lines for c, d, _ in others]
    for s in (slack, 1e-4, 1e-2, 1.0):
        found = min([1.0, *(a + s * b for a, b, _ in combine_lines(lines, others, slack, 1.0))])
        assert found == pytest.approx(min([1.0, *(a + s * b for a, b, _ in pairs)]), rel=1e-15)
