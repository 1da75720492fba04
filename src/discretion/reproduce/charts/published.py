"""Our numbers compared with the published ones."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIM, INK, Row, figure, inline, names, numbers, points, row as place

# In units of the last digit printed: one number that is a thousand off would hide all others.
_FURTHEST = 10.0

_LOOKS = {
    "agrees to the digits printed": ("circle", INK),
    "printed wrong": ("diamond", "white"),
    "differs": ("cross", "white"),
}


def beside_published(published: Sequence[Row], title: str) -> alt.LayerChart:
    """Return a chart of the difference of each number from the printed one, in units of the last digit printed.

    Parameters
    ----------
    published
        Mappings with ``where``, ``what``, ``printed``, ``ours``, ``difference``, ``agrees`` and ``remark``.
    title
        The title of the figure.

    Returns
    -------
    altair.LayerChart
        A row for each number, with a line for the range of rounding. Numbers more than ten units away are at the edge.

    Examples
    --------
    >>> number = {"where": "section I", "what": "a guess", "printed": "0.52", "ours": 0.523, "difference": 0.003}
    >>> chart = beside_published([number | {"agrees": True, "remark": ""}], "Numbers")
    >>> chart.to_dict()["description"]
    'Points: how far each number is from the printed one. 1 of 1 agree to the digits printed.'
    """
    rows: list[dict[str, Any]] = [
        {
            "row": at,
            "name": f"{number['where']}, {number['what']}",
            "label": f"printed {number['printed']}, ours {number['ours']:.7g}",
            "units": max(-_FURTHEST, min(_FURTHEST, number["difference"] / _unit(number["printed"]))),
            "kind": _kind(number),
            "rounded": "." in number["printed"],
        }
        for at, number in enumerate(published)
    ]
    reach = 0.5 + max(0.5, *(abs(row["units"]) for row in rows))
    edge = f"; those more than {_FURTHEST:g} off at the edge" if reach > _FURTHEST else ""
    x = alt.X("units:Q", title=f"ours minus printed, in units of the last digit printed{edge}").scale(
        domain=[-reach, reach], nice=False
    ).axis(format="~r", tickCount=9)  # fmt: skip
    data, rounded = inline(rows), inline(row for row in rows if row["rounded"])
    band = (
        alt.Chart(rounded)
        .transform_calculate(half="0.5", minus="-0.5")
        .mark_rule(yOffset=8, color=DIM, strokeWidth=1, aria=False)
        .encode(x=alt.X("minus:Q"), x2="half", y=place())
    )
    looks = {kind: look for kind, look in _LOOKS.items() if any(row["kind"] == kind for row in rows)}
    drawn = points(data, x, looks)
    agreeing = sum(bool(number["agrees"]) for number in published)
    description = (
        f"Points: how far each number is from the printed one. {agreeing} of {len(rows)} agree to the digits printed."
    )
    chart: Any = figure([band, drawn, names(data, room=200), numbers(data)], len(rows), description)
    return chart.properties(
        title=alt.TitleParams(title, anchor="start", color=INK, fontSize=15, fontWeight="normal", offset=12)
    )


def _unit(printed: str) -> float:
    return 10.0 ** -len(printed.partition(".")[2])


def _kind(number: Row) -> str:
    agreeing, wrong, different = _LOOKS
    return agreeing if number["agrees"] else wrong if number["remark"] else different
