"""The trade-off between the utility and the exposure of sets of columns."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt

from discretion.charts.style import DIGITS, Row, bars, ends, figure, inline, label, names, shares
from discretion.presenting.names import with_kept
from discretion.presenting.numbers import in_full, percent_upwards
from discretion.presenting.views.document import MOST_ROWS


def front_of_sets(sets: Sequence[Row]) -> alt.LayerChart:
    """Draw bars of the exposure of sets of columns in the given order, each with its utility.

    Parameters
    ----------
    sets
        Mappings with ``columns``, ``utility`` and ``exposure``, which is a share, or the mapping of an `Estimate` that
        bounds it; and optionally ``kept``, column → the number of its values that stay distinct.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows, of the most useful sets.

    Examples
    --------
    >>> pair = {"columns": ["sex", "race"], "utility": 2.0, "exposure": 0.25}
    >>> front_of_sets([pair]).to_dict()["description"]
    'Bars: share of people exposed by sets of columns, each with its utility. sex, race (utility 2) 25 %.'
    """
    rows: list[dict[str, Any]] = [
        {
            "row": place,
            "name": f"{_columns(found) or 'no column'} (utility {in_full(found['utility'])})",
            "share": _share(found["exposure"]),
            "label": _label(found["exposure"]),
        }
        for place, found in enumerate(sets[-MOST_ROWS:])
    ]
    data = inline(rows)
    x = shares("people exposed", max((row["share"] for row in rows), default=0))
    drawn = bars(data, x).encode(
        tooltip=[alt.Tooltip("name:N", title="columns"), alt.Tooltip("label:N", title="exposed")]
    )
    words = ", ".join(f"{row['name']} {row['label']}" for row in rows)
    description = f"Bars: share of people exposed by sets of columns, each with its utility. {words}."
    return figure([drawn, names(data), ends(data, "share")], len(rows), description)


def _columns(found: Row) -> str:
    return ", ".join(with_kept(found["columns"], found.get("kept", {})))


def _share(exposure: object) -> float:
    return cast(float, cast(Mapping[str, Any], exposure)["high"] if isinstance(exposure, Mapping) else exposure)


def _label(exposure: object) -> str:
    share = _share(exposure)
    return f"≤ {percent_upwards(share, DIGITS)}" if isinstance(exposure, Mapping) else label(share)
