"""Channels that are restricted to some of their secrets."""

from collections.abc import Hashable, Iterable, Mapping

from discretion.channels.channel import Channel, System, as_system
from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.validation import check_length

_SHOWN = 5


def restricted(system: System, secrets: Iterable[Hashable]) -> Channel:
    """Return the channel of an adversary that knows that the secret is one of these.

    Parameters
    ----------
    system
        A channel, in memory or stored, or a mechanism or structured system whose channel fits in memory.
    secrets
        Labels of the possible secrets, at least one, each once.

    Returns
    -------
    Channel
        The rows of these secrets, in the order given, with all outputs.

    Raises
    ------
    InvalidValueError
        If secrets are not a sequence, are empty, name a secret twice, or name one that is not an input of the channel.

    Notes
    -----
    Source: Bayes-sec, section VII-A: if domain knowledge identifies the secrets that can be the leakiest, the Bayes
    security of these is that of all secrets.

    Examples
    --------
    >>> pages = Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], inputs=["short", "medium", "long"])
    >>> restricted(pages, ["long", "short"]).matrix.tolist()
    [[0.2, 0.8], [0.9, 0.1]]
    """
    channel = as_system(system).channel()
    row_of = {label: row for row, label in enumerate(channel.inputs)}
    check_length(getattr(secrets, "size", 0))
    try:
        chosen = tuple(secrets)
    except TypeError:
        text = short_repr(secrets)
        raise InvalidValueError(
            f"the possible secrets must be a sequence of labels, got {text}; write [{text}]"
        ) from None
    if not chosen:
        raise InvalidValueError("at least one secret must be possible, got none")
    unknown = [label for label in chosen if not _is_label(label, row_of)]
    if unknown:
        labels = ", ".join(map(repr, channel.inputs[:_SHOWN])) + ", …" * (len(row_of) > _SHOWN)
        raise InvalidValueError(f"{short_repr(unknown[0])} is not a secret of the channel; its inputs are {labels}")
    if len(set(chosen)) < len(chosen):
        twice = next(label for label in chosen if chosen.count(label) > 1)
        raise InvalidValueError(f"each possible secret must be named once, got {twice!r} more than once")
    rows = [row_of[label] for label in chosen]
    inputs = tuple(channel.inputs[row] for row in rows)
    return Channel.derived(channel.storage.rows(rows), inputs, channel.outputs)


def _is_label(label: Hashable, row_of: Mapping[Hashable, int]) -> bool:
    try:
        return label in row_of
    except TypeError:  # not hashable, whatever its class says
        return False
