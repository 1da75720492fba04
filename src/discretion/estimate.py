"""The result type of everything that is not exact."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from typing import Literal, TypeVar

from discretion.ends import PROMISED, End, are_alike, are_far_apart, other_end, quoted
from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.notebook import Displayable

T = TypeVar("T")
Kind = Literal["bound", "estimate", "assumption"]
Standing = Literal["best guess", "upper bound", "lower bound"]


@dataclass(frozen=True)
class Estimate(Displayable):
    """A number with its interval, so that nobody can mistake it for an exact one.

    Negation, sums, differences, and products and quotients with a number keep the ends honest: an interval that falls
    is turned round, and what is made of two estimates holds at least so often as neither misses.

    Parameters
    ----------
    value
        The number to quote: the best guess where the method makes one. Of a one-sided bound it is the bound itself, and
        of a bound whose ends are far apart the safe end (`Estimate.between`).
    low, high
        The interval, ``low <= value <= high``; for a one-sided bound the other end is the trivial limit.
    confidence
        The coverage of the interval in (0, 1), or None when it is certified: true without exception.
    method
        How it was got.
    assuming
        What has to be true of the world for the interval to say anything, or None when nothing has.
    safe
        The end on which a decision is safe: "high" of what leaks, "low" of what protects or is useful. A certified
        result of arithmetic whose ends are far apart has its value there.

    Examples
    --------
    >>> bound = Estimate(0.11, low=0.0, high=0.11, confidence=None, method="counting bound")
    >>> float(bound), bound.certified
    (0.11, True)
    >>> 1 - bound
    Estimate(value=0.89, low=0.89, high=1.0, confidence=None, method='counting bound', assuming=None)
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
        """Return a certified number of which only bounds are known.

        Its value is in the middle where the ends are close to each other. Ends more than a factor 2 or a tenth of the
        possible range apart have no middle that says anything: the value is then the safe end.

        Parameters
        ----------
        low, high
            The bounds.
        method
            How they were got.
        safe
            The end on which a decision is safe: "high" of what leaks, "low" of what protects or is useful.
        span
            The length of the possible range: 1 of a share.
        share
            How far from low to high the value of a narrow interval stands.

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
    def kind(self) -> Kind:
        """What kind of number it is: a certified bound, an estimate with a confidence, or true under an assumption."""
        if self.assuming is not None:
            return "assumption"
        return "bound" if self.confidence is None else "estimate"

    @property
    def value_is(self) -> Standing:
        """What the value is: a best guess, or the bound that it is where the method makes no guess.

        An end of an interval that holds without exception is a bound, if need be under an assumption; of one that
        holds with a confidence it is a bound where the other end is trivial.

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

    def __float__(self) -> float:
        return float(self.value)

    def __neg__(self) -> "Estimate":
        return self.map(lambda value: -value)

    def __add__(self, other: "float | Estimate") -> "Estimate":
        if not isinstance(other, Estimate):
            return self.map(lambda value: value + other)
        parts = self, other
        value, low, high = (getattr(self, name) + getattr(other, name) for name in ("value", "low", "high"))
        return _joint(value, low, high, parts, _methods(parts), safe=_safe_end(*parts))

    def __radd__(self, other: float) -> "Estimate":
        return self + other

    def __sub__(self, other: "float | Estimate") -> "Estimate":
        return self + -other

    def __rsub__(self, other: float) -> "Estimate":
        return -self + other

    def __mul__(self, factor: float) -> "Estimate":
        return self.map(lambda value: value * factor)

    def __rmul__(self, factor: float) -> "Estimate":
        return self * factor

    def __truediv__(self, divisor: float) -> "Estimate":
        return self.map(lambda value: value / divisor)

    def map(self, function: Callable[[float], float]) -> "Estimate":
        """Return a monotone function of the number, and of both ends of its interval."""
        value, low, high = (function(number) for number in (self.value, self.low, self.high))
        safe = _safe_end(self)
        if low > high:
            low, high, safe = high, low, other_end(safe)
        return self._placed(value, low, high, safe)

    def widened(self, by: float) -> "Estimate":
        """Return the number with this much more room at both ends of its interval."""
        moved = {"upper bound": by, "lower bound": -by, "best guess": 0.0}[self.value_is]
        return self._placed(self.value + moved, self.low - by, self.high + by, _safe_end(self))

    def narrowed(self, sampled: "Estimate") -> "Estimate":
        """Return what is left of a certified interval by another one of the same number that holds with a confidence.

        The sample says where in it the number is likeliest; where it takes nothing off either end, the certificate
        stays, and of ends that are far apart its safe one.
        """
        low, high = max(self.low, sampled.low), min(self.high, sampled.high)
        if low > high:  # it missed, as it may
            return self
        value = min(max(sampled.value, low), high)
        if (low, high) == (self.low, self.high):
            return self._placed(value, low, high, _safe_end(self))
        return Estimate(value, low, high, sampled.confidence, sampled.method, sampled.assuming, safe=_safe_end(self))

    def _placed(self, value: float, low: float, high: float, safe: End) -> "Estimate":
        if self.certified and not _has_guess(self):
            value = quoted(value, low, high, safe)
        return replace(self, value=value, low=low, high=high, safe=safe)


