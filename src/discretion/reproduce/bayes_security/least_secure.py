"""Figure 3: two channels that have the least Bayes security that ε-LDP allows."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

import discretion as dc
from discretion.numerics.arrays import Reals
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction, Row, exact


class Shape(NamedTuple):
    """The size of a channel of Figure 3, and of its first block of columns."""

    n: int
    m: int
    k: int


# e^ε = 3 keeps the entries short; these blocks are uneven enough for both slips of the left matrix.
_EPSILON, _DRAWN = math.log(3), Shape(4, 5, 4)
_CHECKED = ((_DRAWN, _EPSILON), (Shape(3, 4, 1), 0.1), (Shape(6, 9, 8), 1.0), (Shape(5, 4, 2), 5.0))


def figure_3() -> Reproduction:
    """Return both matrices of Figure 3 at e^ε = 3, corrected, with the entries as printed."""
    rows = tuple(row for name in _MATRICES for row in _cells(name))
    remarks = (
        f"Drawn are n = {_DRAWN.n}, m = {_DRAWN.m}, k = {_DRAWN.k} and e^ε = 3. For m = 2k the left matrix is correct "
        "as printed.",
        "The rows below the second are here the mean of the first two; copies of one of these do as well.",
    )

    def chart() -> object:
        drawn = [{**row, "row": f"{row['matrix']}, {row['row']}"} for row in rows]
        notes = (
            "Above, the printed entry (a = 3/16, b = 1/4, c = 1/5, d = 3/4, e = 1/4 at e^ε = 3); below, the corrected",
            "entry, in a heavy frame where it differs. Corrected, both have the least β*, "
            f"2/(1+e^ε) = {dc.security.bayes_security_of_ldp(_EPSILON):.4g}.",
        )
        return channel_cells(drawn, "Figure 3: two channels as insecure as ε-LDP allows", notes)

    return Reproduction(rows, chart, (*_entries(rows), *_least(), *_whole()), remarks)


def left(shape: Shape, epsilon: float) -> Reals:
    """Return the left matrix, corrected: two blocks of columns, which the first two rows weigh the other way round."""
    n, m, k = shape
    two = dc.RandomizedResponse(2, epsilon=epsilon).channel().dense()
    first = np.hstack([np.tile(two[:, :1] / k, k), np.tile(two[:, 1:] / (m - k), m - k)])
    return np.vstack([first, np.tile(first.mean(axis=0), (n - 2, 1))])


def right(shape: Shape, epsilon: float) -> Reals:
    """Return the right matrix, corrected: only two of its columns ever occur."""
    n, m, _ = shape
    return np.hstack([left(Shape(n, 2, 1), epsilon), np.zeros((n, m - 2))])


def letters(name: str, shape: Shape) -> list[str]:
    """Return the rows of a matrix as printed."""
    n, m, k = shape
    if name == "left":
        return ["a" * k + "b" * (m - k), "b" * k + "a" * (m - k), *["c" * m] * (n - 2)]
    rest = "0" * (m - 2)
    return ["de" + rest, "ed" + rest, *["10" + rest] * (n - 2)]


def as_printed(name: str, shape: Shape, epsilon: float) -> Reals:
    """Return the values of a matrix as printed."""
    _, m, k = shape
    odds = math.exp(epsilon)
    true, lie = odds / (1 + odds), 1 / (1 + odds)
    value = {"a": true / k, "b": lie / (m - k), "c": 1 / m, "d": true, "e": lie, "0": 0.0, "1": 1.0}
    return np.array([[value[letter] for letter in row] for row in letters(name, shape)])


_MATRICES = {"left": left, "right": right}
_BLOCKS = "its entries swap with those of the first row only where m = 2k; else it does not sum to 1"
_EVEN = "1/m is ε-LDP with the first two rows only for k/m from 1/(1+e^ε) to e^ε/(1+e^ε)"
_ZERO = "a 0 in a column with positive entries is not ε-LDP for any ε"


def _cells(name: str) -> Iterator[Row]:
    """Yield the entries of a matrix, printed and corrected."""
    before, after = as_printed(name, _DRAWN, _EPSILON), _MATRICES[name](_DRAWN, _EPSILON)
    for s, row in enumerate(letters(name, _DRAWN)):
        reason = _ZERO if name == "right" else _BLOCKS if s == 1 else _EVEN
        for o, letter in enumerate(row):
            value, ours = float(before[s, o]), float(after[s, o])
            remark = "" if math.isclose(value, ours, abs_tol=1e-12) else reason
            yield {"matrix": name, "row": f"s{s + 1}", "column": f"o{o + 1}", "printed": letter, "published": value,
                   "ours": ours, "difference": ours - value, "remark": remark}  # fmt: skip


def _entries(rows: Sequence[Row]) -> tuple[Published, ...]:
    """Return one entry of each group of equal entries."""
    alike = {(row["matrix"], min(row["row"], "s3"), row["printed"], row["ours"]): row for row in reversed(rows)}
    return tuple(
        Published("Figure 3", f"{row['matrix']}, {row['row']} → {row['column']}", row["printed"], row["published"],
                  row["ours"], slip=row["remark"])
        for row in reversed(alike.values())
    )  # fmt: skip


def _least() -> tuple[Published, ...]:
    """Return ε and β* of the corrected matrices, at several sizes."""
    return tuple(
        Published(f"Figure 3, {name}", f"{what} at n, m, k = {shape.n}, {shape.m}, {shape.k}, ε = {epsilon:.3g}",
                  printed, value, ours)
        for name, corrected in _MATRICES.items()
        for shape, epsilon in _CHECKED
        for what, printed, value, ours in (
            ("β*", "2/(1+e^ε)", 2 / (1 + math.exp(epsilon)), _security(corrected(shape, epsilon))),
            ("ε", "ε", epsilon, _epsilon(corrected(shape, epsilon))),
        )
    )  # fmt: skip


def _whole() -> tuple[Published, ...]:
    """Return the properties of the printed matrices that differ from the paper's statements."""
    least = 2 / (1 + math.exp(_EPSILON))
    whole = float(as_printed("left", _DRAWN, _EPSILON)[1].sum())
    security = _security(as_printed("right", _DRAWN, _EPSILON))
    return (
        Published("Figure 3, left", "sum of s2 as printed", "1", 1.0, whole, slip=_BLOCKS),
        Published("Figure 3, right", "β* as printed", "2/(1+e^ε)", least, security, slip=_ZERO),
    )


def _security(matrix: Reals) -> float:
    return exact(dc.bayes_security(dc.Channel(matrix)))


def _epsilon(matrix: Reals) -> float:
    return dc.ldp_epsilon(dc.Channel(matrix))
