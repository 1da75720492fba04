"""Figure 8: Bayes security of randomized response, with the bounds by Proposition 5 and by the ℓ2 distance."""

from collections.abc import Mapping, Sequence
from typing import Literal

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.item import Published, Reproduction, Row, exact

_EXACT, _MEAN, _ANY, _L2 = "β*", "Prop. 5, mean row", "Prop. 5, any row", "ℓ2 distance"
_LOOKS: dict[str, Look] = {_EXACT: "solid", _MEAN: "dashed", _ANY: "dotted", _L2: "circles"}
_WAYS: Mapping[str, Literal["mean row", "first row", "l2"]] = {_MEAN: "mean row", _ANY: "first row", _L2: "l2"}

_K, _LEVELS = 10, [step / 20 for step in range(61)]
_EPSILON, _SIZES = 0.5, (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 63, 80, 100)


def figure_8() -> Reproduction:
    """Return β* of k-RR and bounds on it of three kinds, over ε for k = 10 and over k for ε = 0.5."""
    over_epsilon = tuple(_row(_K, epsilon) for epsilon in _LEVELS)
    over_size = tuple(_row(k, _EPSILON) for k in _SIZES)
    nearest = max(row["k"] for row in over_size if row[f"{_L2}, low"] > row[f"{_MEAN}, low"])
    remarks = (
        "According to Appendix I, the bound by the mean row is the most accurate. This does not hold for few values: "
        f"up to k = {nearest} the bound by ℓ2 distance, which widens as √k, is more accurate.",
        "The ranges are our choice.",
    )
    return Reproduction(
        (*over_epsilon, *over_size), lambda: _chart(over_epsilon, over_size), _of_krr(over_size), remarks
    )


def _row(k: int, epsilon: float) -> Row:
    response = dc.RandomizedResponse(k, epsilon=epsilon)
    bounds = {name: dc.security.bayes_security_bounds(response, by=way) for name, way in _WAYS.items()}
    ends = {f"{name}, {end}": getattr(bound, end) for name, bound in bounds.items() for end in ("low", "high")}
    return {"k": k, "epsilon": epsilon, _EXACT: exact(dc.bayes_security(response))} | ends


def _of_krr(rows: Sequence[Row]) -> tuple[Published, ...]:
    """Return the bounds in terms of TV = 1 - β*, which is the same for all pairs of k-RR, by hand."""
    (row,) = (row for row in rows if row["k"] == _K)
    distance = 1 - row[_EXACT]
    return tuple(
        Published("Appendix I", f"{name}, k = {_K}, ε = {_EPSILON:g}", formula, 1 - factor * distance,
                  row[f"{name}, low"])
        for name, formula, factor in (
            (_MEAN, "1 - 2(1-1/k)(1-β*)", 2 * (1 - 1 / _K)),
            (_ANY, "1 - 2(1-β*)", 2),
            (_L2, "1 - √(k/2)(1-β*)", (_K / 2) ** 0.5),
        )
    )  # fmt: skip


def _chart(over_epsilon: Sequence[Row], over_size: Sequence[Row]) -> object:
    by_size = Axis(f"number of values k at ε = {_EPSILON:g}, logarithmic scale", _SIZES[0], _SIZES[-1],
                   logarithmic=True, ticks=(2, 5, 10, 20, 50, 100))  # fmt: skip
    panels = [
        _panel(over_epsilon, "epsilon", Axis(f"ε at k = {_K}", 0, _LEVELS[-1]), 0.0, 4),
        _panel(over_size, "k", by_size, 0.5, 1),
    ]
    notes = [
        "Of each kind there are two bounds: the upper one lies above β*, the lower one below it.",
        "All rows of k-RR are equally far apart, so that the upper bound of any row is β* itself.",
    ]
    description = (
        "Curves: Bayes security of k-RR, three lower bounds below it and three upper bounds above it, over ε and over "
        "the number of values. The lower bound around the mean row is the best, except for few values, where the "
        "bound by ℓ2 distance is. The upper bound of any row is β* itself, and that around the mean row is close to it."
    )
    return curves(panels, _LOOKS, "Figure 8: Bayes security of k-RR and its bounds", notes, description)


def _panel(rows: Sequence[Row], across: str, axis: Axis, low: float, step: int) -> Panel:
    def curve(kind: str, column: str) -> Curve:
        some = rows[step - 1 :: step] if kind == _L2 else rows
        return Curve([(row[across], row[column]) for row in some], kind)

    bounds = [curve(name, f"{name}, {end}") for name in _WAYS for end in ("low", "high")]
    return Panel([curve(_EXACT, _EXACT), *bounds], axis, Axis("β* and its bounds", low, 1), height=260)
