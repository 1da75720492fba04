"""Theorem 4: the table of its proof, and one that shows that the slack of Theorem 3 is needed."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.numerics.arrays import Integers
from discretion.reproduce.anonymity.tables import people_with
from discretion.reproduce.item import Published, Reproduction, Row

_SLACKS = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
_COLUMNS = range(2, 9)
_VALUES = (3, 4, 6, 8, 12, 16, 24, 32)
# A threshold just above another.
_MORE = 1 + Fraction(1, 10**9)
_OF_PROOF, _NEARLY_ALIKE = "Appendix C", "two columns, nearly equal"


def theorem_4() -> Reproduction:
    """Return both sides of Theorem 4 for the table of its proof, and for tables whose exposure is all slack."""
    proof = [_with_proof(c, columns) for c in _SLACKS for columns in _COLUMNS]
    alike = [_with_alike(c, values) for c in _SLACKS[1:] for values in _VALUES]
    rows, remarks = (*proof, *alike), tuple(_remarks(proof, alike))
    return Reproduction(rows, lambda: _chart(proof, alike), of_construction(), remarks)


def _with_proof(c: Fraction, columns: int) -> Row:
    people, share = table_of_proof(c, columns), _frequent(c, columns)
    return {"table": _OF_PROOF, "c": float(c), "size": columns} | _both_sides(people, share, c * share**columns)


def _with_alike(c: Fraction, values: int) -> Row:
    people, threshold = nearly_alike(c, values), c / values**2 * _MORE
    return {"table": _NEARLY_ALIKE, "c": float(c), "size": values} | _both_sides(people, Fraction(1, values), threshold)


def _both_sides(people: dc.Population, share: Fraction, threshold: Fraction) -> dict[str, float]:
    """Return the sum of the columns' exposures at the share, and that of all at the threshold with its bound."""
    return {
        "people": people.people,
        "threshold": float(threshold),
        "sum of columns": sum(dc.exposure(people, threshold=share, columns=[column]) for column in people.columns),
        "exposure": dc.exposure(people, threshold=threshold),
        "theorems": dc.anonymity.theorem_bound(people, threshold=threshold).value,
    }


def table_of_proof(c: Fraction, columns: int) -> dc.Population:
    """Return the table of Appendix C: 3/c users of each binary row; for each column, one in a group withholds it."""
    alike = int(3 / c)
    numbers: Integers = np.repeat(np.arange(2**columns, dtype=np.int64), alike)
    table: Integers = numbers[:, None] >> np.arange(columns) & 1
    for column in range(columns):
        table[alike * column, column] = 2
    return people_with({f"column {number}": values for number, values in enumerate(table.T)})


def _frequent(c: Fraction, columns: int) -> Fraction:
    """Return the share of the rarer of the two values that a column of that table has."""
    people = int(3 / c) * 2**columns
    return Fraction(people // 2 - 1, people)


def nearly_alike(c: Fraction, values: int) -> dc.Population:
    """Return a table of two columns with the law ``(1 - c)·I/m + c·J/m²``: pairs of unlike values are unique."""
    counts = np.ones((values, values), np.int64) + np.eye(values, dtype=np.int64) * int((1 / c - 1) * values)
    first, second = (np.repeat(at.ravel(), counts.ravel()) for at in np.indices(counts.shape))
    return people_with({"first": first, "second": second})


def _remarks(proof: Sequence[Row], alike: Sequence[Row]) -> Iterator[str]:
    beyond = {row["c"] for row in proof if row["exposure"] > row["sum of columns"] * (1 + 1e-9)}
    last = alike[-1]
    yield (
        "As stated the theorem has no content: with all t_j = 0 both sides are 0. The table of its proof attains "
        f"equality, so it does not show that slack is needed, except for c = {', '.join(f'{c:g}' for c in beyond)}, "
        "where groups that lost a row are exposed too."
    )
    yield (
        "Slack is needed: two columns of m values with the law (1 - c)·I/m + c·J/m² have Q_j(1/m) = 0, and exposure "
        f"c(1 - 1/m) just above c/m², where Theorem 3 allows c. With c = {last['c']:g}, m = {last['size']}: "
        f"{last['exposure']:.6f}."
    )


def of_construction() -> tuple[Published, ...]:
    """Return the formulas of Appendix C for c = 1/2 and six columns, and its limit."""
    c, columns = Fraction(1, 2), 6
    people, share = table_of_proof(c, columns), _frequent(c, columns)
    given = f"c = 1/2, k = {columns}"
    return (
        Published(_OF_PROOF, f"Q_i of a column, {given}", "1/(a 2^k)", 1 / people.people,
                  dc.exposure(people, threshold=share, columns=people.columns[:1])),
        Published(_OF_PROOF, f"Q_J(2/(a 2^k)), {given}", "k/(a 2^k)", columns / people.people,
                  dc.exposure(people, threshold=Fraction(2, people.people))),
        Published(_OF_PROOF, f"Q_J(c Π q_i), {given}: Σ Q_i or more", "k/(a 2^k)", columns / people.people,
                  dc.exposure(people, threshold=c * share**columns)),
        Published.number(_OF_PROOF, "limit of 2/(a 2^k) over c Π q_i", "2/3", _ratio(c, 60)),
    )  # fmt: skip


def _ratio(c: Fraction, columns: int) -> float:
    return float(2 / (3 / c * 2**columns) / (c * _frequent(c, columns) ** columns))


_BOUND, _EXPOSURE, _SUM = "Theorems 2 and 3", "exposure of the columns together", "sum of their exposures alone"
_LOOKS: dict[str, Look] = {_BOUND: "dashed", _EXPOSURE: "circles", _SUM: "dotted"}
_COLUMN_OF = {_BOUND: "theorems", _EXPOSURE: "exposure", _SUM: "sum of columns"}


def _chart(proof: Sequence[Row], alike: Sequence[Row]) -> object:
    halved = [row for row in proof if row["c"] == 0.5]
    upper = Panel(
        [curve for c in (0.5, 0.25) for curve in _curves([row for row in alike if row["c"] == c], f"c = {c:g}")],
        Axis(
            "values m of each of two columns, logarithmic scale",
            _VALUES[0],
            _VALUES[-1],
            logarithmic=True,
            ticks=_VALUES,
        ),
        Axis("users exposed just above c/m²", 0, 0.6, percent=True),
        height=260,
    )
    lower = Panel(
        _curves(halved, ""),
        Axis("columns k of the proof's table, c = 1/2", min(_COLUMNS), max(_COLUMNS), ticks=tuple(_COLUMNS)),
        Axis("users exposed, logarithmic scale", 1e-3, 1, logarithmic=True, percent=True, ticks=(0.001, 0.01, 0.1, 1)),
        height=220,
    )
    notes = [
        "Above, columns with (1 - c)·I/m + c·J/m² for their law: alone they expose nobody, together almost as many as",
        "Theorem 3 allows. Below, the table of the proof of Theorem 4: it exposes exactly the sum.",
    ]
    description = (
        "Points for tables that show the slack that is needed. Above, exposure rises with the number of values to the "
        "bound c, while the sum for single columns is 0. Below, the exposure of the table that the paper gives lies on "
        "the sum, far below the bound."
    )
    return curves([upper, lower], _LOOKS, "Theorem 4: the slack is necessary", notes, description)


def _curves(rows: Sequence[Row], label: str) -> list[Curve]:
    return [
        Curve([(row["size"], row[column]) for row in rows], kind, label if kind == _BOUND else "")
        for kind, column in _COLUMN_OF.items()
    ]
