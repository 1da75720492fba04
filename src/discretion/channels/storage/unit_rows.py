"""Checks of rows: their sums, the divisors that make them 1, and the error messages for other rows."""

from collections.abc import Callable

import numpy as np

from discretion.errors import InvalidChannelError
from discretion.numerics.arrays import Reals
from discretion.validation import SUM_ROUNDING, SUM_TOLERANCE

# How a row is called where it is refused.
Naming = Callable[[int], str]


def check_entries(entries: Reals, row_of: Callable[[int], int], named: Naming) -> None:
    """Raise an error for an entry that is negative or not finite; the message names the row of the first one."""
    for wrong, complaint in ((~np.isfinite(entries), "that is not a number"), (entries < 0, "that is negative")):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InvalidChannelError(
                f"probabilities must be in [0, 1], and row {named(row_of(at))} has an entry {complaint}: {entries[at]}"
            )


def divisors_of(sums: Reals, named: Naming) -> Reals | None:
    """Return the divisor that makes each row sum to 1, None if rounding explains all; raise an error for other sums."""
    off = np.abs(sums - 1)
    if off.max() > SUM_TOLERANCE:
        row = int(off.argmax())
        raise InvalidChannelError(
            f"every row must sum to 1 within {SUM_TOLERANCE:g}, and row {named(row)} sums to {sums[row]:.12g}; "
            "divide the row by its sum if that is meant"
        )
    return None if off.max() <= SUM_ROUNDING else np.where(off > SUM_ROUNDING, sums, 1.0)


def check_shape(shape: tuple[int, ...]) -> None:
    """Raise an error unless the shape has rows and columns."""
    if len(shape) != 2 or 0 in shape:
        raise InvalidChannelError(
            f"a channel needs a row per secret and a column per observation, got an array of shape {shape}"
        )
