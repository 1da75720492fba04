"""The places of observations in the plane, and their secrets."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from discretion.charts.style import DIM, INK, Row, inline, standing_alone

_SIDE = 480
# From nothing to the most; a white rim distinguishes a dot of ink from the darkest shade.
_SHADES = ("#ffffff", "#7a7a7a")


def observations_in_plane(
    cells: Sequence[Row], secrets: Sequence[Row], title: str, notes: Sequence[str], description: str
) -> alt.VConcatChart:
    """Return a map of the probabilities of observations in the plane, and the secrets, some of them marked.

    Parameters
    ----------
    cells
        Mappings with ``x``, ``x2``, ``y``, ``y2`` (the edges of the cell) and ``likely`` (its shade).
    secrets
        Mappings with ``x``, ``y``, ``name`` and ``marked``.
    title
        The title of the figure.
    notes
        Sentences below the title.
    description
        The content of the figure, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed size.

    Examples
    --------
    >>> cell = {"x": 0, "x2": 1, "y": 0, "y2": 1, "likely": 0.5}
    >>> secret = {"x": 0.5, "y": 0.5, "name": "a", "marked": True}
    >>> observations_in_plane([cell], [secret], "Noise", [], "One cell.").to_dict()["description"]
    'One cell.'
    """
    edges: dict[str, Any] = {"x": alt.X("x:Q", title="east"), "y": alt.Y("y:Q", title="north"), "x2": "x2", "y2": "y2"}
    shade = alt.Scale(range=list(_SHADES), zero=True)
    layers: list[Any] = [
        alt.Chart(inline(cells)).mark_rect(strokeWidth=0).encode(
            **edges, fill=alt.Fill("likely:Q", scale=shade, legend=None)
        ),
    ]  # fmt: skip
    for marked, size, fill in ((False, 50, "white"), (True, 90, INK)):
        some = alt.Chart(inline(secret for secret in secrets if secret["marked"] == marked)).encode(x="x:Q", y="y:Q")
        layers += [
            some.mark_point(size=size, stroke="white" if marked else DIM, fill=fill, strokeWidth=1.5, opacity=1),
            some.mark_text(dy=-13, color=INK, fontWeight="bold" if marked else "normal").encode(text="name:N"),
        ]
    return standing_alone([alt.layer(*layers).properties(width=_SIDE, height=_SIDE)], title, notes, description)
