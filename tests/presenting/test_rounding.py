"""Printed ends of intervals hold."""

import math
from fractions import Fraction

from hypothesis import given, strategies as st

from discretion.presenting.numbers import rounded_down, rounded_up

VALUES = st.floats(1e-290, 1e290) | st.floats(-1e290, -1e-290)


@given(VALUES, st.integers(1, 12))
def test_what_is_printed_is_on_the_outside_and_near(value, digits):
    down, up = Fraction(rounded_down(value, digits)), Fraction(rounded_up(value, digits))
    assert down <= Fraction(repr(value)) <= up
    assert up - down <= abs(Fraction(repr(value))) * Fraction(10) ** (1 - digits)


@given(st.integers(-999, 999))
def test_what_fits_stays(number):
    assert rounded_down(number, 3) == rounded_up(number, 3) == f"{number}"


def test_a_float_is_the_shortest_number_that_rounds_to_it():
    assert (rounded_up(0.23, 4), rounded_down(0.29, 4)) == ("0.23", "0.29")


def test_infinity_is_its_own_end():
    assert (rounded_up(math.inf, 6), rounded_down(-math.inf, 6)) == ("inf", "-inf")
