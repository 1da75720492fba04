"""Columns of two levels: a report that is e^ε times as likely from some values, the favored ones, as from the others.

Every ε-LDP mechanism is a post-processing of one with such columns only (Kairouz, Oh, Viswanath 2014). Here their mean
over the values is 1, so that a mixture's weights are the shares of its reports when all values are equally common. Its
rows sum to 1 if the weights do, and if no value is favored on the whole.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discretion.channels.storage.storage import check_size
from discretion.numerics.arrays import Booleans, Integers, Reals


@dataclass(frozen=True, eq=False)
class Columns:
    """Some columns: for each the number of favored values, its ε, and the favored values themselves.

    Without members a column stands for its orbit under permutations: all sets of that size, with equal weights.
    """

    k: int
    sizes: Integers
    epsilons: Reals
    members: Booleans | None

    def __len__(self) -> int:
        return self.sizes.size

    def __getitem__(self, chosen: Integers | Booleans | list[int]) -> "Columns":
        members = None if self.members is None else self.members[chosen]
        return Columns(self.k, self.sizes[chosen], self.epsilons[chosen], members)

    def joined(self, other: "Columns") -> "Columns":
        """Return these columns followed by the columns of another instance."""
        sizes = np.concatenate([self.sizes, other.sizes])
        epsilons = np.concatenate([self.epsilons, other.epsilons])
        if self.members is None or other.members is None:
            return Columns(self.k, sizes, epsilons, None)
        return Columns(self.k, sizes, epsilons, np.concatenate([self.members, other.members]))

    def times(self, factors: Reals, most: float) -> "Columns":
        """Return the columns with each ε times each factor, up to a limit."""
        columns = self[np.tile(np.arange(len(self)), factors.size)]
        epsilons = np.minimum(np.outer(factors, self.epsilons).ravel(), most)
        return Columns(self.k, columns.sizes, epsilons, columns.members)

    @property
    def high(self) -> Reals:
        """The entries on the favored values."""
        return self.k / (self.sizes + (self.k - self.sizes) * np.exp(-self.epsilons))

    @property
    def low(self) -> Reals:
        """The entries on the other values."""
        return self.high * np.exp(-self.epsilons)

    @property
    def step(self) -> Reals:
        """The difference between the entries on the favored and on the other values."""
        return -self.high * np.expm1(-self.epsilons)

    def excess(self) -> Reals:
        """Return the excess of each column over 1 on each value but the last."""
        if self.members is None:
            return np.zeros((0, len(self)))
        return (self.step * (self.members.T - self.sizes / self.k))[:-1]

    def matrix(self, weights: Reals) -> Reals:
        """Return the channel's matrix, a row per value, that has these columns with these weights."""
        members = self.members
        if members is None:
            # The columns without information are all the same.
            counts = [math.comb(self.k, size) if size * e else 1 for size, e in self._kinds()]
            check_size(self.k, sum(counts), f"the best mechanism on k = {self.k} values", "take fewer values")
            orbits = [
                sets_of_size(self.k, size)[:count] for (size, _), count in zip(self._kinds(), counts, strict=True)
            ]
            alone = Columns(
                self.k, np.repeat(self.sizes, counts), np.repeat(self.epsilons, counts), np.concatenate(orbits)
            )
            return alone.matrix(np.repeat(weights / counts, counts))
        return np.where(members.T, self.high * weights, self.low * weights)

    def _kinds(self) -> list[tuple[int, float]]:
        return list(zip(self.sizes.tolist(), self.epsilons.tolist(), strict=True))


def columns_of(members: Booleans, epsilons: Reals) -> Columns:
    """Return the columns that favor these sets, with each ε."""
    each = np.tile(members, (epsilons.size, 1))
    return Columns(members.shape[1], each.sum(axis=1), np.repeat(epsilons, len(members)), each)


def orbits_of(k: int, sizes: Integers, epsilons: Reals) -> Columns:
    """Return the orbits of the columns that favor sets of these sizes, with each ε."""
    return Columns(k, np.tile(sizes, epsilons.size), np.repeat(epsilons, sizes.size), None)


def all_sets(k: int) -> Booleans:
    """Return the sets of values but the empty and the whole one, a row each."""
    return (np.arange(1, (1 << k) - 1)[:, None] >> np.arange(k)) % 2 > 0


def sets_of_size(k: int, size: int) -> Booleans:
    """Return the sets of this size, a row each."""
    members = np.zeros((math.comb(k, size), k), dtype=np.bool_)
    for row, chosen in zip(members, combinations(range(k), size), strict=True):
        row[list(chosen)] = True
    return members
