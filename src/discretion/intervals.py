"""Intervals: the value to quote for a number between two bounds, and certified arithmetic."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from discretion.errors import InvalidValueError

End = Literal["low", "high"]
Interval = tuple[float, float]
Operator = Literal["+", "-", "*", "/", "**"]

# The relative error of a float.
PROMISED = 1e-10
# The ends of an interval that still have a middle: at most this factor, and this share of the possible range, apart.
_MAX_RATIO, _MAX_SHARE = 2.0, 0.1
# A whole power up to this one is a rational number; others are rounded, as logarithms are, to this many floats.
_EXACT_POWER, _OFF = 64, 4
_OPERATIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
# Below it a function of the C library has no value; there it is -∞, or 0 of a square root.
_LEAST_ARGUMENT: dict[Callable[[float], float], float] = {
    math.log: 0.0,
    math.log2: 0.0,
    math.log10: 0.0,
    math.log1p: -1.0,
    math.sqrt: 0.0,
}
_LEAST_RESULT: dict[Callable[[float], float], float] = {math.exp: 0.0, math.expm1: -1.0, math.sqrt: 0.0}


def are_far_apart(low: float, high: float, span: float = math.inf) -> bool:
    """Return whether two bounds are so far apart that a number between them has no meaning.

    Examples
    --------
    >>> are_far_apart(0.5, 0.7), are_far_apart(0.5, 0.7, span=1.0), are_far_apart(0.0, 1e-9)
    (False, True, True)
    >>> are_far_apart(0.5, math.inf), are_far_apart(math.inf, math.inf)
    (True, False)
    """
    if are_alike(low, high):
        return False
    smaller, larger = sorted((abs(low), abs(high)))
    return low <= 0 <= high or larger > _MAX_RATIO * smaller or high - low > _MAX_SHARE * span


def quoted(value: float, low: float, high: float, safe: End, span: float = math.inf) -> float:
    """Return the number to quote for certified bounds: the value between close ones, else the safe end."""
    if not are_far_apart(low, high, span):
        return min(high, max(low, value))
    near = low if safe == "low" else high
    return value if low <= value <= high and are_alike(value, near) else near


def are_alike(value: float, other: float) -> bool:
    """Return whether two numbers are equal up to the error that a float may have.

    Examples
    --------
    >>> are_alike(0.5, 0.5 + 1e-13), are_alike(0.5, math.inf), are_alike(math.inf, math.inf)
    (True, False, True)
    """
    off = abs(value - other) if value != other else 0.0
    return off < math.inf and off <= max(1e-12, PROMISED * max(abs(value), abs(other)))


def other_end(end: End) -> End:
    """Return the opposite end."""
    return "low" if end == "high" else "high"


def below(number: Fraction) -> float:
    """Return the largest float that is at most the number.

    Examples
    --------
    >>> below(Fraction(23, 40)), below(Fraction(1, 10)), below(Fraction(10**400))
    (0.575, 0.09999999999999999, 1.7976931348623157e+308)
    """
    nearest = _nearest(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def above(number: Fraction) -> float:
    """Return the least float that is at least the number.

    Examples
    --------
    >>> above(Fraction(23, 40)), above(Fraction(1, 10)), above(Fraction(10**400))
    (0.5750000000000001, 0.1, inf)
    """
    nearest = _nearest(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def calculate(operator: Operator, first: Interval, second: Interval) -> Interval:
    """Return the interval of ``+ - * / **`` of two numbers, rounded outwards; its extremes are at corners.

    Raises
    ------
    InvalidValueError
        If the result has no value, such as a quotient whose divisor may be 0.

    Examples
    --------
    >>> calculate("*", (-1.0, 2.0), (3.0, 4.0)), calculate("**", (-1.0, 2.0), (2, 2))
    ((-4.0, 8.0), (0.0, 4.0))
    >>> calculate("+", (0.1, 0.1), (0.2, 0.2))
    (0.3, 0.30000000000000004)
    """
    if operator == "/" and second[0] <= 0 <= second[1]:
        raise InvalidValueError(f"the divisor may be 0: it is in {_brackets(second)}; divide by its .low or .high")
    if operator == "**":
        first = _base(first, second)
    corners = [_corner(operator, a, b) for a in first for b in second]
    ends = [ends for ends in corners if not math.isnan(ends[0])]
    if not ends:
        raise InvalidValueError(
            f"infinite numbers have no such result: got {_brackets(first)} and {_brackets(second)}; use finite bounds"
        )
    return min(low for low, _ in ends), max(high for _, high in ends)


def calculate_point(operator: Operator, a: float, b: float) -> float:
    """Return the float nearest to the result on two numbers that `calculate` takes; NaN for some infinite numbers.

    Examples
    --------
    >>> calculate_point("*", 0.0, math.inf), calculate_point("**", 1e200, 2), calculate_point("-", 3, 1)
    (0.0, inf, 2)
    """
    low, high = _corner(operator, a, b)
    if low == high or math.isnan(low):
        return low
    try:
        return _OPERATIONS[operator](float(a), float(b))
    except OverflowError:
        return high if high == math.inf else low


def rising_image(function: Callable[[float], float], interval: Interval) -> Interval:
    """Return the image of an interval under a rising function of `math`, rounded outwards.

    Raises
    ------
    InvalidValueError
        If the function has no value at the lower end.

    Examples
    --------
    >>> rising_image(math.log, (0.0, 1.0)), rising_image(math.exp, (-math.inf, 1000.0))
    ((-inf, 0.0), (0.0, inf))
    """
    least = _LEAST_ARGUMENT.get(function, -math.inf)
    if interval[0] < least:
        raise InvalidValueError(
            f"{function.__name__} has no value below {least:g}, and the number is in {_brackets(interval)}; "
            "use its .low or .high"
        )
    (low, _), (_, high) = (_image(function, end) for end in interval)
    return max(low, _LEAST_RESULT.get(function, -math.inf)), high


def _base(base: Interval, power: Interval) -> Interval:
    """Return the base of a power such that the extremes of the power are at corners."""
    fixed = power[0] == power[1]
    whole = fixed and float(power[0]).is_integer()
    if fixed and math.isinf(power[0]):
        raise InvalidValueError(f"a power must be finite, got {power[0]}")
    if base[0] < 0 and not whole:
        raise InvalidValueError(
            f"a number that may be negative has whole powers only: it is in {_brackets(base)}, the power in "
            f"{_brackets(power)}; use abs(…) of it, or its .low or .high"
        )
    if power[0] < 0 and base[0] <= 0 <= base[1]:
        raise InvalidValueError(
            f"0 has no negative power, and the number is in {_brackets(base)}; use its .low or .high"
        )
    if whole and power[0] % 2 == 0 and base[0] < 0 < base[1]:
        return 0.0, max(-base[0], base[1])
    return base


def _corner(operator: Operator, a: float, b: float) -> Interval:
    """Return the floats around the result at a corner; an infinite end is a limit, so 0 times an infinite end is 0."""
    if not (math.isfinite(a) and math.isfinite(b)):
        result = 0.0 if operator == "*" and 0 in (a, b) else _OPERATIONS[operator](float(a), float(b))
        return result, result
    if operator == "**" and not (float(b).is_integer() and abs(b) <= _EXACT_POWER):
        return _rounded_power(a, b)
    exact: Fraction = _OPERATIONS[operator](Fraction(a), int(b) if operator == "**" else Fraction(b))
    is_whole = isinstance(a, int) and isinstance(b, int) and operator != "/" and exact.denominator == 1
    if is_whole and abs(exact) < 2**1000:
        return int(exact), int(exact)
    return below(exact), above(exact)


def _rounded_power(a: float, b: float) -> Interval:
    if a in (0, 1):
        return float(a), float(a)
    low, high = _apart(lambda: math.pow(abs(a), b))
    low = max(low, 0.0)
    return (-high, -low) if a < 0 and b % 2 else (low, high)


def _image(function: Callable[[float], float], number: float) -> Interval:
    if number == _LEAST_ARGUMENT.get(function):
        result = 0.0 if function is math.sqrt else -math.inf
        return result, result
    if math.isinf(number) or (number in (0, 1) and function(number).is_integer()):  # log 1, exp 0
        return function(number), function(number)
    return _apart(lambda: function(number))


def _apart(compute: Callable[[], float]) -> Interval:
    """Return the floats around a result of the C library, whose last digits may be wrong."""
    try:
        result = compute()
    except OverflowError:
        result = math.inf
    low = high = result
    for _ in range(_OFF):
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return low, high


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _brackets(interval: Interval) -> str:
    return "[{}, {}]".format(*map(float, interval))
