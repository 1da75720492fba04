"""The best guess between two secrets, from by how much the law of what one shows exceeds that of the other."""

import math
from collections.abc import Callable
from itertools import pairwise

from discretion.estimate import Estimate
from discretion.numerics.arrays import Reals


def best_guess(lines: Reals, hockey_stick: Callable[[float], float | Estimate]) -> float | Estimate:
    """Return ``∫ max_w (a_w P + b_w Q)`` for the rows (a, b) of lines, given ``∫ max(0, Q - e^ε P)`` for any ε.

    It is the integral of one line, and at each bend a change of slope times the mass by which Q exceeds a multiple of
    P there.
    """
    # The lines a + b t over the likelihood ratio t >= 0, from the least slope on; the highest of those alike is last.
    highest: list[tuple[float, float]] = []
    for slope, start in sorted((b, a) for a, b in lines.tolist()):
        while highest and (
            start >= highest[-1][1] or (len(highest) > 1 and _bend(highest[-1], (slope, start)) <= _bend(*highest[-2:]))
        ):
            highest.pop()
        highest.append((slope, start))
    bends = ((after[0] - before[0]) * hockey_stick(_bend(before, after)) for before, after in pairwise(highest))
    return sum(highest[0]) + sum(bends)


def _bend(before: tuple[float, float], after: tuple[float, float]) -> float:
    """Return the logarithm of the likelihood ratio from which on the second line is higher than the first."""
    return math.log(before[1] - after[1]) - math.log(after[0] - before[0])
