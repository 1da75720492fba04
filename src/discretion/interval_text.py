"""Write a number with its interval as text, with bounds rounded outwards so that the printed interval still holds."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from discretion.errors import InvalidValueError
from discretion.intervals import End

_SPEC = re.compile(
    r"(?P<align>(?:.?[<>=^])?)(?P<head>[-+ ]?z?#?)(?P<width>0?\d*)"
    r"(?P<group>[,_]?)(?P<precision>(?:\.\d+)?)(?P<kind>[eEfFgGn%]?)",
    re.DOTALL,
)
_SIGNIFICANT = {"e": 1, "E": 1, "g": 0, "G": 0, "n": 0, "": 0}
_DECIMALS = 1074  # of a float
_ROUNDING = {"low": ROUND_FLOOR, "high": ROUND_CEILING}


def with_interval(value: float, low: float, high: float, spec: str, value_end: End | None = None) -> str:
    """Return a number and its interval in one format, such as ``0.123 [0.100, 0.150]``.

    Parameters
    ----------
    value, low, high
        The number, and the ends of its interval, which are rounded outwards.
    spec
        The format of a float. An alignment and a width apply to the whole text.
    value_end
        The end that the value stands for, and as which it is rounded; None if the value is a best guess.

    Raises
    ------
    InvalidValueError
        If ``spec`` is not a format of a float.

    Examples
    --------
    >>> with_interval(0.1234, 0.1009, 0.15001, ".3f"), with_interval(0.15001, 0.0, 0.15001, ".1%", "high")
    ('0.123 [0.100, 0.151]', '15.1% [0.0%, 15.1%]')
    >>> with_interval(2.0, 1.0, 3.0, "*>16.1f")
    '**2.0 [1.0, 3.0]'
    """
    whole = _SPEC.fullmatch(spec)
    if whole is None:
        raise InvalidValueError(f"a number has no format {spec!r}; allowed are formats such as '.3f', '.4g' and '.1%'")
    part = whole.expand(r"\g<head>\g<group>\g<precision>\g<kind>")

    def text(number: float, end: End | None) -> str:
        return format(number if end is None else _outwards(number, end, whole["precision"], whole["kind"]), part)

    align = (whole["align"] or ">").replace("=", ">")
    return format(f"{text(value, value_end)} [{text(low, 'low')}, {text(high, 'high')}]", align + whole["width"])


def in_latex(value: float, low: float, high: float, value_end: End | None = None) -> str:
    r"""Return a number and its interval as LaTeX.

    Examples
    --------
    >>> print(in_latex(1e-07, 0.0, math.inf))
    $1 \times 10^{-7}\ [0,\, \infty]$
    """
    text = with_interval(value, low, high, ".6g", value_end).replace("inf", r"\infty")
    text = re.sub(r"e([-+])0*(\d+)", lambda power: rf" \times 10^{{{power[1].strip('+')}{power[2]}}}", text)
    return "$" + text.replace(" [", r"\ [").replace(", ", r",\, ") + "$"


def rounded_outwards(number: float, digits: int | None, end: End) -> float:
    """Return an end of an interval rounded outwards to this many decimals, or to a whole number.

    Examples
    --------
    >>> rounded_outwards(0.1239, 3, "low"), rounded_outwards(0.1231, 3, "high"), rounded_outwards(0.5, None, "high")
    (0.123, 0.124, 1)
    """
    if not math.isfinite(number) or (digits or 0) > _DECIMALS:
        return number
    whole = _decimal(number, end).quantize(Decimal(1).scaleb(-(digits or 0)), context=Context(2000, _ROUNDING[end]))
    return int(whole) if digits is None or isinstance(number, int) else float(whole)


def shortest(end: float, inwards: float) -> Decimal:
    """Return the number with the fewest digits that rounds to this float, or to the next float in a direction.

    Examples
    --------
    >>> shortest(0.5750000000000001, -math.inf), shortest(0.1, -math.inf)
    (Decimal('0.575'), Decimal('0.1'))
    """
    texts = [repr(number) for number in (float(end), math.nextafter(end, inwards)) if number or not end]
    return Decimal(min(texts, key=len))


def _outwards(number: float, end: End, precision: str, kind: str) -> float:
    if not math.isfinite(number) or not (precision or kind):
        return number
    digits = int(precision[1:]) if precision else 6
    if kind in _SIGNIFICANT:
        context = Context(max(1, digits + _SIGNIFICANT[kind]), _ROUNDING[end])
        return float(context.create_decimal(_decimal(number, end)))
    return float(rounded_outwards(float(number), digits + 2 * (kind == "%"), end))


def _decimal(number: float, end: End) -> Decimal:
    """Return the number from which an end was rounded outwards."""
    return Decimal(number) if isinstance(number, int) else shortest(number, math.inf if end == "low" else -math.inf)
