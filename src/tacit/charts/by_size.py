"""How fast people stand out when columns are released together."""

from collections import Counter
from collections.abc import Sequence

import altair as alt

from tacit.charts.style import INK, MOST_MARKS, Row, figure, inline, label, line, names, numbers, points, root_shares


def exposure_by_size(sets: Sequence[Row], k: int, budget: float) -> alt.LayerChart:
    """Return a point for each set of columns: a row for each number of columns, the exposure across.

    The axis follows the square root, so that a budget of one per cent can be told from nothing.

    Parameters
    ----------
    sets
        Mappings with ``columns``, ``exposure`` and ``exposed_people``.
    k
        Fewer people alike than this are exposed.
    budget
        The share of exposed people that is allowed: sets within it are filled circles, others hollow diamonds.

    Returns
    -------
    altair.LayerChart
        At most `MOST_MARKS` points, spread evenly over sizes and exposures.

    Examples
    --------
    >>> pair = {"columns": ["sex", "race"], "exposure": 0.25, "exposed_people": 5}
    >>> exposure_by_size([pair], k=10, budget=0.01).to_dict()["description"].partition("number of columns. ")[2]
    '2 columns: 0 of 1 within the budget.'
    """
    within, over = "within the budget", "over the budget"
    sizes = Counter(len(report["columns"]) for report in sets)
    fit = Counter(len(report["columns"]) for report in sets if report["exposure"] <= budget)
    place = {size: row for row, size in enumerate(sorted(sizes))}
    ordered = sorted(sets, key=lambda report: (len(report["columns"]), report["exposure"]))
    marks = [
        {
            "row": place[len(report["columns"])],
            "name": ", ".join(report["columns"]),
            "share": report["exposure"],
            "label": label(report["exposure"]),
            "people": report["exposed_people"],
            "kind": within if report["exposure"] <= budget else over,
        }
        for report in _thinned(ordered)
    ]
    heads = [
        {
            "row": place[size],
            "name": "1 column" if size == 1 else f"{size} columns",
            "label": f"{fit[size]:,} of {sizes[size]:,} {within}",
        }
        for size in place
    ]
    x = root_shares(f"people exposed (fewer than {k} alike)")
    drawn = points(inline(marks), x, {within: ("circle", INK), over: ("diamond", "white")}).encode(
        tooltip=[
            alt.Tooltip("name:N", title="columns"),
            alt.Tooltip("label:N", title="exposed"),
            alt.Tooltip("people:Q", title="people exposed", format=","),
        ],
    )
    said = "; ".join(f"{head['name']}: {head['label']}" for head in heads)
    description = f"Points: share of people exposed at k = {k} by sets of columns, by their number of columns. {said}."
    budget_line = line(budget, f"budget {label(budget)}", x)
    data = inline(heads)
    return figure([*budget_line, drawn, names(data, room=180), numbers(data)], len(heads), description)


def _thinned(ordered: Sequence[Row]) -> Sequence[Row]:
    if len(ordered) <= MOST_MARKS:
        return ordered
    return [ordered[round(i * (len(ordered) - 1) / (MOST_MARKS - 1))] for i in range(MOST_MARKS)]
