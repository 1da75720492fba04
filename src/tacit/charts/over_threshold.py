"""Who stands out at every threshold: the exposure curve."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from tacit.charts.style import DIM, FONT, GRID, INK, inline, percent


def exposure_over_threshold(sizes: Sequence[int], exposed: Sequence[int], people: int) -> alt.Chart:
    """Return the exposure as the step function of its threshold that it is.

    Parameters
    ----------
    sizes
        The distinct class sizes, ascending: the curve steps up right after each.
    exposed
        How many people are in classes of at most that size.
    people
        The number of people, n.

    Returns
    -------
    altair.Chart
        The threshold across on a logarithmic axis, from one person's share to all; the exposure upwards.

    Examples
    --------
    >>> exposure_over_threshold([1, 3], [2, 5], people=5).to_dict()["mark"]["interpolate"]
    'step-after'
    """
    steps = [{"threshold": size / people, "share": count / people} for size, count in zip(sizes, exposed, strict=True)]
    ends = [{"threshold": 0.5 / people, "share": 0.0}, {"threshold": 1.0, "share": 1.0}]
    unique = percent(steps[0]["share"]) if sizes[0] == 1 else percent(0)
    grey = {"labelColor": DIM, "titleColor": DIM, "gridColor": GRID, "titleFontWeight": "normal", "domain": False}
    chart: Any = (
        alt.Chart(inline([ends[0], *steps, ends[1]]))
        .mark_line(interpolate="step-after", color=INK, strokeWidth=1.5)
        .encode(
            x=alt.X("threshold:Q", title="alike with less than this share of the people")
            .scale(type="log")
            .axis(format="~%"),
            y=alt.Y("share:Q", title="people exposed").scale(domain=[0, 1]).axis(format="~%"),
        )
        .properties(
            width=640,
            height=360,
            background="white",
            description=f"The share of exposed people at every threshold, for {people:,} people; {unique} are unique.",
        )
    )
    return chart.configure(font=FONT, axis=grey, view={"stroke": None})
