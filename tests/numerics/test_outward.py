"""Floats next to a number, on the side that is asked for."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from discretion.numerics.outward import float_above, float_below
from discretion.presenting.numbers import rounded_down, rounded_up, shortest


@pytest.mark.long
@given(st.fractions(-2, 2, max_denominator=10**40))
def test_the_floats_on_both_sides_of_a_number(number: Fraction) -> None:
    low, high = float_below(number), float_above(number)
    assert low <= number <= high
    assert low == high == number or math.nextafter(low, math.inf) == high


@given(st.integers(0, 10**5), st.sampled_from([10**5, 3 * 10**4, 7**5]))
def test_an_end_rounded_outwards_is_printed_as_what_it_was_an_end_of(numerator: int, denominator: int) -> None:
    number = Fraction(numerator, denominator)
    up, down = rounded_up(float_above(number), 6), rounded_down(float_below(number), 6)
    assert Fraction(down) <= number <= Fraction(up)
    if denominator == 10**5:
        ends = shortest(float_above(number), -math.inf), shortest(float_below(number), math.inf)
        assert Fraction(ends[0]) == Fraction(ends[1]) == number


def test_the_shortest_number_is_no_further_than_the_next_float() -> None:
    assert [str(shortest(float_above(Fraction(x, 40)), -math.inf)) for x in (4, 10, 23)] == ["0.1", "0.25", "0.575"]