def _check_numbers(*numbers: float) -> None:
    for number in numbers:
        if not _is_number(number):
            raise InvalidValueError(f"an estimate is made of numbers, got {short_repr(number)}")


def _is_number(number: object) -> bool:
    try:
        return isinstance(number, Real) and not math.isnan(number)
    except OverflowError:  # too large for a double
        return False


def is_wide(result: object) -> bool:
    """Return whether a result is a bound whose ends are far apart, of a share by more than a tenth too."""
    if not isinstance(result, Estimate) or not result.certified:
        return False
    return are_far_apart(result.low, result.high, 1.0 if result.low >= 0 and result.high <= 1 else math.inf)


def at_safe_end(result: T, safe: End) -> T:
    """Return a result that, if it is a bound whose ends are far apart, has its value at its safe end.

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
    """Return whether a bound's maker put a guess between ends that are far apart; arithmetic leaves it there."""
    return bound.value_is == "best guess" and are_far_apart(bound.low, bound.high)


def _safe_end(*parts: Estimate) -> End:
    """Return the safe end of what rises with all of these: theirs if they agree, else the high one.

    A bound is safe at the end where its value stands.
    """
    ends = {{"upper bound": "high", "lower bound": "low"}.get(part.value_is, part.safe) for part in parts}
    return "low" if ends == {"low"} else "high"


def in_doubles(result: float | Fraction | Estimate) -> float | Estimate:
    """Return a result for what knows of no fractions: one as the double nearest to it."""
    return result if isinstance(result, Estimate) else float(result)


def mapped(result: float | Estimate, function: Callable[[float], float]) -> float | Estimate:
    """Return a monotone function of a result, of an `Estimate` with both ends of its interval."""
    return result.map(function) if isinstance(result, Estimate) else function(result)


def as_share(result: float | Estimate) -> float | Estimate:
    """Return a result of which rounding or a bound may have left some outside [0, 1], cut to it."""
    return mapped(result, lambda value: min(1.0, max(0.0, value)))


def lowest(result: float | Estimate) -> float:
    """Return the lower end of a result, a number being its own."""
    return result.low if isinstance(result, Estimate) else result


def highest(result: float | Estimate) -> float:
    """Return the upper end of a result, a number being its own."""
    return result.high if isinstance(result, Estimate) else result


def settled(result: float | Estimate) -> float | Estimate:
    """Return a certified `Estimate` that is as narrow as a float's promise as that float."""
    if not isinstance(result, Estimate) or not result.certified:
        return result
    off = max(result.high - result.value, result.value - result.low)
    return result.value if off <= max(1e-12, PROMISED * abs(result.value)) else result


def largest(results: Iterable[float | Estimate]) -> float | Estimate:
    """Return the largest of some results, 0 of none: an `Estimate` if one that is may be the largest.

    It takes all intervals to say so, those of the others too: their chances of a miss add up.
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
    """Return a function of two results that rises with the first and falls with the second."""
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
    """Return what lies between two ends that hold if all of these results do, each to the digits of a float.

    The value is that of `Estimate.between`, with the same safe end and the same span.
    """
    low, high = low - PROMISED * abs(low), high + PROMISED * abs(high)
    parts = [result for result in of if isinstance(result, Estimate)]
    return _joint(quoted(low + (high - low) / 2, low, high, safe, span), low, high, parts, method, safe=safe)


def _methods(parts: Iterable[Estimate]) -> str:
    return "; ".join(dict.fromkeys(name for part in parts for name in part.method.split("; ")))


def _joint(
    value: float, low: float, high: float, of: Iterable[Estimate], method: str, *, safe: End = "high"
) -> Estimate:
    """Return what holds if all of these do: none misses at least so often as the sum of their misses allows."""
    parts = list(of)
    missed = math.fsum(1 - part.confidence for part in parts if part.confidence is not None)
    if missed >= 1:
        raise InvalidValueError(
            f"{len(parts)} intervals whose chances of a miss add up to {missed:.3g} hold together with no confidence; "
            "take each at a higher one"
        )
    assumptions = "; ".join(dict.fromkeys(part.assuming for part in parts if part.assuming is not None))
    if not missed and not assumptions and not any(map(_has_guess, parts)):
        value = quoted(value, low, high, safe)
    return Estimate(value, low, high, 1 - missed if missed else None, method, assumptions or None, safe=safe)
