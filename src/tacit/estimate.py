"""The result type of everything that is not exact."""

import math
from collections.abc import Callable
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


def increased(result: float | Estimate, function: Callable[[float], float]) -> float | Estimate:
    """Return an increasing function of a result, of an `Estimate` with both ends of its interval."""
    if not isinstance(result, Estimate):
        return function(result)
    low, value, high = (function(x) for x in (result.low, result.value, result.high))
    return Estimate(value, low, high, result.confidence, result.method)
