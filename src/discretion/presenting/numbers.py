"""Numbers in words and digits for a reader."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Literal, cast

from discretion.estimate import Estimate, is_wide
from discretion.interval_text import shortest
from discretion.intervals import End

_Word = Literal["between", "at most", "at least", ""]

_AT_ENDS: dict[str, _Word] = {"upper bound": "at most", "lower bound": "at least", "best guess": ""}
_SIGNS = {"at most": "≤ ", "at least": "≥ ", "": ""}
# The spaces in a sentence at which no line ends: between a number and its unit.
WITHIN_NUMBERS = re.compile(r"(?<=\d) (?=%|people\b|person\b|points\b|in \d)|(?<=\d in) (?=\d)|(?<=ε) (?==)|(?<=ε =) ")


def odds(share: float) -> str:
    """Return a share of people or of tries as odds, such as "about 1 in 49" or "about 52 in 100".

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
    """Return a whole number in digits, and a very large one by its power of ten.

    Examples
    --------
    >>> number(16383), number(2**1000)
    ('16,383', 'about 10^301')
    """
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"


def times(share: float) -> str:
    """Return the share of correct guesses as an adverb.

    Examples
    --------
    >>> times(0.76), times(0.0), times(1.0)
    ('about 76 in 100 times', 'never', 'always')
    """
    return {"none": "never", "all": "always"}.get(odds(share), f"{odds(share)} times")


def percent(share: float, digits: int = 4) -> str:
    """Return a share in per cent with this number of significant digits; only a share of 1 is "100 %".

    Examples
    --------
    >>> percent(0.0206074752), percent(1.0), percent(0.00001234), percent(32560 / 32561), percent(3e-8)
    ('2.061 %', '100 %', '0.001234 %', 'over 99.99 %', 'under 0.0001 %')
    >>> percent(0.0206074752, 3), percent(0.9996, 3), percent(0.9996, 2), percent(1, 2)
    ('2.06 %', 'over 99.9 %', 'over 99 %', '100 %')
    """
    number = f"{100 * share:.{digits}g}"
    if float(number) == 100:
        return "100 %" if share >= 1 else f"over {('99.' + '9' * (digits - 2)).removesuffix('.')} %"
    return "under 0.0001 %" if "e" in number else f"{number} %"


def percent_upwards(bound: float, digits: int = 4) -> str:
    """Return an upper bound in per cent, rounded upwards.

    Examples
    --------
    >>> percent_upwards(0.123449), percent_upwards(0.123449, 3), percent_upwards(1.0)
    ('12.35 %', '12.4 %', '100 %')
    """
    return _rounded(shortest(bound, -math.inf), ROUND_CEILING, digits)


def at_most(bound: float, digits: int = 4) -> str:
    """Return an upper bound in per cent, marked as one.

    Examples
    --------
    >>> at_most(0.123449), at_most(1.0), at_most(0.25)
    ('at most 12.35 %', 'at most 100 %', 'at most 25 %')
    """
    return f"at most {percent_upwards(bound, digits)}"


def points(share: float) -> str:
    """Return an error of a share, in percentage points.

    Examples
    --------
    >>> points(0.00866), points(0.0)
    ('0.866 points', '0 points')
    """
    return f"{in_points(share)} points"


def in_points(share: float) -> str:
    """Return an error of a share in percentage points, without the unit.

    Examples
    --------
    >>> in_points(0.00866), in_points(0.4), in_points(12.345)
    ('0.866', '40', '1,234')
    """
    return f"{100 * share:.3g}" if 100 * share < 999.5 else f"{100 * share:,.0f}"


def bits(entropy: float) -> str:
    """Return an entropy in bits, without the unit.

    Examples
    --------
    >>> bits(2.58496)
    '2.585'
    """
    return f"{entropy:.3f}"


def factor(ratio: float) -> str:
    """Return the factor by which a guess improves.

    Examples
    --------
    >>> factor(4 / 3)
    '1.333'
    """
    return f"{ratio:.3f}"


def security(beta: float) -> str:
    """Return a Bayes security.

    Examples
    --------
    >>> security(2 / 3), security(1.0)
    ('0.6667', '1.0000')
    """
    return f"{beta:.4f}"


