"""The most that an ideal can be worth that has none of some others inside, by an integer program (HiGHS)."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from discretion.numerics.search.ideals import Ideals, bits
from discretion.numerics.search.worth import Worth

# The solver's own tolerance, and that of the sums of weights as floats.
_SLACK = 1e-6


def highest_worth(
    ideals: Ideals, worth: Worth, start: int, without: Iterable[int], seconds: float
) -> tuple[Fraction, int | None]:
    """Return a bound of what ideals are worth that contain none of those given, and one that attains it if found.

    ``max Σ_j w_j x_j`` where x_j says that an element counts, of two rivals at most one, and y_j that it is there; an
    element that counts is there with all that it brings, and of each ideal to be avoided one top is not.

    Parameters
    ----------
    ideals
        The sets to choose from.
    worth
        What elements weigh, and which are rivals.
    start
        What is there in any case.
    without
        The ideals that may not be inside.
    seconds
        How long it may take; the bound holds whenever it ends.
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
    places = np.repeat(np.arange(len(rows)), [len(columns) for columns, _, _ in rows])
    columns = np.concatenate([columns for columns, _, _ in rows])
    factors = np.concatenate([factors for _, factors, _ in rows])
    table = sparse.csr_array((factors, (places, columns)), shape=(len(rows), 2 * m))
    lowest = np.zeros(2 * m)
    lowest[[j + m for j in bits(start)]] = 1
    solution: Any = milp(
        -np.concatenate([weights, np.zeros(m)]),
        integrality=np.repeat([1.0, 0.0], m),
        bounds=Bounds(lowest, np.ones(2 * m)),
        constraints=LinearConstraint(table, -np.inf, np.array([limit for _, _, limit in rows])),
        options={"time_limit": max(seconds, 0.01), "mip_rel_gap": 0.0},
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
