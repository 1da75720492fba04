"""Channels one after the other, and side by side."""

from functools import singledispatch
from typing import overload

from tacit.channels.channel import Channel, System, as_system
from tacit.channels.labels import check_labels, unlabelled
from tacit.channels.storage import leading, matrices, stored


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

    Raises
    ------
    InvalidChannelError
        If C's outputs are not D's inputs.
    UnsupportedError
        If either is not a system.

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
def parallel(C: Channel, D: Channel) -> Channel: ...


@overload
def parallel(C: System, D: System) -> System: ...


def parallel(C: System, D: System) -> System:
    """Return the parallel composition: the adversary sees what both put out, independently, for the same secret.

    ``(C ‖ D)[x, (y, z)] = C[x, y] D[x, z]``

    Parameters
    ----------
    C, D
        Channels, or mechanisms that stand for one, with the same inputs: as many, and with the same labels in the same
        order unless one side is unlabelled.

    Returns
    -------
    Channel or System
        Outputs are the pairs ``(y, z)``; also written ``C & D``. Of two noises with two secrets each, a system of which
        privacy losses add up; their sensitivities may differ.

    Raises
    ------
    InvalidChannelError
        If the inputs differ.
    UnsupportedError
        If either is not a system.

    Notes
    -----
    Source: Bayes-sec, section III; its Bayes security is at least the product of both (Theorem 3).

    Examples
    --------
    >>> C = Channel([[0.9, 0.1], [0.2, 0.8]])
    >>> (C & C).shape
    (2, 4)
    """
    known = plan_parallel(as_system(C), as_system(D))
    if known is not None:
        return known
    first, second = C.channel(), D.channel()
    check_labels(first.inputs, second.inputs, "the first channel's inputs", "the second's inputs")
    outputs = tuple((y, z) for y in first.outputs for z in second.outputs)
    inputs = second.inputs if unlabelled(first.inputs) else first.inputs
    products = leading([first.storage, second.storage]).row_products(first.storage, second.storage)
    return Channel.derived(products, inputs, outputs)


@singledispatch
def plan_parallel(first: System, second: System) -> System | None:
    """Return what stands for two systems side by side instead of an explicit channel, if a room above knows it."""
    return None