def closeness(t: float) -> str:
    """Return a distance of t-closeness.

    Examples
    --------
    >>> closeness(2 / 3), closeness(0.0)
    ('0.6667', '0')
    """
    return f"{t:.4g}"


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
    """Return a number, with a decimal if it is small and not whole.

    Examples
    --------
    >>> counted(0.42), counted(7), counted(1234.5)
    ('0.4', '7', '1,234')
    """
    return f"{count:.1f}" if count < 10 and count != int(count) else f"{count:,.0f}"


def bounded(value: float | Estimate) -> str:
    """Return a share in per cent: a certified one as an upper bound, another estimate with its interval.

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
    """Return an estimated share in per cent with its interval, rounded outwards, and its confidence.

    Examples
    --------
    >>> interval(Estimate(0.012, 0.00012, 0.02500001, 0.95, "counts"))
    '1.2 % (95 %: 0.012 % to 2.501 %)'
    >>> interval(Estimate(0.5, 0.5, 0.5, None, "product", assuming="independent columns"))
    '50 % (assuming independent columns: 50 % to 50 %)'
    >>> interval(Estimate(1.0, 0.0, 1.0, 0.95, "too few tries"))
    'not known (95 %: 0 % to 100 %)'
    >>> interval(Estimate(0.12344, 0.0, 0.12344, 0.95, "limits of counts"))
    'at most 12.35 % (95 %: 0 % to 12.35 %)'
    """
    sure = [] if estimate.confidence is None else [percent(estimate.confidence)]
    sure += [] if estimate.assuming is None else [f"assuming {estimate.assuming}"]
    low = _rounded(shortest(estimate.low, math.inf), ROUND_FLOOR)
    high = percent_upwards(estimate.high)
    bounds = {"at most": f"at most {high}", "at least": f"at least {low}", "between": f"between {low} and {high}"}
    value = "not known" if is_any_share(estimate) else bounds.get(_word(estimate), percent(estimate.value))
    return f"{value} ({', '.join(sure) or 'certified'}: {low} to {high})"


def within(estimate: Estimate) -> str:
    """Return the interval of a number, rounded outwards, with its confidence or assumption."""
    words = [f"in [{_end(estimate.low, 6, 'low')}, {_end(estimate.high, 6, 'high')}]"]
    if estimate.certified:
        words.insert(0, "certified")
    if estimate.confidence is not None:  # with all digits: 99.9% is not 100%
        words.insert(0, f"{(Decimal(str(estimate.confidence)) * 100).normalize():f} % sure")
    if estimate.assuming is not None:
        words.append(f"assuming {estimate.assuming}")
    return " ".join(words)


def in_full(value: Any) -> str:
    """Return a result with its digits, a best guess with six.

    A bound is marked as one and rounded outwards; a wide interval is returned by its bounds and not by a middle.

    Examples
    --------
    >>> in_full(0.1 + 0.2), in_full(Estimate(0.2, 0.1, 0.3, 0.95, "tries")), in_full((0, 2))
    ('0.3', '0.2', '0, 2')
    >>> in_full(Estimate(1.0, 0.0, 1.0, None, "bound")), in_full(Estimate(0.9, 0.9, 1.0, None, "bound"))
    ('at most 1', 'at least 0.9')
    >>> in_full(Estimate.between(1.23e-5, 0.05, "bound"))
    'between 1.23e-05 and 0.05'
    """
    if isinstance(value, Estimate):
        if (word := _word(value)) == "between":
            return f"between {_end(value.low, 6, 'low')} and {_end(value.high, 6, 'high')}"
        return f"{word} {_outwards(value, word, 6)}".lstrip()
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item:.6g}" for key, item in cast(dict[str, float], value).items())
    if isinstance(value, tuple):
        return ", ".join(map(str, cast(tuple[object, ...], value)))
    return str(value)


def spelled_number(number: float) -> str:
    """Return a number with the fewest digits that distinguish it from every other double.

    Examples
    --------
    >>> spelled_number(1.0), spelled_number(0.1), spelled_number(float("inf")), spelled_number(7)
    ('1', '0.1', 'inf', '7')
    """
    return repr(number if isinstance(number, int) else float(number)).removesuffix(".0")


def in_brief(value: Any) -> str:
    """Return a result with four digits for a column of results, an estimate with a star and a bound with its sign.

    Examples
    --------
    >>> in_brief(1 / 3), in_brief(Estimate(0.2, 0.1, 0.3, 0.95, "tries")), in_brief(12345), in_brief(None)
    ('0.3333', '0.2*', '12,345', 'not sure')
    >>> in_brief(Estimate(1.0, 0.0, 1.0, None, "bound")), in_brief(Estimate.between(0.0101, 0.050007, "bound"))
    ('≤1*', '≤0.05001*')
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not sure"}[value]
    if isinstance(value, Estimate):
        word = _word(value)
        if word == "between" and value.value_is == "best guess":
            return f"{rounded_down(value.low, 3)} to {rounded_up(value.high, 3)}*"
        word = _AT_ENDS[value.value_is] if word == "between" else word
        return f"{_SIGNS[word].strip()}{_outwards(value, word, 4)}*"  # without a space, where a line may break
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def between(low: float, high: float) -> str:
    """Return an interval of a share in per cent, rounded outwards.

    Examples
    --------
    >>> between(0.12345678, 0.5), between(0, 0.5), between(0.25, 1)
    ('12.34 % to 50 %', 'at most 50 %', 'at least 25 %')
    """
    least, most = rounded_down(100 * low, 4), rounded_up(100 * high, 4)
    if low <= 0:
        return f"at most {most} %"
    return f"at least {least} %" if high >= 1 else f"{least} % to {most} %"


