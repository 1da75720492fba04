"""Figure 1: five secrets behind two-dimensional Laplace noise, and the two that are easiest to distinguish.

Only the text of the paper is at hand, not its drawings: where the secrets are is our choice.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

import discretion as dc
from discretion.numerics.arrays import Reals
from discretion.reproduce.charts.plane import observations_in_plane
from discretion.reproduce.item import Published, Reproduction, Row, exact

_PLACES = {"s1": (-2.0, 0.0), "s2": (2.0, 0.0), "s3": (0.0, 1.5), "s4": (0.5, -1.5), "s5": (0.0, 0.0)}
_SCALE = 1.0
# The observation is a cell; with an edge half way between two secrets, no cell mixes evidence for both.
_EDGES = np.linspace(-5, 5, 41)


def figure_1() -> Reproduction:
    """Return the total variation of each two of five secrets behind noise in the plane, and the least secure pair."""
    channel = _channel()
    apart = {
        pair: exact(dc.total_variation(*dc.restricted(channel, pair).dense())) for pair in combinations(_PLACES, 2)
    }
    rows = tuple({"secret": a, "other": b, "TV": distance} for (a, b), distance in apart.items())
    security, pair = exact(dc.bayes_security(channel)), dc.leakiest_pair(channel)
    published = (
        Published("Figure 1", "Bayes security of the five secrets", "1 - TV", 1 - max(apart.values()),
                  security),
        Published("Proposition 3", f"Bayes security of {pair[0]} and {pair[1]}", "exp(-Δ/(2λ))",
                  exact(dc.bayes_security(dc.Laplace(_SCALE, sensitivity=4))), security),
    )  # fmt: skip
    remarks = (
        "The paper prints neither where its secrets are nor the noise; ours has a scale of 1 in each of two "
        f"directions, and {pair[0]} and {pair[1]} are 4 apart in one of them.",
    )
    return Reproduction(rows, lambda: _chart(channel, pair, security), published, remarks)


def _channel() -> dc.Channel:
    east, north = (_law(np.array(middles)) for middles in zip(*_PLACES.values(), strict=True))
    rows = (east[:, :, None] * north[:, None, :]).reshape(len(_PLACES), -1)
    return dc.Channel(rows, inputs=_PLACES)


def _law(middles: Reals) -> Reals:
    """Return the masses of a Laplace law around each middle between the edges, and beyond the first and the last."""
    z = (_EDGES - middles[:, None]) / _SCALE
    below = np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)
    return np.diff(below, prepend=0.0, append=1.0)


def _chart(channel: dc.Channel, pair: tuple[object, object], security: float) -> object:
    secrets = [{"x": x, "y": y, "name": name, "marked": name in pair} for name, (x, y) in _PLACES.items()]
    notes = (
        "Dark: observations with a high probability, the secrets being equally likely. Black: the two secrets that are",
        f"easiest to distinguish. β* = {security:.4f} is the overlap of their laws, one minus their total variation.",
    )
    description = (
        "Five bumps in the plane, around five secrets behind Laplace noise in two directions. The two secrets furthest "
        f"apart, {pair[0]} in the west and {pair[1]} in the east, are marked: Bayes security is {security:.4f}."
    )
    return observations_in_plane(
        list(_cells(channel)), secrets, "Figure 1: five secrets behind noise in the plane", notes, description
    )


def _cells(channel: dc.Channel) -> Iterator[Row]:
    side = _EDGES.size + 1
    likely = channel.dense().mean(axis=0).reshape(side, side)[1:-1, 1:-1]
    between: Sequence[tuple[float, float]] = list(pairwise(_EDGES.tolist()))
    for column, (x, x2) in zip(likely.tolist(), between, strict=True):
        for share, (y, y2) in zip(column, between, strict=True):
            yield {"x": x, "x2": x2, "y": y, "y2": y2, "likely": share}
