"""Shares of people by their answers, with intervals."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import (
    INK,
    Row,
    bars,
    ends,
    figure,
    inline,
    label,
    names,
    points,
    shares,
    stretches,
)
from discretion.presenting.views.document import MOST_ROWS


def answered_shares(rows: Sequence[Row], *, together: bool = True) -> alt.LayerChart:
    """Draw the shares of people by their answers: bars for counts, points with intervals for estimates.

    Parameters
    ----------
    rows
        Mappings with ``answers``, texts, and ``share``; those of estimates also with ``low`` and ``high``, the bounds
        of the interval.
    together
        Whether the intervals hold all at once, or each by itself.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows.

    Examples
    --------
    >>> answered_shares([{"answers": ["f", "Lima"], "share": 0.25}]).to_dict()["description"]
    'Bars: the shares of people by 1 combination of answers.'
    """
    drawn: list[dict[str, Any]] = [
        {
            "row": place,
            "name": ", ".join(row["answers"]),
            "share": row["share"],
            "low": row.get("low"),
            "high": row.get("high"),
            "label": label(row["share"]),
            "kind": "estimate",
        }
        for place, row in enumerate(rows[:MOST_ROWS])
    ]
    data, estimated = inline(drawn), any(row["high"] is not None for row in drawn)
    combinations = f"{len(drawn)} {'combination' if len(drawn) == 1 else 'combinations'} of answers"
    tooltip = [alt.Tooltip("name:N", title="answers"), alt.Tooltip("label:N", title="share")]
    if not estimated:
        x = shares("people", max((row["share"] for row in drawn), default=0.0))
        layers = [bars(data, x).encode(tooltip=tooltip), names(data), ends(data, "share")]
        return figure(layers, len(drawn), f"Bars: the shares of people by {combinations}.")
    intervals = "intervals that hold together" if together else "an interval for each share"
    x = shares(f"people, with {intervals}", max(row["high"] for row in drawn))
    low: Any = alt.X("low:Q", title=x["title"], scale=x["scale"], axis=x["axis"])
    middle = points(data, x, {"estimate": ("circle", INK)}).encode(
        shape=alt.ShapeValue("circle"), fill=alt.FillValue(INK), tooltip=tooltip
    )
    layers = [stretches(data, low, "high"), middle, names(data), ends(data, "high")]
    return figure(layers, len(drawn), f"Points with intervals: the shares of people by {combinations}.")
