"""Exposure at every threshold of columns alone and together, with bounds on it: small panels, two in a row."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discretion.charts.style import INK, inline, standing_alone

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 290, 210
# By their place in a panel.
_DASHES = ((1, 0), (7, 3), (1.5, 3), (9, 3, 1.5, 3))


def composed_exposure(
    panels: Mapping[str, Mapping[str, Points]], title: str, notes: Sequence[str], description: str
) -> alt.VConcatChart:
    """Return panels of curves over the threshold, on a logarithmic axis, each with a key of its own.

    Parameters
    ----------
    panels
        By its title, each panel's curves, at most four: by name, points (threshold, share of the people), thresholds
        ascending and over 0. Steps are two points at one threshold.
    title
        The title of the whole figure.
    notes
        Sentences below the title.
    description
        The content of the figure, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed width, two panels in a row.

    Examples
    --------
    >>> steps = [(0.1, 0.0), (0.4, 0.0), (0.4, 1.0), (1.0, 1.0)]
    >>> composed_exposure({"alone": {"sex": steps}}, "Exposure", [], "One step.").to_dict()["description"]
    'One step.'
    """
    drawn = [_panel(name, curves) for name, curves in panels.items()]
    rows: list[Any] = [alt.hconcat(*drawn[first : first + 2], spacing=24) for first in range(0, len(drawn), 2)]
    keyed = [row.resolve_scale(strokeDash="independent") for row in rows]
    chart: Any = standing_alone(keyed, title, notes, description)
    return chart.resolve_scale(strokeDash="independent")


def _panel(name: str, curves: Mapping[str, Points]) -> Any:
    records = [
        {"threshold": threshold, "share": share, "curve": curve, "at": at}
        for curve, points in curves.items()
        for at, (threshold, share) in enumerate(points)
    ]
    dashes = alt.Scale(domain=list(curves), range=[list(dash) for dash in _DASHES[: len(curves)]])
    key = alt.Legend(
        orient="top-left", title=None, symbolType="stroke", symbolSize=700, symbolStrokeColor=INK, labelColor=INK,
        labelFontSize=11, labelLimit=0, rowPadding=0, offset=4,
    )  # fmt: skip
    low = min(points[0][0] for points in curves.values())
    return (
        alt.Chart(inline(records))
        .mark_line(color=INK, strokeWidth=1.4)
        .encode(
            x=alt.X("threshold:Q", title="in a class of less than this share of the people")
            .scale(type="log", domain=[low, 1], nice=False)
            .axis(format="~%", values=[10.0**-power for power in range(6)]),
            y=alt.Y("share:Q", title="people exposed").scale(domain=[0, 1]).axis(format="~%", tickCount=5),
            strokeDash=alt.StrokeDash("curve:N", scale=dashes, legend=key),
            order="at:Q",
        )
        .properties(
            width=_WIDTH,
            height=_HEIGHT,
            title=alt.TitleParams(name, anchor="start", color=INK, fontSize=12, fontWeight="normal"),
        )
    )
