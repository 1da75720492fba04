"""The curve of the best attacks: the guilty found against the innocent accused."""

from collections.abc import Sequence

import altair as alt

from discretion.charts.panels import Axis, Curve, Look, Panel, curves

Points = Sequence[tuple[float, float]]

_FOUND, _BLIND = "best attack", "accusing blindly"
_DECADES = 12


def attack_curve(
    found: Points,
    low: Points = (),
    high: Points = (),
    title: str = "The best attack",
    ends: str = "between these for sure",
) -> alt.VConcatChart:
    """Draw true positives over false positives, both on logarithmic axes.

    Parameters
    ----------
    found
        Rates above 0, as pairs of false positives and true positives, in the order of the former.
    low, high
        The same for lower and upper bounds, or nothing if the rates are exact.
    title
        The title of the figure.
    ends
        The name of the bounds in the key.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> chart = attack_curve([(0.001, 0.02), (0.01, 0.1), (1.0, 1.0)])
    >>> chart.to_dict()["description"].partition(": ")[2]
    '2 % where 0.1 % are falsely accused, 10 % where 1 % are, 100 % where 100 % are.'
    """
    least = found[0][0]
    blind = [(least, least), (1.0, 1.0)]
    lines = [Curve(blind, _BLIND), Curve(found, _FOUND), *(Curve(points, ends) for points in (low, high) if points)]
    rates = Axis("falsely accused, of the innocent", least, 1, logarithmic=True, percent=True, ticks=_ticks(least))
    panel = Panel(lines, rates, Axis("found, of the guilty", least, 1, True, True, _ticks(least)), height=480)
    looks: dict[str, Look] = {_FOUND: "solid", **({ends: "dashed"} if low else {}), _BLIND: "dotted"}
    notes = [
        "The largest share of the guilty that any test finds, by the share of the innocent accused. Lower is safer."
    ]
    return curves([panel], looks, title, notes, f"What the best attack finds{_said(found)}")


def _ticks(least: float) -> list[float]:
    return [10.0**-power for power in range(_DECADES, -1, -1) if 10.0**-power >= least * (1 - 1e-9)]


def _said(found: Points) -> str:
    shown = [point for point in found if any(abs(point[0] / tick - 1) < 1e-9 for tick in _ticks(found[0][0]))]
    words = [f"{100 * hits:.3g} % where {100 * rate:.3g} % are" for rate, hits in shown]
    return ": " + ", ".join([words[0] + " falsely accused", *words[1:]]) + "." if words else "."
