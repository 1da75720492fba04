"""The guesses of a sensitive value without and with other columns."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIGITS, PALE, Row, bars, ends, figure, inline, label, line, names, shares
from discretion.presenting.numbers import at_most
from discretion.presenting.views.document import MOST_ROWS


def inference_before_and_after(inference: Sequence[Row]) -> alt.LayerChart:
    """Draw bars of the correct guesses of the sensitive value: pale without the columns, dark for the share they add.

    Parameters
    ----------
    inference
        Mappings with ``sensitive``, ``known``, ``prior`` and ``posterior``, all of the same sensitive column.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows, the best guesses first.

    Examples
    --------
    >>> by_sex = {"sensitive": "income", "known": ["sex"], "prior": 0.75, "posterior": 0.8}
    >>> inference_before_and_after([by_sex]).to_dict()["description"]
    'Bars: share of correct guesses of income, 75 % without any column, at most 80 % with one of 1 sets of columns.'
    """
    best = sorted(inference, key=lambda report: -report["posterior"])[:MOST_ROWS]
    rows: list[dict[str, Any]] = [
        {
            "row": place,
            "name": ", ".join(report["known"]),
            "share": report["prior"],
            "after": report["posterior"],
            "label": label(report["posterior"]),
        }
        for place, report in enumerate(best)
    ]
    data = inline(rows)
    sensitive, prior = (best[0]["sensitive"], best[0]["prior"]) if best else ("the sensitive value", 0.0)
    x = shares(f"correct guesses of {sensitive}", 1.0)
    tooltip = [alt.Tooltip("name:N", title="known"), alt.Tooltip("label:N", title="correct guesses")]
    most = at_most(rows[0]["after"], DIGITS) if rows else "at most the same"
    description = (
        f"Bars: share of correct guesses of {sensitive}, {label(prior)} without any column, {most} with one of "
        f"{len(rows)} sets of columns."
    )
    return figure(
        [
            bars(data, x, PALE).encode(tooltip=tooltip),
            bars(data, x).encode(x2=alt.X2("after"), tooltip=tooltip),
            *line(prior, f"without any column: {label(prior)}", x),
            names(data),
            ends(data, "after"),
        ],
        len(rows),
        description,
    )
