"""The exposure of sets of columns."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import Row, bars, ends, figure, inline, label, line, names, shares
from discretion.presenting.views.document import MOST_ROWS


def exposure_by_set(sets: Sequence[Row], k: int, budget: float) -> alt.LayerChart:
    """Draw bars of the exposure of sets of columns in the given order, with the budget as a line.

    Parameters
    ----------
    sets
        Mappings with ``columns``, ``exposure``, ``exposed_people`` and ``unique_people``.
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
    >>> pair = {"columns": ["sex", "race"], "exposure": 0.25, "exposed_people": 5, "unique_people": 1}
    >>> exposure_by_set([pair], k=10, budget=0.01).to_dict()["height"]
    38
    """
    rows: list[dict[str, Any]] = [
        {
            "row": place,
            "name": ", ".join(report["columns"]),
            "share": report["exposure"],
            "label": label(report["exposure"]),
            "people": report["exposed_people"],
            "unique": report["unique_people"],
        }
        for place, report in enumerate(sets[:MOST_ROWS])
    ]
    data = inline(rows)
    x = shares(f"people exposed (k = {k})", max([budget, *(row["share"] for row in rows)]))
    drawn = bars(data, x).encode(
        tooltip=[
            alt.Tooltip("name:N", title="columns"),
            alt.Tooltip("label:N", title="exposed"),
            alt.Tooltip("people:Q", title="people exposed", format=","),
            alt.Tooltip("unique:Q", title="people unique", format=","),
        ]
    )
    description = (
        f"Bars: share of people exposed at k = {k} by {len(rows)} sets of columns, "
        f"with the budget of {label(budget)} as a line."
    )
    budget_line = line(budget, f"budget {label(budget)}", x)
    return figure([drawn, *budget_line, names(data), ends(data, "share")], len(rows), description)
