"""The refinement order of systems, as a Hasse diagram."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIM, INK, Row, inline, standing_alone

_LETTER, _PADDING, _LEVEL_HEIGHT = 7.2, 24, 72


def refinement_order(classes: Sequence[Sequence[str]], covers: Sequence[Row], title: str) -> alt.VConcatChart:
    """Draw a Hasse diagram: each system below those that refine it, with lines between neighbors.

    Parameters
    ----------
    classes
        The groups of names of systems that leak the same to every adversary.
    covers
        Mappings with ``refined``, one of these, and ``by``, a next safer one, as in
        `discretion.refinement.Order.to_dict`.
    title
        The title of the figure.

    Returns
    -------
    altair.VConcatChart
        Of fixed size; the safest are at the top.

    Examples
    --------
    >>> chart = refinement_order([["a"], ["b", "c"]], [{"refined": ["a"], "by": ["b", "c"]}], "Order")
    >>> chart.to_dict()["description"]
    'Lines go up to systems that are at least as safe against every adversary: b ≡ c refines a.'
    """
    labels = [" ≡ ".join(members) for members in classes]
    lines = [(" ≡ ".join(cover["refined"]), " ≡ ".join(cover["by"])) for cover in covers]
    levels = _levels(labels, lines)
    widest = max(levels.values(), default=0) + 1
    rows = [[name for name in labels if levels[name] == level] for level in range(widest)]
    step = _LETTER * max(map(len, labels), default=1) + _PADDING
    width = step * max(map(len, rows), default=1)
    places = {
        name: ((number + 0.5) * width / len(row), levels[name]) for row in rows for number, name in enumerate(row)
    }
    nodes = [{"name": name, "x": x, "level": level} for name, (x, level) in places.items()]
    edges = [
        {"x": places[low][0], "level": places[low][1], "x2": places[high][0], "level2": places[high][1]}
        for low, high in lines
    ]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    y = alt.Y("level:Q", axis=None, scale=alt.Scale(domain=[-0.5, widest - 0.5], nice=False))
    drawn: dict[str, Any] = {"align": "center", "baseline": "middle", "fontSize": 12}
    named = alt.Chart(inline(nodes)).encode(x=x, y=y, text=alt.Text("name:N"))
    layers = alt.layer(
        alt.Chart(inline(edges)).mark_rule(color=DIM).encode(x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("level2:Q")),
        named.mark_text(color="white", stroke="white", strokeWidth=8, aria=False, **drawn),
        named.mark_text(color=INK, **drawn),
    ).properties(width=width, height=_LEVEL_HEIGHT * widest)
    words = ", ".join(f"{high} refines {low}" for low, high in lines) or "none refines another"
    notes = [
        "Up: at least as safe against every adversary.",
        "Without a line or a path up: neither is safer against every adversary.",
    ]
    description = f"Lines go up to systems that are at least as safe against every adversary: {words}."
    return standing_alone([layers], title, notes, description)


def _levels(labels: Sequence[str], lines: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the height of each group: the largest number of lines up to it."""
    levels = dict.fromkeys(labels, 0)
    for _ in labels:
        for low, high in lines:
            levels[high] = max(levels[high], levels[low] + 1)
    return levels
