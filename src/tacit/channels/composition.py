"""Channels one after the other, and side by side."""

from functools import singledispatch
from typing import Any, overload

import numpy as np

from tacit.channels.channel import Channel, Labels, System, as_system, check_size
from tacit.errors import InvalidChannelError
from tacit.numerics.matrices import is_sparse


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
    return Channel.derived(first.matrix @ second.matrix, first.inputs, second.outputs)


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
    return Channel.derived(_row_products(first.matrix, second.matrix), inputs, outputs)


@singledispatch
def plan_parallel(first: System, second: System) -> System | None:
    """Return what stands for two systems side by side instead of an explicit channel, if a room above knows it."""
    return None


def _row_products(left: Any, right: Any) -> Any:
    if is_sparse(left) or is_sparse(right):
        from scipy.sparse import csr_array, kron, vstack  # noqa: PLC0415 - half a second that dense users need not pay

        left, right = csr_array(left), csr_array(right)
        rows: list[Any] = [kron(left[[x], :], right[[x], :]) for x in range(left.shape[0])]
        return vstack(rows, format="csr")
    check_size(
        len(left), left.shape[1] * right.shape[1], "both side by side", "reduce them first, by Channel.reduced()"
    )
    return np.einsum("xy,xz->xyz", left, right).reshape(left.shape[0], -1)


def unlabelled(labels: Labels) -> bool:
    """Say whether the labels are mere numbers."""
    return labels == tuple(range(len(labels)))


def check_labels(left: Labels, right: Labels, left_name: str, right_name: str) -> None:
    """Refuse labels that are not as many, or that differ where both sides have some."""
    if len(left) != len(right):
        raise InvalidChannelError(f"{left_name} ({len(left)}) and {right_name} ({len(right)}) must be as many")
    if left != right and not unlabelled(left) and not unlabelled(right):
        at = next(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
        raise InvalidChannelError(
            f"{left_name} and {right_name} must have the same labels in the same order, got {left[at]!r} and "
            f"{right[at]!r} at position {at}"
        )
