"""Population uniqueness by the Poisson log-linear model with main effects: columns that tell nothing of each other."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.numerics.alike import Column, everybody, refined
from discretion.numerics.arrays import Reals

#: What it assumes.
INDEPENDENT = "columns are independent of each other: main effects only"
# People drawn to average over: of each a product of as many shares as there are columns.
_DRAWN = 1 << 17


def log_linear(columns: Sequence[Column], population: int, rng: np.random.Generator) -> UniquenessModel:
    """Return what the model says of a sample's people, by their codes of each column.

    A cell with the shares p_j of its values has ``λ = n·Π_j p_j`` people in the sample, as a Poisson law has it, and
    of the others μ = λ·(N − n)/n: a unique person of the sample is so among all N with ``exp(−μ)``, and one of all with
    ``E exp(−N·Π_j p_j)``, averaged over people drawn from the model. Source: Skinner and Holmes, "Estimating the
    re-identification risk per record in microdata", 1998.
    """
    n = columns[0].codes.size
    shares = [np.bincount(column.codes, minlength=column.count) / n for column in columns]
    of_rows = _product(shares, [column.codes for column in columns])
    alike = reduce(refined, columns, everybody(n))
    unique = np.bincount(alike.codes)[alike.codes] == 1
    drawn = [rng.choice(share.size, _DRAWN, p=share) for share in shares]
    alone = np.exp(-population * _product(shares, drawn))
    return UniquenessModel(
        "Poisson log-linear",
        INDEPENDENT,
        float(alone.mean()),
        float(np.exp(-(population - n) * of_rows[unique]).mean()),
        float(alone.std() / _DRAWN**0.5),
    )


def _product(shares: Sequence[Reals], codes: Sequence[NDArray[np.integer]]) -> Reals:
    return np.prod([share[code] for share, code in zip(shares, codes, strict=True)], axis=0)
