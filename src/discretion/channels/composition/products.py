"""Channels composed one after the other (cascade), and in parallel."""

import math
from dataclasses import dataclass
from functools import cached_property, reduce, singledispatch
from typing import overload

from discretion import limits
from discretion.channels.channel import Channel, Composable, System, as_system
from discretion.channels.labels import check_labels, unlabelled
from discretion.channels.storage import leading, matrices, stored
from discretion.errors import InvalidChannelError, TooLargeError, UnsupportedError
from discretion.validation import MAX_ENTRIES


@dataclass(frozen=True, eq=False)
class Parallel(Composable):
    """Independent outputs of several systems for the same secret; made by `discretion.parallel`.

    Measures that add up over the parts, for each pair of secrets, are computed for each part. Other measures use the
    explicit channel while it is small; for larger channels they are certified bounds from the measures of the parts.
    """

    parts: tuple[System, ...]

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.parts[0].secrets

    @cached_property
    def is_small(self) -> bool:
        """Whether the explicit channel fits in memory."""
        try:
            columns = [part.channel().shape[1] for part in self.parts]
        except (TooLargeError, UnsupportedError):  # a part has none
            return False
        return self.secrets * math.prod(columns) <= limits.current().numbers(MAX_ENTRIES)

    def channel(self) -> Channel:
        """Return the explicit channel, whose outputs are pairs of the parts' outputs, or raise TooLargeError."""
        return reduce(expanded, (part.channel() for part in self.parts))


def expanded(first: Channel, second: Channel) -> Channel:
    """Return the explicit channel of two channels in parallel, or raise TooLargeError."""
    check_labels(first.inputs, second.inputs, "the first channel's inputs", "the second's inputs")
    outputs = tuple((y, z) for y in first.outputs for z in second.outputs)
    inputs = second.inputs if unlabelled(first.inputs) else first.inputs
    products = leading([first.storage, second.storage]).row_products(first.storage, second.storage)
    return Channel.derived(products, inputs, outputs)


def cascade(C: System, D: System) -> Channel:
    """Return the cascade CD: D takes the output of C as its input, and the adversary sees the output of D.

    ``(CD)[x, z] = Σ_y C[x, y] D[y, z]``

    Parameters
    ----------
    C, D
        Channels, or mechanisms that stand for one. D's inputs are C's outputs: the same number of them, and the same
        labels in the same order unless one side is unlabeled.

    Returns
    -------
    Channel
        The channel from C's inputs to D's outputs; also written ``C >> D``.

    Notes
    -----
    The cascade never leaks more than C (the data-processing inequality: Shuffle, Definition 3 and Theorem 4).

    Examples
    --------
    >>> C = Channel([[0.9, 0.1], [0.2, 0.8]])
    >>> (C >> Channel([[0.5, 0.5], [0, 1]])).matrix.round(12).tolist()
    [[0.45, 0.55], [0.1, 0.9]]
    """
    first, second = as_system(C).channel(), as_system(D).channel()
    check_labels(first.outputs, second.inputs, "the first channel's outputs", "the second's inputs")
    left, right = matrices([first.storage, second.storage])
    return Channel.derived(stored(left @ right), first.inputs, second.outputs)


@overload
def parallel(C: Channel, D: Channel) -> Channel | Parallel: ...


@overload
def parallel(C: System, D: System) -> System: ...


def parallel(C: System, D: System) -> System:
    """Return the parallel composition: the adversary sees independent outputs of both systems for the same secret.

    ``(C ‖ D)[x, (y, z)] = C[x, y] D[x, z]``

    Parameters
    ----------
    C, D
        Channels, mechanisms or structured systems with the same inputs: the same number of them, and the same labels in
        the same order unless one side is unlabeled.

    Returns
    -------
    Channel or System
        Also written ``C & D``. For two channels, the channel whose outputs are the pairs ``(y, z)``, while it fits in
        memory. Otherwise a `Parallel`, which is not an explicit matrix: it sums over the parts each measure that adds
        up for each pair of secrets (`discretion.ldp_epsilon`, `discretion.renyi_dp`, privacy losses), and bounds every
        other measure from the leakage of the parts. Noise in parallel with noise is a system of two secrets whose
        privacy losses add up; sensitivities may differ. Reports of two secrets in parallel with continuous noise are
        such a system too: the first secret goes with the value 0, the second with the sensitivity. Reports of more
        secrets in parallel with noise have the measures that are about pairs of secrets, with each pair one sensitivity
        apart.

    Raises
    ------
    InvalidChannelError
        If the inputs differ.

    Notes
    -----
    Source: Bayes-sec, section III; the Bayes security is at least the product of the parts' (Theorem 3).

    Examples
    --------
    >>> C = Channel([[0.9, 0.1], [0.2, 0.8]])
    >>> (C & C).shape
    (2, 4)
    >>> import discretion as dc
    >>> many = dc.RandomizedResponse(10**4, epsilon=1)
    >>> round(dc.ldp_epsilon(many & many), 12)
    2.0
    """
    first, second = as_system(C), as_system(D)
    system = plan_parallel(first, second) or plan_parallel(second, first)
    if system is not None:
        return system
    product = Parallel((*_parts(first), *_parts(second)))
    if isinstance(first, Channel) and isinstance(second, Channel):
        check_labels(first.inputs, second.inputs, "the first channel's inputs", "the second's inputs")
        return product.channel() if product.is_small else product
    if first.secrets != second.secrets:
        raise InvalidChannelError(
            f"the first system's secrets ({first.secrets}) and the second's ({second.secrets}) must be equal in number"
        )
    return product


def _parts(system: System) -> tuple[System, ...]:
    return system.parts if isinstance(system, Parallel) else (system,)


@singledispatch
def plan_parallel(first: System, second: System) -> System | None:
    """Return the structured system of two systems in parallel, in any order, if a package above registers one."""
    return None
