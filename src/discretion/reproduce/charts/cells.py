"""A small channel as a table of cells, each shaded by its probability."""

from collections.abc import Sequence

import altair as alt

from discretion.charts.style import GRID, INK, SHADES, Row, inline, standing_alone

_LETTER, _PADDING, _CELL_HEIGHT = 7.2, 14, 40


def channel_cells(cells: Sequence[Row], title: str, notes: Sequence[str] = ()) -> alt.VConcatChart:
    """Return the cells of a channel, rows the secrets and columns the observations, shaded from nothing to the largest.

    Parameters
    ----------
    cells
        Mappings with ``row``, ``column``, ``ours`` (the probability), ``printed`` (the text above it) and ``remark``
        (not empty: in a heavy frame).
    title
        The title of the figure.
    notes
        Sentences below the title.

    Returns
    -------
    altair.VConcatChart
        Of fixed size.

    Examples
    --------
    >>> cell = {"row": "a", "column": "b", "ours": 0.25, "printed": "1 - p", "remark": ""}
    >>> channel_cells([cell], "Noise").to_dict()["description"]
    'Cells: the probability of each observation (column) for each secret (row). a → b: 0.2500.'
    """
    rows, columns = (list(dict.fromkeys(cell[name] for cell in cells)) for name in ("row", "column"))
    records = [{**cell, "value": _value(cell["ours"])} for cell in cells]
    letters = max(len(text) for cell in records for text in (cell["column"], cell["printed"], cell["value"]))
    x = alt.X("column:N", sort=columns, title=None, scale=alt.Scale(padding=0)).axis(orient="top", labelAngle=0)
    y = alt.Y("row:N", sort=rows, title=None, scale=alt.Scale(padding=0))
    shade = alt.Scale(domain=[0, max(cell["ours"] for cell in cells)], range=list(SHADES))
    base, framed, alone, both = (
        alt.Chart(inline(some)).encode(x=x, y=y)
        for some in (
            records,
            [record for record in records if record["remark"]],
            [record for record in records if record["printed"] == record["value"]],
            [record for record in records if record["printed"] != record["value"]],
        )
    )
    layers = alt.layer(
        base.mark_rect(stroke=GRID).encode(fill=alt.Fill("ours:Q", scale=shade, legend=None)),
        framed.mark_rect(fill=None, stroke=INK, strokeWidth=2.5),
        alone.mark_text(color=INK, fontSize=12).encode(text=alt.Text("printed:N")),
        both.mark_text(dy=-8, color=INK, fontSize=12).encode(text=alt.Text("printed:N")),
        both.mark_text(dy=8, color=INK, fontSize=11).encode(text=alt.Text("value:N")),
    ).properties(width=len(columns) * (_LETTER * letters + _PADDING), height=_CELL_HEIGHT * len(rows))
    said = ", ".join(f"{record['row']} → {record['column']}: {record['value']}" for record in records)
    description = f"Cells: the probability of each observation (column) for each secret (row). {said}."
    return standing_alone([layers], title, notes, description)


def _value(probability: float) -> str:
    return f"{probability:.0f}" if probability in (0, 1) else f"{probability:.4f}"
