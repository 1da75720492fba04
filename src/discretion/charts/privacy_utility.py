"""Protocols as curves of utility over privacy, with a point for each ε."""

import json
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import altair as alt

from discretion.charts.style import DIM, GRID, INK, Row, exact_scale, inline, standing_alone

Kind = Literal["linear", "root", "logarithmic", "towards one"]
Label = str | Sequence[str]

# The figure is to be read on a telephone.
_WIDTH, _HEIGHT = 312, 250
_LETTERS = 68
_KEY_HEIGHT, _KEY_SAMPLE = 18, 40
_LETTER, _LINE = 6.4, 16
_TYPES: dict[str, Any] = {"linear": "linear", "root": "sqrt", "logarithmic": "log", "towards one": "log"}
# Distinguished by shape and dashes, so that no color is needed; the second six are full.
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DASHES = ([1, 0], [7, 3], [2, 2], [8, 3, 2, 3], [1, 4], [4, 4])
# A channel that is spelled as a text takes Altair 5 ms to read.
_ORDER: Any = alt.Order("order:Q")
_LINE_LOOK: dict[str, Any] = {"color": INK, "strokeWidth": 1.2}
_FRONTIER: dict[str, Any] = {"color": DIM, "strokeWidth": 3.5}
# An outline, and what is within.
_BAND: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "strokeWidth": width, "strokeCap": "round", "strokeJoin": "round"}
    for color, width in ((DIM, 11), (GRID, 9))
)


@dataclass(frozen=True)
class Quantity:
    """A horizontal or vertical axis.

    Parameters
    ----------
    key
        The key of its numbers in the points of a protocol.
    title
        The title of the axis.
    kind
        The scale: root gives small numbers more room, towards one is logarithmic in the distance from 1.
    ends
        The range of the axis; by default that of the data.
    marks
        The labels of the axis by their numbers, the most important first: if labels would touch, the later ones are
        left out. By default the ends, or powers of ten with their fivefold and their double.
    """

    key: str
    title: str
    kind: Kind = "linear"
    ends: tuple[float, float] | None = None
    marks: Mapping[float, Label] = field(default_factory=dict[float, Label])


@dataclass(frozen=True)
class Protocol:
    """A curve: mappings in the order of ε, with ``epsilon`` and quantities; one that is ``given`` is drawn full."""

    name: str
    points: Sequence[Row]


def privacy_utility(
    panels: Sequence[tuple[Quantity, Quantity]],
    protocols: Sequence[Protocol],
    title: str,
    notes: Sequence[str],
    description: str,
    *,
    best: Protocol | None = None,
    frontier: Protocol | None = None,
) -> alt.VConcatChart:
    """Draw protocols on panels, one below the other, with a key above.

    Parameters
    ----------
    panels
        The horizontal and the vertical axis of each panel.
    protocols
        The protocols; a panel leaves out points without one of its numbers, or without a place on its scales.
    title
        The title of the whole figure.
    notes
        Sentences below the title.
    description
        The contents of the figure, in words.
    best
        The bound that no protocol exceeds: a band behind them.
    frontier
        Another such bound, in panels that have both of its quantities: a thick line behind the curves.

    Returns
    -------
    altair.VConcatChart
        About 400 pixels wide.

    Examples
    --------
    >>> krr = Protocol("k-RR", [{"epsilon": 1, "privacy": 0.9, "worth": 0.1}, {"epsilon": 4, "privacy": 0, "worth": 1}])
    >>> panel = Quantity("privacy", "hidden"), Quantity("worth", "worth", "logarithmic")
    >>> privacy_utility([panel], [krr], "One protocol", [], "One curve.").to_dict()["description"]
    'One curve.'
    """
    drawn = [_panel(across, upwards, protocols, best, frontier) for across, upwards in panels]
    wrapped = [line for note in notes for line in textwrap.wrap(note, _LETTERS)]
    return standing_alone([_key(protocols, best, frontier), *drawn], title, wrapped, description)


def percentages(shares: Iterable[float]) -> dict[float, Label]:
    """Return shares as the marks of an axis.

    Examples
    --------
    >>> percentages([0.001, 0.5])
    {0.001: '0.1 %', 0.5: '50 %'}
    """
    return {share: f"{100 * share:.8g} %" for share in shares}


def _panel(
    across: Quantity,
    upwards: Quantity,
    protocols: Sequence[Protocol],
    best: Protocol | None,
    frontier: Protocol | None,
) -> Any:
    places = [_places(protocol, across, upwards) for protocol in protocols]
    band = [] if best is None else _places(best, across, upwards)
    limit = [] if frontier is None else _places(frontier, across, upwards)
    everything = [place for some in (*places, band, limit) for place in some]
    x = _channel(alt.X, across, [place["x"] for place in everything])
    y = _channel(alt.Y, upwards, [place["y"] for place in everything])
    layers: list[Any] = []
    for line in _BAND if band else ():
        layers.append(alt.Chart(inline(band)).mark_line(**line).encode(x=x, y=y, order=_ORDER))
    if limit:
        layers.append(alt.Chart(inline(limit)).mark_line(**_FRONTIER).encode(x=x, y=y, order=_ORDER))
    curves = [{**place, "curve": number} for number, some in enumerate(places) for place in some]
    dash, shape = _looks(len(places))
    layers.append(alt.Chart(inline(curves)).mark_line(**_LINE_LOOK).encode(x=x, y=y, order=_ORDER, strokeDash=dash))
    for given in (False, True):
        marks = alt.Chart(inline(place for place in curves if place["given"] == given)).mark_point(**_point(given))
        tooltips = [alt.Tooltip("name:N"), alt.Tooltip("ε:N")]
        layers.append(marks.encode(x=x, y=y, shape=shape, tooltip=tooltips))
    return alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)


