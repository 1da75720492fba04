"""Bets against a claim of (ε, δ)-differential privacy, which are unlikely to win much if the claim is true.

A fair coin decides from which of two neighboring inputs, x or y, the next output comes. On some outputs the bettor
guesses the input, on the others it withholds its guess. Given the past, let S be the outputs for which it guesses x, T
those for which it guesses y, P and Q the laws of the outputs; c is 1 if S or T is empty, else 2. If the claim is true

    E[right - e^ε wrong] = (P(S) - e^ε Q(S))/2 + (Q(T) - e^ε P(T))/2 <= c δ/2,

so ``1 + λ (right - e^ε wrong - c δ/2)`` is at most 1 on average, and never negative for ``λ (e^ε + δ) <= 1``. Products
of it over all trials, and their mean over some λ that are fixed beforehand, are therefore a nonnegative supermartingale
that starts at 1: with probability at least ``1 - α`` it never reaches ``1/α``, at any time (Ville, Étude critique de la
notion de collectif, 1939). A λ that is too large for the claim counts as a lost stake. For each λ the product falls
with ε and with δ: the refutation of a claim refutes all stronger claims.

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

# The value of guesses, by limits on the probabilities of correct and wrong guesses, and by c.
Worth = Callable[[Reals, Reals, int], Reals]

# The λ, a factor √2 apart, down to the least that the largest number of samples needs.
_STAKES = 2.0 ** (-np.arange(64) / 2)

# The number of thresholds for withholding guesses, and the probability that their limits fail.
_CUTS, _DOUBT = 64, 0.002


@dataclass(frozen=True)
class Block:
    """Known and tested trials: for each a score, above 0 where x is likelier, and whether the input was x."""

    known: Reals
    known_x: Booleans
    tested: Reals
    tested_x: Booleans


def bets(blocks: Iterable[Block], worth: Worth) -> Integers:
    """Return a row for each block: c, and the numbers of correct, wrong and withheld guesses on the tested trials.

    The side that is guessed and the threshold of the score are the best ones on the known trials.
    """
    return np.array([_bet(block, worth) for block in blocks], dtype=np.int64).reshape(-1, 4)


def log_wealth(placed: Integers, ratio: float, delta: float) -> float:
    """Return the logarithm of the largest wealth after any block, from a stake of 1, where ``ratio`` is e^ε."""
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
    """Yield c with a certainty and a guess for each trial: always x, always y, or the likelier input."""
    yield 1, scores, np.ones(scores.size, dtype=np.bool_)
    yield 1, -scores, np.zeros(scores.size, dtype=np.bool_)
    yield 2, np.abs(scores), scores > 0


def _counts_above(surety: Reals, correct: Booleans) -> tuple[Reals, Integers, Integers]:
    """Return thresholds for withholding guesses, and the numbers of correct and wrong guesses above each."""
    order = np.argsort(-surety, kind="stable")
    descending = -surety[order]
    ranks = np.geomspace(1, surety.size, min(_CUTS, surety.size)).astype(np.int64) - 1
    ends = np.unique(np.searchsorted(descending, descending[ranks], side="right"))
    right: Integers = np.cumsum(correct[order], dtype=np.int64)[ends - 1]
    return -descending[ends - 1], right, ends - right