def _rounded(share: Decimal, rounding: str, digits: int = 4) -> str:
    percentage = share * 100
    place = Decimal(1).scaleb(percentage.adjusted() + 1 - digits)
    return f"{min(Decimal(100), percentage.quantize(place, rounding)).normalize():f} %"


def sign_of_end(estimate: Estimate) -> str:
    """Return the sign before a value that is a bound, or an empty text before a best guess."""
    return _SIGNS[_AT_ENDS[estimate.value_is]]


def _outwards(estimate: Estimate, word: str, digits: int) -> str:
    """Return the number after a word, a bound rounded outwards."""
    value, standing = estimate.value, estimate.value_is
    if word == "at most":
        return _end(value if standing == "upper bound" else estimate.high, digits, "high")
    if word == "at least":
        return _end(value if standing == "lower bound" else estimate.low, digits, "low")
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}g}"


def _end(number: float, digits: int, end: End) -> str:
    if isinstance(number, int):
        return f"{number:,}"
    inwards, rounding = (math.inf, ROUND_FLOOR) if end == "low" else (-math.inf, ROUND_CEILING)
    return _to_digits(shortest(number, inwards), digits, rounding)


def _word(estimate: Estimate) -> _Word:
    """Return the word before an estimate: between two bounds, at most or at least one, or none before its value.

    A trivial bound is left out.
    """
    low, high, standing = estimate.low, estimate.high, estimate.value_is
    if not is_wide(estimate):
        return _AT_ENDS[standing]
    if high == math.inf or (standing == "lower bound" and high == 1):
        return "at least"
    return "at most" if low in (0.0, -math.inf) and standing != "lower bound" else "between"


def is_any_share(value: float | Estimate) -> bool:
    """Return whether nothing can be concluded from a result, since its interval contains every share.

    Examples
    --------
    >>> is_any_share(Estimate(1.0, 0.0, 1.0, None, "bound")), is_any_share(Estimate(0.9, 0.0, 0.9, None, "bound"))
    (True, False)
    >>> is_any_share(1.0)  # exact
    False
    """
    return isinstance(value, Estimate) and value.low <= 0 and value.high == 1


def _two_digits(number: float) -> int:
    return int(float(f"{number:.2g}")) if number >= 100 else round(number)


# Printed bounds are rounded outwards, so that they still hold. A float means the shortest number that rounds to it;
# one that may have been rounded outwards to the next float means the `shortest` number between both.
def rounded_down(value: float, digits: int) -> str:
    """Return the largest number with this number of significant digits that is at most a value.

    Examples
    --------
    >>> rounded_down(0.66666, 3), rounded_down(-0.66666, 3), rounded_down(0.5, 3), rounded_down(0.0, 3)
    ('0.666', '-0.667', '0.5', '0')
    """
    return _to_digits(Decimal(repr(float(value))), digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int) -> str:
    """Return the least number with this number of significant digits that is at least a value.

    Examples
    --------
    >>> rounded_up(0.66666, 3), rounded_up(0.00044, 1), rounded_up(0.99996, 3), rounded_up(float("inf"), 3)
    ('0.667', '0.0005', '1', 'inf')
    """
    return _to_digits(Decimal(repr(float(value))), digits, ROUND_CEILING)


def _to_digits(value: Decimal, digits: int, rounding: str) -> str:
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(value)):.{digits}g}"
