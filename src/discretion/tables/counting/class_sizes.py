"""Class sizes: the number of equivalence classes of each size, which determines the exposure of a table."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError
from discretion.notebook import Chartable, Tabular
from discretion.numerics.arrays import Integers
from discretion.tables.counting.threshold import Threshold, as_fraction, least_unexposed

Int64s = Integers


class ClassSizes(Tabular):
    """The equivalence classes of people who share their values, by size.

    Parameters
    ----------
    sizes
        The distinct class sizes, ascending and at least 1.
    counts
        The number of classes of each size, at least 1.

    Raises
    ------
    InvalidValueError
        If sizes and counts do not have the same length, or sizes do not ascend.

    Examples
    --------
    >>> sizes = ClassSizes([1, 3], [2, 1])
    >>> sizes.people, sizes.classes, sizes.unique, sizes.exposed(k=2)
    (5, 3, 2, 2)
    """

    __slots__ = ("_counts", "_sizes", "_up_to")

    def __init__(self, sizes: Iterable[int] | Int64s, counts: Iterable[int] | Int64s) -> None:
        self._sizes = _read_only(sizes)
        self._counts = _read_only(counts)
        if self._sizes.shape != self._counts.shape or not self._sizes.size:
            raise InvalidValueError("class sizes need as many counts as sizes, and at least one")
        if self._sizes[0] < 1 or (np.diff(self._sizes) < 1).any() or self._counts.min() < 1:
            raise InvalidValueError("class sizes must ascend from 1 or more, and each must have a count of at least 1")
        self._up_to = _read_only(np.cumsum(self._sizes * self._counts))

    @classmethod
    def from_counts(cls, counts: Int64s) -> "ClassSizes":
        """Return the class sizes of classes with these numbers of people, without empty classes.

        Examples
        --------
        >>> ClassSizes.from_counts(np.array([3, 0, 1, 1])) == ClassSizes([1, 3], [2, 1])
        True
        """
        return cls(*np.unique(counts[counts > 0], return_counts=True))

    @property
    def sizes(self) -> Int64s:
        """The distinct class sizes, ascending."""
        return self._sizes

    @property
    def counts(self) -> Int64s:
        """The number of classes of each size."""
        return self._counts

    @property
    def people(self) -> int:
        """The number of people, n."""
        return int(self._up_to[-1])

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self._counts.sum())

    @property
    def unique(self) -> int:
        """The number of people who are alone in their class."""
        return int(self._counts[0]) if self.smallest == 1 else 0

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        return int(self._sizes[0])

    @property
    def largest(self) -> int:
        """The size of the largest class."""
        return int(self._sizes[-1])

    @property
    def rarer(self) -> Int64s:
        """For each size, the number of people in smaller classes."""
        return self._up_to - self._sizes * self._counts

    @property
    def entropy(self) -> float:
        """The entropy in bits of the class of a person drawn at random: ``H = Σ_v p(v) log₂ 1/p(v)``."""
        # The logarithm of a share close to 1 would lose its digits.
        bits = np.log1p((self.people - self._sizes) / self._sizes) / math.log(2)
        return float((self._counts * self._sizes) @ bits) / self.people

    def exposed(self, *, k: int | None = None, threshold: Threshold | None = None) -> int:
        """Return the number of people in classes of fewer than k, or of a share of the people below the threshold.

        Examples
        --------
        >>> ClassSizes([1, 3], [2, 1]).exposed(threshold="3/5")
        2
        """
        return _value_before(self._sizes, self._up_to, least_unexposed(self.people, k, threshold))

    def exposure(self, *, k: int | None = None, threshold: Threshold | None = None) -> float:
        """Return the exposure ``Q(t) = Σ_v p(v)·1{p(v) < t}`` in [0, 1], the share of the people exposed.

        Examples
        --------
        >>> ClassSizes([1, 3], [2, 1]).exposure(k=2)
        0.4
        """
        return self.exposed(k=k, threshold=threshold) / self.people

    def coarsened(self, kept: int) -> "ClassSizes":
        """Return the class sizes if all classes except the ``kept`` largest are merged into one.

        Examples
        --------
        >>> ClassSizes([1, 2, 3], [2, 1, 2]).coarsened(1) == ClassSizes([3, 7], [1, 1])
        True
        """
        if kept >= self.classes - 1:
            return self
        larger = self._counts[::-1].cumsum()[::-1] - self._counts
        apart = np.clip(kept - larger, 0, self._counts)
        sizes, places = np.unique(np.append(self._sizes, self.people - apart @ self._sizes), return_inverse=True)
        counts = np.zeros_like(sizes)
        np.add.at(counts, places, np.append(apart, 1))
        return ClassSizes(sizes[counts > 0], counts[counts > 0])

    def curve(self) -> "ExposureCurve":
        """Return the exposure at every threshold as a step function."""
        return ExposureCurve(self.people, self._sizes, self._up_to)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassSizes):
            return NotImplemented
        return np.array_equal(self._sizes, other._sizes) and np.array_equal(self._counts, other._counts)

    def __hash__(self) -> int:
        return hash((self._sizes.tobytes(), self._counts.tobytes()))

    def __repr__(self) -> str:
        return f"ClassSizes({self.people} people in {self.classes} classes of {self.smallest} to {self.largest})"


@dataclass(frozen=True, eq=False)
class ExposureCurve(Tabular, Chartable):
    """The exposure as a function of the threshold: ``Q(t) = Σ_v p(v)·1{p(v) < t}``.

    A step function, continuous from the left: it is ``exposed[i] / people`` from just above ``sizes[i] / people`` up to
    and including ``sizes[i + 1] / people``, 0 before the first of these points, and all 1 after the last.

    Parameters
    ----------
    people
        The number of people, n.
    sizes
        The distinct class sizes, ascending: the steps are at the thresholds ``sizes / people``.
    exposed
        For each size, the number of people in classes of at most this size.

    Examples
    --------
    >>> curve = ClassSizes([1, 3], [2, 1]).curve()
    >>> curve("1/5"), curve(0.3), curve(1)
    (0.0, 0.4, 1.0)
    """

    people: int
    sizes: Int64s
    exposed: Int64s

    def __repr__(self) -> str:
        return f"ExposureCurve({self.people} people, {self.sizes.size} steps)"

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The thresholds just above which the exposure steps up."""
        return tuple(Fraction(size, self.people) for size in self.sizes.tolist())

    def at_most(self, sizes: ArrayLike) -> Int64s:
        """Return for each size the number of people in classes of at most this size.

        Examples
        --------
        >>> ClassSizes([1, 3], [2, 1]).curve().at_most([0, 1, 2, 3]).tolist()
        [0, 2, 2, 5]
        """
        return np.append(0, self.exposed)[np.searchsorted(self.sizes, sizes, side="right")]

    def fewer_than(self, k: int) -> float:
        """Return the share of the people in classes of fewer than k people."""
        return int(self.at_most(k - 1)) / self.people

    def __call__(self, threshold: Threshold) -> float:
        """Return the exposure at a threshold, of any type that :func:`as_fraction` takes."""
        size = least_unexposed(self.people, threshold=as_fraction(threshold))
        return _value_before(self.sizes, self.exposed, size) / self.people


def _value_before(sizes: Int64s, cumulative: Int64s, size: int) -> int:
    steps = int(np.searchsorted(sizes, min(size, int(sizes[-1]) + 1), side="left"))
    return int(cumulative[steps - 1]) if steps else 0


def _read_only(values: Any) -> Int64s:
    array = np.array(values, ndmin=1)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidValueError(f"class sizes and their counts must be sequences of whole numbers, got {values!r}")
    array = array.astype(np.int64)
    array.setflags(write=False)
    return array
