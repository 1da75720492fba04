"""Figure 2: exposure of four features of Adult, alone and together, with bounds from single features."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import discretion as dc
from discretion.reproduce.charts.composition import composed_exposure
from discretion.reproduce.item import Published, Reproduction, Row

COLUMNS = ("sex", "income", "race", "workclass")
_ALONE = tuple((column,) for column in COLUMNS)
_TOGETHER = tuple(COLUMNS[:count] for count in (2, 3, 4))

_A_DECADE = 20
_DECADES = 5
Points = Sequence[tuple[float, float]]


def figure_2() -> Reproduction:
    """Return the exposure of each feature, and of two, three and four, with the theorems' bound and by counting."""
    adult = dc.Population("example:adult", COLUMNS)
    rows = tuple(row for columns in (*_ALONE, *_TOGETHER) for row in _rows(adult, columns))
    return Reproduction(rows, lambda: _chart(rows, adult.people), of_adult(), _REMARKS + _at_a_thousandth(rows))


_REMARKS = (
    "The bounds of Theorems 2 and 3 are at their optimum over all thresholds of the columns, and over j* or c.",
    "The counting bound is drawn with a slack of t for each cell, so that it can be compared; exposure_bound counts "
    "whole people and is a little lower still.",
)


def _rows(adult: dc.Population, columns: tuple[str, ...]) -> Iterator[Row]:
    truth, counting = dc.exposure_curve(adult, columns), dc.anonymity.exposure_bound_curve(adult, columns)
    for threshold in _thresholds(adult.people, truth.breakpoints):
        yield {
            "columns": _named(columns),
            "threshold": float(threshold),
            "truth": truth(threshold),
            "theorems": dc.anonymity.theorem_bound(adult, threshold=threshold, columns=columns).value,
            "counting": counting.with_slack(threshold),
        }


def _thresholds(people: int, steps: Iterable[Fraction]) -> list[Fraction]:
    """Return thresholds from one person's share to 1, among them each step of the truth and one person more."""
    one = Fraction(1, people)
    # To three digits, so that the powers of ten are among them.
    even = (
        Fraction(round(1000 * 10 ** (place / _A_DECADE)), 1000 * 10**decade)
        for decade in range(_DECADES + 1)
        for place in range(_A_DECADE)
    )
    chosen = {one, *even, *(step + more for step in steps for more in (0, one))}
    return sorted(threshold for threshold in chosen if one <= threshold <= 1)


def _named(columns: Sequence[str]) -> str:
    return ", ".join(columns)


def _of(rows: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    return [row for row in rows if row["columns"] == _named(columns)]


def _at_a_thousandth(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return a comparison of the two bounds and the truth at t = 0.001, in sentences."""
    selected = (next(row for row in _of(rows, columns) if row["threshold"] == 0.001) for columns in _TOGETHER)
    return tuple(
        f"Of {row['columns']} at t = 0.001 the theorems allow {row['theorems']:.2%}, counting {row['counting']:.2%}; "
        f"{row['truth']:.2%} of the people are exposed.".replace("%", " %")
        for row in selected
    )


def of_adult() -> tuple[Published, ...]:
    """Return the numbers that section 6.3 and Figure 2 print about the table."""
    adult = dc.Population("example:adult")
    where = "section 6.3"
    supports = zip(COLUMNS, ("2", "2", "5", "9"), strict=True)
    return (
        Published.number(where, "users", "32561", adult.people),
        Published.number(where, "features", "14", len(adult.columns), _INCOME),
        *(
            Published.number("Figure 2", f"values of {column}", printed, adult.class_sizes([column]).classes)
            for column, printed in supports
        ),
    )


_INCOME = "the income, which is among the four that are used, comes on top of the 14"

_TRUTH, _THEOREMS, _COUNTING = "exposure", "Theorems 2 and 3", "counting bound"


def _chart(rows: Sequence[Row], people: int) -> object:
    panels: dict[str, dict[str, Points]] = {
        "each feature alone": {columns[0]: _steps(_of(rows, columns)) for columns in _ALONE}
    }
    for columns in _TOGETHER:
        some = _of(rows, columns)
        panels[_named(columns)] = {
            _TRUTH: _steps(some),
            _THEOREMS: [(row["threshold"], row["theorems"]) for row in some],
            _COUNTING: [(row["threshold"], row["counting"]) for row in some],
        }
    notes = [
        f"Adult, {people:,} people. Bounds on the exposure of all features from single features: Theorems 2 and 3 at",
        "their best (the paper's black line), and the counting bound, which is never above them.",
    ]
    description = (
        "Curves of exposure over the threshold, for four features of Adult alone and for two, three and four of them "
        "together. The more features, the further the bounds of Theorems 2 and 3 are above the truth; the counting "
        "bound lies between."
    )
    return composed_exposure(panels, "Figure 2: exposure curves and what single features certify", notes, description)


def _steps(rows: Sequence[Row]) -> Points:
    """Return the truth as a step function: each value holds from just above the threshold before."""
    first = rows[0]
    points = [(first["threshold"], first["truth"])]
    for before, row in pairwise(rows):
        points += [(before["threshold"], row["truth"]), (row["threshold"], row["truth"])]
    return points
