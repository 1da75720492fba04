"""Bets against a claim of (ε, δ)-differential privacy, at which nobody grows rich if it is true.

A fair coin says from which of two neighbouring inputs, x or y, the next output comes. On some outputs she guesses which
it was, on the others she withholds her guess. Given the past, let S be where she guesses x, T where she guesses y, P
and Q the laws of the outputs; c is 1 if S or T is empty, else 2. If the claim is true

    E[right - e^ε wrong] = (P(S) - e^ε Q(S))/2 + (Q(T) - e^ε P(T))/2 <= c δ/2,

so ``1 + λ (right - e^ε wrong - c δ/2)`` is at most 1 on average, and never negative for ``λ (e^ε + δ) <= 1``. Products
of it over all trials, and their mean over some λ that are fixed beforehand, are therefore a nonnegative supermartingale
that starts at 1: with probability ``1 - α`` it never reaches ``1/α``, whenever one looks (Ville, Étude critique de la
notion de collectif, 1939). A λ that is too large for the claim counts as lost. For each λ the product falls with ε and
with δ: a claim is refuted along with all that are stronger.

The mean over λ is the method of mixtures (Waudby-Smith and Ramdas, Estimating means of bounded random variables by
betting, JRSS B 2024).
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit

# What guesses are worth, by limits of how likely they are right and wrong, and by c.
Worth = Callable[[Reals, Reals, int], Reals]

# λ, half a factor of two apart, down to what as many samples as there can be call for.
_STAKES = 2.0 ** (-np.arange(64) / 2)

# Of so many places where guesses may stop, by limits that miss with this probability.
_CUTS, _DOUBT = 64, 0.002


@dataclass(frozen=True)
class Block:
    """Trials that are known and trials that are tested: a score, above 0 where x is likelier, and whether it was x."""

    known: Reals
    known_x: Booleans
    tested: Reals
    tested_x: Booleans


def bets(blocks: Iterable[Block], worth: Worth) -> Integers:
    """Return for each block a row: c, and how many guesses on the tested were right, wrong and withheld.

    Which of the two is guessed, and from which score on, is what was worth most on the known.
    """
    return np.array([_bet(block, worth) for block in blocks], dtype=np.int64).reshape(-1, 4)


def log_wealth(placed: Integers, ratio: float, delta: float) -> float:
    """Return the logarithm of the most that a stake of 1 had become after any block, where ``ratio`` is e^ε."""
    from scipy.special import xlog1py  # noqa: PLC0415

    stakes = _STAKES[_STAKES * (ratio + delta) <= 1]
    if not placed.size or not stakes.size:
        return -math.inf
    c, right, wrong, withheld = (column[:, None].astype(np.float64) for column in placed.T)
    fee = c * delta / 2
    terms = (right, stakes * (1 - fee)), (wrong, -stakes * (ratio + fee)), (withheld, -stakes * fee)
    gains = sum(cast(Reals, xlog1py(count, gain)) for count, gain in terms)
    return float(np.logaddexp.reduce(np.cumsum(gains, axis=0), axis=1).max()) - math.log(_STAKES.size)


def _bet(block: Block, worth: Worth) -> tuple[int, int, int, int]:
    most, placed = 0.0, (1, 0, 0, 0)
    for (c, surety, guess), (_, asked_surety, asked_guess) in zip(_ways(block.known), _ways(block.tested), strict=True):
        cuts, right, wrong = _counts_above(surety, guess == block.known_x)
        limits = lower_limit(right, surety.size, _DOUBT), upper_limit(wrong, surety.size, _DOUBT)
        values = worth(*limits, c)
        best = int(np.argmax(values))
        if values[best] > most:
            guessed = asked_surety >= cuts[best]
            correct = int(np.count_nonzero(guessed & (asked_guess == block.tested_x)))
            total = int(np.count_nonzero(guessed))
            most, placed = float(values[best]), (c, correct, total - correct, guessed.size - total)
    return placed


def _ways(scores: Reals) -> Iterator[tuple[int, Reals, Booleans]]:
    """Yield c, its certainty and its guesses: always x, always y, or what is likelier."""
    yield 1, scores, np.ones(scores.size, dtype=np.bool_)
    yield 1, -scores, np.zeros(scores.size, dtype=np.bool_)
    yield 2, np.abs(scores), scores > 0


def _counts_above(surety: Reals, correct: Booleans) -> tuple[Reals, Integers, Integers]:
    """Return where to stop guessing, and how many guesses are right and wrong from there on."""
    order = np.argsort(-surety, kind="stable")
    descending = -surety[order]
    ranks = np.geomspace(1, surety.size, min(_CUTS, surety.size)).astype(np.int64) - 1
    ends = np.unique(np.searchsorted(descending, descending[ranks], side="right"))
    right: Integers = np.cumsum(correct[order], dtype=np.int64)[ends - 1]
    return -descending[ends - 1], right, ends - right
