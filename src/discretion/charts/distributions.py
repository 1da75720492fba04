"""Distributions of columns before and after a release, as small multiples."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIM, INK, PALE, Row, inline, label, standing_alone

# Panels beside each other and in all, and how large each is.
_BESIDE, _PANELS = 2, 12
_WIDTH, _HEIGHT = 270, 90


def distributions_before_and_after(columns: Sequence[Row]) -> alt.VConcatChart:
    """Draw a panel for each column: wide pale bars of the table, narrow dark bars of the file.

    Parameters
    ----------
    columns
        Mappings with ``column``, ``distance``, the total variation distance, and ``bins``: mappings with ``label``,
        ``before`` and ``after``, shares of the people in the table and in the file.

    Returns
    -------
    altair.VConcatChart
        At most 12 panels, the columns that differ most first.

    Examples
    --------
    >>> sex = {"column": "sex", "distance": 0.1, "bins": [{"label": "f", "before": 0.4, "after": 0.5}]}
    >>> distributions_before_and_after([sex]).to_dict()["description"]
    'Bars: distributions of 1 column in the table and in the file. sex differs by 10 %.'
    """
    most_first = sorted(columns, key=lambda column: -column["distance"])[:_PANELS]
    panels = [alt.hconcat(*map(_panel, some)) for some in _pairs(most_first)]
    count = f"{len(most_first)} column{'s' * (len(most_first) != 1)}"
    words = ", ".join(f"{column['column']} differs by {label(column['distance'])}" for column in most_first)
    return standing_alone(
        panels or [_panel({"column": "", "distance": 0.0, "bins": []})],
        "Before and after",
        ["Wide pale bars: people of the table. Narrow dark bars: people in the file, in the same bins."],
        f"Bars: distributions of {count} in the table and in the file. {words}.",
    )


def _panel(column: Row) -> Any:
    bins = [{**each, "place": place} for place, each in enumerate(column["bins"])]
    data = inline(bins)
    title = alt.TitleParams(
        column["column"], subtitle=f"total variation {label(column['distance'])}",
        anchor="start", fontSize=12, fontWeight="normal", color=INK, subtitleColor=DIM, subtitleFontSize=11,
    )  # fmt: skip
    x: Any = alt.X(
        "label:N", sort=[each["label"] for each in bins], title=None,
        axis=alt.Axis(labelAngle=-40, labelLimit=90, labelOverlap=True),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("label:N", title="value"),
        alt.Tooltip("before:Q", title="table", format=".2%"),
        alt.Tooltip("after:Q", title="file", format=".2%"),
    ]

    def bars(field: str, color: str, width: float) -> Any:
        y: Any = alt.Y(f"{field}:Q", title=None, axis=alt.Axis(format="~%", tickCount=3))
        mark = alt.Chart(data).mark_bar(color=color, width=alt.RelativeBandSize(band=width))
        return mark.encode(x=x, y=y, tooltip=tooltip)

    layers = [bars("before", PALE, 0.9), bars("after", INK, 0.35)]
    return alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=title)


def _pairs(columns: Sequence[Row]) -> list[Sequence[Row]]:
    return [columns[start : start + _BESIDE] for start in range(0, len(columns), _BESIDE)]
