"""The look that all figures share: ink and grays that need no color, a name above each row, percent axes.

Altair's own types are loose; values of Altair are typed `Any`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import altair as alt

from discretion.charts.rendering import DrawnLayers, DrawnPanels
from discretion.escaping import printable
from discretion.presenting.numbers import percent

Row = Mapping[str, Any]

# The digits of a number in a figure; the table next to it has more.
DIGITS = 3

# Contrast on white: ink 16:1, dim 7:1 (text), pale 1.7:1 (only the part of a bar that says nothing new).
INK, DIM, PALE, GRID = "#1f1f1f", "#595959", "#c4c4c4", "#e6e6e6"
# From nothing to the most of what is shaded; ink on the darkest is 6.4:1.
SHADES = ("#ffffff", "#a6a6a6")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_AXES: dict[str, Any] = {
    "labelColor": DIM, "titleColor": DIM, "gridColor": GRID, "titleFontWeight": "normal", "domain": False,
    "ticks": False, "labelPadding": 4, "labelFontSize": 12, "titleFontSize": 12,
}  # fmt: skip

_STEP = 38
_NAME_ABOVE, _MARK_BELOW = -7, 8
_BAR = 9
_ROOM_FOR_NUMBER = 72


def label(share: float) -> str:
    """Return a share in per cent, short enough for a label."""
    return percent(share, DIGITS)


def inline(records: Iterable[Row]) -> Any:
    """Return the records as a figure's data."""
    return alt.InlineData(
        values=[
            {key: printable(value) if isinstance(value, str) else value for key, value in record.items()}
            for record in records
        ]
    )


def shares(title: str, top: float) -> Any:
    """Return a percent axis from zero to ``top`` that leaves room on the right for the numbers of `ends`."""
    room = [0, alt.ExprRef(f"width - {_ROOM_FOR_NUMBER}")]
    return _axis(title, alt.Scale(domain=[0, top or 0.01], nice=5, range=room), labelFlush=False)


def exact_scale(domain: Sequence[float], kind: str) -> Any:
    """Return a scale with exactly this domain, which Vega-Lite neither rounds nor extends to zero."""
    zero: Any = alt.Undefined if kind == "log" else False  # which a logarithmic one has not
    return alt.Scale(domain=[*domain], type=cast(Any, kind), nice=False, zero=zero)


def all_shares(title: str) -> Any:
    """Return a percent axis from zero to everybody, as wide as the figure."""
    return _axis(title, alt.Scale(domain=[0, 1], nice=False))


def _axis(title: str, scale: Any, **options: Any) -> Any:
    label = "format(100 * datum.value, '.6~r') + ' %'"
    axis = alt.Axis(labelExpr=label, labelOverlap=True, tickCount=alt.ExprRef("width < 450 ? 3 : 5"), **options)
    return alt.X("share:Q", title=printable(title), scale=scale, axis=axis)


def row() -> Any:
    """Return the vertical place of a record: its number, without an axis, for its name stands above the mark."""
    return alt.Y("row:O", axis=None, scale=alt.Scale(type="band", padding=0))


def names(data: Any, *, strong: str = "false", room: int = 0) -> Any:
    """Return the names above the rows, cut where they do not fit; ``strong`` is an expression of the bold ones."""
    limit = alt.ExprRef(f"max(40, width - {room})")
    return _text(data, x=alt.XValue(0), text="name:N", strong=strong, dy=_NAME_ABOVE, limit=limit)


def numbers(data: Any, *, strong: str = "false") -> Any:
    """Return the rows' labels at the right, on the line of the names."""
    return _text(data, x=alt.XValue("width"), text="label:N", strong=strong, dy=_NAME_ABOVE, align="right")


def ends(data: Any, field: str) -> Any:
    """Return the rows' labels right of where their marks end."""
    return _text(data, x=alt.X(f"{field}:Q"), text="label:N", dy=_MARK_BELOW, dx=8)


