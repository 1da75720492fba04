"""The lower envelope of sums of lines is that of all pairs."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

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
