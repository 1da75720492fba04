"""The exposure curve: the exposure at every threshold."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.rendering import DrawnLayers
from discretion.charts.style import DIM, FONT, GRID, INK, inline, label


def exposure_over_threshold(
    sizes: Sequence[int], exposed: Sequence[int] | None, people: int, certified: Sequence[int] | None = None
) -> alt.LayerChart:
    """Draw the exposure as a step function of the threshold, with its certified bound above.

    Parameters
    ----------
    sizes
        The distinct class sizes, ascending: the curve steps up right after each.
    exposed
        The number of people in classes of at most each size; None if only a bound is known.
    people
        The number of people, n.
    certified
        An upper bound on the number of people in classes of at most each size, drawn dashed; or None.

    Returns
    -------
    altair.LayerChart
        The threshold on a logarithmic horizontal axis, from one person's share to all; the exposure on the vertical
        axis.

    Examples
    --------
    >>> exposure_over_threshold([1, 3], [2, 5], people=5).to_dict()["layer"][0]["mark"]["interpolate"]
    'step-after'
    """
    grey = {"labelColor": DIM, "titleColor": DIM, "gridColor": GRID, "titleFontWeight": "normal", "domain": False}
    layers: list[Any] = []
    description = f"The share of exposed people at every threshold, for {people:,} people"
    if exposed is not None:
        layers.append(_steps(sizes, exposed, people, {}))
        description += f"; {label(exposed[0] / people if sizes[0] == 1 else 0)} are unique"
    description += "."
    if certified is not None:
        layers.append(_steps(sizes, certified, people, {"strokeDash": [4, 3]}))
        description += (
            f" The dashed line{' above' * (exposed is not None)} is the upper bound from the columns one by one."
        )
    chart: Any = DrawnLayers(layer=layers, width=640, height=360, background="white", description=description)
    return chart.configure(font=FONT, axis=grey, view={"stroke": None})


def _steps(sizes: Sequence[int], exposed: Sequence[int], people: int, look: dict[str, Any]) -> Any:
    steps = [{"threshold": size / people, "share": count / people} for size, count in zip(sizes, exposed, strict=True)]
    ends = [{"threshold": 0.5 / people, "share": 0.0}, {"threshold": 1.0, "share": steps[-1]["share"]}]
    return (
        alt.Chart(inline([ends[0], *steps, ends[1]]))
        .mark_line(interpolate="step-after", color=INK, strokeWidth=1.5, **look)
        .encode(
            x=alt.X("threshold:Q", title="less than this share of the people share their values")
            .scale(type="log")
            .axis(format="~%"),
            y=alt.Y("share:Q", title="people exposed").scale(domain=[0, 1]).axis(format="~%"),
        )
    )
