"""Gains by their names, and what each guess is worth for each secret by its definition."""

import itertools
from typing import Any

from sweep.draws import Draw
from sweep.question import Call, call

Weights = list[list[float]]


def a_gain(draw: Draw, k: int) -> tuple[Call, Weights]:
    return draw.either(_matrix, _loss, _tries, _set, _partition, _distance)(draw, k)


def _matrix(draw: Draw, k: int) -> tuple[Call, Weights]:
    weights = draw.gain(k)
    return call("gain_matrix", weights), weights


def _loss(draw: Draw, k: int) -> tuple[Call, Weights]:
    losses = draw.gain(k)
    return call("loss_matrix", losses), [[-loss for loss in row] for row in losses]


def _tries(draw: Draw, k: int) -> tuple[Call, Weights]:
    tries = draw.whole(1, k + 1)
    sets = itertools.combinations(range(k), min(k, tries))
    return call("k_tries_gain", k, tries), [[float(x in named) for x in range(k)] for named in sets]


def _set(draw: Draw, k: int) -> tuple[Call, Weights]:
    members = [x for x in range(k) if draw.chance(0.5)]
    return call("set_gain", k, members), [[float((x in members) == said) for x in range(k)] for said in (True, False)]


def _partition(draw: Draw, k: int) -> tuple[Call, Weights]:
    labels: list[Any] = [draw.either("a", "b", "c") for _ in range(k)]
    return call("partition_gain", labels), [[float(label == block) for label in labels] for block in "abc"]


def _distance(draw: Draw, k: int) -> tuple[Call, Weights]:
    # In powers of two, by which doubles divide exactly.
    distances = [[float(draw.whole(0, 8)) for _ in range(k)] for _ in range(draw.whole(1, 4))]
    distances[0][0] = 8.0
    return call("distance_gain", distances), [[1 - distance / 8 for distance in row] for row in distances]