def _places(protocol: Protocol, across: Quantity, upwards: Quantity) -> list[dict[str, Any]]:
    places = [(_place(point, across), _place(point, upwards), point) for point in protocol.points]
    return [
        {"x": x, "y": y, "order": order, "name": protocol.name, "ε": f"{point['epsilon']:.6g}",
         "given": bool(point.get("given"))}
        for order, (x, y, point) in enumerate(places)
        if x is not None and y is not None
    ]  # fmt: skip


def _place(point: Row, quantity: Quantity) -> float | None:
    value = point.get(quantity.key)
    if value is None or not math.isfinite(value):
        return None
    place = 1 - value if quantity.kind == "towards one" else value
    return place if place > 0 or _TYPES[quantity.kind] != "log" else None


def _channel(kind: Any, quantity: Quantity, places: Sequence[float]) -> Any:
    logarithmic = _TYPES[quantity.kind] == "log"
    low, high = quantity.ends or _around(places, logarithmic)
    backwards = quantity.kind == "towards one"
    marks = quantity.marks or (_decades(low, high) if logarithmic else {end: f"{end:g}" for end in (low, high)})
    shown = {1 - mark if backwards else mark: label for mark, label in marks.items()}
    ticks = _apart(shown, low, high, quantity.kind, upwards=kind is alt.Y)
    labels = json.dumps([shown[tick] for tick in ticks], ensure_ascii=False)
    label = f"{labels}[indexof({json.dumps(ticks)}, datum.value)]"
    axis = alt.Axis(values=ticks, labelExpr=label, labelOverlap=False, labelPadding=8)
    domain = [high, low] if backwards else [low, high]
    scale = exact_scale(domain, _TYPES[quantity.kind])
    return kind(f"{'x' if kind is alt.X else 'y'}:Q", title=quantity.title, scale=scale, axis=axis)


def _apart(labels: Mapping[float, Label], low: float, high: float, kind: Kind, upwards: bool) -> list[float]:
    """Return places for labels that do not touch, the first labels first."""
    length = _HEIGHT if upwards else _WIDTH
    ends = _along(low, kind), _along(high, kind)
    kept: dict[float, tuple[float, float]] = {}
    for tick, label in labels.items():
        if low * 0.999 <= tick <= high * 1.001:
            place = length * (_along(tick, kind) - ends[0]) / (ends[1] - ends[0])
            lines = [label] if isinstance(label, str) else label
            half = _LINE / 2 if upwards else _LETTER / 2 * max(map(len, lines)) + 2
            if all(abs(place - other) >= half + needed for other, needed in kept.values()):
                kept[tick] = place, half
    return list(kept)


def _along(tick: float, kind: Kind) -> float:
    return {"linear": float, "sqrt": math.sqrt, "log": math.log}[_TYPES[kind]](tick)


def _around(places: Sequence[float], logarithmic: bool) -> tuple[float, float]:
    low, high = min(places, default=0.1), max(places, default=1.0)
    if logarithmic:
        return low / 1.2, high * 1.2
    return (low, high) if low < high else (low - 1, high + 1)


def _decades(low: float, high: float) -> dict[float, Label]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return {step * 10.0**power: f"{step * 10.0**power:,.6g}" for step in (1, 5, 2) for power in powers}


def _key(protocols: Sequence[Protocol], best: Protocol | None, frontier: Protocol | None) -> Any:
    bounds = [(bound.name, lines) for bound, lines in ((best, _BAND), (frontier, [_FRONTIER])) if bound is not None]
    names = [*(protocol.name for protocol in protocols), *(name for name, _ in bounds)]
    rows = [{"name": name, "curve": row, "place": _KEY_HEIGHT * (row + 0.5)} for row, name in enumerate(names)]
    curves, y = rows[: len(protocols)], alt.Y("place:Q", scale=None, axis=None)
    ends: dict[str, Any] = {"x": alt.XValue(4), "x2": alt.X2Value(_KEY_SAMPLE), "y": y}
    dash, shape = _looks(len(protocols))
    layers: list[Any] = [
        alt.Chart(inline(curves)).mark_rule(**_LINE_LOOK).encode(**ends, strokeDash=dash),
        *(
            alt.Chart(inline([row])).mark_rule(**line).encode(**ends)
            for row, (_, lines) in zip(rows[len(protocols) :], bounds, strict=True)
            for line in lines
        ),
        alt.Chart(inline(curves))
        .mark_point(**_point(given=False))
        .encode(x=alt.XValue(_KEY_SAMPLE / 2 + 2), y=y, shape=shape),
        alt.Chart(inline(rows))
        .mark_text(align="left", baseline="middle", color=INK, limit=_WIDTH - _KEY_SAMPLE)
        .encode(x=alt.XValue(_KEY_SAMPLE + 10), y=y, text=alt.Text("name:N")),
    ]
    return alt.layer(*layers).properties(width=_WIDTH, height=_KEY_HEIGHT * len(rows))


def _looks(curves: int) -> tuple[Any, Any]:
    """Return the dashes and the shapes of this many curves, by their numbers."""
    numbers = [*range(curves)]
    dashes = [_DASHES[number % len(_DASHES)] for number in numbers]
    shapes = [_SHAPES[number % len(_SHAPES)] for number in numbers]
    return (
        alt.StrokeDash("curve:N", scale=alt.Scale(domain=numbers, range=dashes), legend=None),
        alt.Shape("curve:N", scale=alt.Scale(domain=numbers, range=shapes), legend=None),
    )


def _point(given: bool) -> dict[str, Any]:
    return {
        "size": 70 if given else 34,
        "stroke": INK,
        "fill": INK if given else "white",
        "strokeWidth": 1.2,
        "opacity": 1,
    }
