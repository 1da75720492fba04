"""The spelling of gain functions."""

from collections.abc import Callable

import numpy as np

from discretion.adversaries import (
    Gain,
    distance_gain,
    gain_matrix,
    k_tries_gain,
    loss_matrix,
    partition_gain,
    set_gain,
)
from discretion.adversaries.gains import IdentityGain, LossGain, MatrixGain, PartitionGain, TriesGain
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError, one_of
from discretion.numerics.arrays import Integers
from discretion.spelling.numbers import matrix_of, numbers_of, spelled_matrix, spelled_numbers
from discretion.spelling.spelled import spelled

_READ: dict[str, Callable[[str, int], Gain]] = {
    "tries": lambda text, k: k_tries_gain(k, _whole(text)),
    "set": lambda text, k: set_gain(k, numbers_of(text, "set", int)),
    "partition": lambda text, _: partition_gain(text.split(",")),
    "distance": lambda text, k: distance_gain(_apart(k) if text == "ordinal" else matrix_of(text)),
    "matrix": lambda text, _: gain_matrix(matrix_of(text)),
    "loss": lambda text, _: loss_matrix(matrix_of(text)),
}
GAINS = ("identity", *_READ)


def gain_of(text: str, k: int) -> Gain | None:
    """Return the gain function of k secrets from its spelling: a name, a colon and its numbers; None for ``identity``.

    Examples
    --------
    >>> gain_of("identity", 3), gain_of("tries:2", 3), gain_of("matrix:1,0,0;0,1,1", 3).secrets
    (None, TriesGain(secrets=3, tries=2), 3)
    >>> gain_of("distance:ordinal", 3).guesses().tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    name, _, rest = text.partition(":")
    if one_of(name, GAINS, "gain") != "identity":
        return _READ[name](rest, k)
    if rest:
        raise InvalidValueError(f"identity takes no numbers, got {text!r}")
    return None


def _whole(text: str) -> int:
    number, *more = numbers_of(text, "tries", int)
    if more:
        raise InvalidValueError(f"tries must be one whole number, got {text!r}")
    return number


def _apart(k: int) -> Integers:
    check_size(k, k, f"the distances of {k:,} values", "use fewer values, or a partition of them")
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


@spelled.register
def _spelled_of_identity_gain_or_none(_: IdentityGain | None) -> str:
    return "identity"


@spelled.register
def _spelled_of_tries_gain(gain: TriesGain) -> str:
    return f"tries:{gain.tries}"


@spelled.register
def _spelled_of_partition_gain(gain: PartitionGain) -> str:
    return f"partition:{spelled_numbers(gain.block_of.tolist())}"


@spelled.register
def _spelled_of_matrix_gain(gain: MatrixGain) -> str:
    return f"matrix:{spelled_matrix(gain.matrix)}"


@spelled.register
def _spelled_of_loss_gain(gain: LossGain) -> str:
    return f"loss:{spelled_matrix(gain.losses)}"
