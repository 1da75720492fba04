"""The exposure of each column alone."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import Row, bars, ends, figure, inline, label, line, names, shares
from discretion.presenting.views.document import MOST_ROWS


def exposure_by_column(columns: Sequence[Row], k: int, budget: float) -> alt.LayerChart:
    """Draw bars of the exposure of each column alone, with the budget as a line.

    The columns that expose most come first. Identifier-like columns are not drawn: they expose nearly everybody, and
    would dwarf the others.

    Parameters
    ----------
    columns
        Mappings with ``column``, ``exposure``, ``exposed_people`` and ``identifier_like``.
    k
        People are exposed if fewer than k people share their values.
    budget
        The share of the people who may be exposed.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows.

    Examples
    --------
    >>> sex = {"column": "sex", "exposure": 0.0, "exposed_people": 0, "identifier_like": False}
    >>> exposure_by_column([sex], k=10, budget=0.01).to_dict()["description"]
    'Bars: share of people exposed at k = 10 by each column alone. sex 0 %. The budget is 1 %.'
    """
    traits = sorted((column for column in columns if not column["identifier_like"]), key=lambda c: -c["exposure"])
    rows: list[dict[str, Any]] = [
        {
            "row": place,
            "name": column["column"],
            "share": column["exposure"],
            "label": label(column["exposure"]),
            "people": column["exposed_people"],
        }
        for place, column in enumerate(traits[:MOST_ROWS])
    ]
    data = inline(rows)
    x = shares(f"people exposed (k = {k})", max([budget, *(row["share"] for row in rows)]))
    drawn = bars(data, x).encode(
        tooltip=[
            alt.Tooltip("name:N", title="column"),
            alt.Tooltip("label:N", title="exposed"),
            alt.Tooltip("people:Q", title="people", format=","),
        ]
    )
    words = ", ".join(f"{row['name']} {row['label']}" for row in rows)
    description = (
        f"Bars: share of people exposed at k = {k} by each column alone. {words}. The budget is {label(budget)}."
    )
    budget_line = line(budget, f"budget {label(budget)}", x)
    return figure([drawn, *budget_line, names(data), ends(data, "share")], len(rows), description)
