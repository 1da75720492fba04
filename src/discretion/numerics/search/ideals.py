"""Sets of a few elements, some of which require others: the ideals of an order, each as a bit mask."""

from collections.abc import Iterable, Iterator, Sequence


class Ideals:
    """The sets of elements 0, 1, … that contain, with each element, all elements that it requires.

    Parameters
    ----------
    brings
        For each element the mask of the elements that it requires, including itself and all that these require. No two
        elements require each other.

    Examples
    --------
    >>> ideals = Ideals([0b001, 0b011, 0b100])  # 1 requires 0
    >>> ideals.count, ideals.closure(0b010), list(ideals.predecessors(0b111))
    (6, 3, [5, 3])
    """

    def __init__(self, brings: Sequence[int]) -> None:
        self.brings = tuple(brings)
        self.whole = (1 << len(brings)) - 1
        # What is brought comes first: it brings fewer.
        self.order = sorted(range(len(brings)), key=lambda j: self.brings[j].bit_count())
        self._place = {j: place for place, j in enumerate(self.order)}
        self._above = [sum(1 << i for i, brought in enumerate(brings) if brought >> j & 1) for j in range(len(brings))]

    def closure(self, elements: int) -> int:
        """Return the elements and all that they require."""
        return united(self.brings[j] for j in bits(elements))

    def tops(self, ideal: int) -> int:
        """Return the elements of an ideal that no other element of it requires."""
        return sum(1 << j for j in bits(ideal) if ideal & self._above[j] == 1 << j)

    def above(self, element: int) -> int:
        """Return the elements that require this one, including itself."""
        return self._above[element]

    def predecessors(self, ideal: int) -> Iterator[int]:
        """Yield the ideals with one element less."""
        for j in bits(self.tops(ideal)):
            yield ideal ^ 1 << j

    def covers(self, ideal: int) -> Iterator[int]:
        """Yield the elements that can be added one by one, since all that they require is present."""
        for j in bits(self.whole & ~ideal):
            if self.brings[j] & ~ideal == 1 << j:
                yield j

    def later_covers(self, ideal: int, start: int) -> Iterator[int]:
        """Yield such elements so that every ideal above the start arises from exactly one with an element less."""
        last = max((self._place[j] for j in bits(ideal & ~start)), default=-1)
        return (j for j in self.covers(ideal) if self._place[j] > last)

    @property
    def count(self) -> int:
        """The number of ideals, including the empty one."""
        return self._count(self.whole)

    def _count(self, elements: int) -> int:
        """Return the number of ideals on some elements: for each connected part, with and without a middle element."""
        related = [self.brings[j] | self._above[j] for j in range(len(self.brings))]
        count = 1
        while elements:
            part = elements & -elements
            while (larger := part | united(related[j] & elements for j in bits(part))) != part:
                part = larger
            elements &= ~part
            middle = max(bits(part), key=lambda j: (related[j] & part).bit_count())
            count *= (
                2
                if part.bit_count() == 1
                else self._count(part & ~self._above[middle]) + self._count(part & ~self.brings[middle])
            )
        return count


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of a mask's bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(elements: Iterable[int]) -> int:
    """Return the mask with these bits."""
    return united(1 << j for j in elements)


def united(masks: Iterable[int]) -> int:
    """Return the union of masks."""
    union = 0
    for mask in masks:
        union |= mask
    return union
