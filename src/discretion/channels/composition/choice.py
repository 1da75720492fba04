"""Mixtures of channels: one channel is chosen at random, and the choice is visible or hidden."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution, exact_distribution
from discretion.channels.channel import Channel, System, as_system
from discretion.channels.labels import Labels, check_labels, unlabelled
from discretion.channels.storage import Storage, leading, matrices, stored
from discretion.errors import InvalidChannelError, InvalidPriorError, UnsupportedError
from discretion.numerics.arrays import Reals
from discretion.validation import Fractions


def visible_choice(channels: Iterable[System], weights: ArrayLike) -> Channel:
    """Return the mixture that shows which channel was chosen: ``R[x, (j, y)] = w_j C_j[x, y]``.

    Parameters
    ----------
    channels
        Channels, or mechanisms that stand for one, with the same inputs: the same number of them, and the same labels
        in the same order unless unlabeled.
    weights
        The probability of each channel, one per channel; they sum to 1.

    Returns
    -------
    Channel
        Outputs are the pairs ``(j, y)``, with channels numbered from 0. Its entries are fractions if those of all
        channels and all weights are.

    Raises
    ------
    InvalidChannelError
        If there is no channel, or inputs differ.

    Notes
    -----
    Its average privacy is the weighted mean of the channels' average privacy, and its asymptotic utility is at least
    the weighted mean of theirs (LDP-info, Definition 7.7 and Proposition 7.8).

    Examples
    --------
    >>> C = visible_choice([Channel([[1, 0], [0, 1]]), Channel([[1], [1]])], [0.25, 0.75])
    >>> C.matrix.tolist(), C.outputs
    ([[0.25, 0.0, 0.75], [0.0, 0.25, 0.75]], ((0, 0), (0, 1), (1, 0)))
    """
    chosen, law, inputs = _checked(channels, weights)
    outputs = ((j, y) for j, channel in enumerate(chosen) for y in channel.outputs)
    parts = _weighted(chosen, law)
    return Channel.derived(leading(parts).join_columns(parts), inputs, tuple(outputs))


def hidden_choice(channels: Iterable[System], weights: ArrayLike) -> Channel:
    """Return the mixture that does not show which channel was chosen: ``R[x, y] = Σ_j w_j C_j[x, y]``.

    Parameters
    ----------
    channels
        As for `visible_choice`; the channels must have the same outputs as well.
    weights
        The probability of each channel, one per channel; they sum to 1.

    Returns
    -------
    Channel
        Its outputs are those of each channel. Its entries are fractions if those of all channels and all weights are.

    Raises
    ------
    InvalidChannelError
        If there is no channel, or inputs or outputs differ.

    Examples
    --------
    >>> hidden_choice([Channel([[1, 0], [0, 1]]), Channel([[0, 1], [1, 0]])], [0.75, 0.25]).matrix.tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    chosen, law, inputs = _checked(channels, weights)
    outputs = _common([channel.outputs for channel in chosen], "outputs")
    return Channel.derived(stored(reduce(add, matrices(_weighted(chosen, law)))), inputs, outputs)


def _weighted(channels: Sequence[Channel], law: Reals | Fractions) -> list[Storage]:
    return [
        channel.storage.weighted(np.full(channel.secrets, weight))
        for channel, weight in zip(channels, law, strict=True)
    ]


def _checked(channels: Iterable[System], weights: ArrayLike) -> tuple[list[Channel], Reals | Fractions, Labels]:
    if isinstance(channels, System) or getattr(channels, "ndim", 1) == 0 or not isinstance(channels, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"channels must be a list of channels, got {type(channels).__name__}")
    chosen = [as_system(channel).channel() for channel in channels]
    if not chosen:
        raise InvalidChannelError("a choice needs at least one channel, got none")
    law = as_distribution(weights, "weights")
    if law.size != len(chosen):
        raise InvalidPriorError(f"weights must be one per channel ({len(chosen)}), got {law.size}")
    exact = all(channel.storage.fractions is not None for channel in chosen)
    shares = exact_distribution(weights, "weights") if exact else None
    return chosen, law if shares is None else shares, _common([channel.inputs for channel in chosen], "inputs")


def _common(labels: Sequence[Labels], what: str) -> Labels:
    """Return the labels that all channels share; channels without labels of their own fit any labels."""
    common = next((own for own in labels if not unlabelled(own)), labels[0])
    for own in labels:
        check_labels(common, own, f"one channel's {what}", "another's")
    return common
