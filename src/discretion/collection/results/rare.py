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


def shown(people: ArrayLike, k: int) -> Booleans:
    """Return which answers may be told with how many people have each: k at least.

    If fewer than k have one of the others, the least frequent ones that could be told join these, until they are k
    people or more: what all people are less those that are told would else be a count of fewer than k. Where nobody has
    any of the others there is nothing to hide.

    Examples
    --------
    >>> shown([50, 40, 3], k=10).tolist(), shown([50, 40, 6, 4], k=10).tolist(), shown([50, 40, 0], k=10).tolist()
    ([True, False, False], [True, True, False, False], [True, True, False])
    """
    held = np.asarray(people, dtype=np.float64)
    told = held >= k
    merged = float(held[~told].sum())
    for place in np.argsort(held, kind="stable"):
        if not 0 < merged < k:
            break
        if told[place]:
            told[place], merged = False, merged + float(held[place])
    return told


def merged(people: ArrayLike, told: Booleans) -> Rare | None:
    """Return what is not told, as one; None if nobody has it."""
    held = np.asarray(people)[~told]
    return Rare(len(held), held.sum().item()) if len(held) and held.sum() > 0 else None
