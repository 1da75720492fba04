"""The curve of an attack from its scores: a band that holds for all thresholds at once."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError
from discretion.estimate import highest, lowest
from discretion.measures.attack_curves.best_tests import Band
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.attack_curves.polygon import Polygon
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import NotNumbersError, as_confidence, as_reals

METHOD = "Dvoretzky-Kiefer-Wolfowitz and Clopper-Pearson bounds of both tails, for all thresholds at once"
# The ratio of successive ranks at which a tail has a bound of its own.
_GROWTH = 1.2


def estimate_tradeoff(
    x: ArrayLike, y: ArrayLike, confidence: float = 0.95, larger: Literal["x", "y"] = "y"
) -> AttackCurve:
    """Return the curve of an attack that accuses by a threshold, from scores of the innocent and the guilty.

    Parameters
    ----------
    x, y
        Scores where the accusation is false (x) and where it is true (y), such as those of records outside and inside
        the data: independent draws, shapes ``(n,)`` and ``(m,)``; infinite scores are allowed.
    confidence
        The probability with which the whole band holds, in (0, 1).
    larger
        The side whose scores are larger. ``"y"``: the attack accuses where the score is high. ``"x"``: it accuses where
        the score is low, as with a loss, which is lower for records in the data.

    Returns
    -------
    AttackCurve
        The curve of all tests that compare the score with a threshold, or randomize between two thresholds. Its methods
        return `Estimate`s that hold together with the confidence. Another score may distinguish better: for the
        attacked program, only the upper bounds on false negatives and the lower bounds on true positives, ε and δ hold.
        If its ``note`` is not None, the other direction has a certainly larger advantage: take the other ``larger``.

    Raises
    ------
    InvalidValueError
        If ``larger`` is neither ``"x"`` nor ``"y"``.

    Notes
    -----
    Source: Massart, The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality, Annals of Probability 1990; in the
    tails the bounds of Clopper and Pearson at some ranks are narrower. The band holds with ties, too.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal(size=(2, 10_000))
    >>> found = estimate_tradeoff(scores[0], scores[1] + 1).true_positive_rate(0.01)
    >>> found.low < 0.0924 < found.high, found.confidence
    (True, 0.95)
    >>> losses = -scores
    >>> print(estimate_tradeoff(losses[0], losses[1] - 1).note.partition(":")[0])
    Low scores distinguish the two sides better than high ones
    >>> estimate_tradeoff(losses[0], losses[1] - 1, larger="x").advantage.low > 0.3
    True
    """
    if larger not in ("x", "y"):
        raise InvalidValueError(f'larger must be "x" or "y", the side whose scores are larger; got {larger!r}')
    innocent, guilty = _as_scores(x, "x"), _as_scores(y, "y")
    level = as_confidence(confidence)
    if larger == "x":
        innocent, guilty = -innocent, -guilty
    tests, mirrored = _band(innocent, guilty, level), _band(-innocent, -guilty, level)
    note = None
    if lowest(mirrored.excess(0.0)) > highest(tests.excess(0.0)):
        better, this = ("Low", "high") if larger == "y" else ("High", "low")
        other = "x" if larger == "y" else "y"
        note = (
            f"{better} scores distinguish the two sides better than {this} ones: the advantage is "
            f"{float(mirrored.excess(0.0)):.3g}, not {float(tests.excess(0.0)):.3g}. "
            f'Use larger="{other}" if the attack may accuse there.'
        )
    return AttackCurve(tests, note=note)


def _band(innocent: Reals, guilty: Reals, level: float) -> Band:
    """Return the band of tests that accuse where the score is high."""
    thresholds = np.unique(np.concatenate([innocent, guilty]))
    accused, hits = (_no_less_than(thresholds, scores) for scores in (innocent, guilty))
    false, true = (_bounds(scores.size, (1 - level) / 2) for scores in (innocent, guilty))
    return Band(
        Polygon.from_points(false.low[accused], 1 - true.high[hits]),
        Polygon.from_points(false.high[accused], 1 - true.low[hits]),
        METHOD,
        Polygon.from_points(accused / innocent.size, 1 - hits / guilty.size),
        level,
    )


class _Bounds(NamedTuple):
    """Bounds on the probability that a score is at least a threshold, by the number of such scores in the sample."""

    low: Reals
    high: Reals


def _bounds(size: int, missed: float) -> _Bounds:
    """Return bounds for 0, 1, …, all of a sample, which fail at some threshold with at most this probability.

    Half of this probability covers the distance of the empirical law, the other half some ranks r: the tail from the
    r-th highest score on is stochastically at least, and without that score at most, a Beta(r, size - r + 1) variable.
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - nobody else should wait for it

    counts = np.arange(size + 1)
    off = math.sqrt(math.log(4 / missed) / (2 * size))
    ranks = _ranks(size)
    share = missed / 4 / ranks.size
    least, most = (betaincinv(ranks, size - ranks + 1, at) for at in (share, 1 - share))
    low = np.append(0.0, np.maximum.accumulate(least))[np.searchsorted(ranks, counts, side="right")]
    high = np.append(np.minimum.accumulate(most[::-1])[::-1], 1.0)[np.searchsorted(ranks, counts, side="right")]
    return _Bounds(np.maximum(low, counts / size - off), np.minimum(high, counts / size + off))


def _ranks(size: int) -> Integers:
    """Return ranks that are denser where a tail is small, on either side."""
    steps = _GROWTH ** np.arange(math.ceil(math.log(size) / math.log(_GROWTH)) + 1)
    near = np.unique(np.minimum(np.ceil(steps), (size + 1) // 2)).astype(np.int64)
    return np.unique(np.append(near, size + 1 - near))


def _no_less_than(thresholds: Reals, scores: Reals) -> Integers:
    """Return the number of scores that are at least each threshold."""
    below = np.searchsorted(np.sort(scores), thresholds, side="left")
    return np.append(scores.size - below, 0)


def _as_scores(values: ArrayLike, name: str) -> Reals:
    try:
        scores = as_reals(values)
    except NotNumbersError as error:
        raise InvalidValueError(f"{name} must be scores, one number each: {error}") from None
    if scores.ndim != 1 or np.isnan(scores).any():
        raise InvalidValueError(
            f"{name} must be scores in one list of numbers, got shape {scores.shape}"
            + (", some of them NaN" if np.isnan(scores).any() else "; make one score of each output")
        )
    if not scores.size:
        raise InvalidValueError(f"{name} is empty; give scores of the innocent (x) and of the guilty (y)")
    return scores
