"""Merge the answers of fewer than k people into one, so that none of their counts can be computed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Booleans


@dataclass(frozen=True)
class Rare:
    """The merged answers.

    Parameters
    ----------
    values
        The number of merged answers, or combinations of answers, including possible ones that nobody gave.
    people
        The number of people with one of them.
    """

    values: int
    people: float


def publishable(people: ArrayLike, k: int) -> Booleans:
    """Return which answers may be published with their counts: those of at least k people.

    If fewer than k people have one of the remaining answers, the least frequent published answers join these until they
    are at least k people. Otherwise the number of all people less the published counts would be a count of fewer than
    k. If nobody has any of the remaining answers, there is nothing to hide.

    Examples
    --------
    >>> publishable([50, 40, 3], k=10).tolist(), publishable([50, 40, 6, 4], k=10).tolist()
    ([True, False, False], [True, True, False, False])
    >>> publishable([50, 40, 0], k=10).tolist()
    [True, True, False]
    """
    counts = np.asarray(people, dtype=np.float64)
    is_shown = counts >= k
    merged = float(counts[~is_shown].sum())
    for place in np.argsort(counts, kind="stable"):
        if not 0 < merged < k:
            break
        if is_shown[place]:
            is_shown[place], merged = False, merged + float(counts[place])
    return is_shown


def may_be_compared(earlier: int, later: int, k: int) -> bool:
    """Return whether counts of one number of people may be given out together with later counts of another number.

    The difference of two counts is a count of the people who left in between. It must not be a count of fewer than k
    people, unless nobody left.

    Examples
    --------
    >>> may_be_compared(200, 200, k=10), may_be_compared(200, 199, k=10), may_be_compared(200, 190, k=10)
    (True, False, True)
    """
    return not 0 < abs(earlier - later) < k


def merge_rare(people: ArrayLike, is_shown: Booleans) -> Rare | None:
    """Return the unpublished answers as one; None if nobody has them."""
    counts = np.asarray(people)[~is_shown]
    return Rare(len(counts), counts.sum().item()) if len(counts) and counts.sum() > 0 else None
