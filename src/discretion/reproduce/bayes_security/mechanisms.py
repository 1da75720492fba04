"""Figure 6: Bayes security over ε, of randomized response, of Laplace and of Gaussian noise.

Only the text of the paper is at hand, not its drawings: the ranges and the numbers of values are our choice.
"""

from collections.abc import Sequence

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.bayes_security.numbers import of_mechanisms
from discretion.reproduce.item import Reproduction, Row, exact

_RESPONSE, _LAPLACE, _GAUSSIAN = "randomized response", "Laplace", "Gaussian"
_VALUES = (2, 10, 100, 1_000, 10_000, 1_000_000)
_PEOPLE = (100, 1_000, 10_000, 1_000_000)
_MOST = {_RESPONSE: 10.0, _LAPLACE: 10.0, _GAUSSIAN: 1.0}
_STEPS = 100


def figure_6() -> Reproduction:
    """Return β* over ε for k-RR, Laplace noise with λ = Δ/ε, and Gaussian noise for (ε, δ)."""
    rows = tuple(row for step in range(1, _STEPS + 1) for row in _at(step / _STEPS))
    remark = (
        "Gaussian noise: σ = Δ √(2 log(1.25/δ))/ε, which is sufficient, not necessary, for ε < 1. δ = 1/N² for "
        "N people, as the text has it for a thousand."
    )
    return Reproduction(
        rows, lambda: _chart(rows), of_mechanisms(), (remark, "The ranges and the other parameters are our choice.")
    )


def _at(share: float) -> list[Row]:
    """Return β* of every mechanism at this share of its largest ε."""
    level = {name: share * most for name, most in _MOST.items()}
    systems: list[tuple[str, str, dc.RandomizedResponse | dc.Laplace | dc.Gaussian]] = [
        *((_RESPONSE, f"k = {k:,}", dc.RandomizedResponse(k, epsilon=level[_RESPONSE])) for k in _VALUES),
        (_LAPLACE, "", dc.Laplace(1 / level[_LAPLACE])),
        *((_GAUSSIAN, f"N = {n:,}", dc.Gaussian.classical(level[_GAUSSIAN], n**-2.0)) for n in _PEOPLE),
    ]
    return [
        {"mechanism": name, "parameter": parameter, "epsilon": level[name], "beta": exact(dc.bayes_security(system))}
        for name, parameter, system in systems
    ]


_LOOKS: dict[str, Look] = {"β*": "solid"}


def _chart(rows: Sequence[Row]) -> object:
    panels = [
        _panel(rows, _RESPONSE, Axis("β*, (a) k-RR", 0, 1), 300),
        _panel(rows, _LAPLACE, Axis("β*, (b) Laplace noise", 0, 1), 200),
        _panel(rows, _GAUSSIAN, Axis("β*, (c) Gaussian noise", 0.9, 1), 260),
    ]
    notes = [
        "(a) for k values; (b) with scale Δ/ε; (c) with the classical σ for (ε, δ), δ = 1/N² for N people.",
        "1 - β*/2 is the probability that the best guess of the two leakiest values is correct. In (c) the axis starts "
        "at 0.9.",
    ]
    description = (
        "Curves: Bayes security over ε, in three panels. For randomized response it stays near 1 the longer the more "
        "values there are; for Laplace noise it is e^(-ε/2); for Gaussian noise it is the larger the smaller δ is."
    )
    return curves(panels, _LOOKS, "Figure 6: Bayes security over ε", notes, description)


def _panel(rows: Sequence[Row], name: str, upwards: Axis, height: int) -> Panel:
    here = [row for row in rows if row["mechanism"] == name]
    drawn = [
        Curve([(0.0, 1.0), *((row["epsilon"], row["beta"]) for row in here if row["parameter"] == parameter)], "β*",
              parameter)
        for parameter in dict.fromkeys(row["parameter"] for row in here)
    ]  # fmt: skip
    return Panel(drawn, Axis("ε", 0, _MOST[name]), upwards, height)
