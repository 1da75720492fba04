"""What fewer than k people have is not told apart: it leaves as one, so merged that nothing of it can be worked out."""

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
    """Return which answers may be told with how many people have each: k at least.

    If fewer than k have one of the others, the least frequent ones that could be told join these, until they are k
    people or more: what all people are less those that are told would else be a count of fewer than k. Where nobody has
    any of the others there is nothing to hide.

    Examples
    --------
    >>> shown([50, 40, 3], k=10).tolist(), shown([50, 40, 6, 4], k=10).tolist(), shown([50, 40, 0], k=10).tolist()
    ([True, False, False], [True, True, False, False], [True, True, False])
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


def merge_rare(people: ArrayLike, is_shown: Booleans) -> Rare | None:
    """Return what is not told, as one; None if nobody has it."""
    counts = np.asarray(people)[~is_shown]
    return Rare(len(counts), counts.sum().item()) if len(counts) and counts.sum() > 0 else None
