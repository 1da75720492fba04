"""Estimates of exposure from many samples with the truth: their means, and the deviations of samples from the mean."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.panels import WIDTH
from discretion.charts.style import INK, PALE, Row, inline, standing_alone

# The second lies over the first.
_FILLS = (PALE, "#7d7d7d")
_DASHES = ((1, 0), (7, 3))
_HEIGHT, _HEIGHT_BELOW = 300, 180
_A_TICK = 8


def estimated_exposure(
    rows: Sequence[Row], names: Sequence[str], title: str, notes: Sequence[str], description: str
) -> alt.VConcatChart:
    """Return two estimates as bands of one standard deviation about their means, and below these deviations.

    Parameters
    ----------
    rows
        Mappings with ``k``, ascending, ``truth``, and for each name ``NAME, mean`` and ``NAME, deviation``.
    names
        The names of the estimates, at most two; the band of the second is drawn over that of the first.
    title
        The title of the whole figure.
    notes
        Sentences below the title.
    description
        The content of the figure, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> rows = [{"k": k, "truth": k / 8, "plug-in, mean": k / 8, "plug-in, deviation": 0.1} for k in (1, 8)]
    >>> estimated_exposure(rows, ["plug-in"], "Exposure", [], "A band.").to_dict()["description"]
    'A band.'
    """
    records = [
        {"k": row["k"], "low": max(mean - deviation, 0.0), "high": min(mean + deviation, 1.0), "deviation": deviation,
         "estimate": name}
        for name in names
        for row in rows
        for mean, deviation in [(row[f"{name}, mean"], row[f"{name}, deviation"])]
    ]  # fmt: skip
    first, last = rows[0]["k"], rows[-1]["k"]
    x = alt.X(
        "k:Q", title="k: exposed in a class of fewer than k", scale=alt.Scale(domain=[first, last], nice=False)
    ).axis(values=[first, *range(first - first % _A_TICK + _A_TICK, last + 1, _A_TICK)])
    y = alt.Y("low:Q", title="exposure", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))
    fills = alt.Scale(domain=list(names), range=list(_FILLS[: len(names)]))
    dashes = alt.Scale(domain=list(names), range=[list(dash) for dash in _DASHES[: len(names)]])
    base = alt.Chart(inline(records))
    bands = base.mark_area(opacity=0.8).encode(
        x=x, y=y, y2="high:Q", fill=alt.Fill("estimate:N", scale=fills, legend=_key("top-left", symbolType="square"))
    )
    true = (
        alt.Chart(inline({"k": row["k"], "truth": row["truth"], "line": "truth"} for row in rows))
        .mark_line(color=INK, strokeWidth=1.4)
        .encode(x=x, y="truth:Q", strokeDash=alt.StrokeDash("line:N", legend=_line_key("bottom-right")))
    )
    spread = base.mark_line(color=INK, strokeWidth=1.4).encode(
        x=x,
        y=alt.Y("deviation:Q", title="standard deviation", axis=alt.Axis(tickCount=5)),
        strokeDash=alt.StrokeDash("estimate:N", scale=dashes, legend=_line_key("top-right")),
    )
    panels = [
        alt.layer(bands, true).properties(width=WIDTH, height=_HEIGHT),
        spread.properties(width=WIDTH, height=_HEIGHT_BELOW),
    ]
    chart: Any = standing_alone(panels, title, notes, description)
    return chart.resolve_scale(strokeDash="independent")


def _line_key(place: Any) -> alt.Legend:
    return _key(place, symbolType="stroke", symbolStrokeColor=INK)


def _key(place: Any, **symbols: Any) -> alt.Legend:
    return alt.Legend(
        orient=place, title=None, symbolSize=500, labelColor=INK, labelFontSize=12, labelLimit=0, **symbols
    )
