"""Curves on one or several panels, distinguished by dashes and by labels at their ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from discretion.charts.style import DIM, INK, exact_scale, inline, standing_alone

Look = Literal["solid", "dotted", "dashed", "dash-dotted", "circles", "squares"]

WIDTH = 640
_LINES: dict[str, dict[str, Any]] = {
    "solid": {"color": INK, "strokeWidth": 1.6},
    "dashed": {"color": INK, "strokeWidth": 1.2, "strokeDash": [8, 4]},
    "dotted": {"color": DIM, "strokeWidth": 1.8, "strokeDash": [1.5, 3.5]},
    "dash-dotted": {"color": DIM, "strokeWidth": 1.4, "strokeDash": [7, 3, 1.5, 3]},
}
_MARKS: dict[str, dict[str, Any]] = {
    look: {"shape": shape, "size": 32, "stroke": INK, "fill": fill, "strokeWidth": 1.2, "opacity": 1}
    for look, shape, fill in (("circles", "circle", "white"), ("squares", "square", INK))
}

_LABEL_HEIGHT = 15
_LEADER = 18
_KEY_HEIGHT, _KEY_SAMPLE, _KEY_GAP, _LETTER = 18, 30, 26, 5.6


@dataclass(frozen=True)
class Axis:
    """A horizontal or vertical axis: its title, its range and its marks."""

    title: str
    low: float
    high: float
    logarithmic: bool = False
    percent: bool = False
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Curve:
    """Points (x, y) of one kind, with a label at the right end, or none."""

    points: Sequence[tuple[float, float]]
    kind: str
    label: str = ""


@dataclass(frozen=True)
class Panel:
    """Curves on common axes."""

    curves: Sequence[Curve]
    across: Axis
    upwards: Axis
    height: int = 360


def curves(
    panels: Sequence[Panel], looks: Mapping[str, Look], title: str, notes: Sequence[str], description: str
) -> alt.VConcatChart:
    """Draw panels of curves, one below the other, with a key of the kinds above.

    Parameters
    ----------
    panels
        The panels, in order.
    looks
        The look of each kind of curve, in the order of the key.
    title
        The title of the whole figure.
    notes
        Sentences below the title.
    description
        The contents of the figure, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> panel = Panel([Curve([(1, 0.9), (2, 0.7)], "shuffled", "p = 0.9")], Axis("n", 1, 2), Axis("guess", 0.5, 1))
    >>> curves([panel], {"shuffled": "solid"}, "A guess", [], "One curve.").to_dict()["description"]
    'One curve.'
    """
    return standing_alone([_key(looks), *(_panel(panel, looks) for panel in panels)], title, notes, description)


def _panel(panel: Panel, looks: Mapping[str, Look]) -> Any:
    x, y = _channel(alt.X, panel.across), _channel(alt.Y, panel.upwards)
    layers: list[Any] = []
    for kind, look in looks.items():
        records = [
            {"x": across, "y": upwards, "curve": number}
            for number, curve in enumerate(panel.curves)
            if curve.kind == kind
            for across, upwards in curve.points
        ]
        if records:
            layers.append(_mark(alt.Chart(inline(records)), look).encode(x=x, y=y, detail=alt.Detail("curve:N")))
    layers += _labels(panel)
    return alt.layer(*layers).properties(width=WIDTH, height=panel.height)


def _mark(chart: alt.Chart, look: Look) -> alt.Chart:
    return chart.mark_point(**_MARKS[look]) if look in _MARKS else chart.mark_line(**_LINES[look])


def _channel(kind: Any, axis: Axis) -> Any:
    scale = exact_scale([axis.low, axis.high], "log" if axis.logarithmic else "linear")
    marks: dict[str, Any] = {"values": list(axis.ticks)} if axis.ticks else {"tickCount": 6}
    name = "x" if kind is alt.X else "y"
    form = "~%" if axis.percent else "~r" if name == "y" else ",.12~g"
    return kind(f"{name}:Q", title=axis.title, scale=scale, axis=alt.Axis(format=form, **marks))


def _labels(panel: Panel) -> list[Any]:
    """Return the labels to the right of the curves' ends, moved apart if the ends are close, with leading lines."""
    named = sorted((curve for curve in panel.curves if curve.label), key=lambda curve: curve.points[-1][1])
    if not named:
        return []
    low, high = panel.upwards.low, panel.upwards.high
    ends = [curve.points[-1][1] for curve in named]
    unit = (high - low) / panel.height
    places = [low + unit * place for place in apart([(end - low) / unit for end in ends], _LABEL_HEIGHT)]
    data = inline(
        {"y": end, "place": place, "label": curve.label} for curve, end, place in zip(named, ends, places, strict=True)
    )
    base = alt.Chart(data)
    return [
        base.mark_rule(color=DIM, strokeWidth=0.7, aria=False).encode(
            x=alt.XValue(WIDTH + 3), x2=alt.X2Value(WIDTH + _LEADER), y=alt.Y("y:Q"), y2=alt.Y2("place")
        ),
        base.mark_text(align="left", baseline="middle", dx=3, color=INK).encode(
            x=alt.XValue(WIDTH + _LEADER), y=alt.Y("place:Q"), text=alt.Text("label:N")
        ),
    ]


def apart(places: Sequence[float], gap: float) -> list[float]:
    """Return ascending places, moved as little as possible to be a gap apart: neighbors that meet share their middle.

    Examples
    --------
    >>> apart([0, 1, 50], gap=10)
    [-4.5, 5.5, 50.0]
    """
    groups: list[_Group] = []
    for place in places:
        groups.append(_Group(float(place), 1))
        while len(groups) > 1 and groups[-1].first(gap) < groups[-2].first(gap) + gap * groups[-2].size:
            last, before = groups.pop(), groups.pop()
            size = last.size + before.size
            groups.append(_Group((last.middle * last.size + before.middle * before.size) / size, size))
    return [group.first(gap) + gap * i for group in groups for i in range(group.size)]


@dataclass(frozen=True)
class _Group:
    """Labels right above each other, around their middle."""

    middle: float
    size: int

    def first(self, gap: float) -> float:
        return self.middle - gap * (self.size - 1) / 2


def _key(looks: Mapping[str, Look]) -> Any:
    layers: list[Any] = []
    left, row = 0.0, 0
    for kind, look in looks.items():
        width = _KEY_SAMPLE + 6 + _LETTER * len(kind)
        if left and left + width > WIDTH:
            left, row = 0.0, row + 1
        layers += _sample(kind, look, left, _KEY_HEIGHT * (row + 0.5))
        left += width + _KEY_GAP
    return alt.layer(*layers).properties(width=WIDTH, height=_KEY_HEIGHT * (row + 1))


def _sample(kind: str, look: Look, left: float, y: float) -> list[Any]:
    one = alt.Chart(inline([{"kind": kind}]))
    text = one.mark_text(align="left", baseline="middle", color=INK).encode(
        x=alt.XValue(left + _KEY_SAMPLE + 6), y=alt.YValue(y), text=alt.Text("kind:N")
    )
    if look in _MARKS:
        sample = one.mark_point(**_MARKS[look]).encode(x=alt.XValue(left + _KEY_SAMPLE / 2), y=alt.YValue(y))
    else:
        ends: dict[str, Any] = {"x": alt.XValue(left), "x2": alt.X2Value(left + _KEY_SAMPLE), "y": alt.YValue(y)}
        sample = one.mark_rule(**_LINES[look]).encode(**ends)
    return [sample, text]
