"""The result type of everything that is not exact."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tacit.errors import InvalidValueError


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, so that nobody can mistake it for an exact one.

    Parameters
    ----------
    value
        The number to quote. For a one-sided bound, the bound itself.
    low, high
        The interval, ``low <= value <= high``; for a one-sided bound the other end is the trivial limit.
    confidence
        The coverage of the interval in (0, 1), or None when it is certified: true without exception.
    method
        How it was got.

    Raises
    ------
    InvalidValueError
        If the interval does not hold the value, or the confidence is not in (0, 1).

    Examples
    --------
    >>> bound = Estimate(0.11, low=0.0, high=0.11, confidence=None, method="counting bound")
    >>> float(bound), bound.certified
    (0.11, True)
    """

    value: float
    low: float
    high: float
    confidence: float | None
    method: str

    def __post_init__(self) -> None:
        if any(math.isnan(x) for x in (self.value, self.low, self.high)) or not self.low <= self.value <= self.high:
            raise InvalidValueError(f"an estimate lies in its interval, got {self.value} in [{self.low}, {self.high}]")
        if self.confidence is not None and not 0 < self.confidence < 1:
            raise InvalidValueError(
                f"confidence must be in (0, 1), or None for a certified interval, got {self.confidence}"
            )

    @property
    def certified(self) -> bool:
        """Whether the interval holds without exception, not only with a confidence."""
        return self.confidence is None

    def __float__(self) -> float:
        return float(self.value)


def mapped(result: float | Estimate, function: Callable[[float], float]) -> float | Estimate:
    """Return a monotone function of a result, of an `Estimate` with both ends of its interval."""
    if not isinstance(result, Estimate):
        return function(result)
    low, high = sorted((function(result.low), function(result.high)))
    return Estimate(function(result.value), low, high, result.confidence, result.method)


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
    return result.value if off <= max(1e-12, 1e-10 * abs(result.value)) else result


def largest(results: Iterable[float | Estimate]) -> float | Estimate:
    """Return the largest of some results, 0 of none: an `Estimate` if one that is may be the largest."""
    given = list(results) or [0.0]
    low = max(map(lowest, given))
    estimates = [r for r in given if isinstance(r, Estimate) and r.high > low]
    if not estimates:
        return low
    value = max(low, *(estimate.value for estimate in estimates))
    first = max(estimates, key=lambda estimate: estimate.high)
    return Estimate(value, low, max(first.high, value), first.confidence, first.method)


def contrasted(
    up: float | Estimate, down: float | Estimate, function: Callable[[float, float], float]
) -> float | Estimate:
    """Return a function of two results that rises with the first and falls with the second."""
    value = function(float(up), float(down))
    estimates = [result for result in (up, down) if isinstance(result, Estimate)]
    if not estimates:
        return value
    low, high = function(lowest(up), highest(down)), function(highest(up), lowest(down))
    misses = [1 - e.confidence for e in estimates if e.confidence is not None]
    method = "; ".join(dict.fromkeys(e.method for e in estimates))
    return Estimate(value, low, high, 1 - sum(misses) if misses else None, method)
