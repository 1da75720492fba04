"""Floats next to a number, and arithmetic of intervals that leaves no possible number out."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from discretion.errors import InvalidValueError
from discretion.interval_text import shortest
from discretion.intervals import Operator, above, below, calculate, calculate_point, rising_image
from discretion.presenting.numbers import rounded_down, rounded_up
from oracles import interval_arithmetic


@pytest.mark.long
@given(st.fractions(-2, 2, max_denominator=10**40))
def test_the_floats_on_both_sides_of_a_number(number: Fraction) -> None:
    low, high = below(number), above(number)
    assert low <= number <= high
    assert low == high == number or math.nextafter(low, math.inf) == high


@given(st.integers(0, 10**5), st.sampled_from([10**5, 3 * 10**4, 7**5]))
def test_an_end_rounded_outwards_is_printed_as_what_it_was_an_end_of(numerator: int, denominator: int) -> None:
    number = Fraction(numerator, denominator)
    up, down = rounded_up(above(number), 6), rounded_down(below(number), 6)
    assert Fraction(down) <= number <= Fraction(up)
    if denominator == 10**5:
        ends = shortest(above(number), -math.inf), shortest(below(number), math.inf)
        assert Fraction(ends[0]) == Fraction(ends[1]) == number


def test_the_shortest_number_is_no_further_than_the_next_float() -> None:
    assert [str(shortest(above(Fraction(x, 40)), -math.inf)) for x in (4, 10, 23)] == ["0.1", "0.25", "0.575"]


OPERATIONS: dict[Operator, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-2, 2),
    st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1.7976931348623157e308, 0.1, 1e-300]),
)
INTERVALS = st.one_of(
    st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends))), NUMBERS.map(lambda number: (number, number))
)


def is_next_to(end: float, extreme: Fraction) -> bool:
    return below(extreme) <= end <= above(extreme)


@given(st.sampled_from(sorted(OPERATIONS)), INTERVALS, INTERVALS)
def test_arithmetic_holds_every_number_and_is_no_wider_than_floats_make_it(sign, first, second) -> None:
    if sign == "/" and second[0] <= 0 <= second[1]:
        with pytest.raises(InvalidValueError, match="divisor may be 0"):
            calculate(sign, first, second)
        return
    low, high = calculate(sign, first, second)
    possible = interval_arithmetic.images(OPERATIONS[sign], first, second)
    assert low <= min(possible) and max(possible) <= high
    assert is_next_to(low, min(possible)) and is_next_to(high, max(possible))
    value = calculate_point(sign, first[0], second[1])
    assert low <= value <= high


@given(INTERVALS, st.integers(-12, 12))
def test_whole_powers_hold_every_number_and_are_no_wider_than_floats_make_them(base, power) -> None:
    if power < 0 and base[0] <= 0 <= base[1]:
        with pytest.raises(InvalidValueError, match="0 has no negative power"):
            calculate("**", base, (power, power))
        return
    low, high = calculate("**", base, (power, power))
    possible = interval_arithmetic.images(lambda a, b: a ** int(b), base, (power, power))
    assert low <= min(possible) and max(possible) <= high
    assert is_next_to(low, min(possible)) and is_next_to(high, max(possible))


POSITIVE = st.one_of(st.floats(1e-9, 50), st.sampled_from([0.5, 1.0, 2.0, 1e-300, 1e300]))
POWERS = st.floats(-100, 100)


@given(st.tuples(POSITIVE, POSITIVE), st.tuples(POWERS, POWERS), st.floats(0, 1), st.floats(0, 1))
def test_powers_hold_what_many_digits_make_of_any_number_inside(bases, powers, share, other) -> None:
    mpmath = pytest.importorskip("mpmath")
    base, power = (min(bases), max(bases)), (min(powers), max(powers))
    low, high = calculate("**", base, power)
    x, y = inside(*base, share), inside(*power, other)
    with mpmath.workdps(60):
        exact = mpmath.mpf(x) ** mpmath.mpf(y)
        assert low <= exact <= high


@given(st.sampled_from([-2.0, -3.0, -0.5]), st.sampled_from([65, 66, 101, 1000, 1001, 1e300]))
def test_large_whole_powers_of_negative_numbers_have_their_sign(base, power) -> None:
    low, high = calculate("**", (base, base), (power, power))
    assert high <= 0 if power % 2 else low >= 0
    assert low < high


FUNCTIONS = {
    math.log: (0.0, 1e308),
    math.log2: (0.0, 1e308),
    math.log10: (0.0, 1e308),
    math.log1p: (-1.0, 1e308),
    math.exp: (-800.0, 800.0),
    math.expm1: (-800.0, 800.0),
    math.sqrt: (0.0, 1e308),
}


@given(st.sampled_from(list(FUNCTIONS)), st.data(), st.floats(0, 1))
def test_rising_functions_hold_what_many_digits_make_of_any_number_inside(function, data, share) -> None:
    mpmath = pytest.importorskip("mpmath")
    least, most = FUNCTIONS[function]
    numbers = st.one_of(st.floats(least, most), st.floats(max(least, -2), 2))
    interval = tuple(sorted((data.draw(numbers), data.draw(numbers))))
    low, high = rising_image(function, interval)
    x = inside(*interval, share)
    with mpmath.workdps(800):
        special = {math.log2: lambda x: mpmath.log(x) / mpmath.log(2), math.log1p: lambda x: mpmath.log(1 + x)}
        exact = special.get(function, getattr(mpmath, function.__name__))(mpmath.mpf(x))
        assert low <= exact <= high
    if low > -math.inf and high < math.inf:
        ends = function(interval[0]), function(interval[1])
        assert all(math.isclose(*pair, rel_tol=1e-14, abs_tol=5e-323) for pair in zip((low, high), ends, strict=True))


def inside(low: float, high: float, share: float) -> float:
    return min(max(low * (1 - share) + high * share, low), high)


@pytest.mark.parametrize(
    ("sign", "first", "second", "ends"),
    [
        ("*", (0.0, 1.0), (0.0, math.inf), (0.0, math.inf)),
        ("*", (-1.0, 1.0), (1.0, math.inf), (-math.inf, math.inf)),
        ("-", (0.0, math.inf), (0.0, math.inf), (-math.inf, math.inf)),
        ("/", (1.0, math.inf), (1.0, math.inf), (0.0, math.inf)),
        ("/", (1.0, 1.0), (2.0, math.inf), (0.0, 0.5)),
        ("**", (2.0, 2.0), (0.0, math.inf), (1.0, math.inf)),
        ("**", (0.5, 2.0), (0.0, math.inf), (0.0, math.inf)),
        ("**", (-math.inf, 1.0), (2, 2), (0.0, math.inf)),
        ("**", (-math.inf, 1.0), (3, 3), (-math.inf, 1.0)),
        ("**", (0.0, 0.0), (0, 0), (1, 1)),
        ("**", (0.0, 0.0), (0.5, 0.5), (0.0, 0.0)),
        ("+", (1e308, 1e308), (1e308, 1e308), (1.7976931348623157e308, math.inf)),
        ("*", (5e-324, 5e-324), (0.5, 0.5), (0.0, 5e-324)),
    ],
)
def test_infinite_ends_and_those_that_leave_the_floats(sign, first, second, ends) -> None:
    assert calculate(sign, first, second) == ends


@pytest.mark.parametrize(
    ("sign", "first", "second", "message"),
    [
        ("/", (1.0, 1.0), (0.0, 0.5), "divisor may be 0"),
        ("/", (1.0, 1.0), (0.0, 0.0), "divisor may be 0"),
        ("**", (0.5, 0.5), (math.inf, math.inf), "power must be finite"),
        ("**", (-0.5, 0.5), (0.5, 0.5), "whole powers only"),
        ("**", (-0.5, 0.5), (1, 2), "whole powers only"),
        ("**", (0.0, 0.5), (-0.5, 1.0), "0 has no negative power"),
        ("-", (math.inf, math.inf), (math.inf, math.inf), "infinite numbers have no such result"),
        ("/", (math.inf, math.inf), (math.inf, math.inf), "infinite numbers have no such result"),
    ],
)
def test_what_has_no_value_is_refused_in_a_sentence(sign, first, second, message) -> None:
    with pytest.raises(InvalidValueError, match=message):
        calculate(sign, first, second)
