"""Gains of adversaries of a whole dataset: some people's values, the presence of a value, or a person who holds it."""

from collections.abc import Iterable

import numpy as np

from discretion.adversaries import Gain, gain_matrix, partition_gain
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidGainError
from discretion.numerics.arrays import Booleans, Integers
from discretion.numerics.histograms.histograms import sequence_count
from discretion.validation import as_count, as_index


def target_gain(n: int, k: int, targets: Iterable[int] = (0,)) -> Gain:
    """Return the gain of naming the values of some people: ``g(w, x) = 1`` if ``w_i = x_i`` for each, else 0.

    Parameters
    ----------
    n
        Number of users, at least 1.
    k
        Number of values, at least 1.
    targets
        The indexes of these people, each once, in ``0..n-1``; the default is the first one alone, the single target.

    Returns
    -------
    Gain
        Over the ``k^n`` datasets in the order of `discretion.shuffling.dataset_channel`.

    Raises
    ------
    InvalidGainError
        If there is no target, or one is given twice.
    TooLargeError
        If there are more datasets than a channel may have.

    Notes
    -----
    For a single target `discretion.Shuffled` computes the same without an explicit dataset. Source: Shuffle, Definition
    13.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = dc.RandomizedResponse(2, p=0.75)
    >>> C = dc.shuffling.dataset_channel(mechanism, 3) >> dc.shuffling.full_shuffle_channel(3, 2)
    >>> round(dc.posterior_vulnerability(C, gain=target_gain(3, 2)), 12)
    0.625
    >>> round(dc.posterior_vulnerability(dc.Shuffled(mechanism, 3)), 12)
    0.625
    """
    values = _values(n, k)
    try:
        chosen = [as_index(target, "targets", n) for target in targets]
    except TypeError:
        raise InvalidGainError(f"targets must be the indexes of some users, got {targets!r:.60}") from None
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidGainError(f"targets must be at least one user, each once, got {chosen!r:.60}")
    return partition_gain(map(tuple, values[:, chosen].tolist()))


def presence_gain(n: int, k: int, value: int) -> Gain:
    """Return the gain of deciding correctly if anyone has a value: ``g(w, x) = 1`` if ``w = [value in x]``, else 0.

    Parameters
    ----------
    n
        Number of users, at least 1.
    k
        Number of values, at least 1.
    value
        The value, in ``0..k-1``.

    Returns
    -------
    Gain
        Over the ``k^n`` datasets in the order of `discretion.shuffling.dataset_channel`.

    Raises
    ------
    TooLargeError
        If there are more datasets than a channel may have.

    Notes
    -----
    A shuffler hides nothing of this: it shows the histogram of the reports.

    Examples
    --------
    >>> import discretion as dc
    >>> noise = dc.shuffling.dataset_channel(dc.RandomizedResponse(2, p=0.75), 2)
    >>> shuffled = noise >> dc.shuffling.full_shuffle_channel(2, 2)
    >>> [round(dc.posterior_vulnerability(C, gain=presence_gain(2, 2, value=1)), 12) for C in (noise, shuffled)]
    [0.78125, 0.78125]
    """
    return partition_gain([any(has) for has in _has(n, k, value).tolist()])


def holder_gain(n: int, k: int, value: int) -> Gain:
    """Return the gain of naming any person who has a value: ``g(w, x) = 1`` if ``x_w = value``, else 0.

    Parameters
    ----------
    n
        Number of users, at least 1; they are the guesses.
    k
        Number of values, at least 1.
    value
        The value, in ``0..k-1``.

    Returns
    -------
    Gain
        Over the ``k^n`` datasets in the order of `discretion.shuffling.dataset_channel`; 0 where nobody has the value.

    Raises
    ------
    TooLargeError
        If the matrix, with a row for each user and a column for each dataset, would have too many entries.

    Notes
    -----
    The adversary needs any one person with the value, for example one patient to blackmail. After a shuffler its best
    guess is a person who was among the likeliest before the observation.

    Examples
    --------
    >>> import discretion as dc
    >>> noise = dc.shuffling.dataset_channel(dc.RandomizedResponse(2, p=0.75), 2)
    >>> shuffled = noise >> dc.shuffling.full_shuffle_channel(2, 2)
    >>> [round(dc.posterior_vulnerability(C, gain=holder_gain(2, 2, value=1)), 12) for C in (noise, shuffled)]
    [0.625, 0.5]
    """
    return gain_matrix(_has(n, k, value).T.astype(np.float64))


def _has(n: int, k: int, value: int) -> Booleans:
    """Return for each dataset (row) the users (columns) who have a value."""
    values = _values(n, k)
    return values == as_index(value, "value", k)


def _values(n: int, k: int) -> Integers:
    """Return all datasets, a row each, in lexicographic order."""
    n, k = as_count(n, "n", at_least=1), as_count(k, "k", at_least=1)
    datasets = sequence_count(n, k)
    check_size(datasets, n, f"the datasets of {n} users with {k} values", "take fewer of them, or discretion.Shuffled")
    return np.arange(int(datasets))[:, None] // k ** np.arange(n)[::-1] % k
