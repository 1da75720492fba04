"""Channels one after the other, and side by side."""

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
    """What all of the parts put out, independently, for the same secret; made by `discretion.parallel`.

    Measures that add up over the parts, for each pair of secrets, are taken of each part. Others are of the explicit
    channel while it is small; beyond, certified bounds of those of the parts.
    """

    parts: tuple[System, ...]

    @property
    def secrets(self) -> int:
        """How many values the secret can take."""
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
        """Return the explicit channel, whose outputs are pairs of those of the parts, or raise TooLargeError."""
        return reduce(expanded, (part.channel() for part in self.parts))


def expanded(first: Channel, second: Channel) -> Channel:
    """Return the explicit channel of two side by side, or raise TooLargeError."""
    check_labels(first.inputs, second.inputs, "the first channel's inputs", "the second's inputs")
    outputs = tuple((y, z) for y in first.outputs for z in second.outputs)
    inputs = second.inputs if unlabelled(first.inputs) else first.inputs
    products = leading([first.storage, second.storage]).row_products(first.storage, second.storage)
    return Channel.derived(products, inputs, outputs)


def cascade(C: System, D: System) -> Channel:
    """Return the cascade CD: D sees what C puts out, and the adversary sees what D puts out.

    ``(CD)[x, z] = Σ_y C[x, y] D[y, z]``

    Parameters
    ----------
    C, D
        Channels, or mechanisms that stand for one. D's inputs are C's outputs: as many, and with the same labels in the
        same order unless one side is unlabelled.

    Returns
    -------
    Channel
        From C's inputs to D's outputs; also written ``C >> D``.

    Notes
    -----
    It never leaks more than C (the data-processing inequality: Shuffle, Definition 3 and Theorem 4).

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
    """Return the parallel composition: the adversary sees what both put out, independently, for the same secret.

    ``(C ‖ D)[x, (y, z)] = C[x, y] D[x, z]``

    Parameters
    ----------
    C, D
        Channels, mechanisms or structured systems with the same inputs: as many, and with the same labels in the same
        order unless one side is unlabelled.

    Returns
    -------
    Channel or System
        Also written ``C & D``. Of two channels the channel whose outputs are the pairs ``(y, z)``, while it fits in
        memory. Else a `Parallel` that is not written down: what adds up for each pair of secrets
        (`discretion.ldp_epsilon`, `discretion.renyi_dp`, privacy losses) is summed over the parts, and what does not is
        bounded by what the parts leak. Noise beside noise is a system of two secrets of which privacy losses add up;
        sensitivities may differ. Reports of two secrets beside continuous noise are too: the first secret goes with the
        value 0, the second with the sensitivity. Reports of more secrets beside noise answer what is about pairs of
        secrets, each pair taken to be a sensitivity apart.

    Raises
    ------
    InvalidChannelError
        If the inputs differ.

    Notes
    -----
    Source: Bayes-sec, section III; its Bayes security is at least the product of both (Theorem 3).

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
            f"the first system's secrets ({first.secrets}) and the second's ({second.secrets}) must be as many"
        )
    return product


def _parts(system: System) -> tuple[System, ...]:
    return system.parts if isinstance(system, Parallel) else (system,)


@singledispatch
def plan_parallel(first: System, second: System) -> System | None:
    """Return the structured system of two side by side, in any order, if a room above registers one."""
    return None