def _text(data: Any, *, x: Any, text: str, strong: str = "false", align: str = "left", **mark: Any) -> Any:
    """Return text on a white halo, so that a line behind it does not cross it."""
    mark |= {"align": align, "baseline": "middle", "aria": False}
    mark["fontWeight"] = alt.ExprRef(f"{strong} ? 'bold' : 'normal'")
    base = alt.Chart(data).encode(x=x, y=row(), text=alt.Text(text))
    return alt.layer(
        base.mark_text(color="white", stroke="white", strokeWidth=4, **mark), base.mark_text(color=INK, **mark)
    )


def bars(data: Any, x: Any, color: str = INK) -> Any:
    """Return a bar per row, below its name, from zero."""
    return alt.Chart(data).mark_bar(height=_BAR, yOffset=_MARK_BELOW, color=color).encode(x=x, y=row())


def points(data: Any, x: Any, shapes: Mapping[str, tuple[str, str]]) -> Any:
    """Return points on the rows' lines; field ``kind`` has a shape and a filling by name, and a legend."""
    kinds, looks = list(shapes), list(shapes.values())
    return (
        alt.Chart(data)
        .mark_point(yOffset=_MARK_BELOW, size=70, opacity=1, strokeWidth=1.5)
        .encode(
            x=x,
            y=row(),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=[shape for shape, _ in looks])),
            fill=alt.Fill("kind:N", scale=alt.Scale(domain=kinds, range=[filling for _, filling in looks])),
            stroke=alt.StrokeValue(INK),
        )
    )


def stretches(data: Any, x: Any, x2: str) -> Any:
    """Return a thin line per row between two shares."""
    return alt.Chart(data).mark_rule(yOffset=_MARK_BELOW, color=DIM, aria=False).encode(x=x, x2=alt.X2(x2), y=row())


def line(share: float, text: str, x: Any) -> list[Any]:
    """Return a dashed line across all rows at one share, with its label above."""
    data = inline([{"share": share, "text": text}])
    late = share > 0.5 * x["scale"]["domain"][1]
    label: dict[str, Any] = {"align": "right" if late else "left", "dx": 3 if late else -3, "dy": -6}
    return [
        alt.Chart(data).mark_rule(color=DIM, strokeDash=[4, 3], strokeWidth=1.5, aria=False).encode(x=x),
        alt.Chart(data)
        .mark_text(baseline="bottom", color=DIM, aria=False, **label)
        .encode(x=x, y=alt.YValue(0), text=alt.Text("text:N")),
    ]


def figure(layers: Sequence[Any], rows: int, description: str) -> alt.LayerChart:
    """Return the layers as one figure that fills its container's width."""
    chart: Any = DrawnLayers(
        layer=list(layers),
        width="container",
        height=_STEP * max(rows, 1),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        description=printable(description),
        background="white",
    )
    return chart.configure(
        font=FONT,
        text={"fontSize": 12},
        view={"stroke": None},
        axis=_AXES | {"titleAlign": "left", "titleAnchor": "start"},
        legend={"orient": "top", "title": None, "labelFontSize": 12, "labelColor": INK, "offset": 26}
        | {"symbolSize": 70, "symbolStrokeWidth": 1.5},
    )


def standing_alone(panels: Sequence[Any], title: str, notes: Sequence[str], description: str) -> alt.VConcatChart:
    """Return panels, one below the other, as one figure for a page of its own, with its title and notes above."""
    # One weight of type only: a PDF file lists several in an order that changes from run to run.
    head = alt.TitleParams(
        printable(title), subtitle=[printable(note) for note in notes],
        anchor="start", color=INK, subtitleColor=DIM, fontSize=15, subtitleFontSize=12,
        fontWeight="normal", offset=12,
    )  # fmt: skip
    chart: Any = DrawnPanels(
        vconcat=list(panels), title=head, description=printable(description), background="white", spacing=14, padding=12
    )
    return chart.configure(font=FONT, text={"fontSize": 12}, view={"stroke": None}, axis=_AXES)
