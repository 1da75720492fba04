"""The posteriors of three secrets, each a place in a triangle."""

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any

import altair as alt

from discretion.charts.style import DIM, GRID, INK, inline, label, standing_alone
from discretion.errors import InvalidValueError

_SIDE = 340
_CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.5, math.sqrt(3) / 2))
# Around the triangle, in sides; names stand clear of a circle at a corner, even of the only one.
_ROOM, _NAME, _AREA = 0.16, 42, 3000
_LINES = (0.0, 0.25, 0.5, 0.75)
# The most posteriors that are described in words.
_FEW = 6


def barycentric(posteriors: Sequence[Mapping[str, Any]], secrets: Sequence[str], title: str) -> alt.VConcatChart:
    """Draw the posteriors of three secrets in a triangle: certainty is at a corner, and the center is uniform.

    Parameters
    ----------
    posteriors
        Mappings with ``probability`` and ``posterior``, its three shares.
    secrets
        The names of the three.
    title
        The title of the figure.

    Returns
    -------
    altair.VConcatChart
        Of fixed size: a circle for each posterior, with its probability as the area, and a cross at their mean, the
        prior.

    Examples
    --------
    >>> told = [{"probability": 0.5, "posterior": [1, 0, 0]}, {"probability": 0.5, "posterior": [0, 0.5, 0.5]}]
    >>> barycentric(told, ["ann", "bob", "cyd"], "Who did it").to_dict()["description"].partition(": ")[2]
    '50 % at ann: 100 %, bob: 0 %, cyd: 0 %; 50 % at ann: 0 %, bob: 50 %, cyd: 50 %.'
    """
    if len(secrets) != len(_CORNERS):
        raise InvalidValueError(
            f"posteriors are drawn in a triangle for three secrets only, got {len(secrets):,}; choose three with "
            "discretion.restricted"
        )
    likeliest_first = sorted(posteriors, key=lambda each: -each["probability"])
    prior = [sum(each["probability"] * each["posterior"][x] for each in posteriors) for x in range(len(secrets))]
    layers = alt.layer(*_frame(), _circles(likeliest_first, secrets), _cross(prior, secrets), *_names(secrets))
    across, upwards = (extent * _SIDE for extent in (1 + 2 * _ROOM, _CORNERS[-1][1] + 2 * _ROOM))
    likely = [(label(each["probability"]), _said(each["posterior"], secrets)) for each in likeliest_first[:_FEW]]
    few = "; ".join(f"{often} at {place}" for often, place in likely)
    rest = f"; and {len(posteriors) - _FEW:,} more" if len(posteriors) > _FEW else ""
    return standing_alone(
        [layers.properties(width=across, height=upwards)],
        title,
        ["A circle for each posterior, with its probability as the area. The cross is the prior."],
        f"A triangle of the posteriors, with their probabilities: {few}{rest}.",
    )


def _axes() -> dict[str, Any]:
    """Return both axes, a side as long in either direction."""
    ends = {"x": 1.0, "y": _CORNERS[-1][1]}
    scales = {axis: alt.Scale(domain=[-_ROOM, end + _ROOM], nice=False, zero=False) for axis, end in ends.items()}
    return {"x": alt.X("x:Q", axis=None, scale=scales["x"]), "y": alt.Y("y:Q", axis=None, scale=scales["y"])}


def _place(shares: Sequence[float]) -> dict[str, Any]:
    """Return the mean of the corners, weighted by the shares."""
    across, upwards = (sum(map(mul, shares, along)) for along in zip(*_CORNERS, strict=True))
    return {"x": across, "y": upwards}


def _said(shares: Sequence[float], secrets: Sequence[str]) -> str:
    return ", ".join(f"{name}: {label(share)}" for name, share in zip(secrets, shares, strict=True))


def _circles(posteriors: Sequence[Mapping[str, Any]], secrets: Sequence[str]) -> Any:
    records = [
        {**_place(each["posterior"]), "share": each["probability"], "said": _said(each["posterior"], secrets)}
        for each in posteriors
    ]
    area = alt.Scale(domain=[0, 1], range=[0, _AREA])
    return (
        alt.Chart(inline(records))
        .mark_circle(fill=INK, fillOpacity=0.3, stroke=INK, strokeWidth=1, opacity=1)
        .encode(
            **_axes(),
            size=alt.Size("share:Q", legend=None, scale=area),
            tooltip=[
                alt.Tooltip("said:N", title="posterior"),
                alt.Tooltip("share:Q", title="probability", format=".3~p"),
            ],
        )
    )


def _cross(prior: Sequence[float], secrets: Sequence[str]) -> Any:
    return (
        alt.Chart(inline([{**_place(prior), "said": _said(prior, secrets)}]))
        .mark_point(shape="cross", angle=45, fill="white", stroke=INK, size=90, opacity=1)
        .encode(**_axes(), tooltip=alt.Tooltip("said:N", title="prior"))
    )


def _frame() -> list[Any]:
    """Return the sides, and within them lines where a secret has a quarter, a half and three quarters."""
    return [
        alt.Chart(inline([_line(corner, share) for corner in range(3) for share in shares]))
        .mark_rule(aria=False, strokeWidth=1, color=color)
        .encode(**_axes(), x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))
        for shares, color in ((_LINES[1:], GRID), (_LINES[:1], DIM))
    ]


def _line(corner: int, share: float) -> dict[str, Any]:
    """Return the line on which the secret of a corner has a share."""
    ends: list[dict[str, Any]] = []
    for other in (1, 2):
        shares = [0.0, 0.0, 0.0]
        shares[corner], shares[(corner + other) % 3] = share, 1 - share
        ends.append(_place(shares))
    return {**ends[0], "x2": ends[1]["x"], "y2": ends[1]["y"]}


def _names(secrets: Sequence[str]) -> list[Any]:
    return [
        alt.Chart(inline([{"x": across, "y": up, "name": name}]))
        .mark_text(color=INK, dy=-_NAME if up else _NAME, baseline="middle", aria=False, limit=_SIDE / 2)
        .encode(**_axes(), text=alt.Text("name:N"))
        for name, (across, up) in zip(secrets, _CORNERS, strict=True)
    ]
