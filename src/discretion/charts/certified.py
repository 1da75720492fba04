"""The bounds that the columns' own counts certify, next to the exact exposure."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import (
    DIGITS,
    INK,
    Row,
    ends,
    figure,
    inline,
    label,
    names,
    points,
    shares,
    stretches,
)
from discretion.presenting.numbers import percent_upwards
from discretion.presenting.views.document import MOST_ROWS


def certified_beside_truth(certified: Sequence[Row], k: int) -> alt.LayerChart:
    """Draw each set of columns with its exact exposure (filled circle) and its certified upper bound (hollow diamond).

    Parameters
    ----------
    certified
        Mappings with ``columns``, ``exposure`` and ``bound``, the mapping of an `Estimate`.
    k
        People are exposed if fewer than k people share their values.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows.

    Examples
    --------
    >>> pair = {"columns": ["sex", "race"], "exposure": 0.02, "bound": {"value": 0.1}}
    >>> certified_beside_truth([pair], k=10).to_dict()["layer"][1]["mark"]["type"]
    'point'
    """
    exact, bound = "exact", "certified upper bound"
    rows: list[dict[str, Any]] = [
        {
            "row": place,
            "name": ", ".join(report["columns"]),
            "share": report["exposure"],
            "bound": report["bound"]["value"],
            "label": f"≤ {percent_upwards(report['bound']['value'], DIGITS)}",
            "exact": label(report["exposure"]),
        }
        for place, report in enumerate(certified[:MOST_ROWS])
    ]
    marks: list[dict[str, Any]] = [
        {**row, "share": share, "kind": kind}
        for row in rows
        for kind, share in ((exact, row["share"]), (bound, row["bound"]))
    ]
    x = shares(f"people exposed (k = {k})", max((mark["share"] for mark in marks), default=0))
    drawn = points(inline(marks), x, {exact: ("circle", INK), bound: ("diamond", "white")}).encode(
        tooltip=[
            alt.Tooltip("name:N", title="columns"),
            alt.Tooltip("exact:N", title="exact"),
            alt.Tooltip("label:N", title="certified"),
        ],
    )
    description = (
        f"Points: share of people exposed at k = {k} by {len(rows)} sets of columns, exact (filled circle) "
        "and the upper bound that the columns' own counts certify (hollow diamond)."
    )
    data = inline(rows)
    return figure([stretches(data, x, "bound"), drawn, names(data), ends(data, "bound")], len(rows), description)
