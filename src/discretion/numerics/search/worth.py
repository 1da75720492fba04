"""What a set of elements is worth, as an additive function or one that counts what is brought along only once."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Protocol

from discretion.numerics.search.ideals import Ideals, bits


class Worth(Protocol):
    """The worth of ideals, and how much any ideal inside of another can be worth.

    ``weights`` are those of the elements, and of two ``rivals``, a mask for each element, at most one counts.
    """

    weights: tuple[Fraction, ...]
    rivals: tuple[int, ...]

    def of(self, ideal: int) -> Fraction:
        """Return what an ideal is worth."""
        ...

    def most(self, ideal: int) -> Fraction:
        """Return at least as much as any ideal inside of it is worth."""
        ...


class ToppedUp:
    """The weights of the elements that no other one brings along, added up."""

    def __init__(self, ideals: Ideals, weights: Sequence[Fraction]) -> None:
        self._ideals = ideals
        self.weights = tuple(weights)
        self.rivals = related(ideals)
        self._apart = CountedOnce(ideals, weights)

    def of(self, ideal: int) -> Fraction:
        """Return the weights of the tops, added up."""
        return sum((self.weights[j] for j in bits(self._ideals.tops(ideal))), Fraction(0))

    def most(self, ideal: int) -> Fraction:
        """Return the most that elements of it weigh of which none brings another along."""
        return self._apart.of(ideal)


class CountedOnce:
    """The most that elements weigh of which no two are rivals; it only rises with more elements.

    Rivals are an element and one that it brings along, and the ``pairs``.
    """

    def __init__(self, ideals: Ideals, weights: Sequence[Fraction], pairs: Iterable[tuple[int, int]] = ()) -> None:
        self.weights = tuple(weights)
        rivals = list(related(ideals))
        for i, j in pairs:
            rivals[i] |= 1 << j
            rivals[j] |= 1 << i
        self.rivals = tuple(rivals)
        self._heaviest = cache(self._heaviest_of)

    def of(self, ideal: int) -> Fraction:
        """Return the weight of the heaviest elements apart: by parts that rivals connect, as most have one element."""
        total, left = Fraction(0), ideal
        while left:
            part = left & -left
            while True:
                grown = part
                for j in bits(part):
                    grown |= self.rivals[j] & left
                if grown == part:
                    break
                part = grown
            left &= ~part
            total += self._heaviest(part)
        return total

    most = of

    def _heaviest_of(self, part: int) -> Fraction:
        if not part & (part - 1):
            return self.weights[part.bit_length() - 1]
        middle = max(bits(part), key=lambda j: (self.rivals[j] & part).bit_count())
        without = self.of(part & ~(1 << middle))
        return max(without, self.weights[middle] + self.of(part & ~self.rivals[middle] & ~(1 << middle)))


def related(ideals: Ideals) -> tuple[int, ...]:
    """Return for each element the mask of those that it brings along or that bring it, itself left out."""
    return tuple(
        sum(1 << i for i in range(len(ideals.brings)) if i != j and (ideals.brings[j] >> i | ideals.brings[i] >> j) & 1)
        for j in range(len(ideals.brings))
    )
