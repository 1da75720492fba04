"""The interface of all curves of attacks, and a band: two polygons between which a curve lies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from discretion import limits
from discretion.errors import TooLargeError, UnsupportedError
from discretion.estimate import Estimate, settled
from discretion.measures.attack_curves.polygon import Polygon
from discretion.measures.privacy_loss.composed_losses import MAX_LOSS_PLACES

Result = float | Estimate


class BestTests(Protocol):
    """The best tests of one law against another, by their false positives and negatives."""

    @property
    def description(self) -> str:
        """The method of computation, in a few words."""
        ...

    def misses(self, rate: float) -> Result:
        """Return the least false negatives with this rate of false positives."""
        ...

    def hits(self, rate: float) -> Result:
        """Return the largest rate of true positives with this rate of false positives, in full relative precision."""
        ...

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0."""
        ...

    @property
    def overlap(self) -> Result:
        """The overlap of the two laws: the least sum of both rates."""
        ...

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        ...

    def normal_shift(self, least: float) -> Result:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside."""
        ...


@dataclass(frozen=True, eq=False)
class Band:
    """Bounds on the best tests: a lower polygon, an upper one, and a likeliest one in between."""

    low: Polygon
    high: Polygon
    method: str
    likeliest: Polygon | None = None
    confidence: float | None = None

    @property
    def description(self) -> str:
        """The method of computation, in a few words."""
        confidence = "" if self.confidence is None else f", confidence={self.confidence:g}"
        return f"between two curves: {self.method}{confidence}"

    def misses(self, rate: float) -> Result:
        """Return the least false negatives with this rate of false positives."""
        return self._read(lambda tests: tests.misses(rate))

    def hits(self, rate: float) -> Result:
        """Return the largest rate of true positives with this rate of false positives."""
        return self._read(lambda tests: tests.hits(rate))

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0."""
        return self._read(lambda tests: tests.excess(epsilon))

    @property
    def overlap(self) -> Result:
        """The overlap of the two laws."""
        return self._read(lambda tests: tests.overlap)

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        return self._read(lambda tests: tests.epsilon(delta))

    def normal_shift(self, least: float) -> Result:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside."""
        return self._read(lambda tests: tests.normal_shift(least))

    def _read(self, statistic: Callable[[Polygon], float]) -> Result:
        """Return a statistic between those of the two bounds, since every statistic of curves is monotone in them."""
        low, high = sorted((statistic(self.low), statistic(self.high)))
        value = low + (high - low) / 2 if self.likeliest is None else statistic(self.likeliest)
        return settled(Estimate(min(high, max(low, value)), low, high, self.confidence, self.method))


def compose_tests(first: BestTests, second: BestTests) -> BestTests:
    """Return the best tests of an adversary who sees both observations; both curves must have corners."""
    if isinstance(first, Polygon) and isinstance(second, Polygon):
        return _composed(first, second)
    one, other = as_band(first), as_band(second)
    failure = sum(1 - band.confidence for band in (one, other) if band.confidence is not None)
    return Band(
        _composed(one.low, other.low),
        _composed(one.high, other.high),
        "; ".join(dict.fromkeys(band.method for band in (one, other) if band.method)),
        None if one.likeliest is None or other.likeliest is None else _composed(one.likeliest, other.likeliest),
        1 - failure if failure else None,
    )


def _composed(first: Polygon, second: Polygon) -> Polygon:
    corners = first.p.size * second.p.size
    if corners > (most := limits.current().numbers(MAX_LOSS_PLACES)):
        raise TooLargeError(
            f"a composed curve may have at most {most:,} corners, and this one has {corners:,}; compose the systems "
            "by discretion.parallel or discretion.repeated and take the curve of the result"
        )
    return first.composed(second)


def as_band(tests: BestTests) -> Band:
    """Return tests with corners as a band, possibly of width 0."""
    if isinstance(tests, Polygon):
        return Band(tests, tests, "", tests)
    if isinstance(tests, Band):
        return tests
    raise UnsupportedError(
        "only curves with corners can be composed, and this one is smooth; compose the systems by discretion.parallel "
        "or discretion.repeated and take the curve of the result"
    )
