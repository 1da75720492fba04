"""Storage of all entries as fractions in memory, whose sums and products are not rounded."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np

from discretion import limits
from discretion.channels.storage.dense import Dense
from discretion.channels.storage.storage import MAX_FRACTIONS, Storage
from discretion.channels.storage.unit_rows import Naming, check_shape
from discretion.errors import InvalidChannelError, TooLargeError
from discretion.numerics.arrays import Integers
from discretion.validation import Fractions, as_fractions, holds_fractions


class Rational(Dense):
    """An array of `fractions.Fraction`, taken without a copy, with the nearest doubles in a second array.

    Methods that take logarithms, or do not support fractions, use the doubles.
    """

    __slots__ = ("_fractions",)

    adjective = "exact"
    # Put together with doubles, fractions become doubles.
    precedence = -1

    def __init__(self, fractions: Fractions) -> None:
        super().__init__(fractions.astype(np.float64))
        self._fractions = fractions.view()
        self._fractions.setflags(write=False)

    @staticmethod
    def holds(matrix: Any) -> bool:
        """Whether all entries are fractions or whole numbers, at least one of them a fraction."""
        return holds_fractions(matrix)

    @classmethod
    def copied(cls, matrix: Any) -> "Rational":
        """Return a copy of a user's fractions, or raise an error if they are not a matrix."""
        copy = cast(Fractions, as_fractions(matrix))
        check_shape(copy.shape)
        try:
            return cls(copy)
        except OverflowError:
            raise InvalidChannelError(
                "probabilities must be in [0, 1], and an entry is too large for a double"
            ) from None

    def with_unit_rows(self, named: Naming) -> "Rational":
        """Return the storage itself, or raise an error if an entry is negative or a row does not sum to exactly 1."""
        for x, row in enumerate(self._fractions):
            if min(row) < 0:
                raise InvalidChannelError(
                    f"probabilities must be in [0, 1], and row {named(x)} has an entry that is negative: {min(row)}"
                )
            if sum(row) != 1:
                raise InvalidChannelError(
                    f"every row of fractions must sum to exactly 1, and row {named(x)} sums to {sum(row)}; divide the "
                    "row by its sum if that is meant"
                )
        return self

    @property
    def matrix(self) -> Any:
        """The fractions, read-only."""
        return self._fractions

    @property
    def fractions(self) -> Fractions:
        """The fractions, read-only."""
        return self._fractions

    def rows(self, chosen: Sequence[int]) -> "Rational":
        """Return the rows with these numbers."""
        return Rational(self._fractions[list(chosen), :])

    def columns(self, chosen: Integers) -> "Rational":
        """Return the columns with these numbers."""
        return Rational(self._fractions[:, chosen])

    def weighted(self, weights: Any) -> Dense:
        """Return each row times its weight, in doubles if the weights are doubles."""
        exact = weights.dtype == np.object_
        return Rational(weights[:, None] * self._fractions) if exact else super().weighted(weights)

    def merged(self) -> tuple["Rational", list[int]]:
        """Return the storage with proportional columns added up and zero ones dropped, and the columns that remain."""
        groups: dict[tuple[Fraction, ...], list[int]] = {}
        for y, column in enumerate(self._fractions.T):
            if total := sum(column):
                groups.setdefault(tuple(column / total), []).append(y)
        sums = [self._fractions[:, group].sum(axis=1) for group in groups.values()]
        return Rational(np.stack(sums, axis=1)), [group[0] for group in groups.values()]

    @staticmethod
    def join_columns(parts: Sequence[Storage]) -> "Rational":
        """Return the columns of several storages of fractions side by side."""
        return Rational(np.hstack([cast(Fractions, part.fractions) for part in parts]))

    @staticmethod
    def row_products(left: Storage, right: Storage) -> "Rational":
        """Return ``L[x, y] R[x, z]`` of two storages of fractions in column ``(y, z)``, or raise TooLargeError."""
        (rows, first), (_, second) = left.shape, right.shape
        if rows * first * second > (most := limits.current().numbers(MAX_FRACTIONS, each=128)):
            raise TooLargeError(
                f"the parallel composition would have more than {most:,} fractions; reduce the channels first, by "
                "Channel.reduced(), or convert them to doubles: discretion.Channel(C.dense())"
            )
        factors = cast(Fractions, left.fractions)[:, :, None], cast(Fractions, right.fractions)[:, None, :]
        return Rational((factors[0] * factors[1]).reshape(rows, -1))
