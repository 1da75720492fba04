"""Shannon's capacity the slow ways: the textbook's iteration to its end, and all priors of a grid."""

import itertools
import math
from fractions import Fraction

import numpy as np

from oracles import measures as slow


def divergences(matrix, law):
    """``D(C_x ‖ q)`` of each row, by double loops."""
    return [
        math.fsum(p * math.log(p / q) for p, q in zip(row, law, strict=True) if p)
        for row in np.asarray(matrix).tolist()
    ]


def blahut_arimoto(matrix, gap=1e-9, most=10**6):
    """Return both ends of the capacity, in nats, after as many steps as it takes to bring them this close."""
    matrix = np.asarray(matrix, dtype=float)
    prior = np.full(len(matrix), 1 / len(matrix))
    for _ in range(most):
        mixture = prior @ matrix
        with np.errstate(divide="ignore", invalid="ignore"):
            told = np.where(matrix > 0, matrix * np.log(matrix / mixture), 0).sum(axis=1)
        if told.max() - prior @ told <= gap:
            break
        prior = prior * np.exp(told)
        prior /= prior.sum()
    return prior @ told, told.max()


def on_a_grid(matrix, steps):
    """Return the most information at any prior whose probabilities are multiples of ``1/steps``."""
    rows = [slow.fractions(row) for row in matrix]
    priors = (
        [Fraction(part, steps) for part in parts]
        for parts in itertools.product(range(steps + 1), repeat=len(rows))
        if sum(parts) == steps
    )
    return float(max(slow.mutual_information(rows, prior) for prior in priors))
