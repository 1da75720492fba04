"""Numbers as a person says them."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from tacit.estimate import Estimate
from tacit.numerics.rounding import shortest
from tacit.printable import printable

_LONGEST_VALUE = 40


def odds(share: float) -> str:
    """Return a share of people or of tries in odds: "about 1 in 49", "about 52 in 100".

    Examples
    --------
    >>> odds(0.0206), odds(0.5225), odds(0.0), odds(1.0), odds(1e-7)
    ('about 1 in 49', 'about 52 in 100', 'none', 'all', 'about 1 in 10,000,000')
    >>> odds(0.5)
    'about 1 in 2'
    """
    if share <= 0:
        return "none"
    if share >= 1:
        return "all"
    if share > 0.999:
        return "more than 999 in 1,000"
    if share > 0.99:
        return f"about {round(1000 * share)} in 1,000"
    if share > 0.095 and round(100 * share) != 50:
        return f"about {round(100 * share)} in 100"
    return f"about 1 in {_two_digits(1 / share):,}"


def number(count: int) -> str:
    """Return a whole number, a very large one by its size.

    Examples
    --------
    >>> number(16383), number(2**1000)
    ('16,383', 'about 10^301')
    """
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"


def times(share: float) -> str:
    """Return how often a guess is right, as an adverb.

    Examples
    --------
    >>> times(0.76), times(0.0), times(1.0)
    ('about 76 in 100 times', 'never', 'always')
    """
    return {"none": "never", "all": "always"}.get(said := odds(share), f"{said} times")


def percent(share: float) -> str:
    """Return a share in per cent with four significant digits; 100 % is said of all only.

    Examples
    --------
    >>> percent(0.0206074752), percent(1.0), percent(0.00001234), percent(32560 / 32561), percent(3e-8)
    ('2.061 %', '100 %', '0.001234 %', 'over 99.99 %', 'under 0.0001 %')
    """
    digits = f"{100 * share:.4g}"
    if digits == "100" and share < 1:
        return "over 99.99 %"
    return "under 0.0001 %" if "e" in digits else f"{digits} %"


def at_most(bound: float) -> str:
    """Return an upper bound in per cent, rounded upwards.

    Examples
    --------
    >>> at_most(0.123449), at_most(1.0), at_most(0.25)
    ('at most 12.35 %', 'at most 100 %', 'at most 25 %')
    """
    return f"at most {_rounded(shortest(bound, -math.inf), ROUND_CEILING)}"


def points(share: float) -> str:
    """Return an error of a share, in percentage points.

    Examples
    --------
    >>> points(0.00866), points(0.0)
    ('0.866 points', '0 points')
    """
    return f"{100 * share:.3g} points"


def people(count: float) -> str:
    """Return a number of people.

    Examples
    --------
    >>> people(1), people(0), people(32561), people(1.3)
    ('1 person', 'nobody', '32,561 people', '1.3 people')
    """
    if count == 0:
        return "nobody"
    return "1 person" if counted(count) == "1" else f"{counted(count)} people"


def counted(count: float) -> str:
    """Return a number, with a decimal where it is small and not whole.

    Examples
    --------
    >>> counted(0.42), counted(7), counted(1234.5)
    ('0.4', '7', '1,234')
    """
    return f"{count:.1f}" if count < 10 and count != int(count) else f"{count:,.0f}"


def short(value: str) -> str:
    """Return a value as far as it fits a table.

    Examples
    --------
    >>> short("Oslo"), len(short("x" * 1_000_000))
    ('Oslo', 40)
    """
    return value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…"


def listed(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns."""
    return ", ".join(map(printable, columns))


def briefly(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns, or their number if these are many.

    Examples
    --------
    >>> briefly(("sex", "race")), briefly(tuple("abcde"))
    ('sex, race', '5 columns')
    """
    return listed(columns) if len(columns) <= 4 else f"{len(columns)} columns"


def bounded(value: float | Estimate) -> str:
    """Return a guess in per cent: a certified one by what it is at most, another with its interval.

    Examples
    --------
    >>> bounded(0.25), bounded(Estimate(0.2, 0.1, 0.25, None, "bound"))
    ('25 %', 'at most 25 %')
    >>> bounded(Estimate(0.2, 0.1, 0.25, 0.95, "tries"))
    '20 % (95 %: 10 % to 25 %)'
    """
    if not isinstance(value, Estimate):
        return percent(value)
    return at_most(value.high) if value.certified else interval(value)


def interval(estimate: Estimate) -> str:
    """Return an estimated share in per cent with its interval, whose ends are rounded outwards, and how sure that is.

    Examples
    --------
    >>> interval(Estimate(0.012, 0.00012, 0.02500001, 0.95, "counts"))
    '1.2 % (95 %: 0.012 % to 2.501 %)'
    >>> interval(Estimate(0.5, 0.5, 0.5, None, "product", assuming="independent columns"))
    '50 % (assuming independent columns: 50 % to 50 %)'
    """
    sure = [] if estimate.confidence is None else [percent(estimate.confidence)]
    sure += [] if estimate.assuming is None else [f"assuming {estimate.assuming}"]
    low = _rounded(shortest(estimate.low, math.inf), ROUND_FLOOR)
    high = _rounded(shortest(estimate.high, -math.inf), ROUND_CEILING)
    return f"{percent(estimate.value)} ({', '.join(sure) or 'certified'}: {low} to {high})"


def _rounded(share: Decimal, rounding: str) -> str:
    percentage = share * 100
    place = Decimal(1).scaleb(percentage.adjusted() - 3)
    return f"{min(Decimal(100), percentage.quantize(place, rounding)).normalize():f} %"


def _two_digits(number: float) -> int:
    return int(float(f"{number:.2g}")) if number >= 100 else round(number)
