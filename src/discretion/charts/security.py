"""The Bayes security that differential privacy guarantees, and that of mechanisms."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discretion.charts.panels import Axis, Curve, Look, Panel, curves
from discretion.charts.style import INK, inline
from discretion.errors import InvalidValueError
from discretion.security.differential_privacy import bayes_security_of_ldp, yeom_advantage

_STEPS = 200
_LOOKS: dict[str, Look] = {
    "guaranteed by ε, attained": "solid",
    "guaranteed by (ε, δ), attained": "dashed",
    "Yeom's bound": "dotted",
    "mechanisms": "circles",
}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_PROMISED, _APPROXIMATE, _YEOM, _MECHANISMS = _LOOKS


def bayes_security_over_epsilon(
    deltas: Sequence[float] = (0.1, 0.3),
    mechanisms: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    most: float = 3.0,
) -> alt.VConcatChart:
    """Draw the least Bayes security at each ε, by all bounds of Bayes-sec's section V, and mechanisms above it.

    Parameters
    ----------
    deltas
        Each in (0, 1): a curve for (ε, δ), in addition to those of ε alone and of Yeom.
    mechanisms
        By name, points ``(ε, β*)`` in the order of ε; those up to ``most`` are drawn, with the name at the last one.
    most
        The largest ε, above 0.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> chart = bayes_security_over_epsilon(mechanisms={"Laplace": [(0.1, 0.951), (1, 0.607)]})
    >>> "points of: Laplace" in chart.to_dict()["description"]
    True
    """
    if not 0 < most < math.inf:
        raise InvalidValueError(f"most must be a finite number above 0, got {most!r}")
    for delta in deltas:
        if not 0 < delta < 1:
            raise InvalidValueError(f"deltas must be in (0, 1), got {delta!r}")
    steps = [most * step / _STEPS for step in range(_STEPS + 1)]
    drawn = [Curve([(epsilon, bayes_security_of_ldp(epsilon)) for epsilon in steps], _PROMISED, "δ = 0")]
    for delta in deltas:
        promised = [(epsilon, bayes_security_of_ldp(epsilon, delta)) for epsilon in steps]
        drawn.append(Curve(promised, _APPROXIMATE, f"δ = {delta:g}"))
    drawn.append(Curve([(epsilon, 1 - yeom_advantage(epsilon)) for epsilon in steps], _YEOM))
    within = {name: [point for point in points if 0 <= point[0] <= most] for name, points in (mechanisms or {}).items()}
    seen = {name: points for name, points in within.items() if points}
    kinds = {*(curve.kind for curve in drawn), *([_MECHANISMS] if seen else [])}
    panel = Panel(drawn, Axis("ε", 0, most), Axis("β*: the share of its error that the adversary keeps", 0, 1))
    chart: Any = curves(
        [panel],
        {kind: look for kind, look in _LOOKS.items() if kind in kinds},
        "Bayes security that differential privacy guarantees",
        ["Between two adjacent databases, or the two leakiest secrets of a local mechanism. Above a curve is safer."],
        f"Bayes security from 1 down, for ε from 0 to {most:g}: the guarantee of ε alone, that of ε with δ "
        f"= {', '.join(f'{delta:g}' for delta in deltas) or 'none'}, Yeom's lower bound, which reaches 0 at ε = log "
        f"2, and points of: {', '.join(mechanisms or ()) or 'no mechanism'}.",
    )
    for number, (name, points) in enumerate(seen.items()):
        chart.vconcat[-1].layer += _points(name, points, _SHAPES[number % len(_SHAPES)], late=0.7 * most)
    return chart


def _points(name: str, points: Sequence[tuple[float, float]], shape: str, late: float) -> list[Any]:
    """Return a mechanism's points with their own marks, and its name above the last."""
    base = alt.Chart(inline({"x": x, "y": y} for x, y in points)).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    last = alt.Chart(inline([{"x": points[-1][0], "y": points[-1][1], "name": name}]))
    align: Any = "right" if points[-1][0] > late else "left"
    return [
        base.mark_point(shape=shape, size=40, stroke=INK, fill="white", strokeWidth=1.2, opacity=1),
        last.mark_text(align=align, baseline="bottom", dy=-6, color=INK).encode(
            x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("name:N")
        ),
    ]
