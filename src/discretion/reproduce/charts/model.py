"""Random variables and their dependence: circles, arrows, and dashed frames around each party's variables."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIM, INK, inline, standing_alone

Place = tuple[float, float]

# Of a unit of the places, in pixels.
_UNIT = 70
_RADIUS = 20
_HEAD = 150
# Between a circle and the ends of an arrow, whose head has its middle at the end.
_GAPS = (3, 8)
# Room above a frame for its name, in units.
_TITLE = 0.4


def dependence(
    variables: Mapping[str, Place],
    arrows: Sequence[tuple[str, str, str]],
    frames: Mapping[str, tuple[Place, Place]],
    title: str,
    notes: Sequence[str],
    *,
    description: str,
) -> alt.VConcatChart:
    """Return variables as circles, with arrows between them.

    Parameters
    ----------
    variables
        The place of each circle by its name; places run to the right and down, and circles are 1 apart.
    arrows
        The two variables of each arrow, and the text above it.
    frames
        The first and the last corner of each frame by its name, which is written above it.
    title
        The title of the figure.
    notes
        Sentences below the title.
    description
        The content of the figure, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed size.

    Examples
    --------
    >>> places = {"X": (0, 0), "Y": (2, 0)}
    >>> frames = {"hidden": ((-1, -1), (1, 1))}
    >>> chart = dependence(places, [("X", "Y", "Q")], frames, "A report", [], description="One arrow.")
    >>> chart.to_dict()["description"]
    'One arrow.'
    """
    corners = [corner for frame in frames.values() for corner in frame] + list(variables.values())
    low, high = ([bound(places) for places in zip(*corners, strict=True)] for bound in (min, max))
    across = alt.Scale(domain=[low[0], high[0]], nice=False, zero=False)
    down = alt.Scale(domain=[high[1], low[1] - _TITLE], nice=False, zero=False)

    def at(x: str, y: str) -> dict[str, Any]:
        return {"x": alt.X(f"{x}:Q", axis=None, scale=across), "y": alt.Y(f"{y}:Q", axis=None, scale=down)}

    boxes = alt.Chart(
        inline(
            {"name": name, "x": start[0], "y": start[1], "x2": end[0], "y2": end[1]}
            for name, (start, end) in frames.items()
        )
    )
    lines = alt.Chart(inline(_arrow(variables[start], variables[end], text) for start, end, text in arrows))
    circles = alt.Chart(inline({"name": name, "x": place[0], "y": place[1]} for name, place in variables.items()))
    text = lines.encode(**at("x3", "y3"), text="text:N")
    layers: list[Any] = [
        boxes.mark_rect(fill=None, stroke=DIM, strokeDash=[4, 3]).encode(**at("x", "y"), x2="x2", y2="y2"),
        boxes.mark_text(align="left", baseline="bottom", dy=-4, color=DIM).encode(**at("x", "y"), text="name:N"),
        lines.mark_rule(color=INK, strokeWidth=1.2).encode(**at("x", "y"), x2="x2", y2="y2"),
        lines.mark_point(shape="wedge", size=_HEAD, fill=INK, stroke=INK, opacity=1).encode(
            **at("x2", "y2"), angle=alt.Angle("angle:Q", scale=None)
        ),
        text.mark_text(dy=-9, color="white", stroke="white", strokeWidth=4),
        text.mark_text(dy=-9, color=INK),
        circles.mark_point(
            shape="circle", size=(2 * _RADIUS) ** 2, fill="white", stroke=INK, strokeWidth=1.2, opacity=1
        ).encode(**at("x", "y")),
        circles.mark_text(color=INK).encode(**at("x", "y"), text="name:N"),
    ]
    width, height = (_UNIT * (end - start) for start, end in zip(low, high, strict=True))
    drawing = alt.layer(*layers).properties(width=width, height=height + _TITLE * _UNIT)
    return standing_alone([drawing], title, notes, description)


def _arrow(start: Place, end: Place, text: str) -> dict[str, Any]:
    """Return an arrow from the rim of a circle to the rim of another one, and its middle."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = math.hypot(across, down)
    start_gap, end_gap = ((_RADIUS + gap) / _UNIT / length for gap in _GAPS)
    return {
        "x": start[0] + across * start_gap,
        "y": start[1] + down * start_gap,
        "x2": end[0] - across * end_gap,
        "y2": end[1] - down * end_gap,
        "x3": (start[0] + end[0]) / 2,
        "y3": (start[1] + end[1]) / 2,
        "angle": math.degrees(math.atan2(down, across)) + 90,
        "text": text,
    }
