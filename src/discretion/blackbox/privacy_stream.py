"""Lower bounds on the δ and ε of a mechanism, while its outputs on two neighboring inputs stream in."""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from discretion.blackbox.betting import Block, Worth, bets, log_wealth
from discretion.blackbox.classifiers import NAMES, Method, is_classifier, name_of
from discretion.blackbox.distinct import NUMBERS, codes_of_rows
from discretion.blackbox.likelihood_scores import (
    Scores,
    bin_scores,
    classifier_scores,
    count_scores,
    distance_scores,
    repeat,
    row_scores,
)
from discretion.blackbox.progressive_validation import COUNTED, FITTED, block_edges
from discretion.blackbox.samples import Rows, checked_sides, columns, join_samples
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.privacy_loss.differential_privacy import ratio_of
from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.draws import Seed, generator
from discretion.validation import as_confidence, as_epsilon, as_probability

# The number of trials for learning before the first that counts.
_LEARNED = 16

# The largest ε that any number of outputs can refute.
_LARGEST, _HALVINGS = 32.0, 44


class PrivacyStream:
    """Lower bounds on δ(ε) and ε(δ) that hold at any time, also if you stop at a time of your choice.

    Parameters
    ----------
    confidence
        The probability with which all bounds for one ε, or for one δ, hold together at all times, in (0, 1).
    method
        As in `estimate_privacy_profile`.
    rng
        A generator or a seed for the coins that decide which input's output comes next; None draws a fresh seed.

    Notes
    -----
    Outputs on either input must be independent draws, in random order. The stream uses about the same number of outputs
    on each input. Every estimate learns again from all outputs.

    Examples
    --------
    >>> import discretion as dc
    >>> noise, stream, rng = dc.Laplace(scale=0.5), PrivacyStream(rng=1), np.random.default_rng(2)
    >>> while stream.estimate_epsilon(0).low <= 1:                 # it is 2
    ...     stream.add(noise.sample([1] * 100, rng), noise.sample([0] * 100, rng))
    """

    def __init__(self, confidence: float = 0.95, method: Method = "auto", rng: Seed = None) -> None:
        self.confidence = as_confidence(confidence)
        if method not in NAMES and not is_classifier(method):
            raise InvalidValueError(
                f"method must be {', '.join(map(repr, NAMES))} or a classifier with fit and predict, got {method!r}"
            )
        self._method: Method = method
        self._rng = generator(rng)
        self._coins = np.zeros(0, dtype=np.bool_)
        self._given: tuple[list[Rows], list[Rows]] = [], []

    def add(self, x: ArrayLike, y: ArrayLike) -> None:
        """Take outputs on either input.

        Parameters
        ----------
        x, y
            As in `estimate_privacy_profile`.
        """
        sides = checked_sides(x, y, counted=not is_classifier(self._method))
        if self._given[0]:
            before, now = _kind(self._given[0][0], self._given[1][0]), _kind(*sides)
            if before != now:
                raise InvalidValueError(f"outputs must have one kind in all batches, got {now} after {before}")
        for given, side in zip(self._given, sides, strict=True):
            given.append(side.copy())  # the caller may write the next batch over this one

    def estimate_privacy_profile(self, epsilon: float) -> Estimate:
        """Return a lower bound on δ(ε) from all outputs so far, as `discretion.estimate_privacy_profile` does."""
        ratio = ratio_of(as_epsilon(epsilon))

        def worth(right: Reals, wrong: Reals, c: int) -> Reals:
            return 2 / c * (right - ratio * wrong)

        return self._bound(worth, lambda delta: (ratio, delta), 1.0, 1.0)

    def estimate_epsilon(self, delta: float) -> Estimate:
        """Return a lower bound on ε(δ) from all outputs so far, as `discretion.estimate_epsilon` does."""
        level = as_probability(delta, "delta")

        def worth(right: Reals, wrong: Reals, c: int) -> Reals:
            return (right - c * level / 2) / wrong - 1

        return self._bound(worth, lambda epsilon: (math.exp(epsilon), level), _LARGEST, math.inf)

    def _bound(
        self, worth: Worth, claim: Callable[[float], tuple[float, float]], largest: float, trivial: float
    ) -> Estimate:
        """Return the largest value whose claim is refuted, with all smaller ones; 0 if none is refuted."""
        placed, name = np.zeros((0, 4), dtype=np.int64), "nothing given"
        if self._given[0]:
            outputs, is_x = self._trials()
            name, scores, rows, growth = self._guesser(outputs)
            placed = bets(_blocks(scores, rows, is_x, growth), worth)
        enough = -math.log1p(-self.confidence)

        def refuted(value: Reals) -> bool:
            return log_wealth(placed, *claim(float(value))) >= enough

        bound = float(bisected(refuted, 0.0, largest, _HALVINGS)[0])
        right, wrong, withheld = (int(total) for total in placed[:, 1:].sum(axis=0))
        method = (
            f"{name}: {right:,} guesses of the input correct, {wrong:,} wrong, {withheld:,} withheld; bets on them, "
            "by Ville's inequality"
        )
        return Estimate(bound, bound, trivial, self.confidence, method)

    def _trials(self) -> tuple[Rows, Booleans]:
        """Return the outputs in the order of the coins, until one side has none left, and whether x gave each.

        The next coin may be drawn already and wait for its output: a bound for all times at once still holds.
        """
        numbers = _kind(self._given[0][0], self._given[1][0]).startswith("numbers")
        everything = [*self._given[0], *self._given[1]]
        outputs = np.concatenate(everything) if numbers else join_samples(everything)
        of_x = sum(map(len, self._given[0]))
        missing = max(0, len(outputs) + 1 - self._coins.size)
        self._coins = np.concatenate([self._coins, self._rng.integers(2, size=missing) > 0])
        x, y = np.cumsum(self._coins), np.cumsum(~self._coins)
        is_x = self._coins[: int(np.argmax((x > of_x) | (y > len(outputs) - of_x)))]
        places = np.where(is_x, x[: is_x.size] - 1, of_x + y[: is_x.size] - 1)
        return outputs[places], is_x

    def _guesser(self, outputs: Rows) -> tuple[str, Scores, Rows, float]:
        """Return the guesser's name, its scores, the outputs to score, and the growth factor of its known outputs."""
        if not isinstance(self._method, str):
            return name_of(self._method), classifier_scores(self._method), outputs, FITTED
        if self._method == "auto" and outputs.dtype.kind in NUMBERS and outputs[0].size == 1:
            return "histogram", bin_scores, outputs.ravel(), COUNTED
        if self._method == "auto" and outputs.dtype.kind in NUMBERS:
            # The first trials are for learning, without bets: they may decide how often to learn again.
            growth = COUNTED if repeat(outputs[:_LEARNED]) else FITTED
            return "nearest neighbors, or frequentist once rows repeat", row_scores, outputs, growth
        if self._method == "nearest-neighbours":
            return "nearest neighbours", distance_scores, outputs, FITTED
        return "frequentist", count_scores, codes_of_rows(outputs), COUNTED


def _kind(x: Rows, y: Rows) -> str:
    what = "numbers" if x.dtype.kind in NUMBERS and y.dtype.kind in NUMBERS else "text or objects"
    return f"{what}, {columns(x.shape[1:])}"


def _blocks(scores: Scores, rows: Rows, is_x: Booleans, growth: float) -> Iterator[Block]:
    """Yield the trials block by block, each scored from all before it, and these from the other half of themselves."""
    for start, end in pairwise(block_edges(_LEARNED, is_x.size, growth)):
        known, known_x, half = rows[:start], is_x[:start], start // 2
        first, second = slice(half), slice(half, None)
        crossed = [scores(known[a], known_x[a], known[b]) for a, b in ((second, first), (first, second))]
        new_scores = scores(known, known_x, rows[start:end])
        yield Block(np.concatenate(crossed), known_x, new_scores, is_x[start:end])
