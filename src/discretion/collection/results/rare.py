"""Answers of fewer than k people leave merged into one, so that none of them can be worked out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Booleans


@dataclass(frozen=True)
class Rare:
    """What was merged.

    Parameters
    ----------
    values
        How many answers, or combinations of answers: those that somebody could give and nobody gave included.
    people
        How many people have one of them.
    """

    values: int
    people: float


def publishable(people: ArrayLike, k: int) -> Booleans:
    """Return which answers may be published with their counts: those of at least k people.

    If fewer than k people have one of the others, the least frequent other answers join these, until they are k
    people or more: all people less the published counts would else be a count of fewer than k. Where nobody has
    any of the others there is nothing to hide.

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
    """Return whether counts of so many people may be given out beside later counts of others of them.

    The difference of two counts is a count of those who left in between: of fewer than k people, unless nobody did.

    Examples
    --------
    >>> may_be_compared(200, 200, k=10), may_be_compared(200, 199, k=10), may_be_compared(200, 190, k=10)
    (True, False, True)
    """
    return not 0 < abs(earlier - later) < k


def merge_rare(people: ArrayLike, is_shown: Booleans) -> Rare | None:
    """Return the answers that are not published, as one; None if nobody has them."""
    counts = np.asarray(people)[~is_shown]
    return Rare(len(counts), counts.sum().item()) if len(counts) and counts.sum() > 0 else None
