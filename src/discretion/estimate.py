"""The type of every result that is not exact: a number with an interval."""

import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from numbers import Integral, Rational, Real
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, overload

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.exact import Exact, ExactFraction
from discretion.interval_text import in_latex, rounded_outwards, with_interval
from discretion.intervals import (
    PROMISED,
    End,
    Interval,
    Operator,
    above,
    are_alike,
    are_far_apart,
    below,
    calculate,
    calculate_point,
    other_end,
    quoted,
    rising_image,
)
from discretion.notebook import Displayable

T = TypeVar("T")
P = ParamSpec("P")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Floats hold every whole number up to it.
_WHOLE = 2**53
Standing = Literal["best guess", "upper bound", "lower bound"]


@dataclass(frozen=True)
class Estimate(Displayable):
    """A number with its interval, which cannot be mistaken for an exact number.

    It behaves like a number with an error: ``+ - * / **``, `abs`, `round`, and functions such as ``np.log``,
    ``np.exp`` and ``np.sqrt`` use interval arithmetic, rounded outwards. A comparison with ``< <= > >=`` has an answer
    if the whole interval is on one side, and raises an error otherwise: compare `low` or `high` then. ``==`` compares
    all fields. A format applies to the value and to the interval, whose bounds are rounded outwards.

    A result of bounds is a bound. A result of a bound and an estimate is an estimate. A result of a number under an
    assumption holds under the same assumption. The interval of a result of several estimates has the confidence that
    all their intervals hold together, by the union bound.

    Parameters
    ----------
    value
        The number to quote: the best guess where the method makes one. For a one-sided bound it is the bound itself.
        For a bound whose ends are far apart it is the safe end (`Estimate.between`).
    low, high
        The interval, ``low <= value <= high``; for a one-sided bound the other end is the trivial limit.
    confidence
        The coverage of the interval in (0, 1), or None for a certified interval, which is true without exception.
    method
        The method that computed the number.
    assuming
        The assumption on which the interval depends, or None if there is none.
    safe
        The end on which a decision is safe: "high" for a leakage, "low" for a protection or a utility. If a certified
        result of arithmetic has ends that are far apart, its value is this end.

    Examples
    --------
    >>> bound = Estimate(0.125, low=0.0, high=0.125, confidence=None, method="counting bound")
    >>> float(bound), bound.certified
    (0.125, True)
    >>> 1 - bound
    Estimate(value=0.875, low=0.875, high=1.0, confidence=None, method='counting bound', assuming=None)
    >>> print(bound), bound < 0.5, f"{bound:.2f}"
    0.125 [0, 0.125]
    (None, True, '0.13 [0.00, 0.13]')
    >>> Estimate(0.02, 0.02, 0.02, confidence=None, method="product law", assuming="independent columns").certified
    False
    """

    value: float
    low: float
    high: float
    confidence: float | None
    method: str
    assuming: str | None = None
    safe: End = field(default="high", kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_numbers(self.value, self.low, self.high)
        if not self.low <= self.value <= self.high:
            raise InvalidValueError(f"an estimate lies in its interval, got {self.value} in [{self.low}, {self.high}]")
        if self.confidence is not None and not (_is_number(self.confidence) and 0 < self.confidence < 1):
            raise InvalidValueError(
                "confidence must be in (0, 1), or None for a certified interval, got " + short_repr(self.confidence)
            )

    @classmethod
    def between(
        cls,
        low: float,
        high: float,
        method: str,
        *,
        safe: End = "high",
        span: float = math.inf,
        share: float = 0.5,
    ) -> "Estimate":
        """Return a certified number from its lower and upper bound.

        If the bounds are close to each other, the value lies between them. If they are more than a factor 2 or more
        than a tenth of the possible range apart, the middle has no meaning, and the value is the safe end.

        Parameters
        ----------
        low, high
            The bounds.
        method
            The method that computed them.
        safe
            The end on which a decision is safe: "high" for a leakage, "low" for a protection or a utility.
        span
            The length of the possible range: 1 for a share.
        share
            The place of the value in a narrow interval, from 0 (low) to 1 (high).

        Examples
        --------
        >>> Estimate.between(0.10, 0.12, "sums").value, Estimate.between(1e-5, 0.05, "sums").value
        (0.11, 0.05)
        >>> Estimate.between(0.5, 0.8, "sums", safe="low", span=1).value
        0.5
        """
        _check_numbers(low, high)
        return cls(quoted(low + share * (high - low), low, high, safe, span), low, high, None, method, safe=safe)

    @property
    def kind(self) -> Literal["bound", "estimate", "assumption"]:
        """The kind of the number: a certified bound, an estimate with a confidence, or true under an assumption."""
        if self.assuming is not None:
            return "assumption"
        return "bound" if self.confidence is None else "estimate"

    @property
    def value_is(self) -> Standing:
        """The meaning of the value: a best guess, an upper bound or a lower bound.

        A value at an end of an interval that holds without exception, or under an assumption, is a bound. A value at
        an end of an interval that holds with a confidence is a bound only if the other end is trivial.

        Examples
        --------
        >>> Estimate.between(1e-5, 0.05, "sums").value_is, Estimate(0.9, 0.9, 1.0, None, "sums").value_is
        ('upper bound', 'lower bound')
        >>> Estimate(0.0, 0.0, 0.003, 0.95, "tries").value_is, Estimate(0.4, 0.0, 0.4, 0.95, "tries").value_is
        ('best guess', 'upper bound')
        """
        if are_alike(self.low, self.high):
            return "best guess"
        if are_alike(self.value, self.high) and (self.confidence is None or self.low <= 0):
            return "upper bound"
        if are_alike(self.value, self.low) and (self.confidence is None or self.high in (1.0, math.inf)):
            return "lower bound"
        return "best guess"

    @property
    def certified(self) -> bool:
        """Whether the interval holds without exception, not only with a confidence or under an assumption."""
        return self.confidence is None and self.assuming is None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, the kind and the meaning of the value, for ``json.dumps(e, default=Estimate.to_dict)``.

        Examples
        --------
        >>> Estimate(0.5, 0.25, 0.75, 0.95, "tries").to_dict()["kind"]
        'estimate'
        """
        names = [each.name for each in fields(self) if each.name != "safe"]  # where the value stands shows it
        return {name: _python(getattr(self, name)) for name in (*names, "kind", "value_is")}

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        if self.low < self.high and self.low <= 0 <= self.high:
            raise _undecided(self, "holds 0", "!=", "0", "0")
        return self.value != 0

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        return with_interval(self.value, self.low, self.high, spec or ".6g", self._value_end)

    def _repr_latex_(self) -> str:
        return in_latex(self.value, self.low, self.high, self._value_end)

    def __round__(self, digits: int | None = None) -> "Estimate":
        low, high = rounded_outwards(self.low, digits, "low"), rounded_outwards(self.high, digits, "high")
        ends: dict[End | None, float] = {"low": low, "high": high}
        value = ends.get(self._value_end, round(self.value, digits) if math.isfinite(self.value) else self.value)
        return replace(self, value=min(max(value, low), high), low=low, high=high)

    def __neg__(self) -> "Estimate":
        return self.map(operator.neg)

    def __pos__(self) -> "Estimate":
        return self

    def __abs__(self) -> "Estimate":
        if self.low >= 0 or self.high <= 0:
            return self if self.low >= 0 else -self
        return _joint(abs(self.value), 0.0, max(-self.low, self.high), [self], self.method)

    def __add__(self, other: "float | Fraction | Estimate") -> "Estimate":
        return _calculated("+", self, other)

    def __radd__(self, other: float | Fraction) -> "Estimate":
        return _calculated("+", other, self)

    def __sub__(self, other: "float | Fraction | Estimate") -> "Estimate":
        return _calculated("-", self, other)

    def __rsub__(self, other: float | Fraction) -> "Estimate":
        return _calculated("-", other, self)

    def __mul__(self, other: "float | Fraction | Estimate") -> "Estimate":
        return _calculated("*", self, other)

    def __rmul__(self, other: float | Fraction) -> "Estimate":
        return _calculated("*", other, self)

    def __truediv__(self, other: "float | Fraction | Estimate") -> "Estimate":
        return _calculated("/", self, other)

    def __rtruediv__(self, other: float | Fraction) -> "Estimate":
        return _calculated("/", other, self)

    def __pow__(self, other: "float | Fraction | Estimate") -> "Estimate":
        return _calculated("**", self, other)

    def __rpow__(self, other: float | Fraction) -> "Estimate":
        return _calculated("**", other, self)

    def __lt__(self, other: "float | Fraction | Estimate") -> bool:
        return self._compared("<", other)

    def __le__(self, other: "float | Fraction | Estimate") -> bool:
        return self._compared("<=", other)

    def __gt__(self, other: "float | Fraction | Estimate") -> bool:
        return self._compared(">", other)

    def __ge__(self, other: "float | Fraction | Estimate") -> bool:
        return self._compared(">=", other)

    # NumPy calls these by their names: ``np.log(estimate)``.
    def log(self) -> "Estimate":
        """Return the natural logarithm; the logarithm of 0 is -∞."""
        return self._image(math.log)

    def log2(self) -> "Estimate":
        """Return the logarithm to the base 2; the logarithm of 0 is -∞."""
        return self._image(math.log2)

    def log10(self) -> "Estimate":
        """Return the logarithm to the base 10; the logarithm of 0 is -∞."""
        return self._image(math.log10)

    def log1p(self) -> "Estimate":
        """Return the natural logarithm of 1 plus the number; for -1 it is -∞."""
        return self._image(math.log1p)

    def exp(self) -> "Estimate":
        """Return e to the power of the number."""
        return self._image(math.exp)

    def expm1(self) -> "Estimate":
        """Return e to the power of the number, minus 1."""
        return self._image(math.expm1)

    def sqrt(self) -> "Estimate":
        """Return the square root."""
        return self._image(math.sqrt)

    def rint(self) -> "Estimate":
        """Return the number rounded to a whole one; the bounds of the interval are rounded outwards."""
        return round(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Apply a NumPy function by the methods and operators above."""
        np: Any = import_module("numpy")
        given: list[Any] = []
        for each in inputs:
            if isinstance(each, Estimate):
                given.append(np.array(each, dtype=object))
            else:  # NumPy cannot make objects of its longest floats
                given.append(each.astype(float) if getattr(getattr(each, "dtype", None), "kind", "") == "f" else each)
        try:
            with np.errstate(all="ignore"):
                return getattr(ufunc, method)(*given, **kwargs)
        except TypeError as error:
            if isinstance(error, UnsupportedError):
                raise
            raise UnsupportedError(
                f"numpy.{ufunc.__name__} takes no number with an interval; take float(e), e.low or e.high"
            ) from None

    def map(self, function: Callable[[float], float]) -> "Estimate":
        """Return the image of the number and of its interval under a monotone function."""
        value, low, high = (function(number) for number in (self.value, self.low, self.high))
        safe = _safe_end(self)
        if low > high:
            low, high, safe = high, low, other_end(safe)
        return self._placed(value, low, high, safe)

    def widened(self, by: float) -> "Estimate":
        """Return the number with its interval widened by this much on each side."""
        moved = {"upper bound": by, "lower bound": -by, "best guess": 0.0}[self.value_is]
        return self._placed(self.value + moved, self.low - by, self.high + by, _safe_end(self))

    def narrowed(self, sampled: "Estimate") -> "Estimate":
        """Return the intersection of this certified interval with a sampled interval of the same number.

        The value is the sampled one, moved into the intersection. If the sample narrows neither side, the certified
        interval stays, and where its bounds are far apart the value is the safe end. If the two intervals do not
        overlap, the sample missed, and the certified number is returned.
        """
        low, high = max(self.low, sampled.low), min(self.high, sampled.high)
        if low > high:  # it missed, as it may
            return self
        value = min(max(sampled.value, low), high)
        if (low, high) == (self.low, self.high):
            return self._placed(value, low, high, _safe_end(self))
        return Estimate(value, low, high, sampled.confidence, sampled.method, sampled.assuming, safe=_safe_end(self))

    @property
    def _value_end(self) -> End | None:
        """The end of the interval that is the value, or None if the value is a best guess."""
        ends: dict[Standing, End] = {"upper bound": "high", "lower bound": "low"}
        return ends.get(self.value_is)

    def _compared(self, sign: str, other: Any) -> bool:
        if not isinstance(other, Real | Estimate):
            return NotImplemented
        holds = _COMPARISONS[sign]
        ends = (other.low, other.high) if isinstance(other, Estimate) else (other,)
        corners = [(a, b) for a in (self.low, self.high) for b in ends]
        if all(holds(a, b) for a, b in corners):
            return True
        if not any(holds(a, b) for a, b in corners):  # nor does any with NaN
            return False
        if isinstance(other, Estimate):
            raise _undecided(self, f"overlaps [{other.low}, {other.high}]", sign, "other.low", "float(other)")
        raise _undecided(self, f"holds {short_repr(other)}", sign, short_repr(other), short_repr(other))

    def _image(self, function: Callable[[float], float]) -> "Estimate":
        low, high = rising_image(function, (self.low, self.high))
        try:
            value = function(self.value)
        except ValueError:  # log 0
            value = low
        except OverflowError:
            value = high
        if not are_alike(low, high):  # a value that stands for an end stays there when this is rounded outwards
            value = {self.low: low, self.high: high}.get(self.value, value)
        return self._placed(min(max(value, low), high), low, high, _safe_end(self))

    def _placed(self, value: float, low: float, high: float, safe: End) -> "Estimate":
        if self.certified and not _has_guess(self):
            value = quoted(value, low, high, safe)
        return replace(self, value=value, low=low, high=high, safe=safe)


def _calculated(sign: Operator, first: Any, second: Any) -> Estimate:
    """Return the result of an operation on two numbers, at least one of which is an estimate."""
    if not all(isinstance(each, Real | Estimate) for each in (first, second)):
        return NotImplemented
    _check_numbers(*(each for each in (first, second) if not isinstance(each, Estimate)))
    x, y = _floats(first), _floats(second)
    low, high = calculate(sign, x, y)
    a = min(max(_python(getattr(first, "value", first)), x[0]), x[1])
    b = min(max(_python(getattr(second, "value", second)), y[0]), y[1])
    rising: list[Estimate] = []
    if isinstance(first, Estimate):
        rising.append(first if calculate_point(sign, x[0], b) <= calculate_point(sign, x[1], b) else -first)
    if isinstance(second, Estimate):
        rising.append(second if calculate_point(sign, a, y[0]) <= calculate_point(sign, a, y[1]) else -second)
    safe, value = _safe_end(*rising), calculate_point(sign, a, b)
    if math.isnan(value):
        value = low if safe == "low" else high
    if not are_alike(low, high):  # a value that stands for an end stays there when this is rounded outwards
        value = low if math.nextafter(low, value) == value else high if math.nextafter(high, value) == value else value
    parts = [each for each in (first, second) if isinstance(each, Estimate)]
    return _joint(min(max(value, low), high), low, high, parts, _methods(parts), safe=safe)


def _python(value: Any) -> Any:
    """Return a number as an int or a float for JSON, and any other value as it is."""
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    return value


def _floats(number: Any) -> Interval:
    """Return the ends of a number, or of its interval, as floats or whole numbers that floats hold."""
    low, high = (number.low, number.high) if isinstance(number, Estimate) else (number, number)
    return _plain(low, below), _plain(high, above)


def _plain(number: Any, rounded: Callable[[Fraction], float]) -> float:
    if isinstance(number, Integral) and abs(int(number)) <= _WHOLE:
        return int(number)
    return rounded(Fraction(number)) if isinstance(number, Rational) else float(number)


def _undecided(estimate: Estimate, what: str, sign: str, other_end: str, other: str) -> InvalidValueError:
    return InvalidValueError(
        f"the interval [{estimate.low}, {estimate.high}] {what}, so the comparison has no certain answer; compare a "
        f"bound, such as e.high {sign} {other_end}, or the value, float(e) {sign} {other}"
    )


def _check_numbers(*numbers: float) -> None:
    for number in numbers:
        if not _is_number(number):
            raise InvalidValueError(f"the value and bounds of an estimate must be numbers, got {short_repr(number)}")


def _is_number(number: object) -> bool:
    try:
        return isinstance(number, Real) and not math.isnan(number)
    except OverflowError:  # too large for a double
        return False


def is_wide(result: object) -> bool:
    """Return whether a result is a bound whose ends are far apart; for a share, by more than a tenth."""
    if not isinstance(result, Estimate) or not result.certified:
        return False
    return are_far_apart(result.low, result.high, 1.0 if result.low >= 0 and result.high <= 1 else math.inf)


def at_safe_end(result: T, safe: End) -> T:
    """Return the result; if it is a bound whose ends are far apart, with its value at the safe end.

    Examples
    --------
    >>> at_safe_end(Estimate(0.3, 0.1, 0.5, None, "sums"), "low").value, at_safe_end(0.3, "low")
    (0.1, 0.3)
    """
    if not isinstance(result, Estimate):
        return result
    end = result.low if safe == "low" else result.high
    value = end if is_wide(result) and not are_alike(result.value, end) else result.value
    return replace(result, value=value, safe=safe)


def _has_guess(bound: Estimate) -> bool:
    """Return whether a bound has a best guess between ends that are far apart; arithmetic keeps this guess."""
    return bound.value_is == "best guess" and are_far_apart(bound.low, bound.high)


def _safe_end(*parts: Estimate) -> End:
    """Return the safe end of a result that rises with all these parts: theirs if they agree, else the high one.

    The safe end of a bound is the end where its value stands.
    """
    ends = {{"upper bound": "high", "lower bound": "low"}.get(part.value_is, part.safe) for part in parts}
    return "low" if ends == {"low"} else "high"


@overload
def as_answer(result: bool) -> bool: ...  # pyright: ignore[reportOverlappingOverload] - a bool is a float to checkers
@overload
def as_answer(result: float) -> Exact: ...
@overload
def as_answer(result: Fraction) -> ExactFraction: ...
@overload
def as_answer(result: Estimate) -> Estimate: ...
@overload
def as_answer(result: float | Estimate) -> Exact | Estimate: ...
@overload
def as_answer(result: float | Fraction | Estimate) -> Exact | ExactFraction | Estimate: ...
@overload
def as_answer(result: T) -> T: ...
def as_answer(result: Any) -> Any:
    """Return a number as an `Answer`, which has a value, an interval and a kind; any other value as it is.

    Examples
    --------
    >>> as_answer(0.5).kind, as_answer(0).kind, as_answer(Fraction(1, 3)), as_answer(True)
    ('exact', 'exact', Fraction(1, 3), True)
    """
    if isinstance(result, float) or type(result) is int:
        return Exact(result)
    return ExactFraction(result) if isinstance(result, Fraction) else result


@overload
def quantity(function: Callable[P, float]) -> Callable[P, Exact]: ...
@overload
def quantity(  # pyright: ignore[reportOverlappingOverload] - the order is that of the checkers
    function: Callable[P, float | Estimate],
) -> Callable[P, Exact | Estimate]: ...
@overload
def quantity(function: Callable[P, float | Fraction]) -> Callable[P, Exact | ExactFraction]: ...
def quantity(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that computes a number, so that it returns an `Answer`."""

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> object:
        number: object = function(*args, **kwargs)
        return as_answer(number)

    promised = answer_type(function.__annotations__["return"])
    answer.__annotations__["return"] = promised
    vars(answer)["__signature__"] = inspect.signature(function).replace(return_annotation=promised)
    return answer


def answer_type(numbers: Any) -> Any:
    """Return the type of the answers of a public function that computes numbers of this type.

    Examples
    --------
    >>> answer_type(float).__name__, answer_type(float | Estimate) == Exact | Estimate, answer_type(bool).__name__
    ('Exact', True, 'bool')
    """
    if isinstance(numbers, UnionType):
        return functools.reduce(lambda a, b: a | b, map(answer_type, numbers.__args__))
    return {float: Exact, Fraction: ExactFraction}.get(numbers, numbers)


def in_doubles(result: float | Fraction | Estimate) -> float | Estimate:
    """Return a result without fractions: a fraction becomes the double nearest to it."""
    return result if isinstance(result, Estimate) else float(result)


def mapped(result: float | Estimate, function: Callable[[float], float]) -> float | Estimate:
    """Return the image of a result under a monotone function; an `Estimate` keeps an interval."""
    return result.map(function) if isinstance(result, Estimate) else function(result)


def as_share(result: float | Estimate) -> float | Estimate:
    """Return a result limited to [0, 1], which rounding or a bound may have exceeded."""
    return mapped(result, lambda value: min(1.0, max(0.0, value)))


def lowest(result: float | Estimate) -> float:
    """Return the lower bound of a result; for a number, the number itself."""
    return result.low if isinstance(result, Estimate) else result


def highest(result: float | Estimate) -> float:
    """Return the upper bound of a result; for a number, the number itself."""
    return result.high if isinstance(result, Estimate) else result


def settled(result: float | Estimate) -> float | Estimate:
    """Return a certified `Estimate` as a float if it is as narrow as the error that a float may have."""
    if not isinstance(result, Estimate) or not result.certified:
        return result
    off = max(result.high - result.value, result.value - result.low)
    return result.value if off <= max(1e-12, PROMISED * abs(result.value)) else result


def largest(results: Iterable[float | Estimate]) -> float | Estimate:
    """Return the largest of some results, or 0 if there are none: an `Estimate` if an estimate may be the largest.

    The result depends on the intervals of all estimates, so their chances of a miss add up.
    """
    given = list(results) or [0.0]
    low = max(map(lowest, given))
    rivals = [r for r in given if isinstance(r, Estimate) and r.high > low]
    unsure = [r for r in given if isinstance(r, Estimate) and not r.certified]
    if not rivals and not unsure:
        return low
    first = max(rivals or unsure, key=lambda estimate: estimate.high)
    value = max(map(float, given))
    return _joint(value, low, max(first.high, value), unsure, first.method)


def contrasted(
    up: float | Estimate, down: float | Estimate, function: Callable[[float, float], float]
) -> float | Estimate:
    """Return the image of two results under a function that rises with the first and falls with the second."""
    value = function(float(up), float(down))
    estimates = [result for result in (up, down) if isinstance(result, Estimate)]
    if not estimates:
        return value
    low, high = function(lowest(up), highest(down)), function(highest(up), lowest(down))
    rising = [up] if isinstance(up, Estimate) else []
    rising += [-down] if isinstance(down, Estimate) else []
    return _joint(value, low, high, estimates, _methods(estimates), safe=_safe_end(*rising))


def bracketed(
    low: float, high: float, of: Iterable[float | Estimate], method: str, *, safe: End = "high", span: float = math.inf
) -> Estimate:
    """Return a number between two bounds that hold if all these results hold, widened by the error of a float.

    The value is chosen as in `Estimate.between`, with the same safe end and the same span.
    """
    low, high = low - PROMISED * abs(low), high + PROMISED * abs(high)
    parts = [result for result in of if isinstance(result, Estimate)]
    return _joint(quoted(low + (high - low) / 2, low, high, safe, span), low, high, parts, method, safe=safe)


def _methods(parts: Iterable[Estimate]) -> str:
    return "; ".join(dict.fromkeys(name for part in parts for name in part.method.split("; ")))


def _joint(
    value: float, low: float, high: float, of: Iterable[Estimate], method: str, *, safe: End = "high"
) -> Estimate:
    """Return an estimate that holds if all its parts hold; by the union bound their chances of a miss add up."""
    parts = list(of)
    # A confidence stands for the shortest number that rounds to it: of two of 0.95 it is 0.9.
    missed = sum(1 - Decimal(repr(float(part.confidence))) for part in parts if part.confidence is not None)
    if missed >= 1:
        raise InvalidValueError(
            f"the chances of a miss of {len(parts)} intervals add up to {float(missed):.3g}, so together they have no "
            "confidence; compute each at a higher confidence"
        )
    assumptions = "; ".join(dict.fromkeys(part.assuming for part in parts if part.assuming is not None))
    if not missed and not assumptions and not any(map(_has_guess, parts)):
        value = quoted(value, low, high, safe)
    return Estimate(value, low, high, float(1 - missed) if missed else None, method, assumptions or None, safe=safe)
