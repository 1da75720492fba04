"""Lemma 4.7 in its correct form: reports reveal the digits of all shares but one.

The lemma rounds all a shares to the step e^(-U), U the digit utility. The last share is 1 minus the others, so that
rounding it, too, cuts the cells of the others, and adds information that no number of users removes.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import entr

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.numerics.arrays import Reals
from discretion.reproduce.item import Published, Reproduction, Row, exact

_USERS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
_LARGEST = _USERS[-1]
# With two shares noise, with three none, so that a hundred thousand users can be summed over.
_PROTOCOLS = {2: dc.RandomizedResponse(2, epsilon=2), 3: dc.RandomizedResponse(3, p=1)}
_REACHED = 0.01
_ALL_BUT_ONE, _ALL = "all shares but one rounded", "all shares rounded"


def lemma_4_7() -> Reproduction:
    """Return I(Y;P) minus the entropy of P, rounded to U digits in all shares but one, and in all of them."""
    rows = tuple(_row(a, n) for a in _PROTOCOLS for n in _USERS)
    last = [row for row in rows if row["n"] == _LARGEST]
    published = tuple(
        entry
        for row in last
        for entry in (
            Published("Lemma 4.7", f"limit, {_ALL_BUT_ONE}, a = {row['a']}", "0", 0.0, row[_ALL_BUT_ONE], _REACHED),
            Published("Lemma 4.7", f"limit, {_ALL}, a = {row['a']}", "0", 0.0, row[_ALL], _REACHED, _CUT),
        )
    )
    ends = {a: (excess(a, 0.0), excess(a, 0.5)) for a in _PROTOCOLS}
    remarks = (
        "Rounding the last share too adds the entropy of round(f - Σ u), with f the fraction of 1/step and u the "
        "other shares' places in their cells, each uniform on [-1/2, 1/2]: "
        + ", and ".join(f"for a = {a} from {min(of):.4f} to {max(of):.4f}" for a, of in ends.items())
        + ". As f changes with n, there is no limit.",
        "The law of P is uniform. With a = 2 the protocol is GRR with ε = 2, with a = 3 the truth.",
    )
    return Reproduction(rows, lambda: _chart(rows), published, remarks)


_CUT = "the last share is 1 minus the others, so that rounding it, too, cuts their cells; round all shares but one"


def _row(a: int, n: int) -> Row:
    uniform = dc.Dirichlet([1.0] * a)
    information = exact(dc.information.population_information(_PROTOCOLS[a], n, uniform))
    digits = exact(dc.information.digit_utility(_PROTOCOLS[a], n, uniform))
    cells = math.exp(digits)
    return {
        "a": a,
        "n": n,
        "digits": digits,
        "I(Y;P)": information,
        _ALL_BUT_ONE: information - rounded_entropy(a, cells, every=False),
        _ALL: information - rounded_entropy(a, cells, every=True),
        "added by the last share, in the limit": excess(a, cells % 1),
    }


def rounded_entropy(a: int, cells: float, *, every: bool) -> float:
    """Return the entropy of uniform shares, a = 2 or 3, rounded to the step 1/cells, without the last or every one."""
    edges: Reals = np.clip((np.arange(cells + 1.5, dtype=np.float64) - 0.5) / cells, 0.0, 1.0)
    if a == 2:
        cuts = np.union1d(edges, 1 - edges) if every else edges
        return float(entr(np.diff(cuts)).sum())
    slices = np.sort(1 - edges) if every else np.array([1.0])
    entropy, below = 0.0, np.zeros((edges.size, edges.size))
    for slice_end in slices:
        up_to = _triangle(edges, float(slice_end))
        cell = np.diff(np.diff(up_to - below, axis=0), axis=1)
        entropy += float(entr(np.maximum(cell, 0.0)).sum())
        below = up_to
    return entropy


def _triangle(edges: Reals, sum_at_most: float) -> Reals:
    """Return the probability that two of three uniform shares are at most two edges, and their sum at most a limit."""
    first, second = edges[:, None], edges[None, :]
    corners = [sum_at_most - cut for cut in (0.0, first, second, first + second)]
    whole, without_first, without_second, without_both = (np.square(np.maximum(corner, 0.0)) for corner in corners)
    return whole - without_first - without_second + without_both


def excess(a: int, fraction: float) -> float:
    """Return the entropy that rounding the last of a = 2 or 3 shares adds, in the limit of many cells."""
    ends: Reals = np.clip(np.arange(-2, 3, dtype=np.float64) - 0.5 + fraction, -1.0, 1.0)
    below = np.clip(ends + 0.5, 0.0, 1.0) if a == 2 else _sum_of_two(ends)
    return float(entr(np.diff(np.concatenate([[0.0], below, [1.0]]))).sum())


def _sum_of_two(ends: Reals) -> Reals:
    """Return the distribution function of the sum of two uniform variables on [-1/2, 1/2]."""
    return np.where(ends < 0, (1 + ends) ** 2 / 2, 1 - (1 - ends) ** 2 / 2)


_LOOKS: dict[str, Look] = {
    f"{_ALL_BUT_ONE}, a = 2": "solid",
    f"{_ALL_BUT_ONE}, a = 3": "dashed",
    f"{_ALL}, a = 2": "circles",
    f"{_ALL}, a = 3": "squares",
}


def _chart(rows: Sequence[Row]) -> object:
    drawn = [
        Curve([(row["n"], row[kind]) for row in rows if row["a"] == a], f"{kind}, a = {a}")
        for kind in (_ALL_BUT_ONE, _ALL)
        for a in _PROTOCOLS
    ]
    across = Axis("users n, logarithmic scale", 10, _LARGEST, logarithmic=True, ticks=(10, 100, 1000, 10_000, 100_000))
    lowest = min(row[_ALL] for row in rows)
    panel = Panel(drawn, across, Axis("I(Y;P) minus the entropy of rounded P", round(lowest - 0.1, 1), 0))
    notes = ("P is rounded to the step e^(-U), U the digit utility. With all shares but one rounded, the difference",
             "goes to 0. With all of them rounded, it does not.")  # fmt: skip
    description = (
        "Curves over the number of users: the information of reports on P, minus the entropy of P rounded to the same "
        "number of digits. "
        "With all shares but one rounded both curves rise to 0; with all shares rounded they stay below."
    )
    return curves([panel], _LOOKS, "Lemma 4.7: the number of digits of P that reports reveal", notes, description)
