"""The utility of a set of elements: an additive function, or one that counts required elements only once."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import numpy as np

from discretion.numerics.search.ideals import Ideals, bits

# Branches of an integer program.
_BRANCHES = 100
# The solver's own tolerance, and that of the sums of weights as floats.
_SLACK = 1e-6


class Worth(Protocol):
    """The utility of ideals, and bounds for all ideals inside of another.

    ``weights`` are those of the elements. ``rivals`` has a mask for each element: of two rivals at most one counts.
    """

    weights: tuple[Fraction, ...]
    rivals: tuple[int, ...]

    def of(self, ideal: int) -> Fraction:
        """Return the utility of an ideal."""
        ...

    def most(self, ideal: int) -> Fraction:
        """Return an upper bound of the utility of every ideal inside of this one."""
        ...

    def potential(self, ideal: int) -> Fraction:
        """Return a quick estimate of the utility, by which the search orders ideals."""
        ...


class ToppedUp:
    """The sum of the weights of the elements that no other element requires."""

    def __init__(self, ideals: Ideals, weights: Sequence[Fraction]) -> None:
        self._ideals = ideals
        self.weights = tuple(weights)
        self.rivals = related(ideals)
        self._apart = CountedOnce(ideals, weights)

    def of(self, ideal: int) -> Fraction:
        """Return the sum of the weights of the tops."""
        return sum((self.weights[j] for j in bits(self._ideals.tops(ideal))), Fraction(0))

    potential = of

    def most(self, ideal: int) -> Fraction:
        """Return the largest weight of elements in it, none of which requires another."""
        return self._apart.of(ideal)


class CountedOnce:
    """The largest weight of elements without two rivals; it only rises with more elements.

    Rivals are an element and one that it requires, and the ``pairs``. ``most_apart``, if it is known, is the largest
    number of elements without two rivals in any relevant ideal.
    """

    def __init__(
        self,
        ideals: Ideals,
        weights: Sequence[Fraction],
        pairs: Iterable[tuple[int, int]] = (),
        most_apart: int | None = None,
    ) -> None:
        self.weights = tuple(weights)
        self._heaviest_apart = sum(sorted(self.weights, reverse=True)[:most_apart], Fraction(0))
        rivals = list(related(ideals))
        for i, j in pairs:
            rivals[i] |= 1 << j
            rivals[j] |= 1 << i
        self.rivals = tuple(rivals)
        self._heaviest = cache(self._heaviest_of)

    def of(self, ideal: int) -> Fraction:
        """Return the weight of the heaviest elements without rivals, by connected parts, mostly single elements."""
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

    potential = of

    def most(self, ideal: int) -> Fraction:
        """Return the utility of the ideal, but at most the weight of the heaviest elements that can be apart."""
        return min(self.of(ideal), self._heaviest_apart)

    def _heaviest_of(self, part: int) -> Fraction:
        if not part & (part - 1):
            return self.weights[part.bit_length() - 1]
        middle = max(bits(part), key=lambda j: (self.rivals[j] & part).bit_count())
        without = self.of(part & ~(1 << middle))
        return max(without, self.weights[middle] + self.of(part & ~self.rivals[middle] & ~(1 << middle)))


def related(ideals: Ideals) -> tuple[int, ...]:
    """Return for each element the mask of those that it requires or that require it, without itself."""
    masks = [brought & ~(1 << j) for j, brought in enumerate(ideals.brings)]
    for j, brought in enumerate(tuple(masks)):
        for i in bits(brought):
            masks[i] |= 1 << j
    return tuple(masks)


def highest_worth(
    ideals: Ideals, worth: Worth, start: int, without: Iterable[int], seconds: float
) -> tuple[Fraction, int | None]:
    """Return an upper bound of the utility of ideals without the given ones inside, and one that attains it if found.

    ``max Σ_j w_j x_j``, where x_j is 1 if an element counts, for at most one of two rivals, and y_j is 1 if it is
    present; an element that counts is present with all that it requires, and of each ideal to be avoided one top is
    absent.

    Parameters
    ----------
    ideals
        The sets to choose from.
    worth : Worth
        The weights of elements, and their rivals.
    start
        The elements that are always present.
    without
        The ideals that must not be inside.
    seconds
        The time limit; the number of branches is limited too. The bound holds whenever it ends.
    """
    from scipy import sparse  # noqa: PLC0415 - only where a proof needs it
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415

    m = len(ideals.brings)
    scale = max(worth.weights, default=Fraction(0))
    if not scale:
        return Fraction(0), ideals.closure(start)
    weights = np.array([float(weight / scale) for weight in worth.weights])
    rows: list[tuple[list[int], list[float], float]] = []
    for j in range(m):
        rows += [([j, i + m], [1.0, -1.0], 0.0) for i in bits(ideals.brings[j])]
        rows += [([j, i], [1.0, 1.0], 1.0) for i in bits(worth.rivals[j]) if i < j]
    for ideal in without:
        tops = list(bits(ideals.tops(ideal)))
        rows.append(([j + m for j in tops], [1.0] * len(tops), len(tops) - 1.0))
    # Older solvers take no wider indices.
    places = np.repeat(np.arange(len(rows), dtype=np.int32), [len(columns) for columns, _, _ in rows])
    columns = np.concatenate([columns for columns, _, _ in rows]).astype(np.int32)
    factors = np.concatenate([factors for _, factors, _ in rows])
    table = sparse.csr_array((factors, (places, columns)), shape=(len(rows), 2 * m))
    lowest = np.zeros(2 * m)
    lowest[[j + m for j in bits(start)]] = 1
    solution: Any = milp(
        -np.concatenate([weights, np.zeros(m)]),
        integrality=np.ones(2 * m, np.int64),
        bounds=Bounds(lowest, np.ones(2 * m)),
        constraints=LinearConstraint(table, -np.inf, np.array([limit for _, _, limit in rows])),
        options={"time_limit": max(seconds, 0.01), "node_limit": _BRANCHES, "mip_rel_gap": 0.0},
    )
    if solution.mip_dual_bound is None or not np.isfinite(solution.mip_dual_bound):
        return worth.most(ideals.whole), None
    bound = Fraction(-float(solution.mip_dual_bound) + _SLACK) * scale
    if all(weight == scale or not weight for weight in worth.weights):  # a number of elements
        bound = bound // scale * scale
    if solution.x is None:
        return bound, None
    elements = sum(1 << j for j in range(m) if solution.x[j] > 0.5 or start >> j & 1)
    return bound, ideals.closure(elements)
