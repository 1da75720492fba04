"""Gains for a property of the secret: its block of a partition, or its membership in a set."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from discretion.adversaries.gains.gain import Gain, JointLaw, RightOrWrong, check_listable
from discretion.errors import InvalidGainError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.matrices import class_sums
from discretion.validation import as_count, as_index, check_length


@dataclass(frozen=True, eq=False)
class PartitionGain(RightOrWrong):
    """Gain 1 for naming the secret's block, else 0; blocks are numbered from 0 and none is empty."""

    block_of: Integers

    def __repr__(self) -> str:
        return f"PartitionGain({int(self.block_of.max()) + 1:,} blocks of {self.block_of.size:,} secrets)"

    @property
    def secrets(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The number of secrets."""
        return self.block_of.size

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return int(self.block_of.max()) + 1

    def best(self, joint: Reals) -> Reals:
        """Return the largest sum of a block in every column."""
        return class_sums(joint, self.block_of).max(axis=0)

    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return the largest sum of a block in every column."""
        return joint.class_maxima(self.block_of)

    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return for each column the sum of the block that has the largest sum in the believed column."""
        likeliest = class_sums(believed, self.block_of).argmax(axis=0)
        return np.take_along_axis(class_sums(joint, self.block_of), likeliest[None, :], axis=0)[0]

    def guesses(self) -> Reals:
        """Return a row for each block: 1 at the secrets of the block, else 0."""
        check_listable(math.log(self.blocks), self.secrets)
        return (np.arange(self.blocks)[:, None] == self.block_of).astype(np.float64)

    @property
    def is_symmetric(self) -> bool:
        """Always False: the gain depends on which secrets share a block."""
        return False


def partition_gain(labels: Iterable[Hashable]) -> Gain:
    """Return the gain of naming the block of the secret: ``g(w, x) = 1`` if w is x's block, else 0.

    Parameters
    ----------
    labels
        The block of each secret, in the order of the secrets: any hashable labels; equal labels name the same block.

    Raises
    ------
    InvalidGainError
        If there are no labels, or one is not hashable.

    Notes
    -----
    This covers any function of the secret: a property, a digit, a neighborhood.

    Examples
    --------
    >>> import discretion as dc
    >>> diseases = partition_gain(["flu", "cancer", "cancer", "flu"])  # the disease, not its stage
    >>> round(dc.posterior_vulnerability(dc.RandomizedResponse(4, p=0.7), gain=diseases), 12)
    0.8
    """
    check_length(getattr(labels, "size", 0))
    try:
        values = list(labels)
    except TypeError:
        raise InvalidGainError(f"a partition needs a label for each secret, got {short_repr(labels)}") from None
    if not values:
        raise InvalidGainError("a partition needs a label for each secret, got none")
    numbers: dict[Hashable, int] = {}
    block_of = np.empty(len(values), dtype=np.int64)
    for secret, label in enumerate(values):
        try:
            block_of[secret] = numbers.setdefault(label, len(numbers))
        except TypeError:
            raise InvalidGainError(
                f"a label must be hashable, such as a name or a number, got {short_repr(label)} for secret {secret}"
            ) from None
    block_of.setflags(write=False)
    return PartitionGain(block_of)


def set_gain(k: int, members: Iterable[int]) -> Gain:
    """Return the gain of deciding correctly whether the secret is in a set: ``g(w, x) = 1`` if ``w = [x in members]``.

    Parameters
    ----------
    k
        Number of secrets, at least 1.
    members
        The indexes of the secrets in the set, each once, in ``0..k-1``; with none or all the guess is always correct.

    Raises
    ------
    InvalidGainError
        If a member is given twice, or the members are not numbers.

    Examples
    --------
    >>> import discretion as dc
    >>> round(dc.posterior_vulnerability(dc.RandomizedResponse(4, p=0.7), gain=set_gain(4, [0])), 12)
    0.85
    """
    k = as_count(k, "k", at_least=1)
    try:
        chosen = [as_index(member, "members", k) for member in members]
    except TypeError:
        raise InvalidGainError(f"members must be the numbers of some secrets, got {short_repr(members)}") from None
    if len(set(chosen)) < len(chosen):
        twice = next(member for member in chosen if chosen.count(member) > 1)
        raise InvalidGainError(f"members must be distinct, got {twice} more than once")
    inside = np.isin(np.arange(k), np.array(chosen, dtype=np.int64))
    return partition_gain(inside.tolist())
