"""The fast Walsh-Hadamard transform."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.int64, np.float64)


def walsh_hadamard(values: NDArray[Number]) -> NDArray[Number]:
    """Return ``Σ_x (-1)^popcount(x & y) values_x`` for every y, in ``K log₂ K`` steps; K must be a power of two.

    Whole numbers give whole numbers, exactly as long as their absolute values add up to less than 2⁶³.
    """
    sums, next_up = values.copy(), np.empty_like(values)
    for _ in range(values.size.bit_length() - 1):
        # Sums and differences over the highest bit of x become those of the lowest bit of y, all others moving up by
        # one: after as many steps as there are bits, each is in its place.
        zeros, ones = sums.reshape(2, -1)
        np.add(zeros, ones, out=next_up[::2])
        np.subtract(zeros, ones, out=next_up[1::2])
        sums, next_up = next_up, sums
    return sums
